#include "interceptors/client/stream_batch.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/client_callback.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "interceptors/client/grpc_inside.h"
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

// The sets that streaming stubs make (grpcpp/support/sync_stream.h,
// async_stream.h and client_callback.h). Corked callback streams send their
// headers with the first write.
using Headers = CallOpSet<CallOpSendInitialMetadata>;
using Write = CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
                        CallOpClientSendClose>;
using WritesDone = CallOpSet<CallOpClientSendClose>;
using CorkedDone = CallOpSet<CallOpSendInitialMetadata, CallOpClientSendClose>;
using Start = CallOpSet<CallOpSendInitialMetadata, CallOpRecvInitialMetadata>;
using StartWhole = CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
                             CallOpClientSendClose, CallOpRecvInitialMetadata>;
using ReadHeaders = CallOpSet<CallOpRecvInitialMetadata>;
using FinishRead = CallOpSet<CallOpRecvInitialMetadata, CallOpClientRecvStatus>;
using Finish = CallOpSet<CallOpClientRecvStatus>;
using FinishWrite = CallOpSet<CallOpRecvInitialMetadata,
                              CallOpGenericRecvMessage, CallOpClientRecvStatus>;
using FinishWriteOnly =
    CallOpSet<CallOpGenericRecvMessage, CallOpClientRecvStatus>;
// These two for any message.
using Read = CallOpSet<CallOpRecvMessage<MessageLite>>;
using FirstRead =
    CallOpSet<CallOpRecvInitialMetadata, CallOpRecvMessage<MessageLite>>;

FORBEAR_EXPOSE(SendsHeaders, CallOpSendInitialMetadata, send_, bool);
FORBEAR_EXPOSE(HeadersHidden, CallOpSendInitialMetadata, hijacked_, bool);
FORBEAR_EXPOSE(SentMessage, CallOpSendMessage, msg_, const void*);
FORBEAR_EXPOSE(SendBuffer, CallOpSendMessage, send_buf_, grpc::ByteBuffer);
FORBEAR_EXPOSE(SendOptions, CallOpSendMessage, write_options_,
               grpc::WriteOptions);
FORBEAR_EXPOSE(MessageHidden, CallOpSendMessage, hijacked_, bool);
FORBEAR_EXPOSE(SendsClose, CallOpClientSendClose, send_, bool);
FORBEAR_EXPOSE(CloseHidden, CallOpClientSendClose, hijacked_, bool);
FORBEAR_EXPOSE(HeadersWanted, CallOpRecvInitialMetadata, metadata_map_,
               grpc::internal::MetadataMap*);
FORBEAR_EXPOSE(RecvHeadersHidden, CallOpRecvInitialMetadata, hijacked_, bool);
FORBEAR_EXPOSE(AnyBuffer, CallOpGenericRecvMessage, recv_buf_,
               grpc::ByteBuffer);
FORBEAR_EXPOSE(AnyHidden, CallOpGenericRecvMessage, hijacked_, bool);
FORBEAR_EXPOSE(AnyFailed, CallOpGenericRecvMessage,
               hijacked_recv_message_failed_, bool);
using RecvMessageOp = CallOpRecvMessage<MessageLite>;
FORBEAR_EXPOSE(OneBuffer, RecvMessageOp, recv_buf_, grpc::ByteBuffer);
FORBEAR_EXPOSE(OneHidden, RecvMessageOp, hijacked_, bool);
FORBEAR_EXPOSE(OneFailed, RecvMessageOp, hijacked_recv_message_failed_, bool);
FORBEAR_EXPOSE(StatusHidden, CallOpClientRecvStatus, hijacked_, bool);
FORBEAR_EXPOSE(StatusWanted, CallOpClientRecvStatus, recv_status_,
               grpc::Status*);
FORBEAR_EXPOSE(StatusContext, CallOpClientRecvStatus, client_context_,
               grpc::ClientContext*);

