#include "tests/benchmarks/open_loop.h"

#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>

#include "interceptors/context/clock.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace benchmarks {
namespace {

void Pause(absl::Duration pause) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  never.wait_for(lock, absl::ToChronoNanoseconds(pause));
}

}  // namespace

struct OpenLoop::Call {
  grpc::ClientContext context;
  testing::Ask request;
  testing::Reply response;
  absl::Time sent;
  bool measured = false;
};

OpenLoop::OpenLoop(const std::string& address, int connections,
                   double per_second, absl::Duration timeout, uint64_t seed)
    : per_second_(per_second), timeout_(timeout), seed_(seed) {
  for (int i = 0; i < connections; ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stubs_.push_back(testing::Probe::NewStub(grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), arguments)));
  }
}

OpenLoop::~OpenLoop() = default;

void OpenLoop::Run(absl::Duration warm_up, absl::Duration measured) {
  SplitMix64 chance(seed_);
  const absl::Time begin = SteadyNow();
  const absl::Time end = begin + warm_up + measured;
  absl::Time next = begin;
  while (next < end) {
    const absl::Time now = SteadyNow();
    if (now < next) {
      Pause(next - now);
      continue;
    }
    Send(/*measured=*/next >= begin + warm_up);
    const double fraction = (static_cast<double>(chance() >> 11) + 1) * 0x1p-53;
    next += absl::Seconds(-std::log(fraction) / per_second_);
  }
  while (in_flight_ > 0) Pause(absl::Milliseconds(1));
}

void OpenLoop::Send(bool measured) {
  auto* call = new Call;
  call->measured = measured;
  call->sent = SteadyNow();
  const timespec timeout = absl::ToTimespec(timeout_);
  call->context.set_deadline(gpr_timespec{
      timeout.tv_sec, static_cast<int32_t>(timeout.tv_nsec), GPR_TIMESPAN});
  ++in_flight_;
  auto& stub = *stubs_[next_stub_++ % stubs_.size()];
  stub.async()->Read(
      &call->context, &call->request, &call->response,
      [this, call](const grpc::Status& status) { Ended(call, status.ok()); });
}

void OpenLoop::Ended(Call* call, bool ok) {
  answered_ += ok;
  if (ok && call->measured) {
    const absl::Duration took = SteadyNow() - call->sent;
    std::lock_guard<std::mutex> lock(mutex_);
    good_.push_back(took);
  }
  delete call;
  --in_flight_;
}

int64_t OpenLoop::good() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(good_.size());
}

absl::Duration OpenLoop::Percentile(double share) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (good_.empty()) return absl::InfiniteDuration();
  std::vector<absl::Duration> sorted = good_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(share *
                                    static_cast<double>(sorted.size() - 1))];
}

}  // namespace benchmarks
}  // namespace forbear
