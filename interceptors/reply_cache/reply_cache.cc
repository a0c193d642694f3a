#include "interceptors/reply_cache/reply_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/reply_cache/memory_store.h"

namespace forbear {
namespace {

// How often another server is asked, through the store, whether it is done.
constexpr absl::Duration kAskAgain = absl::Milliseconds(20);

}  // namespace

ReplyCache::Ticket::Ticket(ReplyCache& cache, std::string key,
                           std::string request, std::string token)
    : cache_(cache),
      key_(std::move(key)),
      request_(std::move(request)),
      token_(std::move(token)) {}

void ReplyCache::Ticket::Keep(const StoredReply& reply) {
  kept_ = true;
  cache_.WithStore([&cache = cache_, key = key_, request = request_,
                    token = token_, reply] {
    // What could not be kept is still known here, to those who wait.
    cache.store_->Keep(key, request, token, reply, SteadyNow()).IgnoreError();
    const Outcome replay{Outcome::kReplay, nullptr, reply, {}};
    cache.EndKey(key, &replay);
  });
}

ReplyCache::Ticket::~Ticket() {
  if (kept_) return;
  cache_.WithStore([&cache = cache_, key = key_, token = token_] {
    cache.store_->Drop(key, token, SteadyNow()).IgnoreError();
    cache.EndKey(key, nullptr);
  });
}

void ReplyCache::WithStore(std::function<void()> work) {
  if (!store_->Blocks()) return work();
  threads_.Post(std::move(work));
}

ReplyCache::ReplyCache()
    : ReplyCache(std::make_shared<MemoryStore>(MemoryStore::Bounds())) {}

ReplyCache::ReplyCache(std::shared_ptr<ReplyStore> store)
    : store_(std::move(store)), watcher_([this] { Watch(); }) {}

ReplyCache::~ReplyCache() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  watcher_.join();
}

void ReplyCache::Begin(const std::string& key, const std::string& request,
                       absl::Time give_up, Done done) {
  Start({key, request, give_up, std::move(done)});
}

void ReplyCache::Start(Asker asker) {
  ReplyDesk::Start start;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = ++ids_;
    start = desk_.Begin(asker.key, asker.request, id, asker.give_up);
    if (start == ReplyDesk::Start::kWaits) {
      waiting_.emplace(id, std::move(asker));
      changed_.notify_one();
      return;
    }
  }
  if (start == ReplyDesk::Start::kOther) {
    return asker.done({Outcome::kOther, nullptr, {}, {}});
  }
  WithStore([this, asker = std::move(asker)] { Ask(asker); });
}

void ReplyCache::Ask(const Asker& asker) {
  const std::string token = RandomKey();
  ReplyStore::Claimed claimed =
      store_->Claim(asker.key, asker.request, token, SteadyNow());
  Outcome outcome;
  outcome.reply = std::move(claimed.reply);
  outcome.error = std::move(claimed.error);
  switch (claimed.state) {
    case ReplyStore::State::kMine:
      outcome.ticket = std::shared_ptr<Ticket>(
          new Ticket(*this, asker.key, asker.request, token));
      return asker.done(std::move(outcome));
    case ReplyStore::State::kRunning:
      return AskAgainLater(asker);
    case ReplyStore::State::kDone:
      outcome.kind = Outcome::kReplay;
      break;
    case ReplyStore::State::kOther:
      outcome.kind = Outcome::kOther;
      break;
    case ReplyStore::State::kDown:
      outcome.kind = Outcome::kDown;
      break;
  }
  EndKey(asker.key, &outcome);
  if (outcome.kind == Outcome::kReplay) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++replays_;
  }
  asker.done(std::move(outcome));
}

void ReplyCache::AskAgainLater(const Asker& asker) {
  const absl::Time again = SteadyNow() + kAskAgain;
  if (again < asker.give_up) {
    std::lock_guard<std::mutex> lock(mutex_);
    polling_.emplace(again, asker);
    changed_.notify_one();
    return;
  }
  EndKey(asker.key, nullptr);
  asker.done({Outcome::kLate, nullptr, {}, {}});
}

void ReplyCache::EndKey(const std::string& key, const Outcome* outcome) {
  std::vector<Asker> waited;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const uint64_t id : desk_.End(key)) {
      const auto it = waiting_.find(id);
      waited.push_back(std::move(it->second));
      waiting_.erase(it);
    }
    if (outcome != nullptr && outcome->kind == Outcome::kReplay) {
      replays_ += static_cast<int64_t>(waited.size());
    }
  }
  for (Asker& asker : waited) {
    if (outcome == nullptr) {
      threads_.Post([this, asker = std::move(asker)] { Start(asker); });
    } else {
      threads_.Post([asker = std::move(asker), outcome = *outcome] {
        asker.done(outcome);
      });
    }
  }
}

void ReplyCache::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    const absl::Time now = SteadyNow();
    for (const uint64_t id : desk_.Late(now)) {
      const auto it = waiting_.find(id);
      threads_.Post([done = std::move(it->second.done)] {
        done({Outcome::kLate, nullptr, {}, {}});
      });
      waiting_.erase(it);
    }
    while (!polling_.empty() && polling_.begin()->first <= now) {
      threads_.Post(
          [this, asker = std::move(polling_.begin()->second)] { Ask(asker); });
      polling_.erase(polling_.begin());
    }
    absl::Time wake = desk_.WakeAt();
    if (!polling_.empty()) wake = std::min(wake, polling_.begin()->first);
    if (wake == absl::InfiniteFuture()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, absl::ToChronoNanoseconds(wake - now));
    }
  }
}

int64_t ReplyCache::waiting() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(waiting_.size() + polling_.size());
}

int64_t ReplyCache::replays() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return replays_;
}

}  // namespace forbear
