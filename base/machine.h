// What this process may use of the machine: all of it, or less where a control group (a container,
// a batch system) sets a limit. The smallest one counts, of its group and of all groups above it
// (cgroups(7), versions 1 and 2). The paths are for tests.
#pragma once

#include <string>

namespace heed {

// Bytes of memory; a limit on the process's address space (ulimit -v) counts too.
double usable_memory(const std::string& own_groups = "/proc/self/cgroup",
                     const std::string& groups = "/sys/fs/cgroup");

// Threads that can run at the same time: the processors that the process may run on, or fewer where
// there is a quota of processor time (docker --cpus, cpu.max): its whole processors, at least 1.
int usable_processors(const std::string& own_groups = "/proc/self/cgroup",
                      const std::string& groups = "/sys/fs/cgroup");

// A number of bytes for people: "3 KiB", "12 MiB", rounded down.
std::string size_text(double bytes);

}  // namespace heed
