// What all commands that read dialogues promise: valid JSON of finite numbers, which do not depend
// on batches, threads and the order of the dialogues; all dialogues for --limit 0, and for --limit
// 1 numbers or a line that says why not.
#include <cmath>

#include "dialog/data/corpus.h"
#include "tests/heed/options_helpers.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

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
    std::filesystem::create_directory(data("-reversed"));
    for (const char* part : {"train", "valid", "test"}) {
      std::vector<Dialogue> dialogues = read_dialogues(find_part(kSample, part), 12);
      write_dialogues(data("") + "/" + part + ".jsonl", dialogues);
      std::reverse(dialogues.begin(), dialogues.end());
      write_dialogues(data("-reversed") + "/" + part + ".jsonl", dialogues);
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
            {"judge export", model + out +
                                 Arguments{"--items", "4", "--checks", "0", "--decode", "sample",
                                           "--key", dir.path("key")}}};
  }
  // The words of the command, and where its dialogues and its JSON are.
  Arguments line(const Command& command, const std::string& from) const {
    std::istringstream words(command.name);
    return Arguments(std::istream_iterator<std::string>(words), {}) + command.more +
           Arguments{"--data", from, "--json", dir.path("json")};
  }
  // What was measured, without what says how; nothing where the command fails, as it may say.
  Json measured(const Arguments& arguments) const {
    std::filesystem::remove(dir.path("json"));
    const Result r = heed_program(arguments);
    if (r.code != 0) {
      expect_failure(without_warnings(without_notes(r)), r.code, "", join(arguments));
      EXPECT_TRUE(r.code == 1 || r.code == 2) << join(arguments) << r.code;
      return {};
    }
    Json json = Json::parse(dir.read("json"), nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(json.is_object()) << join(arguments) << dir.read("json");  // NaN is none
    json.erase("heed");
    json.erase("inputs");
    return json;
  }
};

// Without the ends of intervals and the p-values, which are drawn: a bootstrap takes clusters by
// their place.
Json without_draws(const Json& json) {
  if (!json.is_structured()) return json;
  Json kept = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      kept.push_back(without_draws(value));
    } else if (key != "low" && key != "high" && key != "p" && key != "p_holm") {
      kept[key] = without_draws(value);
    }
  }
  return kept;
}

// The same but for the last digits of sums in another order.
void expect_same(const Json& got, const Json& want, const std::string& where) {
  if (want.is_number() && got.is_number()) {
    const double a = got, b = want;
    EXPECT_NEAR(a, b, 1e-5 * std::max(1.0, std::abs(b))) << where;
  } else if (want.is_structured() && got.type() == want.type()) {
    ASSERT_EQ(got.size(), want.size()) << where;
    for (const auto& [key, value] : want.items()) {
      const bool there = want.is_array() || got.contains(key);
      ASSERT_TRUE(there) << where << "/" << key;
      expect_same(want.is_array() ? got[std::stoul(key)] : got[key], value, where + "/" + key);
    }
  } else {
    EXPECT_EQ(got, want) << where;
  }
}

TEST_F(Properties, HoldForEveryCommand) {
  std::map<std::string, const CLI::App*> known;
  const std::unique_ptr<CLI::App> app = make_app();
  add_commands(*app, known);
  for (const Command& command : commands()) {
    SCOPED_TRACE(join({command.name}) + join(command.more));
    const auto has_option = [&](const char* option) {
      return known.at(command.name)->get_option_no_throw(option) != nullptr;
    };
    const Arguments arguments = line(command, data(""));
    const Json expected =
        measured(arguments + (has_option("--threads") ? Arguments{"--threads", "1"} : Arguments{}));
    ASSERT_FALSE(expected.empty());
    Arguments others = {"--limit", "0"};
    if (has_option("--threads")) others = others + Arguments{"--threads", "3"};
    if (has_option("--batch")) others = others + Arguments{"--batch", "5"};
    expect_same(measured(arguments + others), expected, "");
    measured(arguments + Arguments{"--limit", "1"});
    if (command.any_order) {
      Json turned = measured(line(command, data("-reversed"))), summary = expected;
      for (Json* json : {&turned, &summary}) json->erase("per_example");
      expect_same(without_draws(turned), without_draws(summary), "reversed");
    }
  }
}

}  // namespace
}  // namespace heed
