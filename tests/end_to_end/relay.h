// A guarded server whose handlers ask the server above them: one layer of many.
#ifndef FORBEAR_TESTS_END_TO_END_RELAY_H_
#define FORBEAR_TESTS_END_TO_END_RELAY_H_

#include <grpcpp/server.h>

#include <functional>
#include <memory>
#include <string>

#include "interceptors/client/client_options.h"
#include "interceptors/server/server_guard.h"
#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace testing {

enum class HandlerStyle { kSync, kCallback };

class Relay {
 public:
  struct Options {
    HandlerStyle style = HandlerStyle::kSync;
    ClientOptions client;
    ServerOptions server;
    // How a handler's own call names its parent; empty: it does not.
    std::function<std::unique_ptr<grpc::ClientContext>(
        const grpc::ServerContextBase&)>
        context;
  };

  Relay(const std::string& upstream, const Options& options);
  ~Relay();

  const std::string& address() const { return address_; }

 private:
  class Sync;
  class Callback;

  ServerGuard guard_;
  std::unique_ptr<Sync> sync_;
  std::unique_ptr<Callback> callback_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_END_TO_END_RELAY_H_
