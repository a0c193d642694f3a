#include "interceptors/client/core_retries.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "proto/service_config.pb.h"

namespace forbear {
namespace {

// Of each name in the config, whether it has a retryPolicy.
absl::flat_hash_map<std::string, bool> ReadConfig(const std::string& json) {
  absl::flat_hash_map<std::string, bool> acts;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  wire::ServiceConfig config;
  if (!google::protobuf::util::JsonStringToMessage(json, &config, options)
           .ok()) {
    acts.emplace("", true);
    return acts;
  }
  for (const wire::MethodConfig& entry : config.method_config()) {
    for (const wire::MethodName& name : entry.name()) {
      acts.emplace(name.service().empty()
                       ? ""
                       : absl::StrCat("/", name.service(), "/", name.method()),
                   entry.has_retry_policy());
    }
  }
  return acts;
}

}  // namespace

bool CoreRetries::ActOn(absl::string_view method, Seen* seen, absl::Time now) {
  const int64_t nanos = absl::ToUnixNanos(now);
  if (nanos >= next_look_.load(std::memory_order_relaxed)) {
    Look();
    // Until one is known, the next call may be the first to have it.
    if (version_.load() != 0) {
      next_look_.store(nanos + absl::ToInt64Nanoseconds(absl::Seconds(1)),
                       std::memory_order_relaxed);
    }
  }
  return Find(method, seen);
}

bool CoreRetries::LookAndActOn(absl::string_view method, Seen* seen) {
  Look();
  return Find(method, seen);
}

void CoreRetries::Look() {
  std::string config = source_();
  std::lock_guard<std::mutex> lock(mutex_);
  if (config == config_) return;
  acts_ = ReadConfig(config);
  config_ = std::move(config);
  version_.fetch_add(1);
}

bool CoreRetries::Find(absl::string_view method, Seen* seen) {
  const uint64_t known = seen->found_.load(std::memory_order_relaxed);
  if (known / Seen::kVersion == version_.load(std::memory_order_relaxed)) {
    return (known & Seen::kActs) != 0;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = acts_.find(method);
  if (found == acts_.end()) {
    found = acts_.find(method.substr(0, method.rfind('/') + 1));
  }
  if (found == acts_.end()) found = acts_.find("");
  const bool acts = found != acts_.end() && found->second;
  seen->found_.store(version_.load() * Seen::kVersion | (known & Seen::kEver) |
                     (acts ? Seen::kActs | Seen::kEver : 0));
  return acts;
}

}  // namespace forbear
