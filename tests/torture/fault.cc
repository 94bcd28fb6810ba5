// Makes system calls fail, for programs that are started with LD_PRELOAD=libheed_fault.so. Only
// calls that change a file below a folder are counted and can fail:
//   HEED_FAULT_BELOW=FOLDER
//   HEED_FAULT=CALL:N:ACTION   the Nth call (from 1) of CALL: open, write, fsync, rename, or any of
//                              them. N+ means the Nth and all later ones.
//                              ACTION is an errno name: ENOSPC, EIO, ...; short (a write of half
//                              the bytes), kill or stop (SIGKILL, SIGSTOP before the call), vanish
//                              (the folder is renamed to FOLDER.gone before it)
//   HEED_FAULT_BYTES=N         the disk is full after N bytes
//   HEED_FAULT_COUNT=FILE      the number of calls, written when the program ends
//   HEED_FAULT_LOG=FILE        a line for each of the calls: its name and the file
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

template <class Function> Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Plan {
  Plan() {
    const std::string text = variable("HEED_FAULT");
    const size_t first = text.find(':'), second = text.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return;
    call = text.substr(0, first);
    at = std::strtol(text.c_str() + first + 1, nullptr, 10);
    from_then_on = text[second - 1] == '+';
    action = text.substr(second + 1);
  }

  std::string call, action;
  long at = 0;
  bool from_then_on = false;
  const std::string below = variable("HEED_FAULT_BELOW");
  const std::string bytes = variable("HEED_FAULT_BYTES");
  long bytes_left = bytes.empty() ? LONG_MAX : std::strtol(bytes.c_str(), nullptr, 10);
  long calls = 0;    // of any kind
  long matched = 0;  // of the kind of `call`
};

Plan& plan() {
  static Plan* instance = new Plan;  // lives until the very end
  return *instance;
}

int number_of(const std::string& name) {
  const std::pair<const char*, int> known[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},
                                               {"EROFS", EROFS},   {"EACCES", EACCES},
                                               {"EDQUOT", EDQUOT}, {"EINTR", EINTR}};
  for (const auto& [text, number] : known) {
    if (name == text) return number;
  }
  std::fprintf(stderr, "HEED_FAULT: unknown action %s\n", name.c_str());
  std::abort();
}

bool is_below(const std::string& path) {
  return !plan().below.empty() && path.rfind(plan().below + "/", 0) == 0;
}

std::string path_of(int descriptor) {
  char path[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return readlink(link.c_str(), path, sizeof path - 1) > 0 ? path : "";
}

bool is_below(int descriptor) {
  const std::string path = path_of(descriptor);
  return is_below(path) || (!path.empty() && plan().below == path);
}

void note(const char* call, const std::string& path) {
  static const std::string log = variable("HEED_FAULT_LOG");
  if (log.empty()) return;
  static FILE* const file = std::fopen(log.c_str(), "a");
  std::fprintf(file, "%s %s\n", call, path.c_str());
  std::fflush(file);
}

// Counts a call, and does what is planned for it. Returns true if it shall fail, with errno set;
// `half` is set for a short write.
bool strikes(const char* call, bool* half = nullptr) {
  Plan& p = plan();
  ++p.calls;
  if (p.call != "any" && p.call != call) return false;
  ++p.matched;
  if (p.from_then_on ? p.matched < p.at : p.matched != p.at) return false;
  if (p.action == "kill") kill(getpid(), SIGKILL);
  if (p.action == "stop") {
    kill(getpid(), SIGSTOP);
    return false;
  }
  if (p.action == "vanish") {
    real<int(const char*, const char*)>("rename")(p.below.c_str(), (p.below + ".gone").c_str());
    return false;
  }
  if (p.action == "short") {
    if (half) *half = true;
    return false;
  }
  errno = number_of(p.action);
  return true;
}

__attribute__((destructor)) void write_count() {
  const std::string path = variable("HEED_FAULT_COUNT");
  if (path.empty()) return;
  if (FILE* file = std::fopen(path.c_str(), "w")) {
    std::fprintf(file, "%ld", plan().calls);
    std::fclose(file);
  }
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & (O_WRONLY | O_RDWR)) != 0 && is_below(std::string(path))) {
    note("open", path);
    if (strikes("open")) return -1;
  }
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

extern "C" ssize_t write(int descriptor, const void* bytes, size_t size) {
  bool half = false;
  if (is_below(descriptor)) {
    note("write", path_of(descriptor));
    if (strikes("write", &half)) return -1;
    if (half && size > 1) size /= 2;
    Plan& p = plan();
    if (p.bytes_left == 0) return errno = ENOSPC, -1;
    size = std::min(size, static_cast<size_t>(p.bytes_left));
    p.bytes_left -= static_cast<long>(size);
  }
  return real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

extern "C" int fsync(int descriptor) {
  if (is_below(descriptor)) {
    note("fsync", path_of(descriptor));
    if (strikes("fsync")) return -1;
  }
  return real<int(int)>("fsync")(descriptor);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (is_below(std::string(to))) {
    note("rename", from);
    if (strikes("rename")) return -1;
  }
  return real<int(const char*, const char*)>("rename")(from, to);
}
