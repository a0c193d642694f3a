// What a stream has sent, kept so that the next attempt can send it again.
//
// Bounded twice: by its call's limit, and by one ceiling for all calls of the
// process. A stream that outgrows either is committed to the attempt it has.
//
//   ReplayBuffer sent(policy.replay_buffer);
//   if (!sent.Add(message, options)) ...   // Not to be replayed any more.
//   sent.Message(next);                    // For each attempt in turn.
//
// Once the stream is committed the buffer is a queue: it keeps what has not
// been sent yet, and lets go of what has.
//
// Not part of the library's API, but for SetProcessReplayLimit().
//
// Thread-safety: thread-compatible; the ceiling is safe for concurrent use.
// Units:         bytes of serialized messages; messages count from 0.
// Errors:        none; Add() says when a limit is passed.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_REPLAY_BUFFER_H_
#define FORBEAR_INTERCEPTORS_CLIENT_REPLAY_BUFFER_H_

#include <grpcpp/impl/call_op_set.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <deque>

namespace forbear {

// The ceiling for the replay buffers of all calls together. Range: [0, 2^62];
// 64 MiB at first. Lowering it commits streams as they next write.
void SetProcessReplayLimit(int64_t bytes);
// What all replay buffers hold now.
int64_t ProcessReplayBytes();

class ReplayBuffer {
 public:
  explicit ReplayBuffer(int64_t limit) : limit_(limit) {}
  ~ReplayBuffer();
  ReplayBuffer(const ReplayBuffer&) = delete;
  ReplayBuffer& operator=(const ReplayBuffer&) = delete;

  // Appends it, and returns whether all can still be replayed.
  bool Add(const grpc::ByteBuffer& message, const grpc::WriteOptions& options);
  // No more will follow.
  void Close() { closed_ = true; }

  // The messages added so far, and whether that is all.
  int64_t end() const {
    return dropped_ + static_cast<int64_t>(messages_.size());
  }
  bool closed() const { return closed_; }
  bool empty() const { return end() == 0; }

  // Sharing the memory. `index` is one that has not been dropped.
  const grpc::ByteBuffer& Message(int64_t index) const;
  grpc::WriteOptions Options(int64_t index) const;

  // Lets go of the messages before `index`: they have been sent for good.
  void DropBefore(int64_t index);

 private:
  struct Kept {
    grpc::ByteBuffer message;
    bool compressed;
    int64_t bytes;
  };

  const int64_t limit_;
  std::deque<Kept> messages_;
  int64_t dropped_ = 0;
  int64_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_REPLAY_BUFFER_H_
