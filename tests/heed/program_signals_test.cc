// Ctrl-C and its like: a checkpoint first, and then the end that a shell expects of a signal.
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Waits until a file holds the text.
bool wait_for(const TempDir& dir, const std::string& file, const std::string& text) {
  return wait_until([&] { return has(dir.read(file), text); });
}

const char* const kBegun = "left out (no response)";  // said when signals are waited for

// Epochs of many short steps; 100000 of them would take hours.
Arguments training(const std::string& out, const std::string& epochs) {
  const Arguments all = with(tiny_training(out), "--examples", "all");
  return with(all, "--epochs", epochs) + Arguments{"--batch", "2"};
}

class Signals : public testing::Test {
 protected:
  // Starts a training and waits until it trains.
  Running start(const Arguments& command) {
    fs::remove(dir.path("out"));  // of the one before
    Running program(command, dir, dir.path("out"));
    EXPECT_TRUE(wait_for(dir, "out", kBegun)) << dir.read("stderr");
    return program;
  }
  void expect_stopped_by(int signal, Running& program) {
    EXPECT_EQ(program.wait(), -signal) << dir.read("stderr");
    EXPECT_TRUE(has(dir.read("out"), "stopped: the same command with --resume")) << dir.read("out");
    EXPECT_EQ(dir.read("stderr"), "");
    EXPECT_TRUE(fs::exists(dir.path("run/state.json")));
  }

  const TempDir dir;
};

TEST_F(Signals, EndATrainingAfterItsCheckpoint) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove_all(dir.path("run"));
    Running program = start(training(dir.path("run"), "100000"));
    program.send(signal);
    expect_stopped_by(signal, program);
  }
}

// As `timeout` sends them: to the process, and then to its group.
TEST_F(Signals, TwoInQuickSuccessionAreOne) {
  for (const int gap : {0, 1, 100}) {
    for (const int second : {SIGINT, SIGTERM}) {
      fs::remove_all(dir.path("run"));
      Running program = start(training(dir.path("run"), "100000"));
      program.send(SIGINT);
      std::this_thread::sleep_for(milliseconds(gap));
      program.send(second);
      expect_stopped_by(SIGINT, program);
    }
  }
}

// A step of many seconds: who cannot wait for its end asks again.
TEST_F(Signals, ALaterSecondOneEndsItAtOnce) {
  Arguments command = training(dir.path("run"), "1");
  for (const char* const option : {"--batch", "--hidden", "--limit", "--vocab"}) {
    const bool is_hidden = std::string(option) == "--hidden";
    *(std::find(command.begin(), command.end(), option) + 1) = is_hidden ? "1500" : "2000";
  }
  Running program = start(command);
  program.send(SIGINT);
  std::this_thread::sleep_for(milliseconds(1200));
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), -SIGINT);
  EXPECT_FALSE(has(dir.read("out"), "stopped")) << "the step was too short for this test";
  EXPECT_FALSE(fs::exists(dir.path("run/state.json")));
}

TEST_F(Signals, ThatAreIgnoredStaySo) {
  std::signal(SIGHUP, SIG_IGN);  // as nohup does; children inherit it
  Running program = start(training(dir.path("run"), "1"));
  std::signal(SIGHUP, SIG_DFL);
  program.send(SIGHUP);
  EXPECT_EQ(program.wait(), 0) << dir.read("stderr");
  EXPECT_TRUE(has(dir.read("out"), "done: ")) << dir.read("out");
}

