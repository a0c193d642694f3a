#include "interceptors/client/stream_retries.h"

#include <algorithm>
#include <utility>

#include "interceptors/context/clock.h"
#include "interceptors/policy/wire_timeout.h"

namespace forbear {
namespace {

// An attempt's own timer ends it as a cancellation; this is what it was.
grpc::Status AttemptTimedOut() {
  return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                      "The attempt timed out");
}

}  // namespace

StreamRetries::StreamRetries(Relay* relay, std::mutex* mutex,
                             UnderWay* under_way, Source source)
    : relay_(relay),
      mutex_(mutex),
      under_way_(under_way),
      source_(std::move(source)) {}

StreamRetries::~StreamRetries() = default;

void StreamRetries::Begin(const Step& step, const grpc::Status& status,
                          Todo* todo) {
  status_ = status;
  Carry(step, todo);
}

void StreamRetries::Carry(const Step& step, Todo* todo) {
  if (step.finished) {
    End(step);
  } else if (step.start) {
    StartAttempt(step, todo);
  } else {
    StartPause(step.wake_at, todo);
  }
}

void StreamRetries::StartAttempt(const Step& step, Todo* todo) {
  LogicalCall& call = *source_.call;
  const absl::Time now = SteadyNow();
  const absl::Duration left = call.deadline() - now;
  attempts_.push_back(std::make_unique<StreamAttempt>(
      static_cast<StreamAttempt::Owner*>(this), source_.context, call.parent(),
      step, std::max(step.time, RoundDownToWire(left)), now));
  StreamAttempt* const attempt = attempts_.back().get();
  call.AttemptStarted(step);
  ++under_way_->count;
  if (cancelled_) attempt->context().TryCancel();
  if (step.time < left) {
    ++under_way_->count;
    attempt->timer_running = true;
    todo->Add([attempt, when = now + step.time] { attempt->StartTimer(when); });
  }
  // The attempt has ended at the earliest when it was released, which follows
  // upon Started(): the channel and the method's name are there until then.
  todo->Add(
      [attempt, channel = source_.channel.get(), method = &call.method().name] {
        attempt->Start(channel, *method);
      });
}

void StreamRetries::StartPause(absl::Time wake_at, Todo* todo) {
  ++under_way_->count;
  pause_ = std::make_unique<Pause>(
      [this](bool parent_gone) { PauseEnded(parent_gone); });
  if (cancelled_) pause_->Cancel();
  todo->Add([this, pause = pause_.get(), wake_at] {
    const LogicalCall& call = *source_.call;
    pause->Start(wake_at, source_.channel, call.method().name, call.parent());
  });
}

void StreamRetries::PauseEnded(bool parent_gone) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  const std::unique_ptr<Pause> ended = std::move(pause_);
  if (parent_gone) cancelled_ = true;
  LogicalCall& call = *source_.call;
  if (overflowed_ && !cancelled_) {
    Step last = call.Cancelled();  // Pays back the retry that will not be sent.
    last.verdict = Verdict::kCommitted;
    End(last);
  } else {
    Carry(cancelled_ ? call.Cancelled() : call.TimerFired(SteadyNow()), &todo);
  }
  Settle(std::move(lock), &todo);
}

void StreamRetries::End(const Step& step) {
  over_ = true;
  if (step.verdict == Verdict::kCancelled) {
    status_ = grpc::Status(grpc::StatusCode::CANCELLED, "Cancelled");
  }
  status_ = source_.call->Finish(step, status_);
}

void StreamRetries::Started(StreamAttempt* attempt) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->ready = true;
  Pump(attempt, &todo);
  MaybeRelease(attempt, &todo);
  Settle(std::move(lock), &todo);
}

void StreamRetries::HeadersDone(StreamAttempt* attempt, bool ok) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->has_headers = ok;
  if (ok && (!source_.one_answer || headers_shown_)) Commit(attempt);
  Settle(std::move(lock), &todo);
}

void StreamRetries::ReadDone(StreamAttempt* attempt, bool ok) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  if (!ok) {
    attempt->drained = true;
  } else if (source_.one_answer) {
    // What follows the answer is read to learn of the end.
    if (!attempt->has_message) attempt->answer.Swap(&attempt->message);
    attempt->has_message = true;
    todo.Add([attempt] { attempt->Read(); });
  } else {
    Commit(attempt);
    attempt->has_message = attempt == committed_;
    attempt->drained = attempt != committed_;  // A loser, and cancelled.
  }
  MaybeRelease(attempt, &todo);
  Settle(std::move(lock), &todo);
}

