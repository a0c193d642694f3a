#include "interceptors/policy_file/file_watch.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"

namespace forbear {
namespace {

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

// Where the file really is, behind its links; empty if it is not there.
std::string Resolved(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return "";
  std::string text = resolved;
  free(resolved);
  return text;
}

}  // namespace

// What is listened to: the file's folders, and the word to stop.
class FileWatch::Ears {
 public:
  explicit Ears(std::string path)
      : path_(std::move(path)),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
  ~Ears() {
    if (stop_ >= 0) close(stop_);
    if (inotify_ >= 0) close(inotify_);
  }

  void Stop() const {
    const uint64_t one = 1;
    (void)!write(stop_, &one, sizeof(one));
  }

  // Called again after each change: a link may lead elsewhere by now. A folder
  // that is watched already stays so.
  void WatchFolders() const {
    if (inotify_ < 0) return;
    constexpr uint32_t kChanges =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE;
    inotify_add_watch(inotify_, FolderOf(path_).c_str(), kChanges);
    const std::string resolved = Resolved(path_);
    if (!resolved.empty()) {
      inotify_add_watch(inotify_, FolderOf(resolved).c_str(), kChanges);
    }
  }

  // Waits until something happened, or the period is over. False: stop.
  bool Await(absl::Duration period) const {
    pollfd sources[] = {{stop_, POLLIN, 0}, {inotify_, POLLIN, 0}};
    poll(sources, 2, static_cast<int>(absl::ToInt64Milliseconds(period)));
    if (sources[0].revents != 0) return false;
    char events[4096];
    while (inotify_ >= 0 && read(inotify_, events, sizeof(events)) > 0) {
    }
    return true;
  }

 private:
  const std::string path_;
  const int stop_;
  const int inotify_;  // Negative where there is none: poll() skips it.
};

FileWatch::FileWatch(const std::string& path, absl::Duration period,
                     std::function<void()> changed)
    : ears_(std::make_shared<Ears>(path)) {
  ears_->WatchFolders();
  thread_ = std::thread([ears = ears_, period, changed = std::move(changed)] {
    Listen(*ears, period, changed);
  });
}

FileWatch::~FileWatch() {
  ears_->Stop();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void FileWatch::Listen(const Ears& ears, absl::Duration period,
                       const std::function<void()>& changed) {
  // A change between the first look and the first listening is not lost.
  do {
    ears.WatchFolders();
    changed();
  } while (ears.Await(period));
}

}  // namespace forbear
