// A gRPC channel whose calls are retried with restraint.
//
// Every call on it has its failures classified, is retried after a jittered
// wait while its deadline, its number of attempts and the process's budget
// allow, and hands the time that is left to the next service. Stubs use it as
// any other channel.
//
//   forbear::ClientOptions options;
//   options.policy.Set("shop.Routes/Estimate", policy);
//   auto channel = forbear::CreateChannel("dns:///routes:50051", credentials,
//                                         options);
//   auto stub = shop::Routes::NewStub(channel);
//
// Retried are unary calls of sync, callback, completion-queue and generic stubs
// whose messages are protobuf's or ByteBuffers; for others, set no attempt
// timeout. With a reactor, OnReadInitialMetadataDone() comes at the end, and
// its `ok` tells of the first attempt. Streaming calls pass through as they
// are, but inherit the deadline and the cancellation of the handler they are
// made in.
//
// Thread-safety: safe for concurrent use, as a grpc::Channel is.
// Units:         those of ClientOptions.
// Errors:        invalid options give a channel whose calls fail with
//                INVALID_ARGUMENT and name the field, its range and its value.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CHANNEL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "interceptors/client/client_options.h"

namespace forbear {

// What stubs take. grpc::Channel itself is final, so it cannot be one.
std::shared_ptr<grpc::ChannelInterface> CreateChannel(
    const std::string& target,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ClientOptions& options = {});

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CHANNEL_H_
