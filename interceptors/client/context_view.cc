#include "interceptors/client/context_view.h"

#ifndef FORBEAR_PUBLIC_API_ONLY
#include "interceptors/client/grpc_inside.h"
#endif

namespace forbear {

#ifdef FORBEAR_PUBLIC_API_ONLY

bool ContextView::WaitForReady(const grpc::ClientContext&) { return false; }
bool ContextView::WaitForReadySet(const grpc::ClientContext&) { return false; }
std::string ContextView::Authority(const grpc::ClientContext&) { return ""; }
grpc_call* ContextView::Parent(const grpc::ClientContext&) { return nullptr; }
grpc::PropagationOptions ContextView::Propagation(const grpc::ClientContext&) {
  return grpc::PropagationOptions();
}
void ContextView::SetParent(grpc::ClientContext&, grpc_call*,
                            grpc::PropagationOptions) {}

#else

using inside::Friend;

bool ContextView::WaitForReady(const grpc::ClientContext& context) {
  return Friend::WaitForReady(context);
}
bool ContextView::WaitForReadySet(const grpc::ClientContext& context) {
  return Friend::WaitForReadySet(context);
}
std::string ContextView::Authority(const grpc::ClientContext& context) {
  return Friend::Authority(context);
}
grpc_call* ContextView::Parent(const grpc::ClientContext& context) {
  return Friend::Parent(context);
}
grpc::PropagationOptions ContextView::Propagation(
    const grpc::ClientContext& context) {
  return Friend::Propagation(context);
}
void ContextView::SetParent(grpc::ClientContext& context, grpc_call* parent,
                            grpc::PropagationOptions options) {
  Friend::SetParent(context, parent, options);
}

#endif

}  // namespace forbear
