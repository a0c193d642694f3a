// A server and four channels to it, for measuring what a call costs on each.
#ifndef FORBEAR_TESTS_BENCHMARKS_ECHO_H_
#define FORBEAR_TESTS_BENCHMARKS_ECHO_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "proto/testing/kinds.grpc.pb.h"
#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace benchmarks {

enum class Variant {
  kPlain,        // A plain gRPC channel.
  kInterceptor,  // With an interceptor that does nothing.
  kCoreRetry,    // With a retryPolicy in its service config.
  kTakeOver,     // Ours, with gRPC's retries turned off.
  kForbear,      // Ours, with its default policy.
};
inline constexpr Variant kVariants[] = {Variant::kPlain, Variant::kInterceptor,
                                        Variant::kCoreRetry, Variant::kTakeOver,
                                        Variant::kForbear};
const char* VariantName(Variant variant);

// Unary calls by stub style, or the messages of one bidi stream.
enum class Style { kSync, kCallback, kQueue, kStream };
inline constexpr Style kStyles[] = {Style::kSync, Style::kCallback,
                                    Style::kQueue, Style::kStream};
const char* StyleName(Style style);

// Of one channel.
struct Stubs {
  std::unique_ptr<testing::Probe::Stub> unary;
  std::unique_ptr<testing::Kinds::Stub> stream;
};

// Answers each call at once with what it was asked; a Put, when it is released.
class Echo {
 public:
  Echo();
  ~Echo();

  Stubs Connect(Variant variant) const;
  const std::string& address() const { return address_; }

  // Waits until as many Puts have arrived; answers those that have.
  void AwaitPuts(int count) const;
  void ReleasePuts() const;

 private:
  class Service;
  class Chats;

  std::unique_ptr<Service> service_;
  std::unique_ptr<Chats> chats_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// Makes `calls` calls with a payload of `bytes`: one after another for sync
// stubs, up to 16 at a time for the others. Of a stream they are its messages,
// each of which waits for its echo. A failed call ends the program.
void MakeCalls(const Stubs& stubs, Style style, int calls, int bytes);

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_ECHO_H_
