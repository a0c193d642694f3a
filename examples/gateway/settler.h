// Finds out what became of charges that nobody knows about.
//
// It asks payments for the key, again and again until there is an answer: the
// order was paid and waits for a courier, or its card was not charged and never
// will be.
//
//   book.Set(order.id(), PENDING);
//   settler.Add(order.id(), key);
//
// Thread-safety: safe for concurrent use; it works on a thread of its own.
// Units:         none.
// Errors:        none: who cannot be asked is asked again, until destruction.
#ifndef FORBEAR_EXAMPLES_GATEWAY_SETTLER_H_
#define FORBEAR_EXAMPLES_GATEWAY_SETTLER_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "examples/gateway/order_book.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class Settler {
 public:
  Settler(const std::shared_ptr<grpc::ChannelInterface>& payments,
          OrderBook* book);
  ~Settler();

  void Add(int64_t order_id, const std::string& key);

 private:
  struct Question {
    int64_t order_id;
    std::string key;
  };

  void Work();
  // Whether there was an answer.
  bool Settle(const Question& question);

  const std::unique_ptr<Payments::Stub> payments_;
  OrderBook* const book_;
  std::mutex mutex_;  // Guards what follows, until the thread.
  std::condition_variable changed_;
  std::multimap<absl::Time, Question> due_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_SETTLER_H_
