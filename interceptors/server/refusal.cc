#include "interceptors/server/refusal.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/message_allocator.h>
#include <grpcpp/support/method_handler.h>

#include <string>
#include <type_traits>
#include <typeinfo>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::MessageLite;
using grpc::ByteBuffer;
using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using HandlerParameter = grpc::internal::MethodHandler::HandlerParameter;
using ApiType = RpcServiceMethod::ApiType;

absl::string_view HandlerType(const RpcServiceMethod& method) {
  const grpc::internal::MethodHandler& handler = *method.handler();
  return typeid(handler).name();
}

// Only what gRPC's own handlers keep is known; anybody can write another.
bool IsGrpcsOwn(const RpcServiceMethod& method) {
  return absl::StartsWith(HandlerType(method), "N4grpc8internal");
}

// Generated unary handlers name MessageLite in their type. The others are told
// by their descriptors, which the lite runtime does not have.
bool TakesProtocolBuffers(const RpcServiceMethod& method) {
  if (absl::StrContains(HandlerType(method), "google8protobuf11MessageLite")) {
    return true;
  }
  const absl::string_view name = method.name();  // "/package.Service/Method"
  return DescriptorPool::generated_pool()->FindMethodByName(
             absl::StrReplaceAll(name.substr(1), {{"/", "."}})) != nullptr;
}

// Handlers for any kind of call, which only say no. Messages of theirs are
// never read or written.
using AnySyncHandler = grpc::internal::TemplatedBidiStreamingHandler<
    grpc::ServerReaderWriter<ByteBuffer, ByteBuffer>, /*WriteNeeded=*/false>;
using AnyCallbackHandler =
    grpc::internal::CallbackBidiHandler<ByteBuffer, ByteBuffer>;

ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return ByteBuffer(&slice, 1);
}

class Answers final : public grpc::ServerBidiReactor<ByteBuffer, ByteBuffer> {
 public:
  Answers(const grpc::Status& status, const std::string* payload) {
    if (payload == nullptr) {
      Finish(status);
    } else {
      response_ = BufferOf(*payload);
      StartWriteAndFinish(&response_, grpc::WriteOptions(), status);
    }
  }
  void OnDone() override { delete this; }

 private:
  ByteBuffer response_;
};

// The holder's real type has the method's messages in it. Release() is in the
// same place in all of them, and so is the holder's base.
static_assert(std::is_base_of<grpc::RpcAllocatorState,
                              grpc::MessageHolder<ByteBuffer, ByteBuffer>>() &&
                  sizeof(grpc::MessageHolder<ByteBuffer, ByteBuffer>) ==
                      sizeof(grpc::MessageHolder<MessageLite, MessageLite>),
              "holders of any messages look alike");
__attribute__((no_sanitize("undefined"))) void ReleaseHolder(void* holder) {
  static_cast<grpc::MessageHolder<ByteBuffer, ByteBuffer>*>(holder)->Release();
}

}  // namespace

Refusal::Refusal(const RpcServiceMethod& method)
    : request_(RequestOf(method)),
      plain_unary_(request_ != Request::kUnknown &&
                   method.method_type() == RpcMethod::NORMAL_RPC &&
                   method.api_type() != ApiType::RAW_CALL_BACK &&
                   TakesProtocolBuffers(method)),
      callback_(method.api_type() == ApiType::CALL_BACK ||
                method.api_type() == ApiType::RAW_CALL_BACK) {}

Refusal::Request Refusal::RequestOf(const RpcServiceMethod& method) {
  // By the method's own type: streamed-unary methods are bidi, whatever the
  // descriptor says.
  if (method.method_type() == RpcMethod::CLIENT_STREAMING ||
      method.method_type() == RpcMethod::BIDI_STREAMING) {
    return Request::kNone;
  }
  if (!IsGrpcsOwn(method)) return Request::kUnknown;
  const bool raw = method.api_type() == ApiType::RAW_CALL_BACK;
  if (method.method_type() == RpcMethod::NORMAL_RPC &&
      (raw || method.api_type() == ApiType::CALL_BACK)) {
    return Request::kHolder;
  }
  if (raw) return Request::kBytes;
  return TakesProtocolBuffers(method) ? Request::kMessage : Request::kUnknown;
}

void Refusal::FreeRequest(const HandlerParameter& param) const {
  switch (request_) {
    case Request::kMessage:
      static_cast<MessageLite*>(param.request)->~MessageLite();
      return;
    case Request::kBytes:
      static_cast<ByteBuffer*>(param.request)->~ByteBuffer();
      return;
    case Request::kHolder:
      ReleaseHolder(param.internal_data);
      return;
    case Request::kNone:
    case Request::kUnknown:
      return;
  }
}

void Refusal::Answer(const HandlerParameter& param,
                     const grpc::Status& status) const {
  FreeRequest(param);
  AnswerUnread(param, status);
}

void Refusal::AnswerUnread(const HandlerParameter& param,
                           const grpc::Status& status) const {
  param.server_context->AddTrailingMetadata(std::string(kNotAppliedKey),
                                            std::string(kNotAppliedValue));
  Finish(param, status, nullptr);
}

void Refusal::AnswerUnproved(const HandlerParameter& param,
                             const grpc::Status& status) const {
  FreeRequest(param);
  Finish(param, status, nullptr);
}

void Refusal::Replay(const HandlerParameter& param,
                     const StoredReply& reply) const {
  FreeRequest(param);
  for (const auto& [key, value] : reply.trailers) {
    param.server_context->AddTrailingMetadata(key, value);
  }
  const grpc::Status status(static_cast<grpc::StatusCode>(reply.code),
                            reply.message, reply.details);
  Finish(param, status, status.ok() ? &reply.payload : nullptr);
}

void Refusal::Finish(const HandlerParameter& param, const grpc::Status& status,
                     const std::string* payload) const {
  // A handler that is told of a request that could not be read answers itself.
  const HandlerParameter read(param.call, param.server_context, nullptr,
                              grpc::Status::OK, nullptr, param.call_requester);
  // gRPC is done with either handler when RunHandler returns.
  if (callback_) {
    AnyCallbackHandler([&](grpc::CallbackServerContext*) {
      return new Answers(status, payload);
    }).RunHandler(read);
  } else {
    AnySyncHandler([&](auto*, auto* stream) {
      if (payload != nullptr) stream->Write(BufferOf(*payload));
      return status;
    }).RunHandler(read);
  }
}

}  // namespace forbear
