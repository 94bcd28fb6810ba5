#include "base/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

// A number, or "max" or no file: no limit.
double read_number(const fs::path& path) {
  double number = 0;
  return std::ifstream(path) >> number ? number : kNone;
}

// Processors of a group: time that it gets in each period, "200000 100000" or "max 100000".
double read_quota(const fs::path& group) {  // version 2
  double time = 0, period = 0;
  return std::ifstream(group / "cpu.max") >> time >> period && period > 0 ? time / period : kNone;
}
double read_old_quota(const fs::path& group) {  // version 1, where -1 is none
  const double time = read_number(group / "cpu.cfs_quota_us");
  const double period = read_number(group / "cpu.cfs_period_us");
  return time > 0 && period > 0 && period < kNone ? time / period : kNone;
}

// The smallest limit of a group and of those above it, up to the root. In a container the group's
// path may be that of the host, which is not there: the root is what counts then.
template <class Read>
double group_limit(const fs::path& root, const std::string& group, Read read) {
  double limit = read(root);
  fs::path at = root;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    limit = std::min(limit, read(at));
  }
  return limit;
}

// The limit of the process's groups, as read(group) has it with version 2 and read_old(group) with
// version 1, where each controller has a hierarchy of its own.
template <class Read, class ReadOld>
double limit_of(const std::string& controller, const std::string& own_groups,
                const std::string& groups, Read read, ReadOld read_old) {
  double limit = kNone;
  std::ifstream lines(own_groups);
  // "0::/group" of version 2, "7:cpu,memory:/group" of version 1
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      limit = std::min(limit, group_limit(groups, group, read));
    } else if (controllers.find("," + controller + ",") != controllers.npos) {
      limit = std::min(limit, group_limit(fs::path(groups) / controller, group, read_old));
    }
  }
  return limit;
}

}  // namespace

double usable_memory(const std::string& own_groups, const std::string& groups) {
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double limit = limit_of(
      "memory", own_groups, groups,
      [](const fs::path& group) { return read_number(group / "memory.max"); },
      [](const fs::path& group) { return read_number(group / "memory.limit_in_bytes"); });
  rlimit space{};
  const bool limited = ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  return std::min({machine, limit, limited ? static_cast<double>(space.rlim_cur) : kNone});
}

int usable_processors(const std::string& own_groups, const std::string& groups) {
  const double all = std::thread::hardware_concurrency();  // of the affinity mask
  const double quota = limit_of("cpu", own_groups, groups, read_quota, read_old_quota);
  return static_cast<int>(std::max(1.0, std::min(all, quota)));
}

std::string size_text(double bytes) {
  constexpr double kKiB = 1 << 10, kMiB = 1 << 20;
  const bool large = bytes >= kMiB;
  return std::to_string(static_cast<int64_t>(bytes / (large ? kMiB : kKiB))) +
         (large ? " MiB" : " KiB");
}

}  // namespace heed
