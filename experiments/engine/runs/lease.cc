#include "experiments/engine/runs/lease.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwner = "owner-";

// Seconds, also while the machine sleeps.
double boot_seconds() {
  timespec t;
  ::clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Changes whenever the system starts; all containers of a machine have the same one.
const std::string& boot_id() {
  static const std::string id = [] {
    const std::string line = read_file("/proc/sys/kernel/random/boot_id", 100);
    return line.substr(0, line.find('\n'));
  }();
  return id;
}

std::string owner_path(const std::string& run, int number) {
  return (fs::path(run) / (std::string(kOwner) + std::to_string(number))).string();
}

int last_owner(const std::string& run) {
  int last = 0;
  for (const auto& entry : fs::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kOwner, 0) != 0) continue;
    last = std::max(last, number_in<int>(name.substr(kOwner.size())).value_or(0));
  }
  return last;
}

// Three lines: the owner, the counter, "held" or "released". The length is constant for a process,
// so that it can be written in place.
std::string owner_text(int64_t beats, const char* state) {
  char host[256] = "unknown", text[512];
  ::gethostname(host, sizeof host - 1);
  std::snprintf(text, sizeof text, "boot %s host %s process %ld\nbeat %12ld\n%-8s\n",
                boot_id().c_str(), host, static_cast<long>(::getpid()), static_cast<long>(beats),
                state);
  return text;
}

bool write_in_place(int descriptor, const std::string& text) {
  return ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::fsync(descriptor) == 0;
}

// Creates the owner file, complete and without overwriting another; returns its descriptor, or -1
// if another worker was faster.
int make_owner_file(const std::string& run, int number) {
  const std::string path = owner_path(run, number);
  const std::string temporary = path + ".new-" + process_name();
  // A killed process with the same number may have left its file. O_EXCL follows no link.
  ::unlink(temporary.c_str());
  const int fd = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) throw DataError(path + ": cannot be written: " + std::strerror(errno));
  const bool written = write_in_place(fd, owner_text(0, "held"));
  const int linked = written ? ::link(temporary.c_str(), path.c_str()) : -1, error = errno;
  struct stat status = {};
  ::fstat(fd, &status);  // a network may report a failure although the link exists
  const bool mine = linked == 0 || (written && status.st_nlink == 2);
  ::unlink(temporary.c_str());
  if (mine) return fd;
  ::close(fd);
  if (!written || error != EEXIST) {
    throw DataError(path + ": cannot be written: " + std::strerror(error));
  }
  return -1;
}

}  // namespace

Lease::Lease(std::unique_ptr<RunLock> lock, std::string run, int number, int descriptor,
             LeaseOptions options)
    : lock_(std::move(lock)),
      run_(std::move(run)),
      number_(number),
      descriptor_(descriptor),
      options_(options),
      last_beat_(boot_seconds()),
      thread_([this] { keep_beating(); }) {}

Lease::~Lease() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (!lost()) beat("released");
  ::close(descriptor_);
}

bool Lease::lost() const {
  const std::lock_guard guard(mutex_);
  return lost_ || boot_seconds() - last_beat_ > options_.dead_after / 2;
}

bool Lease::beat(const char* state) {
  return write_in_place(descriptor_, owner_text(++beats_, state));
}

void Lease::keep_beating() {
  std::unique_lock guard(mutex_);
  while (!wake_.wait_for(guard, std::chrono::duration<double>(options_.beat),
                         [this] { return ending_; })) {
    guard.unlock();  // the folder may be slow
    const double begin = boot_seconds();
    std::error_code error;
    const bool taken = fs::exists(owner_path(run_, number_ + 1), error);
    const bool written = !taken && beat("held");
    guard.lock();
    if (taken || begin - last_beat_ > options_.dead_after / 2) lost_ = true;
    if (written) last_beat_ = begin;
  }
}

// Whether no process can be working under this owner file.
bool LeaseOffice::may_take(const std::string& path) {
  const std::string bytes = read_file(path, 4096);
  if (bytes.find("\nreleased") != bytes.npos) return true;
  if (bytes.rfind("boot " + boot_id() + " ", 0) == 0) return true;  // its lock was free
  const auto seen = seen_.find(path);
  if (seen == seen_.end() || seen->second.bytes != bytes) {
    seen_[path] = {bytes, boot_seconds()};
    return false;
  }
  return boot_seconds() - seen->second.since > options_.dead_after;
}

std::unique_ptr<Lease> LeaseOffice::take(const std::string& run) {
  std::unique_ptr<RunLock> lock;
  try {
    // Does not wait: the former owner may have finished the run in the meantime. The next round
    // tries again.
    lock = std::make_unique<RunLock>(run, std::chrono::milliseconds(0));
  } catch (const RunIsLocked&) {
    return nullptr;
  }
  const int last = last_owner(run);
  if (last > 0 && !may_take(owner_path(run, last))) return nullptr;
  const int descriptor = make_owner_file(run, last + 1);
  if (descriptor < 0) return nullptr;
  return std::unique_ptr<Lease>(new Lease(std::move(lock), run, last + 1, descriptor, options_));
}

}  // namespace heed
