// What a policy of 1,000 methods costs: to load, to look up, to take for a call
// while it may be replaced.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "interceptors/client/latest.h"
#include "interceptors/policy/policy_table.h"
#include "interceptors/policy_file/load_policy.h"

namespace forbear {
namespace {

// Ten services of 100 methods; no two policies are the same.
std::string ThousandMethods() {
  std::string text = R"({"methods": [)";
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",",
                    R"({"name": [{"service": "shop.S)", i / 100,
                    R"(", "method": "Method)", i,
                    R"("}], "maxAttempts": 3, "attemptTimeout": "0.5s",
                    "repeatable": true, "backoff": {"initial": "0.05s"},
                    "maxDeadline": ")",
                    i + 2, R"(s", "classes": {"ABORTED": "TRANSIENT"}})");
  }
  return text + "]}";
}

void BM_LoadThousandMethods(benchmark::State& state) {
  const std::string text = ThousandMethods();
  for (auto _ : state) {
    auto policy = ParsePolicy(text);
    if (!policy.ok()) state.SkipWithError("is not sound");
    benchmark::DoNotOptimize(policy);
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_LoadThousandMethods)->Unit(benchmark::kMillisecond);

void LookUp(benchmark::State& state, const std::string& method) {
  const auto policy = ParsePolicy(ThousandMethods());
  const PolicyTable& table = policy->client.methods;
  for (auto _ : state) benchmark::DoNotOptimize(&table.For(method));
}
BENCHMARK_CAPTURE(LookUp, method, "/shop.S7/Method742");
// No entry of its own, none of its service: two looks.
BENCHMARK_CAPTURE(LookUp, nobodys, "/shop.S7/Other");

struct Version {
  mutable std::atomic<int64_t> uses{0};
};

void BM_TakeTheLatest(benchmark::State& state) {
  Latest<Version> latest;
  latest.Replace([](Version&) {});
  for (auto _ : state) benchmark::DoNotOptimize(latest.Take().get());
}
BENCHMARK(BM_TakeTheLatest);

}  // namespace
}  // namespace forbear