void StreamRetries::WriteDone(StreamAttempt* attempt, bool ok) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  attempt->writing = false;
  if (ok && attempt->closing) {
    attempt->close_sent = true;
  } else if (ok) {
    ++attempt->sent;
    if (attempt == committed_) source_.sent->DropBefore(attempt->sent);
  }
  if (ok) Pump(attempt, &todo);  // Otherwise its end is near.
  Settle(std::move(lock), &todo);
}

void StreamRetries::TimedOut(StreamAttempt* attempt, bool ran_out) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  attempt->timer_running = false;
  if (ran_out && attempt != committed_ && !attempt->ended) {
    attempt->timed_out = true;
    attempt->context().TryCancel();
  }
  Settle(std::move(lock), &todo);
}

void StreamRetries::Done(StreamAttempt* attempt, const grpc::Status& status) {
  Todo todo;
  std::unique_lock<std::mutex> lock(*mutex_);
  --under_way_->count;
  attempt->ended = true;
  if (attempt->timer_running) attempt->CancelTimer();
  if (attempt == Current()) {
    status_ = attempt->timed_out && !status.ok() ? AttemptTimedOut() : status;
    Carry(source_.call->AttemptEnded(
              SteadyNow(), status_,
              attempt->context().GetServerTrailingMetadata(),
              attempt->context().debug_error_string(), cancelled_),
          &todo);
  }
  Settle(std::move(lock), &todo);
}

void StreamRetries::Commit(StreamAttempt* attempt) {
  if (committed_ != nullptr) return;
  committed_ = attempt;
  source_.call->Commit();
  source_.sent->DropBefore(attempt->sent);
  if (attempt->timer_running) attempt->CancelTimer();
  for (const std::unique_ptr<StreamAttempt>& other : attempts_) {
    if (other.get() != attempt) other->context().TryCancel();
  }
}

void StreamRetries::Pump(StreamAttempt* attempt, Todo* todo) {
  const ReplayBuffer& messages = *source_.sent;
  if (!attempt->ready || attempt->writing || attempt->drained) return;
  if (attempt->sent < messages.end()) {
    attempt->writing = true;
    todo->Add([attempt, message = messages.Message(attempt->sent),
               options = messages.Options(attempt->sent)] {
      attempt->Send(message, options);
    });
  } else if (messages.closed() && !attempt->closing) {
    attempt->writing = true;
    attempt->closing = true;
    todo->Add([attempt] { attempt->SendClose(); });
  }
}

void StreamRetries::MaybeRelease(StreamAttempt* attempt, Todo* todo) {
  if (!attempt->ready || !attempt->drained || attempt->released) return;
  attempt->released = true;
  todo->Add([attempt] { attempt->Release(); });
}

StreamAttempt* StreamRetries::Current() const {
  if (committed_ != nullptr) return committed_;
  return attempts_.empty() ? nullptr : attempts_.back().get();
}

void StreamRetries::Settle(std::unique_lock<std::mutex> lock, Todo* todo) {
  relay_->Serve(todo);
  const bool idle = under_way_->Idle();
  lock.unlock();
  if (idle) {
    relay_->Idle();
  } else {
    todo->Run();
  }
}

void StreamRetries::Appended(bool fits, Todo* todo) {
  StreamAttempt* const current = Current();
  const bool live = current != nullptr && !current->ended;
  if (!fits && committed_ == nullptr) {
    if (live) {
      Commit(current);
    } else if (pause_ != nullptr) {
      overflowed_ = true;
      pause_->Cancel();
    }
  }
  if (live) Pump(current, todo);
}

void StreamRetries::ShowHeaders() {
  headers_shown_ = true;
  StreamAttempt* const current = Current();
  if (current != nullptr && current->has_headers) Commit(current);
}

void StreamRetries::Cancel() {
  cancelled_ = true;
  for (const std::unique_ptr<StreamAttempt>& attempt : attempts_) {
    if (!attempt->ended) attempt->context().TryCancel();
  }
  if (pause_ != nullptr) pause_->Cancel();
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

void StreamRetries::TakeMessage(grpc::ByteBuffer* message, Todo* todo) {
  StreamAttempt* const current = Current();
  current->has_message = false;
  if (source_.one_answer) {
    message->Swap(&current->answer);
    return;
  }
  message->Swap(&current->message);
  current->message.Clear();
  todo->Add([current] { current->Read(); });
}

grpc::ClientContext* StreamRetries::context() const {
  return Current() == nullptr ? nullptr : &Current()->context();
}

}  // namespace forbear
