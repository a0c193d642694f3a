// The one place of the client that leans on gRPC's inside.
//
// gRPC's public API cannot shorten a call's deadline, tell a stub's style, or
// hold back a failed first attempt without running every call through its
// interceptor machinery (an extra empty batch a call). What is needed beyond
// it is here, in two parts: friends of gRPC's own stubs may call a channel's
// private virtuals and read a ClientContext; and the batches that unary stubs
// make are read and amended between the core's completion and the stub.
//
// All of it is named at compile time: gRPC renaming a member stops the build
// here. GrpcInsideTest fails by name when its meaning changes. The fallback on
// the public API alone is in retry_interceptor.h.
//
// Written against gRPC 1.51.1. Not part of the library's API.
//
// Thread-safety: as that of the object looked into.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_GRPC_INSIDE_H_
#define FORBEAR_INTERCEPTORS_CLIENT_GRPC_INSIDE_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_op_set.h>
#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace forbear {
namespace inside {

struct Key;  // Names our specialisation of gRPC's friend, below.

}  // namespace inside
}  // namespace forbear

namespace grpc {
namespace internal {

// A template that both ChannelInterface and ClientContext call a friend.
template <>
class BlockingUnaryCallImpl<forbear::inside::Key, forbear::inside::Key> {
 public:
  static Call CreateCall(ChannelInterface& channel, const RpcMethod& method,
                         ClientContext* context, CompletionQueue* cq) {
    return channel.CreateCall(method, context, cq);
  }
  static void PerformOps(ChannelInterface& channel, CallOpSetInterface* ops,
                         Call* call) {
    channel.PerformOpsOnCall(ops, call);
  }
  static void* RegisterMethod(ChannelInterface& channel, const char* method) {
    return channel.RegisterMethod(method);
  }
  static void NotifyOnStateChange(ChannelInterface& channel,
                                  grpc_connectivity_state last_observed,
                                  gpr_timespec deadline, CompletionQueue* cq,
                                  void* tag) {
    channel.NotifyOnStateChangeImpl(last_observed, deadline, cq, tag);
  }
  static bool WaitForStateChange(ChannelInterface& channel,
                                 grpc_connectivity_state last_observed,
                                 gpr_timespec deadline) {
    return channel.WaitForStateChangeImpl(last_observed, deadline);
  }
  static CompletionQueue* CallbackCQ(ChannelInterface& channel) {
    return channel.CallbackCQ();
  }

  static std::multimap<std::string, std::string>& SentMetadata(
      ClientContext& context) {
    return context.send_initial_metadata_;
  }
  static bool WaitForReady(const ClientContext& context) {
    return context.wait_for_ready_;
  }
  static bool WaitForReadySet(const ClientContext& context) {
    return context.wait_for_ready_explicitly_set_;
  }
  // A queue that is shut down stays open until what was registered before has
  // completed: an event that may be taken from it, and will come back.
  static void RegisterReturn(CompletionQueue& queue) {
    queue.RegisterAvalanching();
  }
  static void CompleteReturn(CompletionQueue& queue) {
    queue.CompleteAvalanching();
  }

  static uint32_t Flags(const ClientContext& context) {
    return context.initial_metadata_flags();
  }
  static const std::string& Authority(const ClientContext& context) {
    return context.authority_;
  }
  static grpc_call* Parent(const ClientContext& context) {
    return context.propagate_from_call_;
  }
  static PropagationOptions Propagation(const ClientContext& context) {
    return context.propagation_options_;
  }
  static void SetParent(ClientContext& context, grpc_call* parent,
                        PropagationOptions options) {
    context.propagate_from_call_ = parent;
    context.propagation_options_ = options;
  }
  static void SetDebugString(ClientContext& context,
                             const std::string& debug_string) {
    context.set_debug_error_string(debug_string);
  }
  static MetadataMap& ReceivedInitialMetadata(ClientContext& context) {
    return context.recv_initial_metadata_;
  }
  static MetadataMap& ReceivedTrailingMetadata(ClientContext& context) {
    return context.trailing_metadata_;
  }
};

}  // namespace internal
}  // namespace grpc

