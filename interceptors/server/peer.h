// Who made a call, as far as its server can tell.
//
//   const std::string caller = CallerOf(context->c_call(), options.caller_of);
//
// An authenticated identity is believed. Without one there is the address of
// the connection, less its port: a program that opens many connections is one
// caller.
//
// Thread-safety: functions over a living call.
// Units:         none.
// Errors:        none; what gRPC does not know is empty.
#ifndef FORBEAR_INTERCEPTORS_SERVER_PEER_H_
#define FORBEAR_INTERCEPTORS_SERVER_PEER_H_

#include <grpc/grpc.h>

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "interceptors/server/server_options.h"

namespace forbear {

// "ipv4:10.0.0.7:4711" and "ipv6:[::1]:4711" without their ports; what has no
// port, as it is.
absl::string_view WithoutPort(absl::string_view address);

std::string CallerOf(grpc_call* call,
                     const std::function<std::string(const Peer&)>& caller_of);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_PEER_H_