TEST_F(Signals, EndAnExperiment) {
  Running program({"reproduce", "--data", kSample, "--out", dir.path("runs"), "--preset", "smoke",
                   "--limit", "60", "--hidden", "8", "--epochs", "100000", "--only",
                   "static-ui-p0*", "--jobs", "2", "--threads", "1"},
                  dir, dir.path("out"));
  ASSERT_TRUE(wait_for(dir, "out", "epoch  1 of")) << dir.read("stderr");
  program.send_to_all(SIGINT);  // as a terminal does
  EXPECT_EQ(program.wait(), -SIGINT) << dir.read("stderr");
  EXPECT_TRUE(has(dir.read("out"), "stopped: 0 of 5 runs done; the same command continues"))
      << dir.read("out");
  EXPECT_FALSE(has(dir.read("out"), "was ended by signal")) << dir.read("out");
  int checkpoints = 0;
  for (const auto& run : fs::directory_iterator(dir.path("runs"))) {
    checkpoints += fs::exists(run.path() / "state.json");
  }
  EXPECT_GE(checkpoints, 1);
}

// A command that has nothing to save says one line, is ended as any other, and leaves nothing half
// written.
TEST_F(Signals, AnEvaluationLeavesNoFile) {
  fs::create_directory(dir.path("place"));
  Arguments command = {"evaluate",
                       "--model",
                       kModel,
                       "--data",
                       kSample,
                       "--batch",
                       "1",
                       "--threads",
                       "1",
                       "--json",
                       dir.path("place/results.json")};
  Running program(command, dir, dir.path("out"));
  ASSERT_TRUE(program.catches(SIGINT));
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), -SIGINT) << dir.read("stderr");
  EXPECT_EQ(dir.read("stderr"), "heed: stopped by Ctrl-C (SIGINT) before the end\n");
  EXPECT_TRUE(fs::is_empty(dir.path("place")));
}

TEST_F(Signals, WhatIsHalfWrittenIsRemoved) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    fs::remove_all(dir.path("place"));
    Running program({"prepare", "split", "--by", "dialogue", "--in", kSample + "/train.jsonl.gz",
                     "--out", dir.path("place")},
                    dir, dir.path("out"));
    const auto writes = [&] {
      std::error_code ignored;
      return fs::exists(dir.path("place"), ignored) && !fs::is_empty(dir.path("place"), ignored);
    };
    for (int i = 0; i < 60000 && !writes(); ++i) std::this_thread::sleep_for(milliseconds(1));
    program.send(signal);
    EXPECT_EQ(program.wait(), -signal) << "too fast for this test: " << dir.read("out");
    EXPECT_EQ(dir.read("stderr"), std::string("heed: stopped by ") +
                                      (signal == SIGTERM ? "SIGTERM" : "SIGHUP") +
                                      " before the end\n");
    EXPECT_TRUE(fs::is_empty(dir.path("place")));
  }
}

// ---- in a shell on a terminal -------------------------------------------------------------------

// Runs a script of bash on a terminal of its own, presses Ctrl-C when `when` is to be read, and
// returns all that was to be read.
std::string on_a_terminal(const std::string& script, const std::string& when) {
  int terminal = -1;
  const pid_t id = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (id == 0) {
    alarm(300);
    execlp("bash", "bash", "-c", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string text;
  bool pressed = false;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(terminal, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<size_t>(got));
    if (pressed || !has(text, when)) continue;
    pressed = write(terminal, "\x03", 1) == 1;
  }
  close(terminal);
  waitpid(id, nullptr, 0);
  return text;
}

TEST_F(Signals, CtrlCEndsALoopAndAChain) {
  const std::string heed = "'" + std::string(kProgramPath) + "' ";
  const std::string train = heed + join(training(dir.path("run") + "$seed", "100000"));
  for (const std::string& script :
       {"for seed in 1 2 3; do " + train + "; echo went on; done; echo went on",
        "seed=1; " + train + " && echo went on"}) {
    fs::remove_all(dir.path("run1"));
    const std::string text = on_a_terminal(script, kBegun);
    EXPECT_TRUE(has(text, "stopped: the same command")) << text;
    EXPECT_FALSE(has(text, "went on")) << text;
    EXPECT_TRUE(fs::exists(dir.path("run1/state.json")));
    EXPECT_FALSE(fs::exists(dir.path("run2")));
  }
}

}  // namespace
}  // namespace heed
