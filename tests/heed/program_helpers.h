// Runs the program as a user does.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/file_helpers.h"
#include "tests/paths.h"
#include "tests/wait.h"

namespace heed {

using Arguments = std::vector<std::string>;

const std::string kSample = source_dir() + "/data/ubuntu-sample";
const std::string kTestPart = kSample + "/test.jsonl.gz";
// A bundled model; it was trained with 10 turns of 50 tokens.
const std::string kTrained = source_dir() + "/data/models/trained";
const std::string kReference = source_dir() + "/tests/reference/";
const std::string kModel = kReference + "static-ui";
const std::string kDialogs = kModel + "/dialogs.jsonl";

// Sets a variable of the environment while it lives, for the programs that are started.
struct Environment {
  Environment(const char* name, const char* value) : name(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name); }
  const char* name;
};

struct Result {
  int code = -1;  // exit code; minus the signal that ended it
  std::string out, err;
};

// A program that runs. It is killed after five minutes: a hang is a failure, not a hang of the
// tests.
class Running {
 public:
  Running(const Arguments& arguments, const TempDir& dir, const std::string& out,
          const std::string& in = "/dev/null") {
    std::vector<char*> argv = {const_cast<char*>(kProgramPath)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const std::string err = dir.path("stderr");
    id_ = fork();
    if (id_ != 0) return;
    setpgid(0, 0);  // so that a signal can go to its own processes, too
    alarm(300);
    redirect(in, O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    execv(kProgramPath, argv.data());
    _exit(127);
  }
  void send(int signal) const { kill(id_, signal); }
  void send_to_all(int signal) const { kill(-id_, signal); }
  // Waits until the program has a handler of its own for the signal: before that, on a busy
  // machine, a signal finds a program that has not begun.
  bool catches(int signal) const {
    return wait_until([&] {
      std::ifstream status("/proc/" + std::to_string(id_) + "/status");
      std::string line;
      while (std::getline(status, line) && !line.starts_with("SigCgt:")) {
      }
      return line.size() > 7 && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1);
    });
  }
  int wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static void redirect(const std::string& path, int flags, int to) {
    const int fd = open(path.c_str(), flags, 0644);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
  }

  pid_t id_;
};

inline Result heed_program(const Arguments& arguments, const std::string& out = "",
                           const std::string& in = "/dev/null") {
  const TempDir dir;
  Running program(arguments, dir, out.empty() ? dir.path("stdout") : out, in);
  Result result;
  result.code = program.wait();
  if (out.empty()) result.out = dir.read("stdout");
  result.err = dir.read("stderr");
  return result;
}

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Arguments score_with(const std::string& model, const std::string& data) {
  return {"score", "--model", model, "--data", data};
}

// A training of a second: few dialogues, a tiny model.
inline Arguments tiny_training(const std::string& out) {
  return {"train", "--data",          kSample, "--out",     out, "--limit",    "60",  "--preset",
          "smoke", "--vocab",         "150",   "--hidden",  "8", "--epochs",   "1",   "--max-turns",
          "4",     "--max-utterance", "10",    "--threads", "1", "--examples", "last"};
}

// A command with another value of an option that it has.
inline Arguments with(Arguments command, const std::string& option, const std::string& value) {
  *(std::find(command.begin(), command.end(), option) + 1) = value;
  return command;
}

inline std::string join(const Arguments& arguments) {
  std::string text;
  for (const std::string& a : arguments) text += a + " ";
  return text;
}

// The cells of a printed table, which two blanks or more divide.
inline std::vector<std::vector<std::string>> printed_rows(const std::string& table) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(table);
  const std::regex gap(" {2,}");
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back(std::sregex_token_iterator(line.begin(), line.end(), gap, -1),
                      std::sregex_token_iterator());
  }
  return rows;
}

inline Result without_lines(const std::string& begin, Result r) {
  std::istringstream lines(std::exchange(r.err, {}));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(begin)) r.err += line + "\n";
  }
  return r;
}
inline Result without_warnings(Result r) {
  return without_lines("heed: warning: ", std::move(r));
}
inline Result without_notes(Result r) {
  return without_lines("heed: note: ", std::move(r));
}

// The program said what is wrong in one line, and ended with the code.
inline void expect_failure(const Result& r, int code, const std::string& says,
                           const std::string& what) {
  EXPECT_EQ(r.code, code) << what << "\n" << r.err;
  EXPECT_EQ(r.err.rfind("heed: ", 0), 0u) << what << "\n" << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << what << "\n" << r.err;
  EXPECT_NE(r.err.find(says), std::string::npos) << what << "\n" << r.err;
}

}  // namespace heed
