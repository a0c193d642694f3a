// A call finds its policy without a lock and without allocating anything.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptors/client/client_core.h"
#include "interceptors/policy_file/load_policy.h"

namespace {

struct Made {
  int allocations = 0;
  int locks = 0;
};
thread_local Made made;

}  // namespace

void* operator new(size_t size) {
  ++made.allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

// tsan looks on at every lock itself, and would at those of libraries that it
// does not know, too, if they went through here.
#ifdef __SANITIZE_THREAD__
constexpr bool kCountsLocks = false;
#else
constexpr bool kCountsLocks = true;
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto lock =
      reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++made.locks;
  return lock(mutex);
}
#endif

namespace forbear {
namespace {

constexpr int kMethods = 1000;

ClientPolicy ThousandMethods() {
  std::string text = R"({"methods": [)";
  for (int i = 0; i < kMethods; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",",
                    R"({"name": [{"service": "shop.AServiceOfALongName",
                        "method": "Method)",
                    i, R"("}], "maxAttempts": )", i + 1, "}");
  }
  const auto policy = ParsePolicy(text + "]}");
  EXPECT_EQ(policy.status(), absl::OkStatus());
  return policy->client;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (int i = 0; i < kMethods; ++i) {
    names.push_back(absl::StrCat("/shop.AServiceOfALongName/Method", i));
  }
  return names;
}

TEST(LookupTest, InATableAllocatesNothingAndTakesNoLock) {
  const ClientPolicy policy = ThousandMethods();
  const std::vector<std::string> names = Names();
  const Made before = made;
  int attempts = 0;
  for (const std::string& name : names) {
    attempts += policy.methods.For(name).max_attempts;
  }
  attempts += policy.methods.For("/shop.AServiceOfALongName/Else").max_attempts;
  EXPECT_EQ(made.allocations, before.allocations);
  EXPECT_EQ(made.locks, before.locks);
  EXPECT_EQ(attempts, kMethods * (kMethods + 1) / 2 + 4);
}

TEST(LookupTest, OfACallTakesALockForTheFirstCallsOfItsMethodAlone) {
  ClientOptions options;
  options.policy = ThousandMethods();
  const auto core = ClientCore::Make("lookup.test:1", options);
  const std::vector<std::string> names = Names();
  const auto call_all = [&] {
    int attempts = 0;
    for (const std::string& name : names) {
      attempts += core->Find(name)->Take()->policy->max_attempts;
    }
    return attempts;
  };
  const Made at_first = made;
  call_all();
  EXPECT_GE(made.locks - at_first.locks, kCountsLocks ? kMethods : 0);
  EXPECT_GE(made.allocations - at_first.allocations, kMethods);
  for (int i = 0; i < 4; ++i) call_all();

  const Made before = made;
  EXPECT_EQ(call_all(), kMethods * (kMethods + 1) / 2);
  EXPECT_EQ(made.allocations, before.allocations);
  EXPECT_EQ(made.locks, before.locks);

  // Nor after the policy was replaced.
  core->Adopt(ClientPolicy());
  const Made after = made;
  EXPECT_EQ(call_all(), kMethods * 4);
  EXPECT_EQ(made.allocations, after.allocations);
  EXPECT_EQ(made.locks, after.locks);
}

TEST(LookupTest, AStubsCallLooksAtTheLatestPolicyWithoutALock) {
  const auto core = ClientCore::Make("lookup.test:2", ClientOptions());
  const NamedMethod* const method = core->Find("/a.S/M");
  const Made before = made;
  EXPECT_EQ(method->Take()->policy->max_attempts, 4);
  EXPECT_EQ(made.allocations, before.allocations);
  EXPECT_EQ(made.locks, before.locks);
}

}  // namespace
}  // namespace forbear
