#include "interceptors/client/core_retries.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

std::string Text(const Struct& object, const char* field) {
  const auto found = object.fields().find(field);
  return found == object.fields().end() ? "" : found->second.string_value();
}

const google::protobuf::RepeatedPtrField<Value>& List(const Struct& object,
                                                      const char* field) {
  static const auto* const none = new google::protobuf::ListValue;
  const auto found = object.fields().find(field);
  return found == object.fields().end() ? none->values()
                                        : found->second.list_value().values();
}

// Of each name in the config, whether it has a retryPolicy.
absl::flat_hash_map<std::string, bool> ReadConfig(const std::string& json) {
  absl::flat_hash_map<std::string, bool> acts;
  Struct config;
  if (!google::protobuf::util::JsonStringToMessage(json, &config).ok()) {
    acts.emplace("", true);
    return acts;
  }
  for (const Value& entry : List(config, "methodConfig")) {
    const Struct& method = entry.struct_value();
    const bool retries = method.fields().count("retryPolicy") != 0;
    for (const Value& name : List(method, "name")) {
      const std::string service = Text(name.struct_value(), "service");
      acts.emplace(service.empty()
                       ? ""
                       : absl::StrCat("/", service, "/",
                                      Text(name.struct_value(), "method")),
                   retries);
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
