#include "interceptors/server/earlier_replies.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/support/status.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/reply_cache/fingerprint.h"
#include "interceptors/server/answer.h"
#include "interceptors/server/entry_check.h"
#include "interceptors/server/inbound.h"
#include "interceptors/server/inbound_scope.h"
#include "interceptors/server/peer.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {
namespace {

using grpc::internal::MethodHandler;
using HandlerParameter = MethodHandler::HandlerParameter;

// The same for equal requests, whatever order their maps came in.
std::string RequestName(const google::protobuf::MessageLite& request) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    request.SerializePartialToCodedStream(&coded);
  }
  return Fingerprint(bytes);
}

}  // namespace

void EarlierReplies::Ask(grpc::ServerContextBase* context, const void* request,
                         ReplyCache::Done then) const {
  if (!kept_) return then({});
  const InboundKey seen = KeyIn(*context);
  if (seen.count() == 0) return then({});
  const absl::Status fault = seen.Fault();
  if (!fault.ok()) {
    return then({ReplyCache::Outcome::kOther, nullptr, {}, fault});
  }
  options_.reply_cache->Begin(
      absl::StrCat(CallerOf(context->c_call(), options_.caller_of), method_,
                   "/", seen.Copy()),
      RequestName(*static_cast<const google::protobuf::MessageLite*>(request)),
      InboundDeadline(*context, SteadyNow()), std::move(then));
}

bool EarlierReplies::Give(const HandlerParameter& param,
                          const ReplyCache::Outcome& known) const {
  using Reason = Observer::RefusalReason;
  if (known.kind == ReplyCache::Outcome::kRun) return false;
  if (known.kind == ReplyCache::Outcome::kReplay) {
    if (options_.observer != nullptr) {
      options_.observer->ReplyReplayed({method_, AnswerCode(known.reply.code)});
    }
    refusal_.Replay(param, known.reply);
    return true;
  }
  const Reason reason =
      known.kind == ReplyCache::Outcome::kOther  ? Reason::kKeyMisused
      : known.kind == ReplyCache::Outcome::kLate ? Reason::kReplyPending
                                                 : Reason::kNoReplyStore;
  if (options_.observer != nullptr) {
    options_.observer->HandlerRefused({method_, reason, {}, true, {}, {}});
  }
  const bool named = known.error.code() == absl::StatusCode::kInvalidArgument;
  const grpc::Status status(
      static_cast<grpc::StatusCode>(named ? known.error.code()
                                          : RefusalCode(reason)),
      named ? std::string(known.error.message())
            : RefusalMessage(reason, {}, {}));
  // Of the first call nobody knows yet, and this one speaks for it.
  if (reason == Reason::kReplyPending) {
    refusal_.AnswerUnproved(param, status);
  } else {
    refusal_.Answer(param, status);
  }
  return true;
}

}  // namespace forbear
