#include "examples/gateway/settler.h"

#include <grpcpp/client_context.h>

#include "examples/shop/from_now.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/spread.h"

namespace shop {
namespace {

constexpr absl::Duration kPeriod = absl::Milliseconds(200);
constexpr absl::Duration kTimeout = absl::Seconds(2);

}  // namespace

Settler::Settler(const std::shared_ptr<grpc::ChannelInterface>& payments,
                 OrderBook* book)
    : payments_(Payments::NewStub(payments)),
      book_(book),
      thread_([this] { Work(); }) {}

Settler::~Settler() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Settler::Add(int64_t order_id, const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  due_.insert({forbear::SteadyNow(), {order_id, key}});
  changed_.notify_all();
}

void Settler::Work() {
  forbear::Chance chance;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const absl::Duration early = due_.begin()->first - forbear::SteadyNow();
    if (early > absl::ZeroDuration()) {
      changed_.wait_for(lock, absl::ToChronoNanoseconds(early));
      continue;
    }
    const Question question = due_.begin()->second;
    due_.erase(due_.begin());
    lock.unlock();
    const bool settled = Settle(question);
    lock.lock();
    if (settled) continue;
    const absl::Time next =
        forbear::JitteredPeriod(forbear::SteadyNow(), kPeriod, chance);
    due_.insert({next, question});
  }
}

bool Settler::Settle(const Question& question) {
  grpc::ClientContext context;
  context.set_deadline(FromNow(kTimeout));
  SettleChargeRequest request;
  request.set_key(question.key);
  SettleChargeReply reply;
  if (!payments_->SettleCharge(&context, request, &reply).ok()) return false;
  if (reply.has_charge()) {
    book_->Set(question.order_id, UNASSIGNED);
  } else {
    book_->CloseKey(question.order_id);
  }
  return true;
}

}  // namespace shop
