#include "examples/storm/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "interceptors/context/clock.h"

namespace storm {
namespace {

// Between fork and exec: nothing here may allocate or lock.
[[noreturn]] void BecomeProgram(char* const* arguments, int output,
                                pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // It has ended already.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const std::string& name, const std::string& path,
    const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  if (access(path.c_str(), X_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat(name, ": ", path, ": ", strerror(errno)));
  }
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat(name, ": ", strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(argv.data(), output[1], parent);
  close(output[1]);
  if (pid < 0) {
    close(output[0]);
    return absl::InternalError(absl::StrCat(name, ": ", strerror(errno)));
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(name, pid, output[0]));
}

ChildProcess::~ChildProcess() {
  Terminate();
  Await(absl::Seconds(5));
  close(output_);
}

absl::StatusOr<std::string> ChildProcess::ReadLine(absl::Duration patience) {
  const absl::Time give_up = forbear::SteadyNow() + patience;
  size_t end;
  while ((end = unread_.find('\n')) == std::string::npos) {
    if (ReadMore(give_up)) continue;
    if (forbear::SteadyNow() >= give_up) {
      return absl::DeadlineExceededError(
          absl::StrCat(name_, ": silent for ", absl::FormatDuration(patience)));
    }
    return absl::UnavailableError(absl::StrCat(
        name_, ": ended with exit status ", Await(absl::Seconds(1))));
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

void ChildProcess::Signal(int signal) {
  if (pid_ != 0) kill(pid_, signal);
}

void ChildProcess::Terminate() { Signal(SIGTERM); }

int ChildProcess::Await(absl::Duration patience) {
  if (pid_ == 0) return exit_status_;
  // Its output ends when it does.
  const absl::Time give_up = forbear::SteadyNow() + patience;
  while (ReadMore(give_up)) {
  }
  if (forbear::SteadyNow() >= give_up) kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  exit_status_ =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_status_;
}

bool ChildProcess::ReadMore(absl::Time give_up) {
  pollfd readable = {output_, POLLIN, 0};
  for (;;) {
    const absl::Duration left = give_up - forbear::SteadyNow();
    const int ready = poll(&readable, 1,
                           static_cast<int>(std::max<int64_t>(
                               0, absl::ToInt64Milliseconds(left))));
    if (ready > 0) break;
    if (ready == 0 && left < absl::Milliseconds(1)) return false;
  }
  char buffer[512];
  const ssize_t size = read(output_, buffer, sizeof(buffer));
  if (size > 0) unread_.append(buffer, size);
  return size > 0;
}

}  // namespace storm
