// Under --config=tsan: whatever of absl's orders two threads is known to
// order them, and a race is still a race. Elsewhere it only has to pass.

#include <cstdlib>
#include <thread>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace {

constexpr int kTurns = 1000;

bool IsEven(int* turn) { return *turn % 2 == 0; }
bool IsOdd(int* turn) { return *turn % 2 == 1; }

// Two threads take turns: `even` waits for an even turn and ends it, `odd` the
// other way round.
template <typename Even, typename Odd>
void TakeTurns(Even even, Odd odd) {
  std::thread thread([&] {
    for (int i = 0; i < kTurns; ++i) odd();
  });
  for (int i = 0; i < kTurns; ++i) even();
  thread.join();
}

TEST(LocksTest, AwaitAndLockWhenOrderTheirThreads) {
  absl::Mutex mutex;
  int turn = 0;
  TakeTurns(
      [&] {
        absl::MutexLock lock(&mutex);
        mutex.Await(absl::Condition(IsEven, &turn));
        ++turn;
      },
      [&] {
        mutex.LockWhen(absl::Condition(IsOdd, &turn));
        ++turn;
        mutex.Unlock();
      });
  EXPECT_EQ(turn, 2 * kTurns);
}

TEST(LocksTest, ACondVarOrdersItsThreads) {
  absl::Mutex mutex;
  absl::CondVar changed;
  int turn = 0;
  const auto take = [&](bool (*mine)(int*)) {
    absl::MutexLock lock(&mutex);
    while (!mine(&turn)) changed.Wait(&mutex);
    ++turn;
    changed.Signal();
  };
  TakeTurns([&] { take(IsEven); }, [&] { take(IsOdd); });
  EXPECT_EQ(turn, 2 * kTurns);
}

TEST(LocksTest, AReaderLockOrdersAgainstWriters) {
  absl::Mutex mutex;
  int written = 0;
  int read = 0;
  TakeTurns(
      [&] {
        absl::MutexLock lock(&mutex);
        ++written;
      },
      [&] {
        absl::ReaderMutexLock lock(&mutex);
        read = written;
      });
  EXPECT_EQ(written, kTurns);
  EXPECT_LE(read, kTurns);
}

TEST(LocksTest, ANotificationOrdersWhoeverSawIt) {
  int value = 0;
  absl::Notification asked;
  absl::Notification answered;
  std::thread thread([&] {
    asked.WaitForNotification();
    value *= 2;
    answered.Notify();
  });
  value = 21;
  asked.Notify();
  while (!answered.HasBeenNotified()) std::this_thread::yield();
  EXPECT_EQ(value, 42);
  thread.join();
}

TEST(LocksTest, ABlockingCounterOrdersAllWhoCounted) {
  int values[2] = {0, 0};
  absl::BlockingCounter left(2);
  const auto count = [&](int i) {
    values[i] = 1;
    left.DecrementCount();
  };
  std::thread first(count, 0);
  std::thread second(count, 1);
  left.Wait();
  EXPECT_EQ(values[0] + values[1], 2);
  first.join();
  second.join();
}

#ifdef __SANITIZE_THREAD__
void Race() {
  int value = 0;
  absl::Mutex mine;
  absl::Mutex yours;
  const auto add = [&](absl::Mutex* mutex) {
    for (int i = 0; i < kTurns; ++i) {
      absl::MutexLock lock(mutex);
      ++value;
    }
  };
  std::thread thread(add, &mine);
  add(&yours);
  thread.join();
  std::exit(0);  // TSan makes it 66 if it has reported anything.
}

TEST(LocksDeathTest, TwoLocksDoNotOrderEachOther) {
  EXPECT_EXIT(Race(), testing::ExitedWithCode(66), "data race");
}
#endif

}  // namespace
