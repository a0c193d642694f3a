// What retries read of a ClientContext, and write to one, beyond its public
// API.
//
// Built with --define=forbear_grpc=public these see nothing and change nothing:
// the fallback for a gRPC whose inside has changed. Attempts then go without
// wait-for-ready, authority and parent.
//
//   if (ContextView::Parent(context) != nullptr) ...
//
// Not part of the library's API.
//
// Thread-safety: as the context's.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CONTEXT_VIEW_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CONTEXT_VIEW_H_

#include <grpcpp/client_context.h>

#include <string>

namespace forbear {

struct ContextView {
  static bool WaitForReady(const grpc::ClientContext& context);
  static bool WaitForReadySet(const grpc::ClientContext& context);
  static std::string Authority(const grpc::ClientContext& context);
  static grpc_call* Parent(const grpc::ClientContext& context);
  static grpc::PropagationOptions Propagation(
      const grpc::ClientContext& context);
  static void SetParent(grpc::ClientContext& context, grpc_call* parent,
                        grpc::PropagationOptions options);
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CONTEXT_VIEW_H_
