#include "interceptors/server/entry_check.h"

#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

std::string Format(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Microseconds(1)));
}

}  // namespace

std::string RefusalMessage(Observer::RefusalReason reason,
                           absl::Duration time_left, absl::Duration minimum,
                           absl::Duration queued) {
  switch (reason) {
    case Observer::RefusalReason::kExpired:
      return absl::StrCat("the deadline passed ", Format(-time_left),
                          " before the handler was to start; it was not run");
    case Observer::RefusalReason::kDoomed:
      return absl::StrCat("only ", Format(time_left),
                          " left, and this server starts no handler with less ",
                          "than ", Format(minimum), "; it was not run");
    case Observer::RefusalReason::kTooSlow:
      return absl::StrCat("only ", Format(time_left),
                          " left, and half of these calls take more than ",
                          Format(minimum), "; it was not run");
    case Observer::RefusalReason::kOverloaded:
      return "the server has more to do than it can do in time; it was not run";
    case Observer::RefusalReason::kOverShare:
      return "the server is full, and this caller has more than its share of "
             "it; it was not run";
    case Observer::RefusalReason::kReturnedEarly:
      return "the server is full, and this caller was told to stay away for "
             "longer; it was not run";
    case Observer::RefusalReason::kQueuedTooLong:
      return absl::StrCat("it waited ", Format(queued),
                          " for its turn, as long as this server lets a call "
                          "wait; it was not run");
    case Observer::RefusalReason::kKeyMisused:
      return "its idempotency-key came with another request before; it was not "
             "run";
    case Observer::RefusalReason::kReplyPending:
      return "the first call with its idempotency-key was still running when "
             "its time was up";
    case Observer::RefusalReason::kNoReplyStore:
      return "the reply store cannot say whether its idempotency-key came "
             "before; it was not run";
    case Observer::RefusalReason::kCallerGone:
      return "it was cancelled while it waited for its turn; it was not run";
    case Observer::RefusalReason::kDraining:
      return "the server is about to stop; it was not run";
  }
  return "the handler was not run";
}

Observer::RefusalReason ReasonFor(AdmissionQueue::Refusal refusal) {
  switch (refusal) {
    case AdmissionQueue::Refusal::kOverloaded:
      return Observer::RefusalReason::kOverloaded;
    case AdmissionQueue::Refusal::kOverShare:
      return Observer::RefusalReason::kOverShare;
    case AdmissionQueue::Refusal::kReturnedEarly:
      return Observer::RefusalReason::kReturnedEarly;
    case AdmissionQueue::Refusal::kOutOfTime:
      return Observer::RefusalReason::kDoomed;
    case AdmissionQueue::Refusal::kQueuedTooLong:
      return Observer::RefusalReason::kQueuedTooLong;
    case AdmissionQueue::Refusal::kDraining:
      return Observer::RefusalReason::kDraining;
  }
  return Observer::RefusalReason::kOverloaded;
}

absl::StatusCode RefusalCode(Observer::RefusalReason reason) {
  switch (reason) {
    case Observer::RefusalReason::kExpired:
    case Observer::RefusalReason::kDoomed:
    case Observer::RefusalReason::kTooSlow:
    case Observer::RefusalReason::kReplyPending:
      return absl::StatusCode::kDeadlineExceeded;
    case Observer::RefusalReason::kOverloaded:
    case Observer::RefusalReason::kOverShare:
    case Observer::RefusalReason::kReturnedEarly:
    case Observer::RefusalReason::kQueuedTooLong:
      return absl::StatusCode::kResourceExhausted;
    case Observer::RefusalReason::kCallerGone:
      return absl::StatusCode::kCancelled;
    case Observer::RefusalReason::kKeyMisused:
      return absl::StatusCode::kFailedPrecondition;
    case Observer::RefusalReason::kNoReplyStore:
    case Observer::RefusalReason::kDraining:
      return absl::StatusCode::kUnavailable;
  }
  return absl::StatusCode::kUnknown;
}

}  // namespace forbear
