#include "examples/storm/driver.h"

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>

#include "absl/strings/str_cat.h"
#include "examples/shop/by_hand.h"
#include "examples/shop/from_now.h"
#include "examples/shop/proto_time.h"
#include "interceptors/context/clock.h"

namespace storm {

struct Driver::Customer {
  OrderRecord record;
  shop::PlaceOrderRequest request;
  shop::PlaceOrderReply reply;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::Alarm> alarm;
  int tried = 0;
  bool done = false;
};

Driver::Driver(const std::shared_ptr<grpc::ChannelInterface>& gateway,
               Manner manner)
    : gateway_(shop::Gateway::NewStub(gateway)),
      tries_(manner == Manner::kByHand ? shop::kTriesByHand : 1),
      timeout_(manner == Manner::kByHand ? absl::Seconds(20) : kPatience) {}

Driver::~Driver() {
  std::unique_lock<std::mutex> lock(mutex_);
  closed_ = true;
  for (const auto& customer : customers_) {
    if (customer->done) continue;
    if (customer->context != nullptr) customer->context->TryCancel();
    if (customer->alarm != nullptr) customer->alarm->Cancel();
  }
  while (waiting_ > 0) idle_.wait(lock);
}

void Driver::Place() {
  auto placed = std::make_unique<Customer>();
  Customer* const customer = placed.get();
  customer->record.placed = forbear::SteadyNow();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    shop::Order& order = *customer->request.mutable_order();
    order.set_id(static_cast<int64_t>(customers_.size()));
    order.set_zone(absl::StrCat("zone-", order.id() % 12));
    shop::ToProto(customer->record.placed + kPatience, order.mutable_expires());
    customers_.push_back(std::move(placed));
    ++waiting_;
  }
  Ask(customer);
}

void Driver::Ask(Customer* customer) {
  grpc::ClientContext* context;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++customer->tried;
    customer->request.set_accept_cached(customer->tried == tries_);
    customer->context = std::make_unique<grpc::ClientContext>();
    context = customer->context.get();
    context->set_deadline(shop::FromNow(timeout_));
    if (closed_) context->TryCancel();
  }
  gateway_->async()->PlaceOrder(context, &customer->request, &customer->reply,
                                [this, customer](const grpc::Status& status) {
                                  Answered(customer, status);
                                });
}

void Driver::Answered(Customer* customer, const grpc::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!status.ok() && customer->tried < tries_ && !closed_) {
    WaitToAskAgain(customer);
    return;
  }
  customer->done = true;
  if (status.ok()) {
    customer->record.answered = forbear::SteadyNow();
    customer->record.live =
        customer->reply.estimate().source() == shop::DeliveryEstimate::LIVE;
  }
  if (--waiting_ == 0) idle_.notify_all();
}

void Driver::WaitToAskAgain(Customer* customer) {
  customer->alarm = std::make_unique<grpc::Alarm>();
  customer->alarm->Set(shop::FromNow(shop::WaitByHand(customer->tried)),
                       [this, customer](bool) { Ask(customer); });
}

std::vector<OrderRecord> Driver::orders() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<OrderRecord> orders;
  for (const auto& customer : customers_) orders.push_back(customer->record);
  return orders;
}

bool Driver::Settled() const {
  const absl::Time now = forbear::SteadyNow();
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& customer : customers_) {
    if (!customer->done && now <= customer->record.placed + kPatience) {
      return false;
    }
  }
  return true;
}

}  // namespace storm
