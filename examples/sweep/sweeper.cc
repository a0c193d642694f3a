#include "examples/sweep/sweeper.h"

#include <grpcpp/client_context.h>

#include "absl/strings/str_cat.h"
#include "examples/shop/from_now.h"
#include "examples/shop/pause.h"
#include "examples/shop/proto_time.h"
#include "interceptors/client/call_options.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/spread.h"

namespace shop {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(10);
constexpr size_t kBatch = 5;

}  // namespace

// One that is handed over.
struct Sweeper::Order {
  ReenqueueRequest request;
  ReenqueueReply reply;
  grpc::ClientContext context;
  forbear::CallOptions options;
};

absl::StatusOr<Swept> Sweeper::Sweep(absl::Duration placed_within,
                                     absl::Duration window) {
  const absl::StatusOr<ListOrdersReply> found = Unassigned(placed_within);
  if (!found.ok()) return found.status();
  const std::string sweep = forbear::RandomKey();
  std::vector<Order> orders(found->orders_size());
  for (size_t i = 0; i < orders.size(); ++i) {
    const int64_t id = found->orders(static_cast<int>(i)).order().id();
    orders[i].request.set_order_id(id);
    // Not the order's own key: the assignment is a new one.
    orders[i].options.idempotency_key = absl::StrCat(sweep, "-order-", id);
  }
  forbear::Chance chance;
  const absl::Time start = forbear::SteadyNow();
  for (const forbear::Batch& batch :
       forbear::SpreadBatches(orders.size(), kBatch, window, chance)) {
    Pause(start + batch.after - forbear::SteadyNow());
    for (size_t i = batch.begin; i < batch.end; ++i) Reenqueue(&orders[i]);
  }
  return Swept{static_cast<int>(orders.size()), AwaitAll()};
}

absl::StatusOr<ListOrdersReply> Sweeper::Unassigned(
    absl::Duration placed_within) {
  grpc::ClientContext context;
  context.set_deadline(FromNow(kTimeout));
  ListOrdersRequest request;
  request.add_states(UNASSIGNED);
  ToProto(placed_within, request.mutable_placed_within());
  ListOrdersReply reply;
  const grpc::Status status = gateway_->ListOrders(&context, request, &reply);
  if (status.ok()) return reply;
  return absl::UnavailableError(
      absl::StrCat("gateway: ", status.error_message()));
}

void Sweeper::Reenqueue(Order* order) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++under_way_;
  }
  order->context.set_deadline(FromNow(kTimeout));
  forbear::CallOptions::For with(&order->context, order->options);
  gateway_->async()->Reenqueue(
      &order->context, &order->request, &order->reply,
      [this, order](const grpc::Status& status) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (status.ok() && order->reply.state() == ASSIGNED) ++assigned_;
        if (--under_way_ == 0) idle_.notify_all();
      });
}

int Sweeper::AwaitAll() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (under_way_ > 0) idle_.wait(lock);
  const int assigned = assigned_;
  assigned_ = 0;
  return assigned;
}

}  // namespace shop
