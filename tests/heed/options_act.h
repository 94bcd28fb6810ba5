// Whether an option changes what its command does.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "dialog/data/corpus.h"
#include "tests/heed/options_helpers.h"
#include "tests/paths.h"

namespace heed::act {

// A command, and what it leaves behind that options can change.
struct Example {
  Arguments base;
  std::string typed = "";  // on standard input
};

// An option with a value, or another way to show what it does.
struct Row {
  std::string option;
  Arguments values;            // behind the option
  Arguments with = {};         // in both runs
  const char* test = nullptr;  // that shows it, where this one cannot
};

class Act : public Options {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    std::filesystem::create_directory(data());
    for (const char* part : {"train", "valid", "test"}) {
      std::vector<Dialogue> dialogues = read_dialogues(find_part(kSample, part), 60);
      for (Dialogue& d : dialogues) {  // the same two speakers in all, for --speaker
        for (size_t i = 0; i < d.turns.size(); ++i) d.turns[i].speaker = i % 2 == 0 ? "A" : "B";
      }
      write_dialogues(data() + "/" + part + ".jsonl", dialogues);
    }
    for (const char* seed : {"1", "2"}) {
      const Arguments train =
          tiny_training(shared->path(std::string("run") + seed)) + Arguments{"--seed", seed};
      ASSERT_EQ(heed_program(train).code, 0);
    }
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string data() { return shared->path("data"); }
  static std::string run(int i) { return shared->path("run" + std::to_string(i)); }

  // All that the command says and writes, without what only repeats the options: of JSON the keys
  // "heed" and "inputs", of a run config.json and settings.json.
  std::string effect(const Example& example, const Arguments& more) const {
    const TempDir dir;
    Arguments command = example.base + more;
    for (std::string& word : command) {
      const size_t at = word.find("OUT");
      if (at != word.npos) word.replace(at, 3, dir.path("out"));
    }
    dir.write("typed", example.typed);
    Result r = heed_program(command, "", dir.path("typed"));
    EXPECT_EQ(r.code, 0) << join(command) << r.err;
    std::string all = without(r.out) + r.err;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path(""))) {
      const std::string name = entry.path().lexically_relative(dir.path("")).string();
      const std::string file = entry.path().filename().string();
      if (!name.starts_with("out") || !entry.is_regular_file()) continue;
      all += name + "\n";
      if (file != "config.json" && file != "settings.json" && file != "state.json" &&
          !file.ends_with(".html") && file != "lock") {
        all += without(dir.read(name));
      }
    }
    for (size_t at; (at = all.find(dir.path(""))) != all.npos;) all.erase(at, dir.path("").size());
    return all;
  }
  static std::string without(const std::string& text) {
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return text;
    for (const char* key : {"heed", "inputs", "decode"}) json.erase(key);
    return json.dump();
  }

  // The command with the option, in place of the one that it has.
  static Arguments changed(Arguments command, const Row& row) {
    const auto at = std::find(command.begin(), command.end(), row.option);
    if (at != command.end()) command.erase(at, at + 2);
    return command + Arguments{row.option} + row.values;
  }

  // Every row changes what the command does.
  void check_rows(const std::string& command, const Example& example,
                  const std::vector<Row>& rows) const {
    std::map<std::string, std::string> before;  // what is given in both runs, and its effect
    EXPECT_TRUE(rows.empty() || example.base.empty() || effect(example, {}) == effect(example, {}))
        << command << " does something else every time";
    for (const Row& row : rows) {
      if (row.test) continue;
      std::string& base = before[join(row.with)];
      if (base.empty()) base = effect(example, row.with);
      EXPECT_TRUE(effect({changed(example.base, row), example.typed}, row.with) != base)
          << command << " " << row.option << " changes nothing";
    }
  }
  // And every option of the command has a row.
  void check(const std::string& command, const Example& example,
             const std::vector<Row>& rows) const {
    check_rows(command, example, rows);
    std::set<std::string> shown = {"--help"};
    for (const Row& row : rows) shown.insert(row.option);
    for (const std::string& option : option_names(*commands.at(command))) {
      EXPECT_TRUE(shown.contains(option)) << command << " " << option << " has no row";
    }
    for (const Row& row : rows) {
      EXPECT_NE(commands.at(command)->get_option_no_throw(row.option), nullptr) << row.option;
      EXPECT_TRUE(!row.test || is_test(row.test)) << row.test;
    }
  }

  static bool is_in_tests(const std::string& text) {
    static const std::string sources = [] {
      std::string all;
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(source_dir() + "/tests")) {
        if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        all += text.str();
      }
      return all;
    }();
    return sources.find(text) != sources.npos;
  }
  // Whether there is a test "Suite.Name".
  static bool is_test(const std::string& name) {
    const size_t dot = name.find('.');
    return is_in_tests("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")");
  }

  inline static TempDir* shared = nullptr;
};

using Rows = std::vector<Row>;

inline Rows all_of(const std::vector<Rows>& lists) {
  Rows all;
  for (const Rows& rows : lists) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

inline const Rows kDevice = {
    {"--threads", {}, {}, "Evaluate.SaysWhatItIsMadeWith"},
    {"--device", {}, {}, "Device.ThatIsNotThere"},
    {"--matmul", {}, {}, "ProgramOnCuda.EveryCommandGivesTheNumbersOfTheCpu"}};
inline const Row kBatch = {"--batch", {}, {}, "Program.ScoreHasTheKeysAndNumbersOfTheReference"};
inline const Row kModelRow = {"--model", {}, {}, "Program.EvaluateOnAllTestSets"};
inline const Row kData = {"--data", {}, {}, "Evaluate.DataIsADirectoryOrAFile"};
inline const Rows kInputs = {kData,
                             {"--limit", {"1"}},
                             {"--examples", {"all"}},
                             {"--max-turns", {"2"}},
                             {"--speaker", {"A"}},
                             {"--min-turns", {"2"}, {"--examples", "all"}}};
// The same of a model that was trained with --examples all.
inline const Rows kInputsOfTrained = {kData,
                                      {"--limit", {"1"}},
                                      {"--examples", {"last"}},
                                      {"--max-turns", {"2"}},
                                      {"--speaker", {"A"}},
                                      {"--min-turns", {"2"}, {"--examples", "all"}}};
inline const Rows kBounds = {
    {"--max-utterance", {"2"}}, {"--max-response", {"2"}}, {"--max-context", {"4"}}};
inline const Rows kInsertion = {{"--pool", {kDialogs}, {"--test", "random:1.0"}},
                                {"--frequent", {"hello there"}, {"--test", "frequent:end"}},
                                {"--rare", {"hello there"}, {"--test", "rare:end"}}};
inline const Rows kDecoding = {{"--decode", {"beam"}},
                               {"--max-length", {"2"}},
                               {"--top-k", {"1"}, {"--decode", "sample"}},
                               {"--temperature", {"20"}, {"--decode", "sample"}},
                               {"--beam-size", {"1"}, {"--decode", "beam"}},
                               {"--length-penalty", {"10"}, {"--decode", "beam"}},
                               {"--condition", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                               {"--allow-unk", {}, {"--decode", "sample"}}};

inline Arguments reading(const char* command, const std::string& model, const std::string& data) {
  return {command, "--model", model, "--data", data, "--limit", "5", "--threads", "1"};
}

}  // namespace heed::act
