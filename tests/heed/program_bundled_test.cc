// What heed brings along: the first words, and models where no --model is given.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const std::string kModels = source_dir() + "/data/models/";

// The program in a bin/ of its own, with or without what it brings along.
class Installed : public testing::Test {
 protected:
  Installed() {
    fs::create_directories(dir.path("here/bin"));
    fs::copy_file(kProgramPath, program);
  }
  void add_share() const {
    fs::create_directories(share + "/models");
    for (const char* name : {"trained", "baseline"}) {
      fs::copy(kModels + name, share + "/models/" + name);
    }
    fs::create_directory(share + "/ubuntu-sample");
    fs::copy_file(kSample + "/train.jsonl.gz", share + "/ubuntu-sample/train.jsonl.gz");
  }
  // Standard output and error, and the exit code.
  std::string run(const std::string& arguments) const {
    const std::string out = dir.path("said"), command = "'" + program + "' " + arguments + " > " +
                                                        out + " 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    return dir.read("said") + "exit " + std::to_string(WEXITSTATUS(status));
  }

  const TempDir dir;
  const std::string program = dir.path("here/bin/heed"), share = dir.path("here/share/heed");
};

TEST(Bundled, HeedAloneSaysWhatToTryFirst) {
  const Result r = heed_program({});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  for (const char* part : {"\n  heed chat ", "\n  heed show --data ", "\n  heed help ",
                           "ubuntu-sample --out runs/first --preset smoke\n"}) {
    EXPECT_TRUE(has(r.err, part)) << part << r.err;
  }
}

TEST(Bundled, ChatShowAndEvaluateTakeTheModels) {
  const std::string note = "heed: note: no --model is given: taking the bundled ";
  const Result chat = heed_program({"chat", "--threads", "1"});
  EXPECT_EQ(chat.code, 0) << chat.err;
  EXPECT_EQ(chat.err.rfind(note, 0), 0u) << chat.err;
  EXPECT_TRUE(chat.err.ends_with("data/models/larger\n")) << chat.err;
  EXPECT_EQ(chat.out.rfind("static-ui, 1 layer x 256", 0), 0u) << chat.out;

  const Arguments few = {"--data", kSample, "--limit", "3", "--threads", "1"};
  const Arguments evaluate = Arguments{"evaluate", "--test", "none"} + few;
  const Result bundled = heed_program(evaluate),
               given = heed_program(evaluate + Arguments{"--model", kModels + "trained"});
  EXPECT_EQ(bundled.code, 0) << bundled.err;
  EXPECT_EQ(bundled.out, given.out);
  EXPECT_TRUE(has(bundled.err, note)) << bundled.err;
  EXPECT_FALSE(has(given.err, note)) << given.err;

  const Result show = heed_program(Arguments{"show"} + few);
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_TRUE(has(show.err, "models/trained and ")) << show.err;
  EXPECT_EQ(show.out, heed_program(Arguments{"show", "--model", kModels + "trained", "--baseline",
                                             kModels + "baseline"} +
                                   few)
                          .out);
  // With a model, or a baseline, of one's own none is added.
  const Result own = heed_program(Arguments{"show", "--model", kModels + "trained"} + few);
  EXPECT_FALSE(has(own.out, "baseline")) << own.out;
  const Result mine = heed_program(Arguments{"show", "--baseline", kModels + "trained"} + few);
  EXPECT_TRUE(has(mine.err, "models/trained\n")) << mine.err;
}

// As heed chat and the live page draw them, and as --decode greedy gives them.
TEST(Bundled, AnswersDifferFromContextToContext) {
  const TempDir dir;
  const auto answers = [&](const Arguments& decoding) {
    const Result r =
        heed_program(Arguments{"respond", "--model", kModels + "larger", "--examples", "last",
                               "--data", kSample, "--out", dir.path("r.jsonl")} +
                     decoding);
    EXPECT_EQ(r.code, 0) << r.err;
    std::istringstream lines(dir.read("r.jsonl"));
    std::set<std::string> different;
    size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      different.insert(nlohmann::json::parse(line)["response"]);
    }
    EXPECT_EQ(count, 830u);
    return different.size();
  };
  EXPECT_GT(answers({"--decode", "sample", "--temperature", "0.7"}), 600u);
  EXPECT_LT(answers({"--decode", "greedy"}), 400u);
}

