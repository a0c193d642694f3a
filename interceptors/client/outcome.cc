#include "interceptors/client/outcome.h"

#include "interceptors/context/metadata_keys.h"

namespace forbear {

Outcome OutcomeOf(const grpc::ClientContext& context) {
  const grpc::string_ref key(kNotAppliedKey.data(), kNotAppliedKey.size());
  return context.GetServerTrailingMetadata().count(key) != 0
             ? Outcome::kNotApplied
             : Outcome::kUnknown;
}

}  // namespace forbear
