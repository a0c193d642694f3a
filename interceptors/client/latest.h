// The latest version of a value that is replaced now and then. Who takes it
// keeps what it took, while others go on to the next.
//
//   Latest<Method> method;
//   method.Replace([](Method& next) { next.policy = ...; });
//   InUse<Method> mine = method.Take();
//   mine->policy;                       // Until `mine` is gone.
//
// A version that is neither the latest nor in use is written anew by a later
// Replace(): there are never more than are in use at once, and two.
//
// Why it is sound: a version is counted first and looked up again after. Who
// replaces looks in the other order: a version that has ceased to be the
// latest, and then has no users, can gain none that go on to read it, but by
// becoming the latest again, whole. Why not a shared_ptr that is swapped: its
// load takes a lock.
//
// Not part of the library's API.
//
// Thread-safety: Take() is safe for concurrent use, with Replace() too, and
//                neither locks nor allocates; one Replace() at a time.
// Units:         none.
// Errors:        none; Take() needs a Replace() before it.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_LATEST_H_
#define FORBEAR_INTERCEPTORS_CLIENT_LATEST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace forbear {

// T counts its users: `mutable std::atomic<int64_t> uses{0};`
template <typename T>
class InUse {
 public:
  // `value` must be in use already, or be looked up again.
  explicit InUse(const T* value) : value_(value) { ++value_->uses; }
  InUse(const InUse& other) : InUse(other.value_) {}
  InUse(InUse&& other) noexcept
      : value_(std::exchange(other.value_, nullptr)) {}
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if (value_ != nullptr) --value_->uses;
  }

  const T* get() const { return value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_; }

 private:
  const T* value_;  // Null once moved from.
};

template <typename T>
class Latest {
 public:
  InUse<T> Take() const {
    while (true) {
      InUse<T> taken(latest_.load());
      if (latest_.load() == taken.get()) return taken;
    }
  }

  // `fill` writes every field of a version that nobody has.
  template <typename Fill>
  void Replace(const Fill& fill) {
    T& next = Unused();
    fill(next);
    latest_.store(&next);
  }

  // Of who calls Replace(): the latest, and how many there are.
  const T* latest() const { return latest_.load(); }
  size_t versions() const { return versions_.size(); }

 private:
  T& Unused() {
    for (const auto& version : versions_) {
      if (version.get() != latest_.load() && version->uses.load() == 0) {
        return *version;
      }
    }
    return *versions_.emplace_back(std::make_unique<T>());
  }

  std::atomic<const T*> latest_{nullptr};
  std::vector<std::unique_ptr<T>> versions_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_LATEST_H_
