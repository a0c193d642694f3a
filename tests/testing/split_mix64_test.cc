#include "interceptors/testing/split_mix64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "absl/random/bit_gen_ref.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> Draws(absl::BitGenRef chance, int n) {
  std::vector<uint64_t> draws;
  for (int i = 0; i < n; ++i) draws.push_back(chance());
  return draws;
}

// The outputs that implementations of splitmix64.c are checked against.
TEST(SplitMix64Test, DrawsWhatIsPublishedForItsSeed) {
  SplitMix64 chance(1234567);
  EXPECT_THAT(Draws(chance, 5),
              ElementsAre(6457827717110365317u, 3203168211198807973u,
                          9817491932198370423u, 4593380528125082431u,
                          16408922859458223821u));
}

TEST(SplitMix64Test, GoesOnWhereItWas) {
  SplitMix64 whole(7);
  SplitMix64 halves(7);
  std::vector<uint64_t> draws = Draws(halves, 2);
  for (uint64_t draw : Draws(halves, 2)) draws.push_back(draw);
  EXPECT_EQ(draws, Draws(whole, 4));
}

TEST(SplitMix64Test, IsAGeneratorToTheStandardLibraryToo) {
  SplitMix64 chance(7);
  std::uniform_int_distribution<int> die(1, 6);
  for (int i = 0; i < 100; ++i) {
    const int eyes = die(chance);
    ASSERT_GE(eyes, 1);
    ASSERT_LE(eyes, 6);
  }
}

}  // namespace
}  // namespace forbear
