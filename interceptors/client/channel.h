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
// Retried are calls of all kinds, of sync, callback, completion-queue and
// generic stubs: unary ones until they end, streams until headers or a message
// of the answer have reached the application (gRFC A6: "committed"). Unary
// calls whose messages are neither protobuf's nor ByteBuffers are not: set no
// attempt timeout for them. With a reactor, OnReadInitialMetadataDone() of a
// unary call comes at the end, and its `ok` always tells of the first attempt.
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
