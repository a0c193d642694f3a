#include "interceptors/context/urgency.h"

#include <gtest/gtest.h>

namespace forbear {
namespace {

TEST(UrgencyTest, IsTheMemberU) {
  EXPECT_EQ(UrgencyIn("u=0"), 0);
  EXPECT_EQ(UrgencyIn("u=7"), 7);
  EXPECT_EQ(UrgencyIn("u=5, i"), 5);
  EXPECT_EQ(UrgencyIn("i=?0 , u=1;foo=bar"), 1);
}

TEST(UrgencyTest, IsTheLastWhereItStandsTwice) {
  EXPECT_EQ(UrgencyIn("u=1, u=6"), 6);
}

TEST(UrgencyTest, IsTheUsualWhereNothingIsSaid) {
  for (const char* nothing : {"", "i", "urgent", "u", "U=1", "uu=1", ",,,"}) {
    EXPECT_EQ(UrgencyIn(nothing), 3) << nothing;
  }
}

TEST(UrgencyTest, IsTheUsualWhereItIsNone) {
  for (const char* none : {"u=8", "u=-1", "u=", "u=10", "u=1.0", "u=a",
                           "u=\"1\"", "u=?1", "u= 1"}) {
    EXPECT_EQ(UrgencyIn(none), 3) << none;
  }
}

}  // namespace
}  // namespace forbear
