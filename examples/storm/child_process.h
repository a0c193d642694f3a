// A program that runs beside this one, and not after it.
//
//   auto routes = ChildProcess::Start("routes", path, {"--port=0"});
//   absl::StatusOr<std::string> line = (*routes)->ReadLine(absl::Seconds(10));
//   (*routes)->Terminate();                    // Asks it to end.
//   (*routes)->Await(absl::Seconds(5));        // Ends it if it does not.
//
// It gets SIGTERM when the thread that started it ends, however that comes.
//
// Thread-safety: used by one thread.
// Units:         absl::Duration.
// Errors:        a Status that names the program. Destruction leaves no process
//                behind, zombies included.
#ifndef FORBEAR_EXAMPLES_STORM_CHILD_PROCESS_H_
#define FORBEAR_EXAMPLES_STORM_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace storm {

class ChildProcess {
 public:
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const std::string& name, const std::string& path,
      const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line that it prints.
  absl::StatusOr<std::string> ReadLine(absl::Duration patience);

  void Signal(int signal);
  // Asks it to end.
  void Terminate();

  // Waits until it has ended, and kills it when that takes too long. Returns
  // its exit status as a shell would: 128 + n after signal n.
  int Await(absl::Duration patience);

 private:
  ChildProcess(std::string name, pid_t pid, int output)
      : name_(std::move(name)), pid_(pid), output_(output) {}

  // Reads more of what it prints. False at its end, or when it says nothing.
  bool ReadMore(absl::Time give_up);

  const std::string name_;
  pid_t pid_;  // 0 once it has been awaited.
  const int output_;
  std::string unread_;
  int exit_status_ = 0;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_CHILD_PROCESS_H_
