#include "interceptors/server/peer.h"

#include <gtest/gtest.h>

namespace forbear {
namespace {

TEST(PeerTest, OneMachineIsOneCallerWhateverItsPorts) {
  EXPECT_EQ(WithoutPort("ipv4:10.0.0.7:4711"), "ipv4:10.0.0.7");
  EXPECT_EQ(WithoutPort("ipv6:[::1]:4711"), "ipv6:[::1]");
}

TEST(PeerTest, AnAddressWithoutAPortIsLeftAsItIs) {
  EXPECT_EQ(WithoutPort("unix:/run/shop.sock"), "unix:/run/shop.sock");
  EXPECT_EQ(WithoutPort("inproc:x"), "inproc:x");
  EXPECT_EQ(WithoutPort(""), "");
}

}  // namespace
}  // namespace forbear
