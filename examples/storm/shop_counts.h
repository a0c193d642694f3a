// What the shop's servers counted, by the name of each.
//
//   for (const ServerCounts& server : counts) {
//     entered_late += server.counts.entered_late();
//   }
//
// Thread-safety: values.
// Units:         see shop_admin.proto.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_SHOP_COUNTS_H_
#define FORBEAR_EXAMPLES_STORM_SHOP_COUNTS_H_

#include <string>
#include <vector>

#include "proto/shop_admin.pb.h"

namespace storm {

struct ServerCounts {
  std::string name;  // "gateway", "payments", "dispatch", "routes".
  shop::Counts counts;
};

// In the order in which an order passes them. A server that was started anew
// comes twice.
using ShopCounts = std::vector<ServerCounts>;

// Nothing, if there is no such server.
inline shop::Counts CountsOf(const ShopCounts& counts,
                             const std::string& name) {
  for (const ServerCounts& server : counts) {
    if (server.name == name) return server.counts;
  }
  return {};
}

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_SHOP_COUNTS_H_
