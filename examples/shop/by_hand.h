// Retries as people write them by hand; what the library is measured against.
//
// Four tries, or as many as asked for; a wait of 10 ms that doubles; each try
// with the same timeout, whatever time its caller has left.
//
//   return shop::TryByHand(4, absl::Seconds(4),
//                          [&](grpc::ClientContext* context, bool last) {
//                            return dispatch->Assign(context, ask, &reply);
//                          });
//
// Thread-safety: safe for concurrent use; it blocks, waits included.
// Units:         absl::Duration.
// Errors:        the status of the last try.
#ifndef FORBEAR_EXAMPLES_SHOP_BY_HAND_H_
#define FORBEAR_EXAMPLES_SHOP_BY_HAND_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <functional>

#include "absl/time/time.h"

namespace shop {

constexpr int kTriesByHand = 4;

grpc::Status TryByHand(
    int tries, absl::Duration timeout,
    const std::function<grpc::Status(grpc::ClientContext*, bool last)>& call);

// The wait before the next try, when so many were made.
absl::Duration WaitByHand(int tries_made);

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_BY_HAND_H_
