// --config: files of options, and their mistakes by line.
#include "tests/heed/options_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST(OptionFiles, AMistakeIsNamedWithItsLine) {
  const TempDir dir;
  const auto fails = [&](const std::string& text, const std::string& says) {
    const std::string file = dir.write("my.toml", text);
    const Result r = heed_program({"train", "--config", file, "--out", dir.path("out")});
    expect_failure(r, 2, "heed: " + file + says, text);
  };
  fails("# mine\n\n[train]\ndata = \"x\"\nstructur = \"static\"\n",
        ":5: [train] has no option \"structur\"; did you mean \"structure\"?");
  fails("[train]\nxyzzy = 1\n", ":2: [train] has no option \"xyzzy\" (see");
  fails("[trian]\nhidden = 8\n", ":1: there is no command for [trian]; did you mean 'train'?");
  fails("[ rank . baseline ]\nlists = \"x\"\n", ":1: [ rank . baseline ] must have no spaces");
  fails("hidden = 8\n", ":1: \"hidden\" must stand under the name of its command, such as [train]");
  fails("[prepare.ubuntu]\nim = \"x\"\n",
        ":2: [prepare ubuntu] has no option \"im\"; did you mean \"in\"?");
  fails("train.hiden = 8\n", ":1: [train] has no option \"hiden\"; did you mean \"hidden\"?");
  fails("[train]\nlayers = [1,\n\n2 ]\nhiden = 8\n", ":5: [train] has no option \"hiden\"");
  fails("[train]\nlayers = [\n1, 2 ]\n", ":2: a list begins with a value in the line of its key");
  fails("[train]\nhidden = 8\nlayers = 1\nhidden = 9\n", ":4: \"hidden\" is given twice");
  fails("[train]\n = 8\n", ":2: there is no key before the =");
  fails("[train]\nhelp = true\n", ":2: [train] has no option \"help\"");
  fails("train.hidden = 8\n[train]\nhidden = 9\n", ":3: \"hidden\" is given twice");
  fails("\xff\xfe", ":1: \"");
  fails("[train]\n\nhidden = \"x\"\n", ":3: --hidden: expected a whole number");
  fails("[train]\nstructure = \"statik\"\n", ":2: --structure: expected");
  fails("#" + std::string(1 << 20, 'x'), ": larger than 1 MiB");
  // What would be read as something else.
  fails("[train]\ndata = \"a#b\"\n", ":2: a text may hold no #, which begins a comment");
  fails("[train]\ndata = \"a\\\\b\"\n", ":2: a text in \" may hold no \\");
  fails("[train]\ndata = 'ab\n", ":2: a text ends with the ' that it begins with");
  fails("[train] # mine\nhidden = 8\n", ":1: behind a [section] there may be nothing");
  fails("[train]\ndata = [\"a\",\n \"b\", # two\n]\n",
        ":3: a list over several lines may hold no #");
  EXPECT_FALSE(fs::exists(dir.path("out")));
}

// Also of what only the library can check, which does not know that it is an option.
TEST(OptionFiles, NameTheLineOfAValueThatTheCommandRefuses) {
  const TempDir dir;
  const Arguments rank = {"rank", "baseline", "tf-idf", "--data", kSample};
  const std::string says = "--lists: stride: takes a whole number from 2 on, got 'stride:1'";
  const std::string file = dir.write("my.toml", "\n[rank.baseline]\nlists = \"stride:1\"\n");
  expect_failure(heed_program(rank + Arguments{"--config", file}), 2,
                 "heed: " + file + ":3: " + says, "--config");
  expect_failure(heed_program(rank + Arguments{"--lists", "stride:1"}), 2, "heed: " + says,
                 "--lists");
}

TEST(OptionFiles, OtherCommandsMayHaveSectionsToo) {
  const TempDir dir;
  const std::string file = dir.write("my.toml",
                                     "\xEF\xBB\xBF[evaluate]\r\ndata = 'a\\b' # it's\r\n"
                                     "[score]\r\nmodel = \"" +
                                         kModel + "\"\r\n\"data\" = \"" + kDialogs + "\"\r\n");
  const Result r = heed_program({"score", "--config", file});
  EXPECT_EQ(r.code, 0) << r.err;
  const std::string wrong = dir.write("wrong.toml", "[evaluate]\nbatch = \"x\"\n");
  expect_failure(heed_program({"train", "--config", wrong, "--out", dir.path("out")}), 2,
                 "heed: " + wrong + ":2: --batch: expected a whole number", "of another command");
}

}  // namespace
}  // namespace heed
