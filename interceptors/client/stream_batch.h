// The batches that streaming stubs make, read and answered.
//
// The second part of the room that leans on gRPC's inside (see grpc_inside.h).
// A stub's batch is a set of operations. This tells which of them are there,
// and fills in what the stub shall find where an attempt of our own answers in
// place of the core's call.
//
// A set that receives a message is a template over the message's type, which
// nobody but the stub knows. It has the same layout for each of them: its
// fields are found by their distance from the start, measured on a set whose
// type is known, once the set's mangled name has shown that it is such a one.
//
// Written against gRPC 1.51.1. Not part of the library's API.
//
// Thread-safety: as that of the batch.
// Units:         none.
// Errors:        known() is false for a set that is not one of those listed.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STREAM_BATCH_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STREAM_BATCH_H_

#include <grpc/grpc.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/call_op_set.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <string>

#include "interceptors/client/grpc_inside.h"

namespace forbear {
namespace inside {

class StreamBatch {
 public:
  StreamBatch() = default;
  explicit StreamBatch(grpc::internal::CallOpSetInterface* ops);

  // Whether `ops` receives the status: quicker than to look at the rest.
  static bool HasStatus(grpc::internal::CallOpSetInterface* ops);

  bool known() const { return core_tag_ != nullptr; }
  grpc::internal::CallOpSetInterface* ops() const { return ops_; }

  // Which operations are asked for.
  bool sends_headers() const;
  bool sends_message() const;
  bool sends_close() const;
  bool receives_headers() const;
  bool receives_message() const;
  bool receives_status() const { return static_cast<bool>(status_); }

  // Where the core reports the batch's completion; a stub with a completion
  // queue has the application's tag beside it.
  void* core_tag() const { return *core_tag_; }
  void SetCoreTag(void* tag) { *core_tag_ = tag; }
  bool HasApplicationsTag() const { return *return_tag_ != ops_; }

  // The message to send, serialized now, and still to be sent.
  grpc::ByteBuffer KeepMessage(grpc::WriteOptions* options);

  // --- Once the core has completed it ---
  bool got_message() const;
  const StatusOp& status_op() const { return status_; }

  // --- What the stub shall find ---
  // Hides the operations from the core, so that filling the batch does
  // nothing; or shows them again, but for the headers to send.
  void Hide(bool hidden);
  // A null `message`: none came.
  void SetMessage(grpc::ByteBuffer* message);
  // `completed`: by the core, which has filled in a status already.
  void SetStatus(const grpc::Status& status, const std::string* debug_string,
                 bool completed);

 private:
  template <typename Ops>
  bool Try(grpc::internal::CallOpSetInterface* ops);
  template <typename Ops>
  bool TryLikeness(grpc::internal::CallOpSetInterface* ops);

  // The fields of an operation that receives a message.
  struct Received {
    grpc::ByteBuffer* buffer = nullptr;
    bool* hidden = nullptr;
    bool* failed = nullptr;  // If hidden.
  };

  grpc::internal::CallOpSetInterface* ops_ = nullptr;
  void** core_tag_ = nullptr;
  void** return_tag_ = nullptr;
  grpc::internal::CallOpSendInitialMetadata* send_headers_ = nullptr;
  grpc::internal::CallOpSendMessage* send_message_ = nullptr;
  grpc::internal::CallOpClientSendClose* send_close_ = nullptr;
  grpc::internal::CallOpRecvInitialMetadata* headers_ = nullptr;
  grpc::internal::CallOpClientRecvStatus* receive_status_ = nullptr;
  StatusOp status_;  // The same.
  Received received_;
};

// Whether the call has ended without headers: with trailers alone.
bool TrailersOnly(grpc_call* call);

}  // namespace inside
}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STREAM_BATCH_H_
