#include "tensor/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

// A number, or "max" or no file: no limit.
double read_limit(const fs::path& path) {
  double bytes = 0;
  return std::ifstream(path) >> bytes ? bytes : kNone;
}

// The smallest limit of a group and of those above it, up to the root. In a container the group's
// path may be that of the host, which is not there: the root is what counts then.
double group_limit(const fs::path& root, const std::string& group, const char* file) {
  double limit = read_limit(root / file);
  fs::path at = root;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    limit = std::min(limit, read_limit(at / file));
  }
  return limit;
}

}  // namespace

double usable_memory(const std::string& own_groups, const std::string& groups) {
  double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  std::ifstream lines(own_groups);
  // "0::/group" of version 2, "7:cpu,memory:/group" of version 1
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      memory = std::min(memory, group_limit(groups, group, "memory.max"));
    } else if (controllers.find(",memory,") != controllers.npos) {
      memory = std::min(memory,
                        group_limit(fs::path(groups) / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return memory;
}

}  // namespace heed
