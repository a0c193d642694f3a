// The one place of the server that leans on gRPC's inside.
//
// gRPC's public API can neither keep a handler from running nor see an answer
// before it is sent without an interceptor, which costs every call an extra
// empty batch each way. The guard needs a look at private members: the methods
// of a service and where they were registered, the metadata that a call brought
// (without building a map of it), and the status that a batch is to send.
//
//   for (const auto& method : inside::MethodsOf(service)) ...
//   if (auto answer = inside::AnswerIn(batch)) answer->code ...
//
// Each member is named when this compiles: gRPC renaming one, or changing its
// type, stops the build here. GrpcInsideServerTest fails by name when one
// changes its meaning. The fallback on the public API alone is
// deadline_interceptor.h. Written against gRPC 1.51.1. Not part of the
// library's API.
//
// Thread-safety: as that of the object looked into.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_GRPC_INSIDE_H_
#define FORBEAR_INTERCEPTORS_SERVER_GRPC_INSIDE_H_

#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace forbear {
namespace inside {

// In the order of registration, by which generated code numbers them. Null
// for a method left to a generic service.
const std::vector<std::unique_ptr<grpc::internal::RpcServiceMethod>>& MethodsOf(
    const grpc::Service& service);

// Makes `unregistered`, whose methods are numbered alike, serve what
// `registered` has registered without a handler.
void CopyRegistration(const grpc::Service& registered,
                      grpc::Service& unregistered);

// As the core delivered it, keys repeated as they came.
const grpc_metadata_array& ReceivedMetadata(
    const grpc::ServerContextBase& context);

// The same, one after another.
template <typename See>
void ForEachReceived(const grpc::ServerContextBase& context, See see) {
  const grpc_metadata_array& metadata = ReceivedMetadata(context);
  for (size_t i = 0; i < metadata.count; ++i) {
    const auto view = [](const grpc_slice& slice) {
      return absl::string_view(
          reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
          GRPC_SLICE_LENGTH(slice));
    };
    see(view(metadata.metadata[i].key), view(metadata.metadata[i].value));
  }
}

// What the call's answer will carry, until it is sent.
std::multimap<std::string, std::string>& TrailersOf(
    grpc::ServerContextBase& context);

struct Answer {
  grpc_status_code code;
  std::multimap<std::string, std::string>* trailers;
  const std::string* message;
  const std::string* details;
  // The response as its handler made it, before it is serialized: a protocol
  // buffer where the method's messages are. Null if there is none.
  const void* response;
};

// The answer that `batch` will send, or nullopt if it does not end the call.
absl::optional<Answer> AnswerIn(grpc::internal::CallOpSetInterface* batch);

}  // namespace inside
}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_GRPC_INSIDE_H_
