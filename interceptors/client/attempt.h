// One attempt of a unary call, made as a call of our own.
//
// The first attempt of a call is the call itself wherever that is possible;
// every other one has a ClientContext of its own, made after the caller's.
//
// Not part of the library's API.
//
// Thread-safety: thread-compatible.
// Units:         absl::Duration.
// Errors:        none; whatever goes wrong is the attempt's status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_ATTEMPT_H_
#define FORBEAR_INTERCEPTORS_CLIENT_ATTEMPT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "interceptors/client/parent.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

// What each attempt copies from the context of its call.
struct CallTemplate {
  std::multimap<std::string, std::string> metadata;
  std::shared_ptr<grpc::CallCredentials> credentials;
  grpc_compression_algorithm compression = GRPC_COMPRESS_NONE;
  census_context* census = nullptr;
  bool wait_for_ready = false;
  bool wait_for_ready_set = false;
  std::string authority;

  // `metadata` is what `context` sends.
  static CallTemplate Of(
      grpc::ClientContext& context,
      const std::multimap<std::string, std::string>& metadata);
};

// An attempt under way, or ended.
class Attempt {
 public:
  using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

  Attempt(const CallTemplate& call, const Parent& parent, const Step& step,
          absl::Time now);

  // What it received, once it has ended; valid as long as the attempt is.
  const Metadata& headers() const;
  const Metadata& trailers() const;
  std::string debug_string() const;

  // Of an attempt that has ended: gives up the context, and with it gRPC's
  // call, which is some 20 KiB, but keeps what was received. No reference to
  // that stays valid.
  void Compact();

  const InFlight counted{InFlight::kAttempt};
  const int number;
  const absl::Duration time;
  const absl::Time started;
  bool under_way = true;
  // Null once it is compacted.
  std::unique_ptr<grpc::ClientContext> context =
      std::make_unique<grpc::ClientContext>();
  grpc::ByteBuffer response;
  grpc::Status status;

 private:
  struct Received {
    std::deque<std::string> text;  // Of the metadata.
    Metadata headers;
    Metadata trailers;
    std::string debug_string;
  };

  std::unique_ptr<const Received> kept_;
};

// How an attempt ended, for the engine. `elapsed` and `time` tell whether
// DEADLINE_EXCEEDED is the attempt's own.
AttemptEnd DescribeEnd(
    const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
    absl::Duration elapsed, absl::Duration time);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_ATTEMPT_H_