namespace forbear {
namespace inside {

using Friend = grpc::internal::BlockingUnaryCallImpl<Key, Key>;
using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

// The operation that receives a call's status, looked into and amended once the
// core has completed its batch.
class StatusOp {
 public:
  StatusOp() = default;
  explicit StatusOp(grpc::internal::CallOpClientRecvStatus* op) : op_(op) {}
  explicit operator bool() const { return op_ != nullptr; }

  // Before FillOps(), so that completed() can be asked. It is true before the
  // batch's event is there to be taken, and soon after there is one.
  void ForgetCode();
  bool completed() const;

  grpc::StatusCode code() const;
  // With the details that `context` has received, whose call this is.
  grpc::Status status(grpc::ClientContext& context) const;
  // The core's word on a failure; empty after a success.
  absl::string_view debug_string() const;
  // What the stub shall find instead of what the core reported. A null
  // `debug_string` leaves the core's.
  void Replace(const grpc::Status& status, const std::string* debug_string);

 private:
  grpc::internal::CallOpClientRecvStatus* op_ = nullptr;
};

// The message that `op` is to send, serialized now and sent as it is returned:
// for callers that may free theirs once the call has started, or that will not
// be asked again. Before FillOps().
grpc::ByteBuffer KeepMessage(grpc::internal::CallOpSendMessage* op);

// A batch of operations of a unary call, as gRPC's stubs make it.
class Batch {
 public:
  enum class Kind : uint8_t {
    kOther,   // Not one that we know: to be left alone.
    kWhole,   // The whole call: sync stubs, and callback stubs with a function.
    kStart,   // Sends, and receives initial metadata: stubs with a reactor.
    kFinish,  // Receives the message and the status: stubs with a reactor.
    // The same three of stubs with a completion queue.
    kQueuedWhole,
    kQueuedStart,
    kQueuedFinish,
  };

  // Tells what `ops` is by its type.
  explicit Batch(grpc::internal::CallOpSetInterface* ops);
  Batch() = default;

  Kind kind() const { return kind_; }
  grpc::internal::CallOpSetInterface* ops() const { return ops_; }

  // Makes the core report the batch's completion to `tag` instead.
  void SetCoreTag(void* tag);

  // --- What sends: kWhole, kStart and their like ---
  grpc::ByteBuffer KeepRequest() { return KeepMessage(send_); }
  // The request, serialized once more from the stub's message, which must be
  // alive. After FillOps().
  grpc::ByteBuffer SerializeAgain() const;

  // --- What receives the status, and the message ---
  StatusOp& status_op() { return status_; }
  const StatusOp& status_op() const { return status_; }
  void SetResponse(const grpc::ByteBuffer& response);

 private:
  template <typename Ops>
  void Bind(Kind kind, Ops* ops);
  template <typename Ops>
  void BindQueued(Ops* ops);

  Kind kind_ = Kind::kOther;
  grpc::internal::CallOpSetInterface* ops_ = nullptr;
  void (*set_core_tag_)(grpc::internal::CallOpSetInterface*, void*) = nullptr;
  grpc::internal::CallOpSendMessage* send_ = nullptr;
  bool sends_proto_ = false;  // Else a ByteBuffer: a generic stub.
  grpc::ByteBuffer* response_ = nullptr;
  StatusOp status_;
};

// A unary call of our own on the queue of a stub that waits by plucking.
//
// A thread can pluck one tag only. So all of a call's attempts report under the
// same, and each can be asked whether it has completed.
class PluckedCall {
 public:
  // Starts the call. All but `request` must outlive it.
  PluckedCall(grpc::ChannelInterface& channel,
              const grpc::internal::RpcMethod& method,
              grpc::ClientContext* context, grpc::CompletionQueue* queue,
              const grpc::ByteBuffer& request, grpc::ByteBuffer* response,
              void* tag);
  ~PluckedCall();

  // As Batch has it.
  bool completed() const;
  // Once its event has been taken; `response` and `context` then have what was
  // received. Once.
  grpc::Status End();

 private:
  struct Ops;
  std::unique_ptr<Ops> ops_;
};

}  // namespace inside
}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_GRPC_INSIDE_H_
