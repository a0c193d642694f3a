// An answer that was given once, and may be given again.
//
//   StoredReply reply;
//   reply.payload = response.SerializeAsString();
//
// Thread-safety: a value.
// Units:         size() in bytes, about.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_STORED_REPLY_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_STORED_REPLY_H_

#include <cstddef>
#include <map>
#include <string>

namespace forbear {

struct StoredReply {
  int code = 0;  // gRPC's.
  std::string message;
  std::string details;
  // The serialized response, if code is OK.
  std::string payload;
  std::multimap<std::string, std::string> trailers;

  size_t size() const {
    size_t size = message.size() + details.size() + payload.size();
    for (const auto& [key, value] : trailers) size += key.size() + value.size();
    return size;
  }
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_STORED_REPLY_H_
