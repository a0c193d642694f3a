#include "interceptors/client/attempt.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "interceptors/client/context_view.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {
namespace {

grpc::string_ref Ref(absl::string_view text) {
  return grpc::string_ref(text.data(), text.size());
}

absl::string_view View(const grpc::string_ref& ref) {
  return absl::string_view(ref.data(), ref.size());
}

}  // namespace

CallTemplate CallTemplate::Of(
    grpc::ClientContext& context,
    const std::multimap<std::string, std::string>& metadata) {
  CallTemplate call;
  call.metadata = metadata;
  call.credentials = context.credentials();
  call.compression = context.compression_algorithm();
  call.census = context.census_context();
  call.wait_for_ready = ContextView::WaitForReady(context);
  call.wait_for_ready_set = ContextView::WaitForReadySet(context);
  call.authority = ContextView::Authority(context);
  return call;
}

Attempt::Attempt(const CallTemplate& call, const Parent& parent,
                 const Step& step, absl::Time now)
    : number(step.attempt), time(step.time), started(now) {
  if (call.compression != GRPC_COMPRESS_NONE) {
    context->set_compression_algorithm(call.compression);
  }
  for (const auto& [key, value] : call.metadata) {
    // The algorithm travels as metadata of its own, and was just added.
    if (key == GRPC_COMPRESSION_REQUEST_ALGORITHM_MD_KEY) continue;
    context->AddMetadata(key, value);
  }
  if (step.attempt > 1) {
    context->AddMetadata(std::string(kPreviousAttemptsKey),
                         absl::StrCat(step.attempt - 1));
  }
  if (call.credentials != nullptr) context->set_credentials(call.credentials);
  context->set_census_context(call.census);
  if (call.wait_for_ready_set) context->set_wait_for_ready(call.wait_for_ready);
  if (!call.authority.empty()) context->set_authority(call.authority);
  parent.Adopt(context.get());
  if (step.time != absl::InfiniteDuration()) {
    context->set_deadline(AfterNow(step.time, now));
  }
}

const Attempt::Metadata& Attempt::headers() const {
  return kept_ == nullptr ? context->GetServerInitialMetadata()
                          : kept_->headers;
}

const Attempt::Metadata& Attempt::trailers() const {
  return kept_ == nullptr ? context->GetServerTrailingMetadata()
                          : kept_->trailers;
}

std::string Attempt::debug_string() const {
  return kept_ == nullptr ? context->debug_error_string() : kept_->debug_string;
}

void Attempt::Compact() {
  if (kept_ != nullptr) return;
  auto kept = std::make_unique<Received>();
  const auto copy = [&kept](const Metadata& from, Metadata* to) {
    for (const auto& [key, value] : from) {
      to->emplace(Ref(kept->text.emplace_back(key.data(), key.size())),
                  Ref(kept->text.emplace_back(value.data(), value.size())));
    }
  };
  copy(headers(), &kept->headers);
  copy(trailers(), &kept->trailers);
  kept->debug_string = debug_string();
  kept_ = std::move(kept);
  context.reset();
}

AttemptEnd DescribeEnd(
    const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
    absl::Duration elapsed, absl::Duration time) {
  AttemptEnd end;
  end.code = static_cast<absl::StatusCode>(status.error_code());
  if (status.ok()) return end;
  absl::InlinedVector<absl::string_view, 1> pushbacks;
  const auto range = trailers.equal_range(Ref(kPushbackKey));
  for (auto it = range.first; it != range.second; ++it) {
    pushbacks.push_back(View(it->second));
  }
  end.pushback = ReadPushback(pushbacks, status.error_details());
  end.not_applied = trailers.count(Ref(kNotAppliedKey)) != 0;
  end.timed_out =
      end.code == absl::StatusCode::kDeadlineExceeded && RanOut(time, elapsed);
  return end;
}

}  // namespace forbear
