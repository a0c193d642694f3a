#include "interceptors/policy/status_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace forbear {
namespace {

using absl::StatusCode;
using ::testing::Each;
using ::testing::ElementsAre;

std::vector<StatusClass> ClassesOfCodes(const StatusClasses& classes) {
  std::vector<StatusClass> all;
  for (int code = 0; code <= 16; ++code) {
    all.push_back(classes.Of(static_cast<StatusCode>(code)));
  }
  return all;
}

constexpr StatusClass kPermanent = StatusClass::kPermanent;

TEST(StatusClassTest, HoldsTheSafeDefaultForEveryCode) {
  EXPECT_THAT(ClassesOfCodes(StatusClasses()),
              ElementsAre(kPermanent,                    // OK has no class.
                          kPermanent,                    // CANCELLED
                          StatusClass::kAmbiguous,       // UNKNOWN
                          kPermanent,                    // INVALID_ARGUMENT
                          StatusClass::kUnknownOutcome,  // DEADLINE_EXCEEDED
                          kPermanent,                    // NOT_FOUND
                          kPermanent,                    // ALREADY_EXISTS
                          kPermanent,                    // PERMISSION_DENIED
                          StatusClass::kThrottled,       // RESOURCE_EXHAUSTED
                          kPermanent,                    // FAILED_PRECONDITION
                          StatusClass::kConflict,        // ABORTED
                          kPermanent,                    // OUT_OF_RANGE
                          kPermanent,                    // UNIMPLEMENTED
                          StatusClass::kAmbiguous,       // INTERNAL
                          StatusClass::kTransient,       // UNAVAILABLE
                          kPermanent,                    // DATA_LOSS
                          kPermanent));                  // UNAUTHENTICATED
}

TEST(StatusClassTest, ChangesOneEntryAndNoOther) {
  StatusClasses classes;
  classes.Set(StatusCode::kInternal, StatusClass::kTransient);
  EXPECT_EQ(classes.Of(StatusCode::kInternal), StatusClass::kTransient);
  classes.Set(StatusCode::kInternal, StatusClass::kAmbiguous);
  EXPECT_EQ(classes, StatusClasses());
}

TEST(StatusClassTest, TakesACodeThatNobodyKnowsForUnknown) {
  StatusClasses classes;
  for (int code : {-1, 17, 99, 1 << 30}) {
    EXPECT_EQ(classes.Of(static_cast<StatusCode>(code)),
              StatusClass::kAmbiguous);
  }
  classes.Set(static_cast<StatusCode>(17), StatusClass::kTransient);
  EXPECT_EQ(classes.Of(StatusCode::kUnknown), StatusClass::kTransient);
}

TEST(StatusClassTest, IgnoresAClassForOk) {
  StatusClasses classes;
  classes.Set(StatusCode::kOk, StatusClass::kTransient);
  EXPECT_EQ(classes, StatusClasses());
  classes.List({StatusCode::kOk});
  EXPECT_THAT(ClassesOfCodes(classes), Each(kPermanent));
}

TEST(StatusClassTest, ListsCodesAndMakesEveryOtherPermanent) {
  StatusClasses classes;
  classes.List({StatusCode::kAborted, StatusCode::kInternal});
  EXPECT_EQ(classes.Of(StatusCode::kAborted), StatusClass::kListed);
  EXPECT_EQ(classes.Of(StatusCode::kInternal), StatusClass::kListed);
  EXPECT_EQ(classes.Of(StatusCode::kUnavailable), kPermanent);
  EXPECT_EQ(classes.Of(StatusCode::kDeadlineExceeded), kPermanent);
}

TEST(StatusClassTest, NamesEveryClass) {
  EXPECT_EQ(StatusClassName(StatusClass::kPermanent), "permanent");
  EXPECT_EQ(StatusClassName(StatusClass::kTransient), "transient");
  EXPECT_EQ(StatusClassName(StatusClass::kThrottled), "throttled");
  EXPECT_EQ(StatusClassName(StatusClass::kUnknownOutcome), "unknown_outcome");
  EXPECT_EQ(StatusClassName(StatusClass::kConflict), "conflict");
  EXPECT_EQ(StatusClassName(StatusClass::kAmbiguous), "ambiguous");
  EXPECT_EQ(StatusClassName(StatusClass::kListed), "listed");
}

}  // namespace
}  // namespace forbear
