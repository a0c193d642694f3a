#include "examples/storm/driver.h"

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include "absl/strings/str_cat.h"
#include "examples/shop/from_now.h"
#include "examples/shop/proto_time.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"

namespace storm {
namespace {

using shop::Manner;

constexpr absl::Duration kTimeoutByHand = absl::Seconds(20);

std::shared_ptr<grpc::ChannelInterface> ChannelTo(const std::string& gateway,
                                                  Manner manner) {
  const auto credentials = grpc::InsecureChannelCredentials();
  if (manner == Manner::kForbear) {
    return forbear::CreateChannel(gateway, credentials);
  }
  return grpc::CreateChannel(gateway, credentials);
}

}  // namespace

struct Driver::Customer {
  OrderRecord record;
  shop::PlaceOrderRequest request;
  shop::PlaceOrderReply reply;
  forbear::CallOptions options;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::Alarm> alarm;
  int tried = 0;
  bool done = false;
};

Driver::Driver(const std::string& gateway, Manner manner)
    : manner_(manner),
      gateway_(shop::Gateway::NewStub(ChannelTo(gateway, manner))),
      by_hand_(manner) {}

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

int64_t Driver::Place(bool sampled) {
  auto placed = std::make_unique<Customer>();
  Customer* const customer = placed.get();
  customer->record.placed = forbear::SteadyNow();
  shop::Order& order = *customer->request.mutable_order();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    order.set_id(static_cast<int64_t>(customers_.size()));
    customers_.push_back(std::move(placed));
    ++waiting_;
  }
  order.set_zone(absl::StrCat("zone-", order.id() % 12));
  order.set_cents(1'000 + order.id() % 2'000);
  order.set_sampled(sampled);
  shop::ToProto(customer->record.placed + kPatience, order.mutable_expires());
  customer->options.idempotency_key = absl::StrCat("order-", order.id());
  by_hand_.Begins();
  Ask(customer);
  return order.id();
}

void Driver::Ask(Customer* customer) {
  grpc::ClientContext* context;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++customer->tried;
    customer->request.set_accept_cached(by_hand_.IsLast(customer->tried));
    customer->context = std::make_unique<grpc::ClientContext>();
    context = customer->context.get();
    context->set_deadline(shop::FromNow(TimeFor(*customer)));
    if (closed_) context->TryCancel();
  }
  forbear::CallOptions::For with(context, customer->options);
  gateway_->async()->PlaceOrder(context, &customer->request, &customer->reply,
                                [this, customer](const grpc::Status& status) {
                                  Answered(customer, status);
                                });
}

absl::Duration Driver::TimeFor(const Customer& customer) const {
  if (manner_ < Manner::kDeadlines) return kTimeoutByHand;
  return customer.record.placed + kPatience - forbear::SteadyNow();
}

void Driver::Answered(Customer* customer, const grpc::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Duration wait = by_hand_.Wait(customer->tried);
  if (!status.ok() && MayAskAgain(*customer, wait)) {
    AskAgainAfter(wait, customer);
    return;
  }
  customer->done = true;
  if (status.ok()) {
    const auto source = customer->reply.estimate().source();
    customer->record.answered = forbear::SteadyNow();
    customer->record.live = source == shop::DeliveryEstimate::LIVE;
    customer->record.cached = source == shop::DeliveryEstimate::CACHED;
  } else {
    customer->record.failure = status.error_message();
  }
  if (--waiting_ == 0) idle_.notify_all();
}

bool Driver::MayAskAgain(const Customer& customer, absl::Duration wait) {
  return !closed_ && customer.tried < by_hand_.tries() &&
         wait < TimeFor(customer) && by_hand_.MayTryAgain();
}

void Driver::AskAgainAfter(absl::Duration wait, Customer* customer) {
  customer->alarm = std::make_unique<grpc::Alarm>();
  customer->alarm->Set(shop::FromNow(wait),
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
