#include "interceptors/client/stream_retries.h"

#include <algorithm>
#include <utility>

#include "interceptors/context/clock.h"
#include "interceptors/policy/wire_timeout.h"

namespace forbear {

grpc::Status AttemptTimedOut() {
  return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                      "The attempt timed out");
}

StreamRetries::StreamRetries(Relay* relay, std::mutex* mutex,
                             UnderWay* under_way, Source source)
    : relay_(relay),
      mutex_(mutex),
      under_way_(under_way),
      source_(std::move(source)) {}

StreamRetries::~StreamRetries() = default;

void StreamRetries::Begin(const Step& step, const grpc::Status& status,
                          Afterwards* afterwards) {
  status_ = status;
  Carry(step, afterwards);
}

void StreamRetries::Carry(const Step& step, Afterwards* afterwards) {
  if (step.finished) {
    End(step);
    return;
  }
  if (step.start) StartAttempt(step, afterwards);
  SetTimer(step.wake_at, afterwards);
}

void StreamRetries::StartAttempt(const Step& step, Afterwards* afterwards) {
  LogicalCall& call = *source_.call;
  const absl::Time now = SteadyNow();
  const absl::Duration left = RoundDownToWire(call.deadline() - now);
  attempts_.push_back(std::make_unique<StreamAttempt>(
      static_cast<StreamAttempt::Owner*>(this), source_.context, call.parent(),
      step, std::max(step.time, left), now));
  StreamAttempt* const attempt = attempts_.back().get();
  call.AttemptStarted(step);
  ++under_way_->count;
  if (cancelled_) attempt->context().TryCancel();
  if (step.time < left) {
    ++under_way_->count;
    attempt->timer.emplace(InFlight::kAlarm);
    afterwards->Add(
        [attempt, when = now + step.time] { attempt->StartTimer(when); });
  }
  // The attempt has ended at the earliest when it was released, which follows
  // upon Started(): the channel and the method's name are there until then.
  afterwards->Add(
      [attempt, channel = source_.channel.get(), method = &call.method().name] {
        attempt->Start(channel, *method);
      });
}

void StreamRetries::SetTimer(absl::Time wake_at, Afterwards* afterwards) {
  if (timer_ != nullptr) timer_->Cancel();
  timer_ = nullptr;
  if (wake_at == absl::InfiniteFuture()) return;
  ++under_way_->count;
  pauses_.push_back(std::make_unique<Pause>());
  timer_ = pauses_.back().get();
  if (cancelled_) timer_->Cancel();
  // Attempts that are under way hear of the parent's end by themselves.
  const bool alone = source_.call->under_way() == 0;
  afterwards->Add([this, pause = timer_, wake_at, alone] {
    const LogicalCall& call = *source_.call;
    pause->Start(
        wake_at, source_.channel, call.method().name,
        alone ? call.parent() : Parent(),
        [this, pause](bool parent_gone) { PauseEnded(pause, parent_gone); });
  });
}

void StreamRetries::PauseEnded(const Pause* pause, bool parent_gone) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  const auto ended =
      std::find_if(pauses_.begin(), pauses_.end(),
                   [pause](const auto& known) { return known.get() == pause; });
  const std::unique_ptr<Pause> kept = std::move(*ended);
  pauses_.erase(ended);
  if (pause == timer_) {
    timer_ = nullptr;
    if (parent_gone) cancelled_ = true;
    if (!over_ && !stopped_) Carry(WaitOver(), &afterwards);
  }
  Settle(std::move(lock), &afterwards);
}

Step StreamRetries::WaitOver() {
  LogicalCall& call = *source_.call;
  // Of those that are under way the end will tell.
  if (cancelled_) {
    CancelAllBut(nullptr);
    return call.Cancelled();
  }
  if (!overflowed_) return call.TimerFired(SteadyNow());
  Step last = call.Cancelled();  // Pays back the retry that will not be sent.
  last.verdict = Verdict::kCommitted;
  return last;
}

void StreamRetries::End(const Step& step) {
  over_ = true;
  if (timer_ != nullptr) timer_->Cancel();
  timer_ = nullptr;
  CancelAllBut(ended_last_);
  if (step.verdict == Verdict::kCancelled) {
    status_ = grpc::Status(grpc::StatusCode::CANCELLED, "Cancelled");
  }
  status_ = source_.call->Finish(step, status_);
}

void StreamRetries::Stop() {
  stopped_ = true;
  if (timer_ != nullptr) timer_->Cancel();
  timer_ = nullptr;
  CancelAllBut(nullptr);
}

void StreamRetries::CancelAllBut(const StreamAttempt* attempt) {
  for (const std::unique_ptr<StreamAttempt>& other : attempts_) {
    if (other.get() != attempt && !other->ended) other->context().TryCancel();
  }
}

