#include "interceptors/client/latest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <thread>
#include <vector>

namespace forbear {
namespace {

// Both numbers are the same, but for who reads while somebody writes.
struct Pair {
  int one = 0;
  int other = 0;
  mutable std::atomic<int64_t> uses{0};
};

void Put(Latest<Pair>& latest, int number) {
  latest.Replace([number](Pair& pair) {
    pair.one = number;
    pair.other = number;
  });
}

TEST(LatestTest, WhoTookAVersionKeepsIt) {
  Latest<Pair> latest;
  Put(latest, 1);
  const InUse<Pair> first = latest.Take();
  Put(latest, 2);
  Put(latest, 3);
  EXPECT_EQ(first->one, 1);
  EXPECT_EQ(latest.Take()->one, 3);
}

TEST(LatestTest, AReplacementEachMinuteOfAYearNeedsTwoVersions) {
  Latest<Pair> latest;
  for (int minute = 0; minute < 365 * 24 * 60; ++minute) {
    Put(latest, minute);
    ASSERT_EQ(latest.Take()->one, minute);
  }
  EXPECT_EQ(latest.versions(), 2);
}

TEST(LatestTest, ThereAreAsManyVersionsAsAreInUseAndTwo) {
  Latest<Pair> latest;
  Put(latest, 0);
  std::list<InUse<Pair>> calls;
  for (int i = 1; i <= 5; ++i) {
    calls.push_back(latest.Take());
    Put(latest, i);
  }
  EXPECT_EQ(latest.versions(), 6);
  for (int i = 6; i < 100; ++i) Put(latest, i);
  EXPECT_EQ(latest.versions(), 7);
  calls.clear();
  for (int i = 100; i < 200; ++i) Put(latest, i);
  EXPECT_EQ(latest.versions(), 7);
}

TEST(LatestTest, WhoTakesWhileItIsReplacedReadsOneVersionWhole) {
  constexpr int kTakers = 4;
  Latest<Pair> latest;
  Put(latest, 0);
  std::atomic<bool> done{false};
  std::vector<std::thread> takers;
  for (int i = 0; i < kTakers; ++i) {
    takers.emplace_back([&] {
      int seen = 0;
      while (!done) {
        const InUse<Pair> taken = latest.Take();
        EXPECT_EQ(taken->one, taken->other);
        EXPECT_GE(taken->one, seen);
        seen = taken->one;
      }
    });
  }
  for (int i = 1; i < 50'000; ++i) Put(latest, i);
  done = true;
  for (std::thread& taker : takers) taker.join();
  EXPECT_LE(latest.versions(), kTakers + 2);
}

}  // namespace
}  // namespace forbear
