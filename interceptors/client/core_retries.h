// Where gRPC's own retries act: what a channel's service config says.
//
// A channel whose service config has a `retryPolicy` for a method retries its
// calls itself. A second layer of retries above it would multiply the attempts,
// so one has to step aside. The config may come late, and change: resolvers
// bring it. It is parsed when it has changed, and not per call.
//
//   CoreRetries retries([channel] { return channel->GetServiceConfigJSON(); });
//   CoreRetries::Seen seen;                              // One per method.
//   if (retries.ActOn("/shop.Routes/Estimate", &seen, now)) StepAside();
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use. ActOn() takes no lock, but for a look
//                at the config once a second; LookAndActOn() takes one.
// Units:         instants of any one clock.
// Errors:        none. A config that cannot be read is taken to act on
//                everything: two layers are worse than one.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CORE_RETRIES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CORE_RETRIES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

class CoreRetries {
 public:
  // Gives the service config as JSON; empty before any is known.
  using Source = std::function<std::string()>;

  // What was last found for one method.
  class Seen {
   public:
    // Whether they were ever found to act on it.
    bool ever() const { return (found_.load() & kEver) != 0; }

   private:
    friend class CoreRetries;
    static constexpr uint64_t kActs = 1;
    static constexpr uint64_t kEver = 2;
    static constexpr uint64_t kVersion = 4;  // And above: of the config.
    std::atomic<uint64_t> found_{0};
  };

  explicit CoreRetries(Source source) : source_(std::move(source)) {}

  // Whether they act on calls of `method` ("/package.Service/Method"), by a
  // config looked at within the last second.
  bool ActOn(absl::string_view method, Seen* seen, absl::Time now);

  // The same by the config of this moment.
  bool LookAndActOn(absl::string_view method, Seen* seen);

 private:
  void Look();
  bool Find(absl::string_view method, Seen* seen);

  const Source source_;
  std::atomic<int64_t> next_look_{INT64_MIN};  // In nanoseconds.
  std::atomic<uint64_t> version_{0};           // 0: no config is known.
  std::mutex mutex_;
  std::string config_;
  // "/service/method", "/service/" or "" for the rest.
  absl::flat_hash_map<std::string, bool> acts_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CORE_RETRIES_H_
