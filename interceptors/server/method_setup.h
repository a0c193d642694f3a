// What a method is guarded with.
//
//   MethodSetup setup;
//   setup.options = options;
//   new GuardedMethod(method, setup);
//
// Thread-safety: a value.
// Units:         see ServerOptions.
// Errors:        none; what is wrong with the options is in `fault`.
#ifndef FORBEAR_INTERCEPTORS_SERVER_METHOD_SETUP_H_
#define FORBEAR_INTERCEPTORS_SERVER_METHOD_SETUP_H_

#include "absl/status/status.h"
#include "interceptors/admission/admission.h"
#include "interceptors/server/server_options.h"

namespace forbear {

// Pointers outlive it.
struct MethodSetup {
  ServerOptions options;
  absl::Status fault;
  Admission* admission = nullptr;  // Null: no limit holds for the method.
  Gate* gate = nullptr;            // The method's own limit, or null.
  // Whether the server has interceptors that handlers' messages must pass.
  const bool* others_intercept = nullptr;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_METHOD_SETUP_H_
