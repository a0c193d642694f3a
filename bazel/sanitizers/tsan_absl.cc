// Tells ThreadSanitizer what absl's locks order.
//
// Debian's Abseil is not instrumented, so its locks would order nothing in
// TSan's eyes, and all that they guard would look like a race. Each function
// here stands before the library's own of the same name, calls that one, and
// says what it acquired or is about to release. gRPC's locks are absl's too, so
// its calls also come through here. Linked by --config=tsan alone.

#include <sanitizer/tsan_interface.h>

#include <utility>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "bazel/sanitizers/tsan_real.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

namespace {

// The mutex this thread is at, in the library. Whoever passes there with the
// lock evaluates waiters' conditions, its own or another thread's.
thread_local Mutex* current = nullptr;

class At {
 public:
  explicit At(Mutex* mutex) : previous_(std::exchange(current, mutex)) {}
  ~At() { current = previous_; }

 private:
  Mutex* const previous_;
};

}  // namespace

void Mutex::Lock() {
  static const auto real =
      Real<void (*)(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  real(this);
  __tsan_acquire(this);
}

bool Mutex::TryLock() {
  static const auto real =
      Real<bool (*)(Mutex*)>("_ZN4absl7debian35Mutex7TryLockEv");
  const bool locked = real(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::Unlock() {
  static const auto real =
      Real<void (*)(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  const At at(this);
  real(this);
}

void Mutex::ReaderLock() {
  static const auto real =
      Real<void (*)(Mutex*)>("_ZN4absl7debian35Mutex10ReaderLockEv");
  real(this);
  __tsan_acquire(this);
}

bool Mutex::ReaderTryLock() {
  static const auto real =
      Real<bool (*)(Mutex*)>("_ZN4absl7debian35Mutex13ReaderTryLockEv");
  const bool locked = real(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::ReaderUnlock() {
  static const auto real =
      Real<void (*)(Mutex*)>("_ZN4absl7debian35Mutex12ReaderUnlockEv");
  __tsan_release(this);
  const At at(this);
  real(this);
}

// Every LockWhen ends in one of these two. Others may read its condition, so
// that is released first.
void Mutex::LockSlow(MuHow how, const Condition* cond, int flags) {
  static const auto real = Real<void (*)(Mutex*, MuHow, const Condition*, int)>(
      "_ZN4absl7debian35Mutex8LockSlowEPKNS0_6MuHowSEPKNS0_9ConditionEi");
  const At at(this);
  if (cond != nullptr) __tsan_release(this);
  real(this, how, cond, flags);
  __tsan_acquire(this);
}

bool Mutex::LockSlowWithDeadline(MuHow how, const Condition* cond,
                                 synchronization_internal::KernelTimeout t,
                                 int flags) {
  static const auto real =
      Real<bool (*)(Mutex*, MuHow, const Condition*,
                    synchronization_internal::KernelTimeout, int)>(
          "_ZN4absl7debian35Mutex20LockSlowWithDeadlineEPKNS0_6MuHowSEPKNS0_"
          "9ConditionENS0_24synchronization_internal13KernelTimeoutEi");
  const At at(this);
  if (cond != nullptr) __tsan_release(this);
  const bool met = real(this, how, cond, t, flags);
  __tsan_acquire(this);
  return met;
}

// Every Await ends here.
bool Mutex::AwaitCommon(const Condition& cond,
                        synchronization_internal::KernelTimeout t) {
  static const auto real = Real<bool (*)(
      Mutex*, const Condition&, synchronization_internal::KernelTimeout)>(
      "_ZN4absl7debian35Mutex11AwaitCommonERKNS0_9ConditionENS0_"
      "24synchronization_internal13KernelTimeoutE");
  __tsan_release(this);
  const At at(this);
  const bool met = real(this, cond, t);
  __tsan_acquire(this);
  return met;
}

bool Condition::Eval() const {
  static const auto real =
      Real<bool (*)(const Condition*)>("_ZNK4absl7debian39Condition4EvalEv");
  Mutex* const mutex = current;
  if (mutex != nullptr) __tsan_acquire(mutex);
  const bool met = real(this);
  if (mutex != nullptr) __tsan_release(mutex);
  return met;
}

// Every wait on a CondVar ends here.
bool CondVar::WaitCommon(Mutex* mutex,
                         synchronization_internal::KernelTimeout t) {
  static const auto real =
      Real<bool (*)(CondVar*, Mutex*, synchronization_internal::KernelTimeout)>(
          "_ZN4absl7debian37CondVar10WaitCommonEPNS0_5MutexENS0_"
          "24synchronization_internal13KernelTimeoutE");
  __tsan_release(mutex);
  const At at(mutex);
  const bool timed_out = real(this, mutex, t);
  __tsan_acquire(mutex);
  return timed_out;
}

// The flag is read without the lock. Reading it here acquires what Notify()
// released.
void Notification::Notify() {
  static const auto real =
      Real<void (*)(Notification*)>("_ZN4absl7debian312Notification6NotifyEv");
  __tsan_release(&notified_yet_);
  real(this);
}

void Notification::WaitForNotification() const {
  static const auto real = Real<void (*)(const Notification*)>(
      "_ZNK4absl7debian312Notification19WaitForNotificationEv");
  real(this);
  static_cast<void>(HasBeenNotified());
}

bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  static const auto real = Real<bool (*)(const Notification*, Duration)>(
      "_ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_"
      "8DurationE");
  real(this, timeout);
  return HasBeenNotified();
}

bool Notification::WaitForNotificationWithDeadline(Time deadline) const {
  static const auto real = Real<bool (*)(const Notification*, Time)>(
      "_ZNK4absl7debian312Notification31WaitForNotificationWithDeadlineENS0_"
      "4TimeE");
  real(this, deadline);
  return HasBeenNotified();
}

bool BlockingCounter::DecrementCount() {
  static const auto real = Real<bool (*)(BlockingCounter*)>(
      "_ZN4absl7debian315BlockingCounter14DecrementCountEv");
  __tsan_release(this);
  return real(this);
}

void BlockingCounter::Wait() {
  static const auto real = Real<void (*)(BlockingCounter*)>(
      "_ZN4absl7debian315BlockingCounter4WaitEv");
  real(this);
  __tsan_acquire(this);
}

ABSL_NAMESPACE_END
}  // namespace absl
