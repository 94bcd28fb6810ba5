// The manual page, and what shells complete.
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

// What a shell command prints; its exit code must be 0.
std::string shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  return text;
}

bool is_there(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

TEST(ManPage, HasEveryCommandWithItsOptions) {
  const Result page = heed_program({"help", "--man"});
  ASSERT_EQ(page.code, 0);
  EXPECT_TRUE(page.out.starts_with(".TH HEED 1 ")) << page.out.substr(0, 80);
  for (const char* part : {"\n.SS heed train\n", "\n.SS heed prepare text\n", "\n.SS heed help\n",
                           "\n.B \\-\\-insert\\-prob X\n", ".SH EXIT STATUS"}) {
    EXPECT_TRUE(has(page.out, part)) << part;
  }
}

// A line of the help that begins with a dot, or a backslash in it, is text and no request.
TEST(ManPage, RoffFindsNothingWrong) {
  if (!is_there("groff")) GTEST_SKIP() << "needs groff";
  const TempDir dir;
  const std::string file = dir.write("heed.1", heed_program({"help", "--man"}).out);
  const std::string text = shell("groff -man -ww -z " + file);
  EXPECT_EQ(text, "");
  EXPECT_TRUE(has(shell("groff -man -Tascii -P-cbou " + file), "--preset NAME"));
}

class Completion : public testing::Test {
 protected:
  // What bash offers for the last of the words.
  std::string bash(const std::string& words, const std::string& before = "") {
    const std::string script =
        dir_.write("script", heed_program({"help", "--completion", "bash"}).out + before +
                                 "\nCOMP_WORDS=(" + words +
                                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_heed\n"
                                 "echo \"${COMPREPLY[@]}\"\n");
    return shell("bash " + script);
  }
  const TempDir dir_;
};

TEST_F(Completion, OfCommandsAndOptions) {
  EXPECT_EQ(bash("heed tr"), "train track\n");
  EXPECT_EQ(bash("heed prepare t"), "text\n");
  EXPECT_EQ(bash("heed train --insert-p"), "--insert-prob\n");
  EXPECT_EQ(bash("heed --vers"), "--version\n");
  EXPECT_EQ(bash("heed train --threads 2 --see"), "--seed\n");
  EXPECT_EQ(bash("heed train prepare --see"), "--seed\n") << "prepare is no command of train";
}

TEST_F(Completion, OfWhatAnOptionTakes) {
  EXPECT_EQ(bash("heed train --optimizer ''"), "sgd adam adagrad\n");
  EXPECT_EQ(bash("heed train --matmul t"), "tf32\n");
  EXPECT_EQ(bash("heed evaluate --optimizer ''").find("sgd"), std::string::npos);
  dir_.write("files/my data/x", "");
  const std::string here = "cd '" + dir_.path("files") + "'";
  EXPECT_EQ(bash("heed train --data m", here), "my data\n");
}

TEST_F(Completion, OfFish) {
  const std::string script = heed_program({"help", "--completion", "fish"}).out;
  EXPECT_TRUE(has(script, "complete -c heed -n __fish_use_subcommand -f -a train -d '")) << script;
  EXPECT_TRUE(has(script,
                  "complete -c heed -n '__fish_seen_subcommand_from prepare; and "
                  "__fish_seen_subcommand_from text' -l in -r -d '"));
  EXPECT_TRUE(has(script, "-l optimizer -r -f -a 'sgd adam adagrad ' -d '"));
  if (is_there("fish")) {
    EXPECT_EQ(shell("fish -n " + dir_.write("heed.fish", script)), "");
  }
}

TEST_F(Completion, OfAnotherShellIsRefused) {
  expect_failure(heed_program({"help", "--completion", "tcsh"}), 2, "bash, zsh or fish", "tcsh");
  expect_failure(heed_program({"help", "--man", "--completion", "bash"}), 2, "--man", "both");
  expect_failure(heed_program({"help", "train", "--man"}), 2, "--man", "of one command");
}

}  // namespace
}  // namespace heed
