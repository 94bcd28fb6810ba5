// What the program prints is safe to show and fits the terminal.
#include <set>

#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Names and texts of strangers are shown, never obeyed.
TEST(Errors, CarryNoEscapeSequences) {
  const TempDir dir;
  fs::copy(kModel, dir.path("model"));
  std::string config = dir.read("model/config.json");
  const size_t at = config.find("static-ui");
  dir.write("model/config.json",
            config.replace(at, 9, "\\u001b]0;owned\\u0007\\u001b[2J\\u202e\\n\\u009b"));
  const Result r = heed_program(score_with(dir.path("model"), kDialogs));
  expect_failure(r, 1, "got '\uFFFD]0;owned\uFFFD\uFFFD[2J\uFFFD \uFFFD'", "config.json");
  const Result name = heed_program(score_with("\x1b[2Jmodel", kDialogs));
  expect_failure(name, 1, "\uFFFD[2Jmodel: no such directory", "a file name");
}

TEST(Tables, FitTheTerminal) {
  const Arguments evaluate = {"evaluate", "--model", kModel,  "--data",
                              kDialogs,   "--pool",  kDialogs};
  const std::string whole = heed_program(evaluate).out;  // into a pipe: as wide as it likes
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 11) << whole;
  const Environment columns("COLUMNS", "40");
  const std::string narrow = heed_program(evaluate).out;
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 40u) << line;
  EXPECT_TRUE(has(narrow, "test set         perplexity  bits/char\nnone  ")) << narrow;
  EXPECT_TRUE(has(narrow, "\n\ntest set         AS distr.  AS history\nnone  ")) << narrow;
  // the same numbers
  const auto words = [](const std::string& text) {
    std::multiset<std::string> found;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      if (std::isdigit(static_cast<unsigned char>(word[0]))) found.insert(word);
    }
    return found;
  };
  EXPECT_EQ(words(narrow), words(whole));
  std::istringstream rows(heed_program({"verify", kModel}).out);
  for (std::string line; std::getline(rows, line);) {
    EXPECT_LE(line.size(), has(line, kModel) ? line.size() : 40u) << line;
  }
}

TEST(Verify, SaysNothingOfACaseThatCannotBeRead) {
  const Result r = heed_program({"verify", kReference + "nope"});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, "");
}

}  // namespace
}  // namespace heed
