// A finished experiment of seconds, and what its folder holds, for the tests of heed reproduce.
#pragma once

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/heed/program_helpers.h"

namespace heed {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Seven variants of a second or two in all.
inline Arguments tiny_experiment(const std::string& out) {
  return {"reproduce", "--data",          kSample,      "--out",     out,   "--limit",
          "40",        "--preset",        "smoke",      "--vocab",   "150", "--hidden",
          "8",         "--epochs",        "2",          "--batch",   "4",   "--max-turns",
          "4",         "--max-utterance", "10",         "--threads", "1",   "--max-length",
          "8",         "--only",          "static-ui*", "--jobs",    "2",   "--examples",
          "last"};
}

// Every file that says something about results, and its bytes.
inline std::map<std::string, std::string> results_in(const std::string& out) {
  static const std::set<std::string> kept = {
      "evaluation.json", "responses.jsonl", "log.jsonl",   "model.safetensors",
      "settings.json",   "experiment.json", "samples.json"};
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    const std::string name = entry.path().lexically_relative(out).generic_string();
    if (has(name, ".tmp-")) continue;  // what a killed process was about to write
    const bool table = name.rfind("tables/", 0) == 0 && name.find("runs.") == name.npos;
    if (!table && !kept.contains(entry.path().filename().string())) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[name] = bytes.str();
  }
  return files;
}

inline void expect_same(const std::map<std::string, std::string>& got,
                        const std::map<std::string, std::string>& expected) {
  for (const auto& [name, bytes] : got) EXPECT_TRUE(expected.contains(name)) << name;
  for (const auto& [name, bytes] : expected) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_TRUE(got.at(name) == bytes) << name << " differs";
  }
}

// The tables of a folder are those that heed report makes of its results.
inline void expect_tables_of_results(const std::string& folder) {
  const TempDir dir;
  const Result r = heed_program({"report", "--runs", folder, "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(folder + "/tables")) {
    if (entry.path().extension() != ".md") continue;  // the others have all digits
    const std::string table = entry.path().filename();
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(dir.read("tables/" + table), text.str()) << table;
    ++tables;
  }
  EXPECT_EQ(tables, 13) << folder;
}

// One finished experiment for all tests that only read it.
class Reproduce : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const auto begin = std::chrono::steady_clock::now();
    const Result r = heed_program(tiny_experiment(whole()));
    duration = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(r.code, 0) << r.err;
    output = r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }

  static inline TempDir* shared = nullptr;
  static inline std::string output;
  static inline std::chrono::duration<double> duration;
  const TempDir dir;
};

}  // namespace heed
