#include "tests/client/held_server.h"

#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "interceptors/context/metadata_keys.h"
#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace testing {

// Shared by gRPC, until the call is done, and the server.
class HeldServer::Held final : public grpc::ServerUnaryReactor {
 public:
  Held(HeldServer* server, grpc::CallbackServerContext* context, Reply* reply)
      : server_(server), context_(context), reply_(reply) {
    for (const auto& [key, value] : context->client_metadata()) {
      metadata_.emplace(std::string(key.data(), key.size()),
                        std::string(value.data(), value.size()));
    }
  }

  // Until gRPC is done with it.
  void Keep(std::shared_ptr<Held> self) { self_ = std::move(self); }

  void End(const grpc::Status& status, const std::string& text,
           const std::vector<std::pair<std::string, std::string>>& trailers) {
    {
      std::lock_guard<std::mutex> lock(server_->mutex_);
      if (std::exchange(ended_, true)) return;
      reply_->set_text(text);
      for (const auto& [key, value] : trailers) {
        context_->AddTrailingMetadata(key, value);
      }
    }
    Finish(status);
  }

  void OnCancel() override {
    {
      std::lock_guard<std::mutex> lock(server_->mutex_);
      cancelled_ = true;
      server_->changed_.notify_all();
    }
    End(grpc::Status::CANCELLED, "", {});
  }

  void OnDone() override {
    std::shared_ptr<Held> self;
    std::lock_guard<std::mutex> lock(server_->mutex_);
    self = std::move(self_);
    server_->changed_.notify_all();
  }

  size_t earlier_attempts() const {
    const std::vector<std::string> values =
        Values(std::string(kPreviousAttemptsKey));
    return values.empty() ? 0 : std::stoul(values[0]);
  }
  bool cancelled() const { return cancelled_; }
  bool done() const { return self_ == nullptr; }
  std::vector<std::string> Values(const std::string& key) const {
    std::vector<std::string> values;
    const auto range = metadata_.equal_range(key);
    for (auto it = range.first; it != range.second; ++it) {
      values.push_back(it->second);
    }
    return values;
  }

 private:
  HeldServer* const server_;
  grpc::CallbackServerContext* const context_;
  Reply* const reply_;
  std::multimap<std::string, std::string> metadata_;
  std::shared_ptr<Held> self_;
  bool ended_ = false;
  bool cancelled_ = false;
};

class HeldServer::Service final : public Probe::CallbackService {
 public:
  explicit Service(HeldServer* server) : server_(server) {}

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* context,
                                 const Ask*, Reply* reply) override {
    return Hold(context, reply);
  }
  grpc::ServerUnaryReactor* Put(grpc::CallbackServerContext* context,
                                const Ask*, Reply* reply) override {
    return Hold(context, reply);
  }
  grpc::ServerUnaryReactor* Charge(grpc::CallbackServerContext* context,
                                   const Ask*, Reply* reply) override {
    return Hold(context, reply);
  }

 private:
  grpc::ServerUnaryReactor* Hold(grpc::CallbackServerContext* context,
                                 Reply* reply) {
    auto held = std::make_shared<Held>(server_, context, reply);
    held->Keep(held);
    Held* const reactor = held.get();
    std::vector<int> ready;
    {
      std::lock_guard<std::mutex> lock(server_->mutex_);
      auto& all = server_->held_;
      const size_t index = server_->count_ == Count::kAttempts
                               ? reactor->earlier_attempts()
                               : all.size();
      all.resize(std::max(all.size(), index + 1));
      all[index] = std::move(held);
      while (server_->told_ < all.size() && all[server_->told_] != nullptr) {
        ready.push_back(static_cast<int>(++server_->told_));
      }
    }
    for (const int number : ready) server_->on_arrival_(*server_, number);
    return reactor;
  }

  HeldServer* const server_;
};

HeldServer::HeldServer(OnArrival on_arrival, Count count)
    : on_arrival_(std::move(on_arrival)),
      count_(count),
      service_(std::make_unique<Service>(this)) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

HeldServer::~HeldServer() {
  server_->Shutdown(std::chrono::system_clock::time_point());
  server_->Wait();
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] {
    for (const auto& held : held_) {
      if (held != nullptr && !held->done()) return false;
    }
    return true;
  });
}

void HeldServer::Answer(
    int call, const grpc::Status& status, const std::string& text,
    const std::vector<std::pair<std::string, std::string>>& trailers) {
  std::shared_ptr<Held> held;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    held = held_.at(static_cast<size_t>(call) - 1);
  }
  held->End(status, text, trailers);
}

int HeldServer::arrivals() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(held_.size());
}

std::vector<std::string> HeldServer::Metadata(int call,
                                              const std::string& key) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return held_.at(static_cast<size_t>(call) - 1)->Values(key);
}

void HeldServer::AwaitCancelled(int call) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return held_.at(static_cast<size_t>(call) - 1)->cancelled();
  });
}

}  // namespace testing
}  // namespace forbear
