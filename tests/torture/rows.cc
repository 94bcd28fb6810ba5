#include "tests/torture/rows.h"

#include <signal.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <thread>

namespace torture {
namespace {

namespace fs = std::filesystem;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// A place between 0 and a bit beyond the end of a training.
double random_instant(const Training& training, std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(0, 1.1 * training.seconds())(random);
}

// Puts a fault into every stride-th call of each training; returns the row.
Row walk(const std::string& what, const Trainings& trainings, int stride, const std::string& kind,
         const std::string& action, bool from_then_on = false) {
  Row row{.what = what};
  int turn = 0;  // so that strides of different trainings hit different calls
  for (const Training& training : trainings) {
    for (int call = 1 + turn++ % stride; call <= training.calls(); call += stride) {
      const Folder folder;
      const std::string out = folder / "run", at = std::to_string(call);
      const std::string fault = kind + ":" + at + (from_then_on ? "+" : "") + ":" + action;
      const std::string where = training.name() + ", " + fault;
      const Outcome outcome = run(training.command(out), training.with_fault(out, fault));
      ++row.injected;
      if (action != "kill") row.judge(where, outcome);
      if (outcome.code == 0 && !training.difference(out).empty()) {
        row.problems.push_back(where + ": says it went well, but " + training.difference(out));
      }
      if (fs::exists(out + ".gone")) {
        fs::remove_all(out);  // which the program may have made anew
        fs::rename(out + ".gone", out);
      }
      row.finish(where, training, out);
    }
  }
  return row;
}

}  // namespace

void Row::judge(const std::string& where, const Outcome& outcome) {
  hung += outcome.hung;
  crashed += outcome.signal != 0 && !outcome.hung;
  if (!outcome.orderly()) problems.push_back(where + ": " + outcome.text());
}

void Row::finish(const std::string& where, const Training& training, const std::string& out) {
  ++expected;
  if (const std::string text = training.resume(out); !text.empty()) {
    problems.push_back(where + ": " + text);
    return;
  }
  ++resumed;
  if (const std::string text = training.difference(out); !text.empty()) {
    problems.push_back(where + ": " + text);
    return;
  }
  ++identical;
}

// Each run is killed one to three times.
Row random_kills(const Trainings& trainings, const Budget& budget) {
  Row row{.what = "SIGKILL at random instants"};
  std::mt19937_64 random(budget.seed);
  for (int i = 0; row.injected < budget.kills; ++i) {
    const Training& training = trainings[i % trainings.size()];
    const Folder folder;
    const int times = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < times; ++k) {
      Process process(training.command(folder / "run"));
      sleep_for(random_instant(training, random));
      if (!process.running()) break;  // too late, it is done
      process.send(SIGKILL);
      process.wait();
      ++row.injected;
    }
    row.finish(training.name() + ", run " + std::to_string(i), training, folder / "run");
  }
  return row;
}

Row kills_at_calls(const Trainings& trainings, const Budget& budget) {
  return walk("SIGKILL before a call that writes", trainings, budget.stride, "any", "kill");
}

Row signals(const Trainings& trainings, const Budget& budget) {
  Row row{.what = "SIGTERM and SIGINT at random instants"};
  std::mt19937_64 random(budget.seed + 1);
  for (int i = 0; row.injected < std::max(2, budget.kills / 4); ++i) {
    const Training& training = trainings[i % trainings.size()];
    const Folder folder;
    const std::string where = training.name() + ", signal " + std::to_string(i);
    const int signal = i % 2 ? SIGINT : SIGTERM;
    Process process(training.command(folder / "run"));
    sleep_for(random_instant(training, random));
    if (process.running()) ++row.injected;
    process.send(signal);
    const Outcome outcome = process.wait();
    // Before it trains a signal may end it as it ends any program: there is nothing to lose yet.
    if (outcome.signal != signal) row.judge(where, outcome);
    const auto says = [&](const char* text) { return outcome.out.find(text) != std::string::npos; };
    if (says("left out (no response)") && !says("--resume continues") && !says("done: ")) {
      row.problems.push_back(where + ": does not say how to go on");
    }
    row.finish(where, training, folder / "run");
  }
  return row;
}

std::vector<Row> failing_calls(const Trainings& trainings, const Budget& budget) {
  const int stride = budget.stride;
  return {walk("ENOSPC, from a call on", trainings, stride, "any", "ENOSPC", true),
          walk("EIO in one call", trainings, stride, "any", "EIO"),
          walk("EROFS, from a call on", trainings, stride, "any", "EROFS", true),
          walk("EINTR in one write", trainings, 2 * stride, "write", "EINTR"),
          walk("a short write", trainings, 2 * stride, "write", "short")};
}

Row vanishing_folder(const Trainings& trainings, const Budget& budget) {
  return walk("the folder vanishes before a call", trainings, 2 * budget.stride, "any", "vanish");
}

// The disk is full after so many bytes, in the middle of a write.
Row full_disk(const Trainings& trainings, const Budget& budget) {
  Row row{.what = "the disk is full after N bytes"};
  for (const Training& training : trainings) {
    // A training writes several checkpoints, each about half of what it leaves.
    const long step = std::max(1L, 4 * training.bytes() / 40 * budget.stride);
    for (long bytes = step / 2; bytes < 4 * training.bytes(); bytes += step) {
      const Folder folder;
      const std::string out = folder / "run";
      Conditions conditions = training.with_fault(out, "none:0:none");
      conditions.environment["HEED_FAULT_BYTES"] = std::to_string(bytes);
      const std::string where = training.name() + ", " + std::to_string(bytes) + " bytes";
      const Outcome outcome = run(training.command(out), conditions);
      ++row.injected;
      row.judge(where, outcome);
      if (outcome.code != 0 && outcome.err.find("No space left on device") == std::string::npos) {
        row.problems.push_back(where + ": " + outcome.text());
      }
      row.finish(where, training, out);
    }
  }
  return row;
}

