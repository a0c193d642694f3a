#include "interceptors/client/grpc_inside.h"

#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/string_util.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/client_callback.h>

#include <typeinfo>

#include "interceptors/context/expose.h"

namespace forbear {
namespace inside {
namespace {

using google::protobuf::MessageLite;
using grpc::internal::CallOpClientRecvStatus;
using grpc::internal::CallOpClientSendClose;
using grpc::internal::CallOpGenericRecvMessage;
using grpc::internal::CallOpRecvInitialMetadata;
using grpc::internal::CallOpRecvMessage;
using grpc::internal::CallOpSendInitialMetadata;
using grpc::internal::CallOpSendMessage;
using grpc::internal::CallOpSet;
using grpc::internal::CallOpSetInterface;

// The batches that unary stubs make (grpcpp/impl/client_unary_call.h and
// grpcpp/support/client_callback.h).
template <typename Message>
using WholeOps =
    CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
              CallOpRecvInitialMetadata, CallOpRecvMessage<Message>,
              CallOpClientSendClose, CallOpClientRecvStatus>;
using StartOps = CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
                           CallOpClientSendClose, CallOpRecvInitialMetadata>;
using FinishOps = CallOpSet<CallOpGenericRecvMessage, CallOpClientRecvStatus>;
// ... and grpcpp/support/async_unary_call.h.
template <typename Message>
using QueuedOps = CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
                            CallOpClientSendClose, CallOpRecvInitialMetadata,
                            CallOpRecvMessage<Message>, CallOpClientRecvStatus>;
template <typename Message>
using QueuedFinishOps =
    CallOpSet<CallOpRecvMessage<Message>, CallOpClientRecvStatus>;

FORBEAR_EXPOSE(SentMessage, CallOpSendMessage, msg_, const void*);
FORBEAR_EXPOSE(SendBuffer, CallOpSendMessage, send_buf_, grpc::ByteBuffer);
FORBEAR_EXPOSE(Serializer, CallOpSendMessage, serializer_,
               std::function<grpc::Status(const void*)>);
FORBEAR_EXPOSE(ProtoResponse, CallOpRecvMessage<MessageLite>, recv_buf_,
               grpc::ByteBuffer);
FORBEAR_EXPOSE(BytesResponse, CallOpRecvMessage<grpc::ByteBuffer>, recv_buf_,
               grpc::ByteBuffer);
FORBEAR_EXPOSE(AnyResponse, CallOpGenericRecvMessage, recv_buf_,
               grpc::ByteBuffer);
FORBEAR_EXPOSE(StatusCodeOf, CallOpClientRecvStatus, status_code_,
               grpc_status_code);
FORBEAR_EXPOSE(StatusWanted, CallOpClientRecvStatus, recv_status_,
               grpc::Status*);
FORBEAR_EXPOSE(StatusMessage, CallOpClientRecvStatus, error_message_,
               grpc_slice);
FORBEAR_EXPOSE(DebugString, CallOpClientRecvStatus, debug_error_string_,
               const char*);

grpc::ByteBuffer* ResponseOf(CallOpRecvMessage<MessageLite>* op) {
  return &(op->*Get(ProtoResponse()));
}
grpc::ByteBuffer* ResponseOf(CallOpRecvMessage<grpc::ByteBuffer>* op) {
  return &(op->*Get(BytesResponse()));
}
grpc::ByteBuffer* ResponseOf(CallOpGenericRecvMessage* op) {
  return &(op->*Get(AnyResponse()));
}

// No status has it: stands where the core will write the code.
constexpr grpc_status_code kNoCode = static_cast<grpc_status_code>(-2);

}  // namespace

void StatusOp::ForgetCode() { op_->*Get(StatusCodeOf()) = kNoCode; }

bool StatusOp::completed() const {
  grpc_status_code code;  // The core may be writing it now.
  __atomic_load(&(op_->*Get(StatusCodeOf())), &code, __ATOMIC_ACQUIRE);
  return code != kNoCode;
}

grpc::StatusCode StatusOp::code() const {
  return static_cast<grpc::StatusCode>(op_->*Get(StatusCodeOf()));
}

grpc::Status StatusOp::status(grpc::ClientContext& context) const {
  if (code() == grpc::StatusCode::OK) return grpc::Status();
  const grpc_slice& message = op_->*Get(StatusMessage());
  return grpc::Status(
      code(),
      std::string(reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(message)),
                  GRPC_SLICE_LENGTH(message)),
      Friend::ReceivedTrailingMetadata(context).GetBinaryErrorDetails());
}

absl::string_view StatusOp::debug_string() const {
  return absl::NullSafeStringView(op_->*Get(DebugString()));
}

void StatusOp::Replace(const grpc::Status& status,
                       const std::string* debug_string) {
  op_->*Get(StatusCodeOf()) =
      static_cast<grpc_status_code>(status.error_code());
  grpc_slice& message = op_->*Get(StatusMessage());
  grpc_slice_unref(message);
  message = grpc_slice_from_copied_buffer(status.error_message().data(),
                                          status.error_message().size());
  const char*& debug = op_->*Get(DebugString());
  if (!status.ok() && debug_string == nullptr) return;
  gpr_free(const_cast<char*>(debug));
  debug = status.ok() ? nullptr : gpr_strdup(debug_string->c_str());
}

grpc::ByteBuffer KeepMessage(CallOpSendMessage* op) {
  const void*& message = op->*Get(SentMessage());
  grpc::ByteBuffer& buffer = op->*Get(SendBuffer());
  // What the batch itself would do next. A message that cannot be serialized
  // is left to it, which reports the misuse as it always has.
  if (message != nullptr && (op->*Get(Serializer()))(message).ok()) {
    message = nullptr;
  }
  return buffer;
}

template <typename Ops>
void Batch::Bind(Kind kind, Ops* ops) {
  kind_ = kind;
  set_core_tag_ = [](CallOpSetInterface* ops, void* tag) {
    static_cast<Ops*>(ops)->set_core_cq_tag(tag);
  };
  if constexpr (std::is_base_of<CallOpSendMessage, Ops>::value) send_ = ops;
  if constexpr (std::is_base_of<CallOpClientRecvStatus, Ops>::value) {
    status_ = StatusOp(ops);
    response_ = ResponseOf(ops);
  }
}

// One type for two uses: it asks for the status, or for the headers alone.
template <typename Ops>
void Batch::BindQueued(Ops* ops) {
  const CallOpClientRecvStatus* const status = ops;
  Bind(status->*Get(StatusWanted()) != nullptr ? Kind::kQueuedWhole
                                               : Kind::kQueuedStart,
       ops);
}

Batch::Batch(CallOpSetInterface* ops) : ops_(ops) {
  const std::type_info& type = typeid(*ops);
  if (type == typeid(WholeOps<MessageLite>)) {
    Bind(Kind::kWhole, static_cast<WholeOps<MessageLite>*>(ops));
    sends_proto_ = true;
  } else if (type == typeid(StartOps)) {
    Bind(Kind::kStart, static_cast<StartOps*>(ops));
  } else if (type == typeid(FinishOps)) {
    Bind(Kind::kFinish, static_cast<FinishOps*>(ops));
  } else if (type == typeid(QueuedOps<MessageLite>)) {
    BindQueued(static_cast<QueuedOps<MessageLite>*>(ops));
  } else if (type == typeid(QueuedFinishOps<MessageLite>)) {
    Bind(Kind::kQueuedFinish, static_cast<QueuedFinishOps<MessageLite>*>(ops));
  } else if (type == typeid(WholeOps<grpc::ByteBuffer>)) {
    Bind(Kind::kWhole, static_cast<WholeOps<grpc::ByteBuffer>*>(ops));
  } else if (type == typeid(QueuedOps<grpc::ByteBuffer>)) {
    BindQueued(static_cast<QueuedOps<grpc::ByteBuffer>*>(ops));
  } else if (type == typeid(QueuedFinishOps<grpc::ByteBuffer>)) {
    Bind(Kind::kQueuedFinish,
         static_cast<QueuedFinishOps<grpc::ByteBuffer>*>(ops));
  }
}

void Batch::SetCoreTag(void* tag) { set_core_tag_(ops_, tag); }

grpc::ByteBuffer Batch::SerializeAgain() const {
  const void* message = send_->*Get(SentMessage());
  grpc::ByteBuffer buffer;
  if (message == nullptr) return buffer;
  if (!sends_proto_) return *static_cast<const grpc::ByteBuffer*>(message);
  bool own_buffer;
  const grpc::Status serialized =
      grpc::SerializationTraits<MessageLite>::Serialize(
          *static_cast<const MessageLite*>(message), &buffer, &own_buffer);
  if (!serialized.ok()) buffer.Clear();
  return buffer;
}

void Batch::SetResponse(const grpc::ByteBuffer& response) {
  *response_ = response;
}

struct PluckedCall::Ops {
  WholeOps<grpc::ByteBuffer> batch;
  grpc::Status status;
};

PluckedCall::PluckedCall(grpc::ChannelInterface& channel,
                         const grpc::internal::RpcMethod& method,
                         grpc::ClientContext* context,
                         grpc::CompletionQueue* queue,
                         const grpc::ByteBuffer& request,
                         grpc::ByteBuffer* response, void* tag)
    : ops_(std::make_unique<Ops>()) {
  // What grpc::internal::BlockingUnaryCall does, but for the queue and the tag.
  auto& batch = ops_->batch;
  batch.SendInitialMetadata(&Friend::SentMetadata(*context),
                            Friend::Flags(*context));
  // Serializing a ByteBuffer cannot fail but for a null one.
  (void)batch.SendMessagePtr(&request).ok();
  batch.RecvInitialMetadata(context);
  batch.RecvMessage(response);
  batch.AllowNoMessage();
  batch.ClientSendClose();
  batch.ClientRecvStatus(context, &ops_->status);
  StatusOp(&batch).ForgetCode();
  batch.set_core_cq_tag(tag);
  grpc::internal::Call call =
      Friend::CreateCall(channel, method, context, queue);
  call.PerformOps(&batch);
}

PluckedCall::~PluckedCall() = default;

bool PluckedCall::completed() const {
  return StatusOp(&ops_->batch).completed();
}

grpc::Status PluckedCall::End() {
  void* tag = nullptr;
  bool ok = true;
  ops_->batch.FinalizeResult(&tag, &ok);
  if (ops_->status.ok() && !ops_->batch.got_message) {
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                        "No message returned for unary request");
  }
  return ops_->status;
}

}  // namespace inside
}  // namespace forbear
