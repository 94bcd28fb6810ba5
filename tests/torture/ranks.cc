// What is done to trainings on several ranks.
#include <signal.h>

#include <fstream>
#include <random>
#include <thread>

#include "tests/torture/rows.h"

namespace torture {
namespace {

std::vector<pid_t> children_of(pid_t id) {
  const std::string name = std::to_string(id);
  std::ifstream list("/proc/" + name + "/task/" + name + "/children");
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

// Kills a rank, or the process that has started them; false where all has ended already.
bool kill_one(Process& process, std::mt19937_64& random) {
  if (!process.running()) return false;
  std::vector<pid_t> all = children_of(process.id());
  all.push_back(process.id());
  ::kill(all[random() % all.size()], SIGKILL);
  return true;
}

}  // namespace

// Each run is killed one to three times, each time with another number of ranks, and goes on with
// one process.
Row killed_ranks(const Settings& settings, const Budget& budget) {
  Row row{.what = "SIGKILL of one of 2 to 4 ranks"};
  std::mt19937_64 random(budget.seed + 2);
  const Training training(settings, "static-ui", 1, kTiny + Arguments{"--pieces", "4"});
  for (int i = 0; row.injected < std::max(3, budget.kills / 4); ++i) {
    const Folder folder;
    const std::string where = training.name() + ", run " + std::to_string(i);
    const int times = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < times; ++k) {
      const auto ranks = static_cast<double>(2 + random() % 3);
      Process process(training.command(folder / "run") +
                      Arguments{"--ranks", std::to_string(static_cast<int>(ranks))});
      const double longest = 1.1 * ranks * training.seconds();
      const double instant = std::uniform_real_distribution<double>(0, longest)(random);
      std::this_thread::sleep_for(std::chrono::duration<double>(instant));
      if (!kill_one(process, random)) break;
      const Outcome outcome = process.wait();
      ++row.injected;
      if (outcome.signal != SIGKILL) row.judge(where, outcome);
    }
    row.finish(where, training, folder / "run");
  }
  return row;
}

}  // namespace torture
