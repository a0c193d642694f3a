#include "interceptors/client/client_options.h"

#include "absl/strings/str_cat.h"

namespace forbear {

absl::Status ClientOptions::Validate() const {
  absl::Status status = policy.Validate();
  for (size_t i = 0; i < interceptors.size() && status.ok(); ++i) {
    if (interceptors[i] == nullptr) {
      status = absl::InvalidArgumentError(absl::StrCat(
          "interceptors[", i, "]: null; leave out what is not there"));
    }
  }
  return status;
}

}  // namespace forbear
