#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/path.h"

namespace heed {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw DataError(path + ": " + what + ": " + std::strerror(errno));
}

// A new name is durable only once the directory that it stands in is. Some file systems cannot sync
// a directory and say EINVAL.
void sync_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened < 0) fail(directory, "cannot open the directory");
  if (::fsync(opened) != 0 && errno != EINVAL) fail(directory, "cannot sync the directory");
}

}  // namespace

void make_directory(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path p = path; !is_folder(p); p = p.parent_path()) {
    missing.push_back(p);
    if (!p.has_parent_path()) break;
  }
  for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
    const bool made = fs::create_directory(*p, error);  // false if somebody else was faster
    if (error) throw DataError(path + ": cannot be made: " + error.message());
    if (made) sync_directory_of(*p);
  }
}

void make_directory_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) make_directory(folder.string());
}

std::string read_file(const std::string& path, uint64_t max_bytes) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened < 0) fail(path, "cannot open");
  struct stat status;
  if (::fstat(opened, &status) != 0) fail(path, "cannot stat");
  if (S_ISDIR(status.st_mode)) throw DataError(path + ": is a directory, not a file");

  // The size from stat is only a hint: a pipe has none, and a file may grow while it is read.
  const uint64_t hint = status.st_size > 0 ? static_cast<uint64_t>(status.st_size) : 0;
  std::string bytes;
  bytes.resize(std::min(hint, max_bytes) + 1);
  size_t size = 0;
  while (true) {
    const ssize_t got = ::read(opened, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot read");
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size > max_bytes) {
      throw DataError(path + ": too large, at most " + std::to_string(max_bytes) +
                      " bytes are allowed");
    }
    if (size == bytes.size()) {
      bytes.resize(std::min<uint64_t>(2 * size + kBufferBytes, max_bytes + 1));
    }
  }
  bytes.resize(size);
  return bytes;
}

std::string file_inside(const std::string& directory, const std::string& name) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(directory) / name).string();
  const auto check = [&](bool inside) {
    if (!inside) throw DataError(path + ": leads out of its directory; put the file itself there");
  };
  std::error_code error, none;
  const fs::path real = fs::canonical(path, error);
  if (error) {
    const fs::path to = fs::read_symlink(path, none);  // a new file would stand there
    check(!to.has_parent_path());
    if (!to.empty() && error == std::errc::no_such_file_or_directory) {
      (void)file_inside(fs::path(path).parent_path().string(), to.string());
    }
    return path;
  }
  const fs::path place = fs::canonical(directory, none) / fs::path(name).relative_path();
  check(real.parent_path() == place.parent_path());
  if (!fs::is_regular_file(real)) throw DataError(path + ": is not a regular file");
  return path;
}

std::string process_name() {
  // Containers have the same process ids, and may have the same host name.
  static const std::string place = [] {
    char host[256] = {}, pids[64] = {};
    if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    if (::readlink("/proc/self/ns/pid", pids, sizeof pids - 1) < 0) pids[0] = '\0';
    std::string boot;
    try {
      boot = read_file("/proc/sys/kernel/random/boot_id", 100);
    } catch (const DataError&) {  // no Linux: the host has to do
    }
    char text[9];
    std::snprintf(text, sizeof text, "%08x",
                  static_cast<uint32_t>(std::hash<std::string>()(boot + host + pids)));
    return std::string(text);
  }();
  return place + "-" + std::to_string(::getpid());
}

// ---- what a signal has to remove ----------------------------------------------------------------

namespace {

// A file that is being written. The path is complete before `state` says so.
struct HalfWritten {
  enum State { kFree, kTaken, kNamed };
  std::atomic<State> state{kFree};
  char path[4096] = {};
};
static_assert(std::atomic<HalfWritten::State>::is_always_lock_free,
              "a signal handler must not wait");
HalfWritten half_written[16];

void remember(const std::string& path) {
  if (path.size() >= sizeof(HalfWritten::path)) return;
  for (HalfWritten& file : half_written) {
    auto expected = HalfWritten::kFree;
    if (!file.state.compare_exchange_strong(expected, HalfWritten::kTaken)) continue;
    path.copy(file.path, path.size());
    file.path[path.size()] = '\0';
    file.state = HalfWritten::kNamed;
    return;
  }
}

void forget(const std::string& path) {
  for (HalfWritten& file : half_written) {
    if (file.state != HalfWritten::kNamed || path != file.path) continue;
    file.state = HalfWritten::kFree;
    return;
  }
}

}  // namespace

void remove_half_written_files() noexcept {
  for (const HalfWritten& file : half_written) {
    if (file.state == HalfWritten::kNamed) ::unlink(file.path);
  }
}

// ---- writing ------------------------------------------------------------------------------------

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), temporary_(path + ".tmp-" + process_name()) {
  static std::atomic<uint64_t> made{
      0};  // several of one path at a time write to files of their own
  temporary_ += "-" + std::to_string(made++);
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw DataError(path + ": cannot write: exists and is not a regular file");
  }
  // A killed process with the same number may have left its file. O_EXCL follows no link that
  // somebody put there.
  ::unlink(temporary_.c_str());
  remember(temporary_);
  descriptor_ =
      Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor_ >= 0) return;
  const int error = errno;
  forget(temporary_);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (error == ENOENT && !folder.empty() && !path_exists(folder)) {
    throw DataError(path + ": cannot write: there is no folder " + folder.string());
  }
  errno = error;
  fail(path, "cannot write");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::unlink(temporary_.c_str());
  forget(temporary_);
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kBufferBytes - buffer_.size());
    buffer_.append(part);
    bytes.remove_prefix(part.size());
    if (buffer_.size() == kBufferBytes) flush();
  }
}

void AtomicFile::flush() {
  if (!write_all(descriptor_, buffer_)) fail(path_, "cannot write");
  buffer_.clear();
}

void AtomicFile::sync() {
  flush();
  if (::fsync(descriptor_) != 0) fail(path_, "cannot sync");
}

void AtomicFile::commit() {
  check_internal(descriptor_ >= 0, "AtomicFile: commit() was called twice");
  sync();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot rename to");
  forget(temporary_);
  descriptor_ = Descriptor();
  sync_directory_of(path_);
}

void check_writable(const std::string& path) {
  const AtomicFile file(path);
}

void check_can_be_made(const std::string& path) {
  std::filesystem::path first = path;  // that is missing
  while (first.has_parent_path() && first.has_relative_path() &&
         !path_exists(first.parent_path())) {
    first = first.parent_path();
  }
  check_writable(first.string());
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace heed