void StreamRetries::Started(StreamAttempt* attempt) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->ready = true;
  Pump(attempt, &afterwards);
  MaybeRelease(attempt, &afterwards);
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::HeadersDone(StreamAttempt* attempt, bool ok) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->has_headers = ok;
  if (ok && (!source_.one_answer || headers_shown_)) Answered(attempt);
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::ReadDone(StreamAttempt* attempt, bool ok) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  if (!ok) {
    attempt->drained = true;
  } else if (source_.one_answer) {
    // What follows the answer is read to learn of the end; a second one is
    // nobody's.
    if (!attempt->has_message) attempt->answer.Swap(&attempt->message);
    attempt->has_message = true;
    afterwards.Add([attempt] { attempt->Read(); });
  } else {
    Answered(attempt);
    attempt->has_message = attempt == committed_;
    attempt->drained = attempt != committed_;  // A loser, which is cancelled.
  }
  MaybeRelease(attempt, &afterwards);
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::WriteDone(StreamAttempt* attempt, bool ok) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->writing = false;
  if (ok && attempt->closing) {
    attempt->close_sent = true;
  } else if (ok) {
    ++attempt->sent;
    if (attempt == committed_) source_.sent->DropBefore(attempt->sent);
  }
  if (ok) Pump(attempt, &afterwards);  // Otherwise its end is near.
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::TimedOut(StreamAttempt* attempt, bool ran_out) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  attempt->timer.reset();
  if (ran_out && attempt != committed_ && !attempt->ended) {
    attempt->timed_out = true;
    attempt->context().TryCancel();
  }
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::Done(StreamAttempt* attempt, const grpc::Status& status) {
  Afterwards afterwards;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  attempt->ended = true;
  if (attempt->timer.has_value()) attempt->CancelTimer();
  if (!Runs(attempt)) {
    source_.call->AttemptLost(SteadyNow(), status, attempt->number());
  } else {
    ended_last_ = attempt;
    status_ = attempt->timed_out && !status.ok() ? AttemptTimedOut() : status;
    Carry(source_.call->AttemptEnded(
              SteadyNow(), status_,
              attempt->context().GetServerTrailingMetadata(),
              attempt->context().debug_error_string(), cancelled_,
              attempt->number()),
          &afterwards);
  }
  Settle(std::move(lock), &afterwards);
}

void StreamRetries::Answered(StreamAttempt* attempt) {
  if (committed_ != nullptr || over_ || stopped_) return;
  source_.call->AnswerBegun(SteadyNow());
  Commit(attempt);
}

void StreamRetries::Commit(StreamAttempt* attempt) {
  if (committed_ != nullptr || over_ || stopped_) return;
  committed_ = attempt;
  source_.call->Commit();
  source_.sent->DropBefore(attempt->sent);
  if (attempt->timer.has_value()) attempt->CancelTimer();
  if (timer_ != nullptr) timer_->Cancel();
  timer_ = nullptr;
  CancelAllBut(attempt);
  relay_->TakenOver();
}

bool StreamRetries::Runs(const StreamAttempt* attempt) const {
  return !over_ && !stopped_ &&
         (committed_ == nullptr || committed_ == attempt);
}

void StreamRetries::Pump(StreamAttempt* attempt, Afterwards* afterwards) {
  const ReplayBuffer& messages = *source_.sent;
  if (!attempt->ready || attempt->writing || attempt->drained) return;
  if (!Runs(attempt)) return;  // What it would send may be dropped by now.
  // It may end between here and there: what is to be sent holds it.
  if (attempt->sent < messages.end()) {
    attempt->writing = true;
    attempt->Hold();
    afterwards->Add([attempt, message = messages.Message(attempt->sent),
                     options = messages.Options(attempt->sent)] {
      attempt->Send(message, options);
      attempt->Release();
    });
  } else if (messages.closed() && !attempt->closing) {
    attempt->writing = true;
    attempt->closing = true;
    attempt->Hold();
    afterwards->Add([attempt] {
      attempt->SendClose();
      attempt->Release();
    });
  }
}

void StreamRetries::MaybeRelease(StreamAttempt* attempt,
                                 Afterwards* afterwards) {
  if (!attempt->ready || !attempt->drained || attempt->released) return;
  attempt->released = true;
  afterwards->Add([attempt] { attempt->Release(); });
}

StreamAttempt* StreamRetries::Current() const {
  if (committed_ != nullptr) return committed_;
  if (over_) return ended_last_;
  return attempts_.empty() ? nullptr : attempts_.back().get();
}

void StreamRetries::Settle(std::unique_lock<std::mutex> lock,
                           Afterwards* afterwards) {
  relay_->Serve(afterwards);
  const bool idle = under_way_->Idle();
  lock.unlock();
  if (idle) {
    relay_->Idle();
  } else {
    afterwards->Run();
  }
}

void StreamRetries::Appended(bool fits, Afterwards* afterwards) {
  StreamAttempt* const current = Current();
  const bool live = current != nullptr && !current->ended;
  if (!fits && committed_ == nullptr) {
    if (live) {
      Commit(current);
    } else if (timer_ != nullptr) {
      overflowed_ = true;
      timer_->Cancel();
    }
  }
  for (const std::unique_ptr<StreamAttempt>& attempt : attempts_) {
    Pump(attempt.get(), afterwards);
  }
}

void StreamRetries::ShowHeaders() {
  headers_shown_ = true;
  StreamAttempt* const current = Current();
  if (current != nullptr && current->has_headers && !current->ended) {
    Answered(current);
  }
}

void StreamRetries::Cancel() {
  cancelled_ = true;
  CancelAllBut(nullptr);
  if (timer_ != nullptr) timer_->Cancel();
}

int64_t StreamRetries::sent() const {
  return Current() == nullptr ? 0 : Current()->sent;
}

bool StreamRetries::close_sent() const {
  return Current() != nullptr && Current()->close_sent;
}

bool StreamRetries::has_headers() const {
  return committed_ != nullptr && committed_->has_headers;
}

bool StreamRetries::has_message() const {
  StreamAttempt* const current = Current();
  return current != nullptr && current->has_message;
}

void StreamRetries::TakeMessage(grpc::ByteBuffer* message,
                                Afterwards* afterwards) {
  StreamAttempt* const current = Current();
  current->has_message = false;
  if (source_.one_answer) {
    message->Swap(&current->answer);
    return;
  }
  message->Swap(&current->message);
  current->message.Clear();
  afterwards->Add([current] { current->Read(); });
}

grpc::ClientContext* StreamRetries::context() const {
  return Current() == nullptr ? nullptr : &Current()->context();
}

}  // namespace forbear
