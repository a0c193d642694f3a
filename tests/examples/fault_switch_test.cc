// How routes lets callers back in.
#include "examples/routes/fault_switch.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/clock.h"

namespace shop {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::Le;

class FaultSwitchTest : public ::testing::Test {
 protected:
  void Admit(int per_second) {
    SetFaultRequest request;
    request.set_admitted_per_second(per_second);
    SetFaultReply reply;
    EXPECT_TRUE(faults_.SetFault(nullptr, &request, &reply).ok());
    start_ = forbear::SteadyNow() + absl::Hours(1);  // All is counted from it.
    while (faults_.Admit(start_) == absl::ZeroDuration() && per_second > 0) {
    }
    start_ += absl::Minutes(1);
  }

  // What each of so many callers is told who come at once.
  std::vector<absl::Duration> Told(int callers, absl::Duration at) {
    std::vector<absl::Duration> told;
    for (int i = 0; i < callers; ++i) {
      told.push_back(faults_.Admit(start_ + at));
    }
    return told;
  }

  Tally tally_;
  FaultSwitch faults_{&tally_};
  absl::Time start_;
};

TEST_F(FaultSwitchTest, LetsEverybodyInWithoutALimit) {
  EXPECT_THAT(Told(1'000, absl::ZeroDuration()), Each(absl::ZeroDuration()));
}

TEST_F(FaultSwitchTest, GivesEachOfABurstAPlaceOfItsOwn) {
  Admit(20);  // Two at once, then one each 50 ms.
  EXPECT_THAT(Told(5, absl::ZeroDuration()),
              ElementsAre(absl::ZeroDuration(), absl::ZeroDuration(),
                          absl::Milliseconds(50), absl::Milliseconds(100),
                          absl::Milliseconds(150)));
}

TEST_F(FaultSwitchTest, LetsInNoMoreThanItsRate) {
  Admit(80);
  int admitted = 0;
  for (int ms = 0; ms < 10'000; ++ms) {
    for (const absl::Duration told : Told(3, absl::Milliseconds(ms))) {
      if (told == absl::ZeroDuration()) ++admitted;
    }
  }
  EXPECT_THAT(admitted, AllOf(Gt(795), Le(808)));
}

TEST_F(FaultSwitchTest, TakesNoLimitBelowZero) {
  SetFaultRequest request;
  request.set_admitted_per_second(-1);
  SetFaultReply reply;
  const grpc::Status status = faults_.SetFault(nullptr, &request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "SetFaultRequest.admitted_per_second -1: it takes a number from 1 "
            "up, or 0 for no limit");
}

}  // namespace
}  // namespace shop
