#include "train/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

namespace heed {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

namespace {

// The lock file holds "PID HOST", both of the last owner. Where folders are shared between machines
// the number alone would say little.
std::string owner_text(const std::string& content) {
  std::istringstream words(content);
  std::string id, host;
  words >> id >> host;
  return host.empty() || host == host_name() ? id : id + " on " + host;
}

std::string lock_path(const std::string& run) {
  return (std::filesystem::path(run) / "lock").string();
}

// As flock().
int lock_or_try_again(int descriptor, std::chrono::milliseconds patience) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return 0;
  if (errno != EWOULDBLOCK || patience.count() == 0) return -1;
  std::this_thread::sleep_for(patience);
  return ::flock(descriptor, LOCK_EX | LOCK_NB);
}

}  // namespace

RunLock::RunLock(const std::string& run, std::chrono::milliseconds patience) {
  const std::string path = lock_path(run);
  descriptor_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (descriptor_ < 0) {
    throw DataError(path + ": cannot be opened: " + std::strerror(errno));
  }
  if (lock_or_try_again(descriptor_, patience) != 0) {
    const int error = errno;
    char owner[512] = {};
    const ssize_t bytes = ::read(descriptor_, owner, sizeof owner - 1);
    if (error != EWOULDBLOCK) {
      throw DataError(path + ": cannot be locked: " + std::strerror(error));
    }
    throw RunIsLocked(run + ": another process is at work here (process id " +
                      (bytes > 0 ? owner_text(owner) : "unknown") + ")");
  }
  const std::string id = std::to_string(::getpid()) + " " + host_name();
  if (::ftruncate(descriptor_, 0) != 0 ||
      ::write(descriptor_, id.data(), id.size()) != static_cast<ssize_t>(id.size())) {
    throw DataError(path + ": cannot be written: " + std::strerror(errno));
  }
}

bool is_locked(const std::string& run) {
  const Descriptor descriptor(
      ::open(lock_path(run).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return descriptor >= 0 && ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace heed
