// What program_properties.h promises, command by command. Commands of systems that a test trains
// are asked in the tests of these systems.
#include "tests/heed/program_properties.h"

#include <set>

#include "dialog/data/corpus.h"
#include "tests/heed/options_helpers.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

struct Command {
  std::string name;
  Arguments more;
  bool any_order = false;  // its summary is that of the dialogues, whatever their order
};

class Properties : public ProgramWithRun {
 protected:
  static void SetUpTestSuite() {
    ProgramWithRun::SetUpTestSuite();
    std::filesystem::create_directory(data(""));
    std::filesystem::create_directory(data("-turned"));
    for (const char* part : {"train", "valid", "test"}) {
      std::vector<Dialogue> dialogues = read_dialogues(find_part(kSample, part), 12);
      write_dialogues(data("") + "/" + part + ".jsonl", dialogues);
      std::reverse(dialogues.begin(), dialogues.end());
      write_dialogues(data("-turned") + "/" + part + ".jsonl", dialogues);
    }
  }
  static std::string data(const std::string& kind) { return shared->path("data" + kind); }

  std::vector<Command> commands() const {
    const Arguments model = {"--model", run()}, out = {"--out", dir.path("out")},
                    sets = {"--test", "none,frequent:middle,rare:end"};
    return {{"evaluate", model + sets, true},
            {"evaluate", model + Arguments{"--test", "random:0.7", "--per-example"}},
            {"score", model, true},
            {"compare", Arguments{run(), kModel} + sets, true},
            {"distract", out + Arguments{"--test", "rare:end"}},
            {"respond", model + out + Arguments{"--max-length", "8"}},
            {"generate", model + out + Arguments{"--max-length", "8", "--decode", "sample"}},
            {"probe", model + Arguments{"--max-iter", "20"}},
            {"rank baseline", {"tf-idf", "bm25", "--lists", "random:3"}},
            {"rank test",
             {"--model", source_dir() + "/data/models/ranker", "--lists", "random:3", "--test",
              "random:0.7"}},
            {"discriminate test",
             {"--model", source_dir() + "/tests/heed/discriminator-run", "--seed", "2"}},
            {"judge export", model + out +
                                 Arguments{"--items", "4", "--checks", "0", "--decode", "sample",
                                           "--key", dir.path("key")}}};
  }
};

TEST_F(Properties, HoldForEveryCommand) {
  for (const Command& c : commands()) {
    expect_properties(c.name, c.more, data(""), c.any_order ? data("-turned") : "");
  }
}

// A new command comes into the table, or into the test of its system.
TEST_F(Properties, AreAskedOfEveryCommand) {
  std::set<std::string> asked = {"ask", "carry", "rewrite", "track"}, all;
  for (const Command& command : commands()) asked.insert(command.name);
  const std::unique_ptr<CLI::App> app = make_app();
  std::map<std::string, const CLI::App*> known;
  add_commands(*app, known);
  for (const auto& [name, command] : known) {
    if (command->get_option_no_throw("--limit") && command->get_option_no_throw("--json")) {
      all.insert(name);
    }
  }
  EXPECT_EQ(asked, all);
}

}  // namespace
}  // namespace heed
