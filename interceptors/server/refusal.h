// Answers a call in place of its handler.
//
// The request was already read when a handler's turn comes, by code that knows
// its type; whoever does not run the handler has to free it.
//
//   const Refusal refusal(method);             // At registration, a look at
//   if (refusal.possible()) {                  // how its requests are kept.
//     refusal.Answer(param, {DEADLINE_EXCEEDED, "too late"});
//     return;                                  // Instead of RunHandler(param).
//   }
//
// The answer carries the trailer that says the call was not applied.
//
// Thread-safety: const members may be called concurrently.
// Units:         none.
// Errors:        none. Where it is not known how requests are kept (messages
//                that are not protocol buffers, handlers that are not gRPC's)
//                possible() is false.
#ifndef FORBEAR_INTERCEPTORS_SERVER_REFUSAL_H_
#define FORBEAR_INTERCEPTORS_SERVER_REFUSAL_H_

#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>

#include "interceptors/reply_cache/stored_reply.h"

namespace forbear {

class Refusal {
 public:
  // `method` has a handler.
  explicit Refusal(const grpc::internal::RpcServiceMethod& method);

  bool possible() const { return request_ != Request::kUnknown; }

  // Whether requests and responses are protocol buffers, one of each.
  bool is_plain_unary() const { return plain_unary_; }

  // Ends the call with `status`, which is not OK; frees what `param` holds.
  void Answer(const grpc::internal::MethodHandler::HandlerParameter& param,
              const grpc::Status& status) const;
  // The same without the proof that the call was not applied.
  void AnswerUnproved(
      const grpc::internal::MethodHandler::HandlerParameter& param,
      const grpc::Status& status) const;
  // Gives an answer that was given before.
  void Replay(const grpc::internal::MethodHandler::HandlerParameter& param,
              const StoredReply& reply) const;
  // The same for a call whose request was not read: there is nothing to free.
  void AnswerUnread(
      const grpc::internal::MethodHandler::HandlerParameter& param,
      const grpc::Status& status) const;

 private:
  // What HandlerParameter holds for a handler of this kind.
  enum class Request : uint8_t {
    kUnknown,
    kNone,     // The handler reads its messages itself.
    kMessage,  // A protocol buffer in the call's arena.
    kBytes,    // A ByteBuffer in the call's arena: raw methods.
    kHolder,   // A MessageHolder: unary callback methods.
  };

  static Request RequestOf(const grpc::internal::RpcServiceMethod& method);
  void FreeRequest(
      const grpc::internal::MethodHandler::HandlerParameter& param) const;

  void Finish(const grpc::internal::MethodHandler::HandlerParameter& param,
              const grpc::Status& status, const std::string* payload) const;

  const Request request_;
  const bool plain_unary_;
  const bool callback_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_REFUSAL_H_
