#include "interceptors/admission/fair_callers.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/admission/waiting_call.h"

namespace forbear {
namespace {

constexpr absl::Duration kUnit = absl::Milliseconds(10);

class FairCallersTest : public ::testing::Test {
 protected:
  WaitingCall& Add(const std::string& name, bool repeat = false,
                   int urgency = kUsualUrgency) {
    WaitingCall& call = calls_.emplace_back();
    call.urgency = urgency;
    call.caller = name;
    call.repeat = repeat;
    call.sequence = ++sequence_;
    call.from = &callers_.Find(name, now_);
    callers_.Add(*call.from, call);
    return call;
  }

  // Serves whose turn it is, and says who that was.
  std::string Serve() {
    Caller& caller = callers_.Next();
    WaitingCall& call = caller.Newest();
    callers_.Turn(caller);
    callers_.Remove(caller, call);
    callers_.Charge(caller, kUnit);
    return call.caller;
  }

  absl::Time now_ = absl::UnixEpoch();
  std::deque<WaitingCall> calls_;
  uint64_t sequence_ = 0;
  FairCallers callers_;
};

TEST_F(FairCallersTest, TakesTurnsWhateverLengthTheQueuesHave) {
  for (int i = 0; i < 10; ++i) Add("a");
  Add("b");
  Add("b");
  std::string order;
  for (int i = 0; i < 6; ++i) order += Serve();
  EXPECT_EQ(order, "ababaa");
}

TEST_F(FairCallersTest, GivesNothingForHavingBeenAway) {
  for (int i = 0; i < 10; ++i) Add("a");
  for (int i = 0; i < 5; ++i) Serve();
  for (int i = 0; i < 10; ++i) Add("b");
  std::string order;
  for (int i = 0; i < 6; ++i) order += Serve();
  EXPECT_EQ(order, "bababa");
}

TEST_F(FairCallersTest, CountsTimeAndNotCalls) {
  for (int i = 0; i < 10; ++i) Add("slow"), Add("fast");
  EXPECT_EQ(Serve(), "slow");
  callers_.Charge(*callers_.Known("slow"), 2 * kUnit);  // It took longer.
  std::string order;
  for (int i = 0; i < 4; ++i) order += Serve() + " ";
  EXPECT_EQ(order, "fast fast fast slow ");
}

TEST_F(FairCallersTest, ServesFirstAttemptsBeforeRepeatsAndTheNewestFirst) {
  WaitingCall& first = Add("a");
  WaitingCall& repeat = Add("a", /*repeat=*/true);
  WaitingCall& newer = Add("a", /*repeat=*/true);
  Caller& caller = *first.from;
  EXPECT_EQ(&caller.Newest(), &first);
  EXPECT_EQ(&caller.Last(), &repeat);
  callers_.Remove(caller, first);
  EXPECT_EQ(&caller.Newest(), &newer);
}

TEST_F(FairCallersTest, ServesTheMoreUrgentFirstRepeatsOrNot) {
  WaitingCall& usual = Add("a");
  WaitingCall& idle = Add("a", /*repeat=*/false, /*urgency=*/7);
  WaitingCall& idle_repeat = Add("a", /*repeat=*/true, /*urgency=*/7);
  WaitingCall& urgent_repeat = Add("a", /*repeat=*/true, /*urgency=*/0);
  Caller& caller = *usual.from;
  for (WaitingCall* next : {&urgent_repeat, &usual, &idle}) {
    EXPECT_EQ(&caller.Newest(), next);
    EXPECT_EQ(&caller.Last(), &idle_repeat);
    callers_.Remove(caller, *next);
  }
}

TEST_F(FairCallersTest, ForgetsCallersWhoHaveNothingHere) {
  callers_.Find("barred", now_).barred_until = now_ + absl::Seconds(1);
  Add("waits");
  for (size_t i = 0; i < 2 * FairCallers::kMostCallers; ++i) {
    callers_.Find(absl::StrCat(i), now_);
  }
  EXPECT_LE(callers_.known(), FairCallers::kMostCallers);
  EXPECT_NE(callers_.Known("barred"), nullptr);
  EXPECT_NE(callers_.Known("waits"), nullptr);
}

TEST_F(FairCallersTest, PutsCallersBeyondTheMostIntoOneQueue) {
  for (size_t i = 0; i < FairCallers::kMostCallers; ++i) Add(absl::StrCat(i));
  Add("x");
  Add("y");
  EXPECT_EQ(callers_.known(), FairCallers::kMostCallers);
  EXPECT_EQ(&callers_.Find("x", now_), &callers_.Find("y", now_));
  EXPECT_EQ(callers_.Longest().waiting(), 2);
}

}  // namespace
}  // namespace forbear
