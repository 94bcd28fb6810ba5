// How much of the machine this process may use: all of it, or less if a control group (a container,
// a batch system) sets a limit. The smallest limit of its group and of all groups above it counts
// (cgroups(7), versions 1 and 2). The paths are parameters for tests.
#pragma once

#include <string>

namespace heed {

// Bytes of memory; a limit on the process's address space (ulimit -v) counts too.
double usable_memory(const std::string& own_groups = "/proc/self/cgroup",
                     const std::string& groups = "/sys/fs/cgroup");

// The number of threads that can run at the same time: the processors that the process may run on,
// or, with a quota of processor time (docker --cpus, cpu.max), its whole processors, at least 1.
int usable_processors(const std::string& own_groups = "/proc/self/cgroup",
                      const std::string& groups = "/sys/fs/cgroup");

// A human-readable number of bytes, rounded down: "3 KiB", "12 MiB".
std::string size_text(double bytes);

}  // namespace heed
