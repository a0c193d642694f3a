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

// An attempt under way, or ended. Once ended, its context stays alive for as
// long as the metadata it received is read.
struct Attempt {
  Attempt(const CallTemplate& call, const Parent& parent, const Step& step,
          absl::Time now);

  const InFlight counted{InFlight::kAttempt};
  const int number;
  const absl::Duration time;
  const absl::Time started;
  bool under_way = true;
  grpc::ClientContext context;
  grpc::ByteBuffer response;
  grpc::Status status;
};

// How an attempt ended, for the engine. `elapsed` and `time` tell whether
// DEADLINE_EXCEEDED is the attempt's own.
AttemptEnd DescribeEnd(
    const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
    absl::Duration elapsed, absl::Duration time);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_ATTEMPT_H_
