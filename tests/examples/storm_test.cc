// The storm itself: what reaches routes, and that it leaves nothing behind.
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "examples/storm/admin.h"
#include "examples/storm/driver.h"
#include "examples/storm/order_record.h"
#include "examples/storm/shop_counts.h"
#include "examples/storm/shop_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/clock.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;

class OutageTest : public ::testing::Test {
 protected:
  void Start(Manner manner) {
    auto started = ShopProcesses::Start(ProgramPath, {manner, ""});
    ASSERT_TRUE(started.ok()) << started.status();
    shop_ = *std::move(started);
    admin_ = std::make_unique<Admin>(*shop_);
    ASSERT_TRUE(admin_->SetFault(shop::FAULT_FAILING, 0).ok());
  }

  int64_t AttemptsAtRoutes() { return admin_->Routes()->arrived(); }

  std::unique_ptr<ShopProcesses> shop_;
  std::unique_ptr<Admin> admin_;
};

TEST_F(OutageTest, MultipliesAnOrderByHand) {
  Start(Manner::kBare);
  Driver driver(shop_->gateway(), Manner::kBare);
  driver.Place(/*sampled=*/false);
  while (AttemptsAtRoutes() < 4 * 4 * 4) std::this_thread::yield();
  while (!driver.Settled()) std::this_thread::yield();
  EXPECT_EQ(AttemptsAtRoutes(), 4 * 4 * 4);
  EXPECT_THAT(driver.orders(), ElementsAre(Field(&OrderRecord::live, false)));
}

TEST_F(OutageTest, IsMetWithinTheBudgetWithForbear) {
  Start(Manner::kForbear);
  Driver driver(shop_->gateway(), Manner::kForbear);
  // A few at a time, so that payments has time for each.
  const int kOrders = 100;
  const absl::Time start = forbear::SteadyNow();
  for (int i = 0; i < kOrders; i += 10) {
    for (int j = 0; j < 10; ++j) driver.Place(/*sampled=*/false);
    while (!driver.Settled()) std::this_thread::yield();
  }
  const double seconds = absl::ToDoubleSeconds(forbear::SteadyNow() - start);
  // Ten retries from before, a tenth for each order, and what time brings.
  EXPECT_GE(AttemptsAtRoutes(), kOrders + 10);
  EXPECT_LE(AttemptsAtRoutes(), kOrders + 10 + kOrders / 10 + 1 + seconds / 10);
  const absl::StatusOr<ShopCounts> counts = admin_->Count();
  ASSERT_TRUE(counts.ok()) << counts.status();
  for (const ServerCounts& server : *counts) {
    EXPECT_EQ(server.counts.entered_late(), 0) << server.name;
  }
  const std::vector<OrderRecord> orders = driver.orders();
  for (const OrderRecord& order : orders) EXPECT_EQ(order.failure, "");
  EXPECT_TRUE(std::all_of(orders.begin(), orders.end(), AnsweredInTime));
  EXPECT_THAT(orders, Each(Field(&OrderRecord::live, false)));
}

// Whether this process has children, its own and those left to it.
bool HasChildren() {
  int status;
  return waitpid(-1, &status, WNOHANG) >= 0 || errno != ECHILD;
}

class EndTest : public ::testing::TestWithParam<int> {
 protected:
  EndTest() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // What the storm leaves comes to us.
  }
};

INSTANTIATE_TEST_SUITE_P(Signals, EndTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGKILL),
                         ::testing::PrintToStringParamName());

TEST_P(EndTest, LeavesNoServerBehind) {
  auto storm = StartProgram("storm", {});
  EXPECT_EQ(*storm->ReadLine(absl::Minutes(1)), "bare: healthy, 2s");
  storm->Signal(GetParam());
  const int exit_status = storm->Await(absl::Minutes(1));
  if (GetParam() == SIGKILL) {
    EXPECT_EQ(exit_status, 128 + SIGKILL);
    while (HasChildren()) std::this_thread::yield();  // They hear of it.
  } else {
    EXPECT_EQ(exit_status, 130);
    EXPECT_FALSE(HasChildren());
  }
}

}  // namespace
}  // namespace testing
}  // namespace storm