#define FORBEAR_EXPOSE_TAGS(Set)                           \
  FORBEAR_EXPOSE(Set##CoreTag, Set, core_cq_tag_, void*);  \
  FORBEAR_EXPOSE(Set##ReturnTag, Set, return_tag_, void*); \
  Set##CoreTag CoreTagOf(Set*) { return Set##CoreTag(); }  \
  Set##ReturnTag ReturnTagOf(Set*) { return Set##ReturnTag(); }

FORBEAR_EXPOSE_TAGS(Headers)
FORBEAR_EXPOSE_TAGS(Write)
FORBEAR_EXPOSE_TAGS(WritesDone)
FORBEAR_EXPOSE_TAGS(CorkedDone)
FORBEAR_EXPOSE_TAGS(Start)
FORBEAR_EXPOSE_TAGS(StartWhole)
FORBEAR_EXPOSE_TAGS(ReadHeaders)
FORBEAR_EXPOSE_TAGS(FinishRead)
FORBEAR_EXPOSE_TAGS(Finish)
FORBEAR_EXPOSE_TAGS(FinishWrite)
FORBEAR_EXPOSE_TAGS(FinishWriteOnly)
FORBEAR_EXPOSE_TAGS(Read)
FORBEAR_EXPOSE_TAGS(FirstRead)
#undef FORBEAR_EXPOSE_TAGS

// The mangled name of a set, as far as it does not name its message.
template <typename Ops>
const std::string& NameBeforeMessage() {
  static const std::string* const name = [] {
    static constexpr char kOp[] = "CallOpRecvMessageI";
    const std::string whole = typeid(Ops).name();
    return new std::string(whole.substr(0, whole.find(kOp) + strlen(kOp)));
  }();
  return *name;
}

// How far the field at `field` is from the start of its set at `ops`.
ptrdiff_t Distance(const void* field, const CallOpSetInterface* ops) {
  return static_cast<const char*>(field) - reinterpret_cast<const char*>(ops);
}

}  // namespace

template <typename Ops>
bool StreamBatch::Try(CallOpSetInterface* set) {
  if (typeid(*set) != typeid(Ops)) return false;
  Ops* const ops = static_cast<Ops*>(set);
  core_tag_ = &(ops->*Get(CoreTagOf(ops)));
  return_tag_ = &(ops->*Get(ReturnTagOf(ops)));
  if constexpr (std::is_base_of<CallOpSendInitialMetadata, Ops>::value) {
    send_headers_ = ops;
  }
  if constexpr (std::is_base_of<CallOpSendMessage, Ops>::value) {
    send_message_ = ops;
  }
  if constexpr (std::is_base_of<CallOpClientSendClose, Ops>::value) {
    send_close_ = ops;
  }
  if constexpr (std::is_base_of<CallOpRecvInitialMetadata, Ops>::value) {
    headers_ = ops;
  }
  if constexpr (std::is_base_of<CallOpClientRecvStatus, Ops>::value) {
    receive_status_ = ops;
    status_ = StatusOp(ops);
  }
  if constexpr (std::is_base_of<CallOpGenericRecvMessage, Ops>::value) {
    CallOpGenericRecvMessage* const op = ops;
    received_ = {&(op->*Get(AnyBuffer())), &(op->*Get(AnyHidden())),
                 &(op->*Get(AnyFailed()))};
  }
  return true;
}

template <typename Ops>
bool StreamBatch::TryLikeness(CallOpSetInterface* set) {
  const std::string& name = NameBeforeMessage<Ops>();
  if (strncmp(typeid(*set).name(), name.data(), name.size()) != 0) return false;
  // Unary stubs' sets begin alike.
  if (dynamic_cast<CallOpClientRecvStatus*>(set) != nullptr) return false;
  static Ops* const known = new Ops;
  RecvMessageOp* const op = known;
  char* const start = reinterpret_cast<char*>(set);
  const auto find = [start](const void* field) {
    return static_cast<void*>(start + Distance(field, known));
  };
  core_tag_ = static_cast<void**>(find(&(known->*Get(CoreTagOf(known)))));
  return_tag_ = static_cast<void**>(find(&(known->*Get(ReturnTagOf(known)))));
  received_ = {static_cast<grpc::ByteBuffer*>(find(&(op->*Get(OneBuffer())))),
               static_cast<bool*>(find(&(op->*Get(OneHidden())))),
               static_cast<bool*>(find(&(op->*Get(OneFailed()))))};
  headers_ = dynamic_cast<CallOpRecvInitialMetadata*>(set);
  return true;
}

StreamBatch::StreamBatch(CallOpSetInterface* ops) : ops_(ops) {
  // The commonest first.
  Try<Write>(ops) || TryLikeness<Read>(ops) || TryLikeness<FirstRead>(ops) ||
      Try<Headers>(ops) || Try<WritesDone>(ops) || Try<CorkedDone>(ops) ||
      Try<Start>(ops) || Try<StartWhole>(ops) || Try<ReadHeaders>(ops) ||
      Try<FinishRead>(ops) || Try<Finish>(ops) || Try<FinishWrite>(ops) ||
      Try<FinishWriteOnly>(ops);
}

bool StreamBatch::HasStatus(CallOpSetInterface* ops) {
  const std::type_info& type = typeid(*ops);
  return type == typeid(FinishRead) || type == typeid(Finish) ||
         type == typeid(FinishWrite) || type == typeid(FinishWriteOnly);
}

bool StreamBatch::sends_headers() const {
  return send_headers_ != nullptr && send_headers_->*Get(SendsHeaders());
}

bool StreamBatch::sends_message() const {
  return send_message_ != nullptr &&
         (send_message_->*Get(SentMessage()) != nullptr ||
          (send_message_->*Get(SendBuffer())).Valid());
}

bool StreamBatch::sends_close() const {
  return send_close_ != nullptr && send_close_->*Get(SendsClose());
}

bool StreamBatch::receives_headers() const {
  return headers_ != nullptr && headers_->*Get(HeadersWanted()) != nullptr;
}

// A stub makes no set with this operation unless it wants the message.
bool StreamBatch::receives_message() const {
  return received_.buffer != nullptr;
}

grpc::ByteBuffer StreamBatch::KeepMessage(grpc::WriteOptions* options) {
  *options = send_message_->*Get(SendOptions());
  return inside::KeepMessage(send_message_);
}

bool StreamBatch::got_message() const { return received_.buffer->Valid(); }

void StreamBatch::Hide(bool hidden) {
  // Headers that were never sent by the core must not be sent later, when the
  // attempts have moved on.
  if (send_headers_ != nullptr) send_headers_->*Get(HeadersHidden()) = true;
  if (send_message_ != nullptr) send_message_->*Get(MessageHidden()) = hidden;
  if (send_close_ != nullptr) send_close_->*Get(CloseHidden()) = hidden;
  if (headers_ != nullptr) headers_->*Get(RecvHeadersHidden()) = hidden;
  if (status_) receive_status_->*Get(StatusHidden()) = hidden;
  if (received_.hidden != nullptr) *received_.hidden = hidden;
}

void StreamBatch::SetMessage(grpc::ByteBuffer* message) {
  *received_.failed = message == nullptr;
  received_.buffer->Clear();
  if (message != nullptr) received_.buffer->Swap(message);
}

void StreamBatch::SetStatus(const grpc::Status& status,
                            const std::string* debug_string, bool completed) {
  if (completed) {
    status_.Replace(status, debug_string);
    return;
  }
  *(receive_status_->*Get(StatusWanted())) = status;
  if (debug_string != nullptr && !status.ok()) {
    Friend::SetDebugString(*(receive_status_->*Get(StatusContext())),
                           *debug_string);
  }
}

bool TrailersOnly(grpc_call* call) {
  struct Asker final : grpc::internal::ClientReactor {
    void OnDone(const grpc::Status&) override {}
  };
  return Asker().InternalTrailersOnly(call);
}

}  // namespace inside
}  // namespace forbear
