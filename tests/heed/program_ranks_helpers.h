// Runs the program on the ranks of a launcher, where there is one.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "tests/heed/program_helpers.h"

namespace heed {

inline const Arguments kOneThread = {"--threads", "1"};

inline bool has_mpi() {
  return heed_program({"--version"}).out.find("no MPI") == std::string::npos &&
         std::system("command -v mpirun > /dev/null 2>&1") == 0;
}

// The first rank, and the others, which may be started with other arguments.
inline Result mpirun(int ranks, const Arguments& arguments, const Arguments& of_others) {
  const TempDir dir;
  std::string command = "exec mpirun --oversubscribe --allow-run-as-root --mca btl self,vader";
  const auto add = [&](int count, const Arguments& those) {
    command += " -n " + std::to_string(count) + " '" + std::string(kProgramPath) + "'";
    for (const std::string& a : those) command += " '" + a + "'";
  };
  add(1, arguments);
  if (ranks > 1) command += " :", add(ranks - 1, of_others);
  const int status = std::system(
      (command + " > " + dir.path("out") + " 2> " + dir.path("err") + " < /dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), dir.read("out"),
          dir.read("err")};
}

inline Result mpirun(int ranks, const Arguments& arguments) {
  return mpirun(ranks, arguments, arguments);
}

// The same with --data at another place.
inline Arguments reading(Arguments arguments, const std::string& data) {
  std::replace(arguments.begin(), arguments.end(), kSample, data);
  return arguments;
}

// A data directory that cannot be read: its parts are empty. It has the name of the sample.
inline std::string unreadable(const TempDir& dir) {
  for (const char* part : {"train", "valid", "test"}) {
    dir.write(std::string("unreadable/ubuntu-sample/") + part + ".jsonl", "");
  }
  return dir.path("unreadable/ubuntu-sample");
}

}  // namespace heed
