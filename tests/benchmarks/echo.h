// A server and four channels to it, for measuring what a call costs on each.
#ifndef FORBEAR_TESTS_BENCHMARKS_ECHO_H_
#define FORBEAR_TESTS_BENCHMARKS_ECHO_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace benchmarks {

enum class Variant {
  kPlain,        // A plain gRPC channel.
  kInterceptor,  // With an interceptor that does nothing.
  kCoreRetry,    // With a retryPolicy in its service config.
  kForbear,      // Ours, with its default policy.
};
inline constexpr Variant kVariants[] = {Variant::kPlain, Variant::kInterceptor,
                                        Variant::kCoreRetry, Variant::kForbear};
const char* VariantName(Variant variant);

enum class Style { kSync, kCallback };
inline constexpr Style kStyles[] = {Style::kSync, Style::kCallback};
const char* StyleName(Style style);

// Answers each call at once with what it was asked.
class Echo {
 public:
  Echo();
  ~Echo();

  std::unique_ptr<testing::Probe::Stub> Connect(Variant variant) const;

 private:
  class Service;

  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// Makes `calls` calls with a payload of `bytes`: one after another for sync
// stubs, up to 16 at a time for callback stubs. A failed call ends the program.
void MakeCalls(testing::Probe::Stub& stub, Style style, int calls, int bytes);

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_ECHO_H_
