#include "interceptors/context/call_scope.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"

namespace forbear {
namespace {

using Inbound = CallScope::Inbound;

std::shared_ptr<CallScope> Scope(Inbound inbound = Inbound()) {
  return std::make_shared<CallScope>(std::move(inbound));
}

std::shared_ptr<CallScope> WithKey(const std::string& key) {
  Inbound inbound;
  inbound.idempotency_key = key;
  return Scope(std::move(inbound));
}

TEST(CallScopeTest, IsNobodysOutsideAnyHandler) {
  EXPECT_EQ(CallScope::Current(), nullptr);
  EXPECT_EQ(CallScope::Here(), nullptr);
}

TEST(CallScopeTest, IsCurrentWhileEntered) {
  const auto scope = Scope();
  {
    CallScope::Enter in(scope);
    EXPECT_EQ(CallScope::Current(), scope);
    EXPECT_EQ(CallScope::Here(), scope.get());
  }
  EXPECT_EQ(CallScope::Current(), nullptr);
}

TEST(CallScopeTest, GivesWayToAnInnerScopeAndComesBack) {
  const auto outer = Scope();
  const auto inner = Scope();
  CallScope::Enter in_outer(outer);
  {
    CallScope::Enter in_inner(inner);
    EXPECT_EQ(CallScope::Current(), inner);
    {
      CallScope::Detach out;
      EXPECT_EQ(CallScope::Current(), nullptr);
      EXPECT_EQ(CallScope::Here(), nullptr);
      CallScope::Enter again(outer);
      EXPECT_EQ(CallScope::Current(), outer);
    }
    EXPECT_EQ(CallScope::Current(), inner);
  }
  EXPECT_EQ(CallScope::Current(), outer);
}

TEST(CallScopeTest, LeavesAllScopesWhenNoneIsEntered) {
  CallScope::Enter in(Scope());
  CallScope::Enter none(nullptr);
  EXPECT_EQ(CallScope::Current(), nullptr);
}

TEST(CallScopeTest, BelongsToTheThreadThatEnteredIt) {
  const auto scope = Scope();
  CallScope::Enter in(scope);
  std::thread([&] {
    EXPECT_EQ(CallScope::Current(), nullptr);
    CallScope::Enter too(scope);
    EXPECT_EQ(CallScope::Current(), scope);
  }).join();
  EXPECT_EQ(CallScope::Current(), scope);
}

TEST(CallScopeTest, LivesAsLongAsSomebodyKeepsIt) {
  ASSERT_EQ(InFlight::Count(InFlight::kScope), 0);
  std::shared_ptr<CallScope> kept;
  {
    CallScope::Enter in(Scope());
    kept = CallScope::Current();
  }
  EXPECT_EQ(InFlight::Count(InFlight::kScope), 1);
  kept.reset();
  EXPECT_EQ(InFlight::Count(InFlight::kScope), 0);
}

TEST(CallScopeTest, HasNoEndOfTimeWithoutADeadline) {
  EXPECT_EQ(Scope()->deadline(), absl::InfiniteFuture());
  EXPECT_EQ(Scope()->TimeLeft(), absl::InfiniteDuration());
  EXPECT_FALSE(Scope()->Cancelled());
}

TEST(CallScopeTest, HasLessThanNoTimeLeftOnceItsDeadlineHasPassed) {
  Inbound inbound;
  inbound.deadline = SteadyNow() - absl::Nanoseconds(1);
  const auto scope = Scope(inbound);
  EXPECT_LT(scope->TimeLeft(), absl::ZeroDuration());
  EXPECT_TRUE(scope->Cancelled());
}

TEST(CallScopeTest, HasTheTimeLeftThatItsDeadlineSays) {
  Inbound inbound;
  inbound.deadline = SteadyNow() + absl::Hours(1000);
  const auto scope = Scope(inbound);
  EXPECT_LE(scope->TimeLeft(), absl::Hours(1000));
  EXPECT_GT(scope->TimeLeft(), absl::Hours(999));
  EXPECT_FALSE(scope->Cancelled());
}

TEST(CallScopeTest, IsCancelledWhenItsCallerIsGone) {
  bool gone = false;
  Inbound inbound;
  inbound.is_cancelled = [&] { return gone; };
  const auto scope = Scope(inbound);
  EXPECT_FALSE(scope->Cancelled());
  gone = true;
  EXPECT_TRUE(scope->Cancelled());
}

TEST(CallScopeTest, AsksNobodyAnyMoreOnceItHasEnded) {
  int asked = 0;
  Inbound inbound;
  inbound.is_cancelled = [&] {
    ++asked;
    return false;
  };
  const auto scope = Scope(inbound);
  EXPECT_FALSE(scope->Cancelled());
  scope->End();
  EXPECT_TRUE(scope->Cancelled());
  EXPECT_EQ(asked, 1);
}

TEST(CallScopeTest, LendsItsParentUntilItHasEnded) {
  grpc_call* const parent = reinterpret_cast<grpc_call*>(1);
  Inbound inbound;
  inbound.call = parent;
  const auto scope = Scope(inbound);
  std::vector<grpc_call*> lent;
  EXPECT_TRUE(scope->WithParent([&](grpc_call* p) { lent.push_back(p); }));
  scope->End();
  scope->End();
  EXPECT_FALSE(scope->WithParent([&](grpc_call* p) { lent.push_back(p); }));
  EXPECT_EQ(lent, std::vector<grpc_call*>{parent});
}

// End() waits for whoever uses the parent, so that gRPC may destroy it next.
TEST(CallScopeTest, EndsOnlyWhenNobodyUsesItsParent) {
  const auto scope = Scope();
  std::atomic<bool> ended{false};
  std::thread guard;
  EXPECT_TRUE(scope->WithParent([&](grpc_call*) {
    guard = std::thread([&] {
      scope->End();
      ended = true;
    });
    // However often it gets the chance to.
    for (int i = 0; i < 10'000; ++i) {
      std::this_thread::yield();
      ASSERT_FALSE(ended);
    }
  }));
  guard.join();
  EXPECT_FALSE(scope->WithParent([](grpc_call*) { ADD_FAILURE(); }));
}

TEST(CallScopeTest, EndsOnlyWhenNobodyAsksAboutItsCaller) {
  std::atomic<bool> ended{false};
  std::thread guard;
  std::shared_ptr<CallScope> scope;
  Inbound inbound;
  inbound.is_cancelled = [&] {
    guard = std::thread([&] {
      scope->End();
      ended = true;
    });
    for (int i = 0; i < 10'000; ++i) {
      std::this_thread::yield();
      EXPECT_FALSE(ended);
    }
    return false;
  };
  scope = Scope(inbound);
  EXPECT_FALSE(scope->Cancelled());
  guard.join();
  EXPECT_TRUE(scope->Cancelled());
}

TEST(CallScopeTest, DerivesNoKeyWithoutAnInboundOne) {
  EXPECT_EQ(Scope()->DeriveKey("/shop.Stock/Take", ""), "");
  EXPECT_EQ(Scope()->DeriveKey("/shop.Stock/Take", "book"), "");
}

TEST(CallScopeTest, CountsTheCallsOfEachMethod) {
  const auto scope = WithKey("c1f9");
  EXPECT_EQ(scope->DeriveKey("/shop.Stock/Take", ""),
            "c1f9/shop.Stock/Take/#1");
  EXPECT_EQ(scope->DeriveKey("/shop.Stock/Put", ""), "c1f9/shop.Stock/Put/#1");
  EXPECT_EQ(scope->DeriveKey("/shop.Stock/Take", ""),
            "c1f9/shop.Stock/Take/#2");
}

TEST(CallScopeTest, DoesNotCountCallsThatCarryATag) {
  const auto scope = WithKey("c1f9");
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(scope->DeriveKey("/shop.Stock/Take", "book"),
              "c1f9/shop.Stock/Take/book");
  }
  EXPECT_EQ(scope->DeriveKey("/shop.Stock/Take", ""),
            "c1f9/shop.Stock/Take/#1");
}

TEST(CallScopeTest, DerivesTheSameKeysWhenTheHandlerRunsAgain) {
  std::vector<std::string> runs[2];
  for (auto& keys : runs) {
    const auto scope = WithKey("c1f9");
    for (int i = 0; i < 3; ++i) {
      keys.push_back(scope->DeriveKey("/shop.Stock/Take", ""));
      keys.push_back(scope->DeriveKey("/shop.Pay/Charge", "order 7"));
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(CallScopeTest, RemembersWhatItsCallsGaveUpWith) {
  const auto scope = Scope();
  EXPECT_FALSE(scope->GaveUpWith(absl::StatusCode::kUnavailable));
  scope->NoteGaveUp(absl::StatusCode::kUnavailable);
  scope->NoteGaveUp(absl::StatusCode::kUnauthenticated);
  for (int code = 0; code <= 16; ++code) {
    EXPECT_EQ(scope->GaveUpWith(static_cast<absl::StatusCode>(code)),
              code == 14 || code == 16)
        << code;
  }
}

TEST(CallScopeTest, MayBeUsedByManyThreadsAtOnce) {
  const auto scope = WithKey("c1f9");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      CallScope::Enter in(scope);
      for (int n = 0; n < 1000; ++n) {
        CallScope::Here()->DeriveKey("/shop.Stock/Take", "");
        CallScope::Here()->NoteGaveUp(static_cast<absl::StatusCode>(i));
        CallScope::Here()->Cancelled();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(scope->DeriveKey("/shop.Stock/Take", ""),
            "c1f9/shop.Stock/Take/#4001");
}

TEST(ClockTest, NeverGoesBack) {
  absl::Time last = SteadyNow();
  for (int i = 0; i < 100'000; ++i) {
    const absl::Time now = SteadyNow();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace forbear
