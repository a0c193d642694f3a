#include "interceptors/client/replay_buffer.h"

#include <atomic>

namespace forbear {
namespace {

std::atomic<int64_t> process_limit{int64_t{64} << 20};
std::atomic<int64_t> process_bytes{0};

}  // namespace

void SetProcessReplayLimit(int64_t bytes) {
  process_limit.store(bytes, std::memory_order_relaxed);
}

int64_t ProcessReplayBytes() {
  return process_bytes.load(std::memory_order_relaxed);
}

ReplayBuffer::~ReplayBuffer() {
  process_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

bool ReplayBuffer::Add(const grpc::ByteBuffer& message,
                       const grpc::WriteOptions& options) {
  const int64_t bytes = static_cast<int64_t>(message.Length());
  messages_.push_back({message, !options.get_no_compression(), bytes});
  bytes_ += bytes;
  const int64_t all =
      process_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  return bytes_ <= limit_ &&
         all <= process_limit.load(std::memory_order_relaxed);
}

const grpc::ByteBuffer& ReplayBuffer::Message(int64_t index) const {
  return messages_[index - dropped_].message;
}

grpc::WriteOptions ReplayBuffer::Options(int64_t index) const {
  grpc::WriteOptions options;
  if (!messages_[index - dropped_].compressed) options.set_no_compression();
  return options;
}

void ReplayBuffer::DropBefore(int64_t index) {
  int64_t freed = 0;
  while (dropped_ < index && !messages_.empty()) {
    freed += messages_.front().bytes;
    messages_.pop_front();
    ++dropped_;
  }
  bytes_ -= freed;
  process_bytes.fetch_sub(freed, std::memory_order_relaxed);
}

}  // namespace forbear
