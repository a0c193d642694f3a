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

absl::Status Named(const std::string& server, const grpc::Status& status) {
  return absl::UnavailableError(
      absl::StrCat(server, ": ", status.error_message()));
}

}  // namespace

Admin::Admin(const ShopProcesses& shop)
    : faults_(shop::Faults::NewStub(PlainChannel(shop.routes()))),
      routes_{"routes", shop::Counters::NewStub(PlainChannel(shop.routes()))},
      dispatch_{"dispatch",
                shop::Counters::NewStub(PlainChannel(shop.dispatch()))},
      gateway_{"gateway",
               shop::Counters::NewStub(PlainChannel(shop.gateway()))} {}

absl::StatusOr<shop::Counts> Admin::SetFault(shop::Fault fault) {
  grpc::ClientContext context;
  context.set_deadline(shop::FromNow(kTimeout));
  shop::SetFaultRequest request;
  request.set_fault(fault);
  shop::SetFaultReply reply;
  const grpc::Status status = faults_->SetFault(&context, request, &reply);
  if (!status.ok()) return Named(routes_.name, status);
  return reply.counts();
}

absl::StatusOr<shop::Counts> Admin::Routes() { return Read(routes_); }

absl::StatusOr<int64_t> Admin::EnteredLate() {
  int64_t entered_late = 0;
  for (const Server* server : {&routes_, &dispatch_, &gateway_}) {
    const absl::StatusOr<shop::Counts> counts = Read(*server);
    if (!counts.ok()) return counts.status();
    entered_late += counts->entered_late();
  }
  return entered_late;
}

absl::StatusOr<shop::Counts> Admin::Read(const Server& server) {
  grpc::ClientContext context;
  context.set_deadline(shop::FromNow(kTimeout));
  shop::Counts counts;
  const grpc::Status status = server.counters->Read(&context, {}, &counts);
  if (!status.ok()) return Named(server.name, status);
  return counts;
}

}  // namespace storm
