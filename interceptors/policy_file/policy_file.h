// A policy file that may change while the program runs.
//
//   auto file = forbear::PolicyFile::Open("shop.json");
//   if (!file.ok()) return Fail(file.status());
//   options.policy_file = *file;     // Every channel made with it follows it.
//
// A file that is sound takes effect at once, for calls that start from then on:
// calls under way keep the policy that they began with, and budgets are as full
// under their new options as they were under the old ones. A file that is not
// sound changes nothing, and is reported.
//
// Thread-safety: safe for concurrent use. Followers and `on_error` are called
//                one at a time, mostly on the file's own thread.
// Units:         absl::Duration.
// Errors:        Open() as LoadPolicy(); later ones go to `on_error`, once for
//                each content that is wrong.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FILE_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FILE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/file_watch.h"
#include "interceptors/policy_file/policy.h"

namespace forbear {

struct PolicyFileOptions {
  // Told why a new content was not taken. Null: it is written to stderr.
  std::function<void(const absl::Status&)> on_error;

  // How often the file is looked at even if the system reports no change.
  // Range: [10 ms, 1 h].
  absl::Duration period = absl::Seconds(5);
};

class PolicyFile {
 public:
  static absl::StatusOr<std::shared_ptr<PolicyFile>> Open(
      const std::string& path, PolicyFileOptions options = {});

  // What holds now.
  std::shared_ptr<const Policy> policy() const;

  // Calls `follower` with what holds now, and with each policy after it, until
  // it returns false. It must not call this object.
  using Follower = std::function<bool(const Policy& policy)>;
  void Follow(Follower follower);

  // Looks at the file now, without waiting for word of a change. The error is
  // that of the content as it is, new or not.
  absl::Status Look();

 private:
  // What the watching thread needs, even if the file's last owner lets go of
  // it there.
  struct State {
    absl::Status Look();
    void Report() const;

    std::string path;
    PolicyFileOptions options;
    std::mutex mutex;
    std::shared_ptr<const Policy> policy;
    std::string seen;     // The content, or why there was none.
    absl::Status status;  // What was made of it.
    std::vector<Follower> followers;
  };

  explicit PolicyFile(std::shared_ptr<State> state);

  const std::shared_ptr<State> state_;
  const FileWatch watch_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FILE_H_
