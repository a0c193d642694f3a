// Who rides: a dozen couriers, each with the orders it was sent with.
//
//   std::string name = couriers.Send(order.id());   // "courier 7"
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        none; an order that is sent twice rides twice.
#ifndef FORBEAR_EXAMPLES_DISPATCH_COURIERS_H_
#define FORBEAR_EXAMPLES_DISPATCH_COURIERS_H_

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/shop.pb.h"

namespace shop {

class Couriers {
 public:
  // Sends the one whose turn it is.
  std::string Send(int64_t order_id) {
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t next = next_++ % orders_.size();
    orders_[next].push_back(order_id);
    return Name(next);
  }

  ListCouriersReply List() const {
    std::lock_guard<std::mutex> lock(mutex_);
    ListCouriersReply reply;
    for (size_t i = 0; i < orders_.size(); ++i) {
      Courier& courier = *reply.add_couriers();
      courier.set_name(Name(i));
      courier.mutable_order_ids()->Assign(orders_[i].begin(), orders_[i].end());
    }
    return reply;
  }

 private:
  static std::string Name(size_t i) { return absl::StrCat("courier ", i + 1); }

  mutable std::mutex mutex_;  // Guards all below.
  std::array<std::vector<int64_t>, 12> orders_;
  size_t next_ = 0;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_DISPATCH_COURIERS_H_
