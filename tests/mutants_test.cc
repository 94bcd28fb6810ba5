// The list of planted bugs (tests/mutants/, docs/reliability.md) is about the sources as they are
// now: `make mutants` would skip a row that no longer applies, and nobody would see what it saw.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_dir();

std::string text_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

// Of each file in tests/ its tests, "Suite.Name".
using Tests = std::map<std::string, std::vector<std::string>>;

Tests all_tests() {
  const std::regex test(R"(\nTEST(?:_[FP])?\((\w+),\s*(\w+)\))");
  Tests tests;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    if (entry.path().extension() != ".cc") continue;
    std::vector<std::string>& names = tests[entry.path().stem().string()];
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      names.push_back((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return tests;
}

// "gemm_test:Gemm.*:Packing.*": each pattern fits a test of the file.
bool are_tests(const std::string& name, const Tests& tests) {
  std::istringstream parts(name);
  std::string file, pattern;
  std::getline(parts, file, ':');
  if (file == "torture" || file == "python" || file == "scripts") return true;
  const auto found = tests.find(file);
  if (found == tests.end()) return false;
  while (std::getline(parts, pattern, ':')) {
    const auto fits = [&](const std::string& test) {
      return ::fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
    };
    if (std::ranges::none_of(found->second, fits)) return false;
  }
  return true;
}

// All that is wrong with the rows of a file.
std::string mistakes(const fs::path& list, const Tests& tests) {
  std::string wrong;
  std::set<std::string> seen;
  int number = 0;
  for (const nlohmann::json& row : nlohmann::json::parse(text_of(list))) {
    const std::string where = list.filename().string() + " row " + std::to_string(++number) + ": ";
    const std::string file = row.at("file"), old = row.at("old"), replaced = row.at("new");
    const size_t times = count(text_of(kRoot / file), old);
    if (old.empty() || times != 1) {
      wrong += where + file + " holds \"old\" " + std::to_string(times) + " times, not once\n";
    }
    if (old == replaced) wrong += where + "changes nothing\n";
    if (!seen.insert(file + old + replaced).second) wrong += where + "stands there twice\n";
    if (row.at("breaks").get<std::string>().empty()) wrong += where + "does not say what breaks\n";
    if (row.at("tests").empty()) wrong += where + "names no test\n";
    for (const std::string name : row.at("tests")) {
      if (!are_tests(name, tests)) wrong += where + "no test " + name + "\n";
    }
  }
  return wrong;
}

TEST(Mutants, EveryRowApplies) {
  const Tests tests = all_tests();
  int lists = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/mutants")) {
    EXPECT_EQ(mistakes(entry.path(), tests), "");
    ++lists;
  }
  EXPECT_GE(lists, 8);
}

TEST(Mutants, AMistakeIsSeen) {
  const TempDir dir;
  const std::string list = dir.write("list.json", R"([
    {"file": "README.md", "old": "no such text", "new": "", "breaks": "", "tests": ["no_test"]},
    {"file": "README.md", "old": "e", "new": "e", "breaks": "x", "tests": []},
    {"file": "README.md", "old": "o", "new": "", "breaks": "x",
     "tests": ["gemm_test", "gemm_test:Gemm.A*", "gemm_test:Gemm.A*:Gemm.C*"]}])");
  const std::string wrong = mistakes(list, {{"gemm_test", {"Gemm.Adds", "Gemm.Blocks"}}});
  EXPECT_EQ(count(wrong, "no test gemm_test"), 1u) << wrong;
  for (const char* part :
       {"row 1: README.md holds \"old\" 0 times", "row 1: does not say", "row 1: no test no_test",
        "row 2: changes nothing", "row 2: names no", "row 3: no test gemm_test:Gemm.A*:Gemm.C*"}) {
    EXPECT_NE(wrong.find(part), wrong.npos) << part << "\n" << wrong;
  }
}

}  // namespace
}  // namespace heed
