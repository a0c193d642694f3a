// What the reply cache knows of the calls of a method, and says in its place.
//
//   const EarlierReplies replies(name, options, refusal, true);
//   replies.Ask(context, request, [=](ReplyCache::Outcome known) {
//     if (!replies.Give(param, known)) ...;  // Runs the handler.
//   });
//
// Thread-safety: const members may be called concurrently.
// Units:         none.
// Errors:        a key that is none, or was used for something else, and a
//                store that cannot be asked, are answers of their own.
#ifndef FORBEAR_INTERCEPTORS_SERVER_EARLIER_REPLIES_H_
#define FORBEAR_INTERCEPTORS_SERVER_EARLIER_REPLIES_H_

#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/server_context.h>

#include "absl/strings/string_view.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/refusal.h"
#include "interceptors/server/server_options.h"

namespace forbear {

class EarlierReplies {
 public:
  // All outlive it. `possible`: the method's replies can be kept.
  EarlierReplies(absl::string_view method, const ServerOptions& options,
                 const Refusal& refusal, bool possible)
      : method_(method),
        options_(options),
        refusal_(refusal),
        kept_(possible && options.reply_cache != nullptr) {}

  bool kept() const { return kept_; }

  // Tells whether the call has been answered before, if it has a key: now, or
  // on another thread when its first call has ended. `request` is a protocol
  // buffer.
  void Ask(grpc::ServerContextBase* context, const void* request,
           ReplyCache::Done then) const;

  // Gives the answer that there is, if any, and returns true.
  bool Give(const grpc::internal::MethodHandler::HandlerParameter& param,
            const ReplyCache::Outcome& known) const;

 private:
  const absl::string_view method_;
  const ServerOptions& options_;
  const Refusal& refusal_;
  const bool kept_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_EARLIER_REPLIES_H_
