#include "tests/benchmarks/slot_server.h"

#include <grpcpp/server_builder.h>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace benchmarks {

using testing::Ask;
using testing::Probe;
using testing::Reply;

class SlotServer::Sync final : public Probe::Service {
 public:
  explicit Sync(SlotServer* server) : server_(*server) {}

  grpc::Status Read(grpc::ServerContext*, const Ask*, Reply*) override {
    server_.backend_.WorkAndWait();
    if (!server_.over_) ++server_.runs_;
    return grpc::Status::OK;
  }

 private:
  SlotServer& server_;
};

class SlotServer::Callback final : public Probe::CallbackService {
 public:
  explicit Callback(SlotServer* server) : server_(*server) {}

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* context,
                                 const Ask*, Reply*) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    server_.backend_.Work([this, reactor] {
      if (!server_.over_) ++server_.runs_;
      reactor->Finish(grpc::Status::OK);
    });
    return reactor;
  }

 private:
  SlotServer& server_;
};

SlotServer::SlotServer(HandlerStyle style,
                       const absl::optional<ServerOptions>& options)
    : backend_(kSlots, kService) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  Probe::Service* service;
  if (style == HandlerStyle::kSync) {
    sync_ = std::make_unique<Sync>(this);
    service = sync_.get();
  } else {
    callback_ = std::make_unique<Callback>(this);
    service = callback_.get();
  }
  if (options.has_value()) {
    guard_ = std::make_unique<ServerGuard>(*options);
    guard_->RegisterService<Probe>(builder, service);
    guard_->Install(builder);
  } else {
    builder.RegisterService(service);
  }
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

SlotServer::~SlotServer() {
  over_ = true;
  backend_.Abandon();
  server_->Shutdown();
}

}  // namespace benchmarks
}  // namespace forbear