TEST(Bundled, WithoutDataTheSampleIsTaken) {
  const Result bundled = heed_program({"evaluate", "--limit", "3", "--test", "random:0.5"}),
               given = heed_program(
                   {"evaluate", "--limit", "3", "--test", "random:0.5", "--data", kSample});
  EXPECT_EQ(bundled.code, 0) << bundled.err;
  EXPECT_EQ(bundled.out, given.out);
  EXPECT_TRUE(has(bundled.err, "heed: note: no --data is given: taking the bundled "))
      << bundled.err;
  EXPECT_FALSE(has(given.err, "no --data")) << given.err;
}

// Before anything that is derived from it, such as a pool of utterances, is missed.
TEST(Bundled, DataThatIsNotThereComesFirst) {
  const TempDir dir;
  const std::string out = dir.path("out");
  for (const Arguments& command :
       {Arguments{"evaluate"},
        {"show"},
        {"score"},
        {"compare", kModels + "trained", kModels + "baseline"},
        {"distract", "--test", "random:0.5", "--out", out},
        {"respond", "--out", out},
        {"reproduce", "--out", out},
        {"discriminate", "train", "--out", out},
        {"discriminate", "test", "--model", out},
        {"adversary", "--model", out, "--discriminator", out, "--out", out + "2"},
        {"rank", "baseline", "tf-idf"},
        {"reproduce", "probes", "--out", out},
        {"reproduce", "adversarial", "--generators", kModels + "trained", "--out", out},
        {"train", "--out", out}}) {
    Arguments all = command + Arguments{"--data", "nothere"};
    const bool of_model =
        command[0] == "distract" || command[0] == "respond" || command[0] == "score";
    if (of_model) all = all + Arguments{"--model", kModels + "trained"};
    const Result r = heed_program(all);
    EXPECT_EQ(r.code, 1) << command[0] << r.err;
    EXPECT_TRUE(
        has(r.err,
            "heed: nothere: cannot open: No such file or directory; the bundled dialogues are in "))
        << command[0] << r.err;
    EXPECT_FALSE(has(r.err, "pool")) << command[0] << r.err;
  }
  EXPECT_EQ(dir.count_files(), 0u);
}

// Its models are then "larger", without a folder before it.
TEST(Bundled, AreFoundInTheirOwnFolder) {
  const TempDir dir;
  const std::string command = "cd '" + kModels + "' && '" + kProgramPath +
                              "' chat --web --beam-size 3 2> '" + dir.path("said") + "'";
  EXPECT_EQ(std::system(command.c_str()) >> 8, 2);
  EXPECT_TRUE(has(dir.read("said"), "taking the bundled larger, trained, ")) << dir.read("said");
}

TEST_F(Installed, IsNotOverwritten) {
  add_share();
  for (const char* file : {"/models/trained/config.json", "/ubuntu-sample/train.jsonl.gz"}) {
    const std::string before = dir.read("here/share/heed" + std::string(file)),
                      said = run("evaluate --test none --json '" + share + file + "'");
    EXPECT_TRUE(has(said, ": is bundled, and may be read without --")) << said;
    EXPECT_TRUE(said.ends_with("exit 2")) << said;
    EXPECT_EQ(dir.read("here/share/heed" + std::string(file)), before) << file;
  }
}

TEST_F(Installed, FindsThemBesideItsFolder) {
  add_share();
  EXPECT_TRUE(has(run("chat --threads 1"), "taking the bundled " + share + "/models/trained\n"));
  EXPECT_TRUE(has(run(""), "--data " + share + "/ubuntu-sample --out runs/first"));
  fs::create_directory(dir.path("blank space"));
  fs::rename(dir.path("here"), dir.path("blank space/here"));
  const std::string moved = dir.path("blank space/here");
  EXPECT_EQ(std::system(("'" + moved + "/bin/heed' 2> '" + dir.path("said") + "'").c_str()) >> 8,
            2);
  EXPECT_TRUE(has(dir.read("said"), "--data '" + moved + "/share/heed/ubuntu-sample'"))
      << dir.read("said");
}

TEST_F(Installed, SaysThatThereAreNone) {
  const std::string none =
      "heed: --model is required: no bundled models are found, neither in share/heed nor in "
      "data/models above the program\nexit 2";
  EXPECT_EQ(run("chat"), none);
  EXPECT_EQ(run("show --data " + kSample), none);
  EXPECT_EQ(run("evaluate --data " + kSample), none);
  const std::string alone = run("");
  EXPECT_FALSE(has(alone, "heed chat")) << alone;
  EXPECT_TRUE(has(alone, "heed train --data DATA --out runs/first")) << alone;
}

}  // namespace
}  // namespace heed
