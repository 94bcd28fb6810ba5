// What the tests of the commands that measure a model have in common: a trained model, and
// dialogues of which not everything can be read.
#pragma once

#include <pty.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/heed/program_helpers.h"
#include "tests/paths.h"

namespace heed {

// A model that reads 4 utterances of 10 tokens.
class ProgramWithRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(tiny_training(run()) + Arguments{"--insert-prob", "0.7"});
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string run() { return shared->path("run"); }

  static nlohmann::json json_of(const Arguments& command) {
    const Result r = heed_program(command);
    EXPECT_EQ(r.code, 0) << join(command) << r.err;
    return nlohmann::json::parse(r.out, nullptr, false);
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

// Everything that a command shows on a terminal of 120 columns, where `typed` is typed.
inline std::string on_terminal(const Arguments& arguments, const std::string& typed = "") {
  std::vector<char*> argv = {const_cast<char*>(kProgramPath)};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const winsize size = {.ws_row = 24, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t id = forkpty(&terminal, nullptr, nullptr, &size);
  if (id == 0) {
    alarm(300);
    execv(kProgramPath, argv.data());
    _exit(127);
  }
  std::string shown;
  char buffer[4096];
  EXPECT_EQ(write(terminal, typed.data(), typed.size()), std::ssize(typed));
  for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) shown.append(buffer, n);
  close(terminal);
  waitpid(id, nullptr, 0);
  return shown;
}

// A line of a file. A text that begins with "*" is marked as a distraction.
inline std::string dialogue(const std::string& id, const std::vector<std::string>& texts) {
  nlohmann::ordered_json json = {{"id", id}};
  for (const std::string& text : texts) {
    if (text[0] == '*') {
      json["turns"].push_back({{"text", text.substr(1)}, {"distraction", true}});
    } else {
      json["turns"].push_back({{"text", text}});
    }
  }
  return json.dump() + "\n";
}

// "a a a"
inline std::string repeated(int tokens) {
  std::string text = "a";
  for (int i = 1; i < tokens; ++i) text += " a";
  return text;
}

// For a model that reads 4 utterances of 10 tokens, and 50 of a response.
inline std::string odd_dialogues(const TempDir& dir) {
  std::vector<std::string> fifteen(15, "hello there");
  fifteen[1] = "*would you have lunch ?";
  return dir.write("odd.jsonl", dialogue("long", fifteen) + dialogue("short", {"a", "b"}) +
                                    dialogue("wide", {"a", repeated(11), "b", repeated(51)}) +
                                    dialogue("marked", {"a", "b", "*c"}) +
                                    dialogue("shorter", {"a"}));
}

// The key "heed" of a result: the same keys for every command.
inline void expect_made_with(const nlohmann::json& heed, const std::string& command) {
  std::set<std::string> keys;
  for (const auto& [key, value] : heed.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"version", "commit", "command", "date", "device", "gpu",
                                         "matmul", "dtype", "threads", "kernels", "cpu", "cores"}));
  EXPECT_TRUE(std::regex_match(heed["version"].get<std::string>(), std::regex(R"(\d+\.\d+\.\d+)")));
  EXPECT_TRUE(std::regex_match(heed["commit"].get<std::string>(),
                               std::regex("[0-9a-f]{12}(-dirty)?|unknown")))
      << heed["commit"];
  EXPECT_TRUE(std::regex_match(heed["date"].get<std::string>(),
                               std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_EQ(heed["command"], command);
  EXPECT_EQ(heed["device"], "cpu");
  EXPECT_EQ(heed["gpu"], nullptr);
  EXPECT_EQ(heed["matmul"], "f32");
  for (const char* key : {"kernels", "cpu"}) EXPECT_NE(heed[key].get<std::string>(), "") << key;
  EXPECT_GE(heed["threads"], 1);
  EXPECT_GE(heed["cores"], 1);
}

// A run as an older version left it, in tests/heed; expected-log.jsonl is how that version went on.
// Numbers may differ in the last digits, as another processor has another order of sums.
inline void expect_kept_run_goes_on(const std::string& folder, const Arguments& command) {
  const TempDir old;
  std::filesystem::copy(source_dir() + "/tests/heed/" + folder, old.path("run"),
                        std::filesystem::copy_options::recursive);
  const Result r = heed_program(command + Arguments{"--data", kSample, "--out", old.path("run"),
                                                    "--resume", "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(old.read("run/log.jsonl")), expected(old.read("run/expected-log.jsonl"));
  int count = 0;
  for (std::string line, wanted; std::getline(expected, wanted); ++count) {
    ASSERT_TRUE(std::getline(lines, line)) << count;
    const auto got = nlohmann::json::parse(line), want = nlohmann::json::parse(wanted);
    ASSERT_GE(got.size(), want.size()) << line;  // a column may have come later
    for (const auto& [name, value] : want.items()) {
      if (!value.is_number()) continue;
      EXPECT_NEAR(got.at(name).get<double>(), value.get<double>(), 1e-4 * value.get<double>())
          << name;
    }
  }
  EXPECT_GE(count, 2);
}

}  // namespace heed
