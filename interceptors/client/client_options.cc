#include "interceptors/client/client_options.h"

namespace forbear {

absl::Status ClientOptions::Validate() const {
  absl::Status status = policy.Validate();
  if (status.ok()) status = target_budget.Validate("target_budget.");
  return status;
}

}  // namespace forbear
