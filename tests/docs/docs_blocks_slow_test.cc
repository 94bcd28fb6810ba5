// The blocks of README and docs run, page by page, in an empty folder with the tree's data, models
// and examples: a command that fails fails here. What takes --limit or --epochs gets few dialogues
// and one epoch; a run that a page takes for granted is one of few dialogues; and where a page
// trains a run anew, the one before is gone.
#include <map>
#include <set>

#include "tests/docs/pages_helpers.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

// What is only parsed (docs_commands_test.cc): commands, and the beginnings of pages' names.
const std::map<std::string, std::string> kNotRun = {
    {"bench", "sizes of the paper"},
    {"generate", "a model of few dialogues has but <unk> to say, which is left out"},
    {"judge export", "a model of few dialogues says too few different things"},
    {"rank baseline", "few dialogues are no lists of 100; program_retrieval_test runs it"},
    {"report", "draws the folder of an experiment"},
    {"reproduce", "trains dozens of models; program_reproduce_test and its like run it"},
    {"sweep", "trains a grid of models; sweep_test and its like run it"},
    {"docs/adversarial.md", "of few dialogues there is no response to a passage"},
    {"docs/carryover.md", "a corpus that is not bundled"},
    {"docs/comprehension.md", "a corpus that is not bundled; program_ask_test runs the commands"},
    {"docs/corpora.md", "corpora that are not bundled"},
    {"docs/gaps.md", "corpora that are not bundled"},
    {"docs/pretrained.md", "an encoder that is not bundled"},
    {"docs/tracking.md", "dialogues that are not bundled; program_track_test runs the commands"},
    {"docs/results/", "what was measured in hours"},
};

// What a reader has and the tree has not, and what pages make of it: a command that names one is
// only parsed.
const std::set<std::string> kOfReaders = {"all-MiniLM-L6-v2",
                                          "data/marked",
                                          "data/multiwoz",
                                          "data/clinc150",
                                          "data_full.json",
                                          "dailydialog.jsonl.gz",
                                          "dialogs/",
                                          "dialogueText.csv",
                                          "features",
                                          "judgements.jsonl",
                                          "my-features",
                                          "my-scores.jsonl",
                                          "my.toml",
                                          "train.csv",
                                          "val.json",
                                          "data/multiwoz/train.jsonl",
                                          "data/multiwoz/test.jsonl"};

// Gives an option that the command takes this value.
void set(Arguments& arguments, const std::string& option, const std::string& value) {
  static std::map<std::string, std::string> texts;
  const auto given = std::ranges::find(arguments, option);
  if (given != arguments.end()) {
    given[1] = value;
    return;
  }
  const auto words = std::ranges::find_if(
      arguments, [](const std::string& a) { return !std::regex_match(a, std::regex("[a-z]+")); });
  const Arguments command(arguments.begin(), words);
  std::string& help = texts[join(command)];
  if (help.empty()) help = heed_program(command + Arguments{"--help"}).out;
  if (help.find("  " + option + " ") != help.npos) arguments = arguments + Arguments{option, value};
}

class Blocks : public testing::Test {
 protected:
  Blocks() { fs::current_path(dir.path(".")); }
  ~Blocks() override { fs::current_path(kRoot); }

  void new_page() {
    for (const auto& entry : fs::directory_iterator(dir.path("."))) fs::remove_all(entry);
    fs::create_directory("data");
    for (const char* name : {"data/ubuntu-sample", "data/models", "examples", "tests"}) {
      fs::create_directory_symlink(kRoot / name, name);
    }
    std::string talk;
    for (int i = 0; i < 120; ++i) {
      const std::string n = std::to_string(i);
      talk += "ann\tcard " + n + " is gone\nbob\twhich one?\nann\tthe card " + n +
              "\nbob\tthen take " + n + "\n\n";
    }
    dir.write("talk.txt", talk);
    dir.write("contexts.jsonl", "{\"turns\": [{\"text\": \"my card is gone\"}]}\n");
    dir.write("chat.csv", "thread,name,said\n1,ann,hi\n1,bob,hello\n1,ann,bye\n");
  }

  // The runs that a command reads and no command of the page has made; that it makes goes.
  void make_runs(const Arguments& arguments) {
    for (size_t i = 1; i < arguments.size(); ++i) {
      if (!std::regex_match(arguments[i], std::regex("runs/[\\w-]+"))) continue;
      if (arguments[i - 1] == "--out") fs::remove_all(arguments[i]);
      if (fs::exists(arguments[i]) || arguments[i - 1] == "--out") continue;
      fs::create_directories("runs");
      const Arguments tiny =
          with(tiny_training(arguments[i]), "--examples", "all") + Arguments{"--log-steps", "1"};
      ASSERT_EQ(heed_program(tiny).code, 0) << arguments[i];
    }
  }

  // The page is stopped once it says where it is.
  static Result served(const Arguments& arguments) {
    const TempDir files;
    Running program(arguments + Arguments{"--port", "0"}, files, files.path("stdout"));
    wait_until([&] { return has(files.read("stdout"), "http://"); });
    program.send(SIGINT);
    const int code = program.wait();
    return {code == -SIGINT ? 0 : code, files.read("stdout"), files.read("stderr")};
  }

  const TempDir dir;
};

TEST_F(Blocks, Run) {
  std::string page;
  for (const Command& command : block_commands()) {
    const std::string name = command.where.substr(0, command.where.find(':')),
                      line = command.where + ": " + command.text;
    Arguments arguments = arguments_of(command.text);
    const auto not_run = [&](const auto& entry) {
      return name.starts_with(entry.first) || join(arguments).starts_with(entry.first + " ");
    };
    const bool reads_others =
        std::ranges::any_of(arguments, [](const std::string& a) { return kOfReaders.contains(a); });
    if (reads_others || has_placeholder(arguments) || std::ranges::any_of(kNotRun, not_run)) {
      EXPECT_NE(name, "README.md") << line << " is not run";
      continue;
    }
    if (name != page) new_page();
    page = name;
    if (name != "README.md") make_runs(arguments);
    set(arguments, "--limit", arguments[0] == "rank" ? "120" : "60");  // lists of 100
    set(arguments, "--epochs", "1");
    const Result r =
        std::ranges::count(arguments, "--web") ? served(arguments) : heed_program(arguments);
    EXPECT_EQ(r.code, 0) << line << "\n" << r.err;
  }
}

}  // namespace
}  // namespace heed
