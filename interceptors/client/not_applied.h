// The proof that a call was not applied, among the trailers of its answer.
//
// It must cover every attempt of a call: what the last attempt's server said is
// replaced by what is known of all of them.
//
//   SetNotApplied(call.not_applied(), &trailers);
//
// Not part of the library's API.
//
// Thread-safety: a pure function on its argument.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_NOT_APPLIED_H_
#define FORBEAR_INTERCEPTORS_CLIENT_NOT_APPLIED_H_

#include <grpcpp/support/string_ref.h>

#include <map>

#include "interceptors/context/metadata_keys.h"

namespace forbear {

inline void SetNotApplied(
    bool not_applied,
    std::multimap<grpc::string_ref, grpc::string_ref>* trailers) {
  const grpc::string_ref key(kNotAppliedKey.data(), kNotAppliedKey.size());
  trailers->erase(key);
  if (!not_applied) return;
  trailers->emplace(
      key, grpc::string_ref(kNotAppliedValue.data(), kNotAppliedValue.size()));
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_NOT_APPLIED_H_
