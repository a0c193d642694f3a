#include "examples/storm/admin.h"

#include <grpcpp/create_channel.h>

#include "absl/strings/str_cat.h"
#include "examples/shop/from_now.h"

namespace storm {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);

std::shared_ptr<grpc::Channel> PlainChannel(const std::string& address) {
  return grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
}

std::unique_ptr<shop::Counters::Stub> CountersOf(const std::string& address) {
  return shop::Counters::NewStub(PlainChannel(address));
}

// Gives a call time, and waits for a server that was started anew.
void SetUp(grpc::ClientContext* context) {
  context->set_deadline(shop::FromNow(kTimeout));
  context->set_wait_for_ready(true);
}

absl::Status Named(const std::string& server, const grpc::Status& status) {
  return absl::UnavailableError(
      absl::StrCat(server, ": ", status.error_message()));
}

}  // namespace

Admin::Admin(const ShopProcesses& shop)
    : faults_(shop::Faults::NewStub(PlainChannel(shop.routes()))),
      orders_(shop::Gateway::NewStub(PlainChannel(shop.gateway()))),
      charges_(shop::Payments::NewStub(PlainChannel(shop.payments()))),
      routes_{"routes", CountersOf(shop.routes())},
      payments_{"payments", CountersOf(shop.payments())},
      dispatch_{"dispatch", CountersOf(shop.dispatch())},
      gateway_{"gateway", CountersOf(shop.gateway())} {}

absl::StatusOr<shop::Counts> Admin::SetFault(shop::Fault fault,
                                             int admitted_per_second) {
  grpc::ClientContext context;
  SetUp(&context);
  shop::SetFaultRequest request;
  request.set_fault(fault);
  request.set_admitted_per_second(admitted_per_second);
  shop::SetFaultReply reply;
  const grpc::Status status = faults_->SetFault(&context, request, &reply);
  if (!status.ok()) return Named(routes_.name, status);
  return reply.counts();
}

absl::StatusOr<ShopCounts> Admin::Count() {
  ShopCounts all;
  for (const Server* server : {&gateway_, &payments_, &dispatch_, &routes_}) {
    absl::StatusOr<shop::Counts> counts = Read(*server);
    if (!counts.ok()) return counts.status();
    all.push_back({server->name, *std::move(counts)});
  }
  std::lock_guard<std::mutex> lock(mutex_);
  for (const shop::Counts& before : payments_before_) {
    all.push_back({payments_.name, before});
  }
  return all;
}

absl::StatusOr<shop::Counts> Admin::Routes() { return Read(routes_); }

absl::Status Admin::KeepCountsOfPayments() {
  const absl::StatusOr<shop::Counts> counts = Read(payments_);
  if (!counts.ok()) return counts.status();
  std::lock_guard<std::mutex> lock(mutex_);
  payments_before_.push_back(*counts);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<shop::PlacedOrder>> Admin::Orders() {
  grpc::ClientContext context;
  SetUp(&context);
  shop::ListOrdersReply reply;
  const grpc::Status status = orders_->ListOrders(&context, {}, &reply);
  if (!status.ok()) return Named(gateway_.name, status);
  return std::vector<shop::PlacedOrder>(reply.orders().begin(),
                                        reply.orders().end());
}

absl::StatusOr<std::vector<shop::Charge>> Admin::Charges() {
  grpc::ClientContext context;
  SetUp(&context);
  shop::ListChargesReply reply;
  const grpc::Status status = charges_->ListCharges(&context, {}, &reply);
  if (!status.ok()) return Named(payments_.name, status);
  return std::vector<shop::Charge>(reply.charges().begin(),
                                   reply.charges().end());
}

absl::StatusOr<shop::Counts> Admin::Read(const Server& server) {
  grpc::ClientContext context;
  SetUp(&context);
  shop::Counts counts;
  const grpc::Status status = server.counters->Read(&context, {}, &counts);
  if (!status.ok()) return Named(server.name, status);
  return counts;
}

}  // namespace storm