// A byte of the newest checkpoint or its state is flipped, or the file is cut.
Row damaged_checkpoints(const Trainings& trainings, const Budget& budget) {
  Row row{.what = "the newest checkpoint is damaged"};
  std::mt19937_64 random(budget.seed + 2);
  for (int i = 0; i < std::max(2, budget.kills / 4); ++i) {
    const Training& training = trainings[i % trainings.size()];
    const Folder folder;
    const std::string out = folder / "run";
    const Outcome whole = run(training.command(out));
    const std::string file = out + (i % 2 ? "/state.json" : "/checkpoint-2-0.safetensors");
    std::string bytes = read_file(file);
    const size_t at = random() % bytes.size();
    if (i % 3 == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
    write_file(file, bytes);
    const std::string where =
        training.name() + ", " + fs::path(file).filename().string() + " at " + std::to_string(at);
    ++row.injected;
    row.judge(where, whole);
    row.finish(where, training, out);
  }
  return row;
}

// As with `ulimit -v`: from half of what it needs to all of it.
Row little_memory(const Settings& settings, const Budget& budget) {
  Row row{.what = "little memory (ulimit -v)"};
  for (size_t s = 0; s < kStructures.size(); s += static_cast<size_t>(budget.stride)) {
    const Training training(settings, kStructures[s], 1 + static_cast<int>(s % 2), kLarger);
    const auto run_with = [&](size_t bytes, const std::string& out) {
      return run(training.command(out), {.address_space = bytes});
    };
    size_t enough = size_t{16} << 20;
    for (Outcome outcome; outcome.code != 0 && enough < size_t{8} << 30; enough += enough / 8) {
      const Folder folder;
      outcome = run_with(enough, folder / "run");
    }
    const size_t count = std::max(3, 24 / budget.stride);
    for (size_t i = 0; i < count; ++i) {
      const Folder folder;
      const size_t bytes = enough / 2 + enough / 2 * i / count;
      const std::string where = training.name() + ", " + std::to_string(bytes >> 10) + " KiB";
      const Outcome outcome = run_with(bytes, folder / "run");
      if (outcome.code == 127) continue;  // not even the dynamic loader could start
      ++row.injected;
      row.judge(where, outcome);
      if (outcome.code != 0 && outcome.err.find("memory") == std::string::npos) {
        row.problems.push_back(where + ": " + outcome.text());
      }
      row.finish(where, training, folder / "run");
    }
  }
  return row;
}

// "write /tmp/x/run/log.jsonl.tmp-17" -> the rule that is broken there, or "".
class SyncRules {
 public:
  std::string hear(const std::string& call, const std::string& path) {
    const bool of_folder = call == "fsync" && path == waiting_;
    if (!waiting_.empty() && !of_folder) {
      return waiting_ + " was not synced after a rename in it, before: " + call + " " + path;
    }
    if (call == "write") unsynced_.insert(path);
    if (call == "fsync") unsynced_.erase(path);
    if (of_folder) waiting_.clear();
    if (call == "rename") {
      if (unsynced_.contains(path)) return path + " was renamed before it was synced";
      waiting_ = fs::path(path).parent_path().string();
    }
    return "";
  }

 private:
  std::set<std::string> unsynced_;
  std::string waiting_;  // a folder in which something was renamed
};

Row synced_files(const Trainings& trainings) {
  Row row{.what = "files and folders are synced in order"};
  for (const Training& training : trainings) {
    const Folder folder;
    const std::string out = folder / "run", log = folder / "log";
    Conditions conditions = training.with_fault(out, "none:0:none");
    conditions.environment["HEED_FAULT_LOG"] = log;
    row.judge(training.name(), run(training.command(out), conditions));
    SyncRules rules;
    std::istringstream calls(read_file(log));
    bool made = false;  // the folder itself
    for (std::string call, path; calls >> call >> path; ++row.injected) {
      made = made || (call == "fsync" && path == out);
      const std::string broken = rules.hear(call, path);
      if (!broken.empty()) row.problems.push_back(training.name() + ": " + broken);
      if (!broken.empty()) break;
    }
    if (!made) row.problems.push_back(training.name() + ": says nothing of its calls");
    row.finish(training.name(), training, out);
  }
  return row;
}

Row two_at_once(const Trainings& trainings) {
  Row row{.what = "a second process on the run"};
  for (const Training& training : trainings) {
    const Folder folder;
    const std::string out = folder / "run";
    // The first one stops itself, so that it is surely there when the second one comes.
    Process first(training.command(out), training.with_fault(out, "fsync:4:stop"));
    while (first.running() && !first.stopped()) sleep_for(0.002);
    const Outcome second = run(training.command(out));
    ++row.injected;
    row.judge(training.name(), second);
    const std::string owner = "(process id " + std::to_string(first.id()) + ")";
    if (second.code != 1 || second.err.find(owner) == std::string::npos) {
      row.problems.push_back(training.name() + ": was not refused: " + second.text());
    }
    first.send(SIGKILL);
    first.wait();
    row.finish(training.name(), training, out);
  }
  return row;
}

}  // namespace torture
