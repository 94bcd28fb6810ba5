#pragma once

#include <string>

namespace heed {

// Bytes of memory that this process may use: those of the machine, or fewer where a control group
// (a container, a batch system) sets a limit: the smallest one of its group and of all groups above
// it (cgroups(7), versions 1 and 2). The paths are for tests.
double usable_memory(const std::string& own_groups = "/proc/self/cgroup",
                     const std::string& groups = "/sys/fs/cgroup");

}  // namespace heed
