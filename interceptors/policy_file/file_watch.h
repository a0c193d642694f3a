// Says when a file may have changed, for as long as it lives.
//
// Listens to the folder of the file (and to that of what a link points to), so
// that a file written elsewhere and moved into place is seen, as is the link
// that Kubernetes turns around; and looks from time to time, for file systems
// that tell nobody. What has changed, if anything, is for the listener to see.
//
//   FileWatch watch("shop.json", absl::Seconds(5), [&] { Reload(); });
//
// Thread-safety: `changed` is called on a thread of its own, one call at a
//                time. The destructor waits for a call under way, unless it is
//                that call that destroys.
// Units:         absl::Duration.
// Errors:        none: where nothing can be listened to, it looks.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_FILE_WATCH_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_FILE_WATCH_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"

namespace forbear {

class FileWatch {
 public:
  // `period`: how often `changed` is called whatever is heard.
  FileWatch(const std::string& path, absl::Duration period,
            std::function<void()> changed);
  ~FileWatch();

  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  class Ears;

  static void Listen(const Ears& ears, absl::Duration period,
                     const std::function<void()>& changed);

  const std::shared_ptr<Ears> ears_;  // Its thread's, too.
  std::thread thread_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_FILE_WATCH_H_
