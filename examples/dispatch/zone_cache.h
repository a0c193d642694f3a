// What the way into a zone usually takes: for when routes cannot be asked.
//
//   zones.Keep("north", absl::Minutes(24));
//   absl::Duration time = zones.Usual("north");  // 24 minutes.
//
// Thread-safety: safe for concurrent use.
// Units:         absl::Duration.
// Errors:        none; a zone that nobody has asked about takes 35 minutes.
#ifndef FORBEAR_EXAMPLES_DISPATCH_ZONE_CACHE_H_
#define FORBEAR_EXAMPLES_DISPATCH_ZONE_CACHE_H_

#include <map>
#include <mutex>
#include <string>

#include "absl/time/time.h"

namespace shop {

class ZoneCache {
 public:
  void Keep(const std::string& zone, absl::Duration time) {
    std::lock_guard<std::mutex> lock(mutex_);
    latest_[zone] = time;
  }

  absl::Duration Usual(const std::string& zone) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = latest_.find(zone);
    return known == latest_.end() ? absl::Minutes(35) : known->second;
  }

 private:
  mutable std::mutex mutex_;  // Guards all below.
  std::map<std::string, absl::Duration> latest_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_DISPATCH_ZONE_CACHE_H_
