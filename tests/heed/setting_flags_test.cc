// Of a run that goes on, an option is taken or refused, and none is ignored, whatever the system.
#include "heed/setting_flags.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "dialog/carry/settings.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/retrieve/settings.h"
#include "dialog/system.h"
#include "dialog/track/settings.h"
#include "tests/dialog/settings_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using OrderedJson = nlohmann::ordered_json;

// What older versions did not keep contradicts nothing.
template <class S> S known() {
  S settings;
  if constexpr (requires { settings.generator; }) {
    settings.generator = known<TrainSettings>();
  } else {
    settings.limit = 3;
    settings.vocabulary = 90;
  }
  return settings;
}

std::string text_of(const Setting& setting, const OrderedJson& value) {
  if (value.is_string()) return value;
  const bool fits = !value.is_number() || (value >= setting.least && value <= setting.most);
  return fits ? value.dump() : OrderedJson(static_cast<int64_t>(setting.least)).dump();
}

template <class S> class ResumedRun : public testing::Test {};
using Systems = testing::Types<TrainSettings, discriminate::Settings, gan::Settings,
                               retrieve::Settings, carry::Settings, track::Settings>;
TYPED_TEST_SUITE(ResumedRun, Systems);

TYPED_TEST(ResumedRun, TakesOrRefusesEveryOption) {
  int taken = 0, refused = 0;
  for (const auto& [setting, settings] : all_changes(known<TypeParam>())) {
    if (setting.option.empty() || setting.help.empty()) continue;
    CLI::App command;
    SettingFlags flags;
    flags.declare(command, TypeParam(), [](const Setting&) { return true; });
    const OrderedJson value = as_options(settings)[setting.option];
    const std::string option = "--" + setting.option;
    command.parse(value == true ? option : option + "=" + text_of(setting, value));
    TypeParam run = known<TypeParam>(), asked = run;
    flags.apply(asked);
    ASSERT_NE(as_options(asked), as_options(run)) << option << " does nothing";
    const std::string error =
        error_of<UsageError>([&] { take_given(command, "runs/a", asked, run); });
    EXPECT_EQ(error == "no error", setting.may_change) << option << " " << error;
    if (setting.may_change) {
      EXPECT_EQ(as_options(run), as_options(asked)) << option;
      ++taken;
    } else {
      EXPECT_TRUE(error.starts_with(option + " ")) << error;
      const OrderedJson before = as_options(run)[setting.option];  // a text or a list may be empty
      const bool none = before.is_string() ? before.get<std::string>().empty() : before.empty();
      const std::string how = none ? "started without it; leave" : "started with ";
      EXPECT_NE(error.find(": the run runs/a was " + how), error.npos) << error;
      ++refused;
    }
  }
  EXPECT_EQ(taken, 3);  // --epochs, --rate, --max-norm
  EXPECT_GT(refused, 15);
}

TEST(ResumedRun, IsNotContradictedByWhatWasNotGiven) {
  CLI::App command;
  SettingFlags flags;
  flags.declare(command, TrainSettings(), [](const Setting&) { return true; });
  command.parse("--hidden=7");
  TrainSettings run, asked;
  run.model.hidden_size = asked.model.hidden_size = 7;
  run.model.dropout = 0.5;
  run.loop.max_epochs = 9;
  take_given(command, "runs/a", asked, run);
  EXPECT_EQ(run.loop.max_epochs, 9);
  EXPECT_EQ(run.model.dropout, 0.5);
}

// The training, or null where the preset is for other forms.
std::unique_ptr<Training> training_of(const System& system, const std::string& preset,
                                      const std::string& form) {
  try {
    return system.train(preset, form);
  } catch (const UsageError&) {
    return {};
  }
}

// Also where a preset switches on what a flag could switch on.
TEST(Presets, AreAsTheyAreWhereNothingIsGiven) {
  std::map<std::string, int> switched_on;  // of each setting: in how many
  for (const System& system : systems()) {
    if (!system.train) continue;
    std::vector<std::string> forms = system.forms().names;
    if (forms.empty()) forms = {""};
    for (const std::string& preset : system.presets().names) {
      for (const std::string& form : forms) {
        const auto training = training_of(system, preset, form);
        if (!training) continue;
        CLI::App command;
        SettingFlags flags;
        AnySettings settings = training->settings();
        flags.declare(command, settings, system.is_option);
        command.parse("");
        const OrderedJson before = as_options(settings);
        flags.apply_to_preset(settings, training->loop());
        EXPECT_EQ(as_options(settings), before) << system.name << " " << preset << " " << form;
        for (const auto& [option, value] : before.items()) switched_on[option] += value == true;
      }
    }
  }
  for (const char* option : {"bidirectional", "no-input-feeding", "frozen"}) {
    EXPECT_GT(switched_on[option], 0) << option;
  }
}

// The conditions of a setting name settings, and values that these can have.
TEST(Conditions, NameSettingsAndTheirValues) {
  int checked = 0;
  for (const System& system : systems()) {
    if (!system.train) continue;
    const auto training = system.train(system.presets().usual, system.forms().usual);
    std::map<std::string, Setting> known;
    each_option(training->settings(), [&](const Setting& s, const auto&) { known[s.option] = s; });
    for (const auto& [option, setting] : known) {
      for (const auto& [other, values] : setting.conditions) {
        ASSERT_TRUE(known.contains(other)) << option << " " << other;
        const std::vector<std::string>& words =
            other == "structure" ? find_system("respond").forms().names : known[other].words;
        for (const std::string& value : values) {
          const bool is_word = std::find(words.begin(), words.end(), value) != words.end();
          EXPECT_TRUE(is_word || (words.empty() && (value == "true" || value == "false")))
              << option << " " << other << " " << value;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 10);
}

// What `heed train SYSTEM` says of these options.
std::string said_of_idle(const std::string& system, const std::string& options) {
  const System& row = find_system(system);
  const auto training = row.train(row.presets().usual, row.forms().usual);
  CLI::App command;
  SettingFlags flags;
  AnySettings settings = training->settings();
  flags.declare(command, settings, row.is_option);
  command.parse(options);
  flags.apply_to_preset(settings, training->loop());
  return error_of<UsageError>([&] { flags.refuse_idle(settings); });
}

TEST(Conditions, RefuseAnOptionWithoutEffect) {
  const auto refused = [](const char* system, const std::string& options, const char* expected) {
    EXPECT_EQ(said_of_idle(system, options), expected) << options;
  };
  const auto taken = [](const char* system, const std::string& options) {
    EXPECT_EQ(said_of_idle(system, options), "no error") << options;
  };
  refused("carryover", "--order turn", "--order: only applies with --decoder pointer");
  taken("carryover", "--order turn --decoder pointer");
  taken("carryover", "--head-size 3");
  refused("carryover", "--head-size 3 --decoder independent",
          "--head-size: only applies with --decoder self-attention");
  refused("tracker", "--steps 3", "--steps: only applies with --output energy");
  refused("tracker", "--energy-size 3 --output energy --independent",
          "--energy-size: only applies without --independent");
  taken("tracker", "--energy-size 3 --output energy --steps 5 --inner-rate 0.1");
  refused("tracker", "--act-size 3 --machine text", "--act-size: only applies with --machine acts");
  refused("gaps", "--margin 2 --learn detect", "--margin: only applies with --learn both or rank");
  refused("gaps", "--label-weight 2 --learn rank",
          "--label-weight: only applies with --learn both or detect");
  refused("retrieval", "--margin 0.1", "--margin: only applies with --loss hinge");
  refused("retrieval", "--smoothing 0.1 --loss hinge",
          "--smoothing: only applies with --loss softmax");
  refused("retrieval", "--buckets 9 --encoder lstm", "--buckets: only applies with --encoder bag");
  refused("retrieval", "--layers 2 --encoder weighted-bag",
          "--layers: only applies with --encoder lstm or sru or hierarchical");
}

TEST(ResumedRun, IsContradictedByAGroupWithOtherDigits) {
  TrainSettings run;
  run.loop.optimizer.groups = {{.name = "lstm", .rate = 0.1, .weight_decay = 1}};
  TrainSettings asked = run;
  EXPECT_EQ(as_options(run)["group"], "lstm:0.1:1");
  asked.loop.optimizer.groups[0].rate = 0.10000001;
  EXPECT_EQ(as_options(asked)["group"], "lstm:0.10000001:1");
}

TEST(Presets, AreChangedByAFlagAndByItsOpposite) {
  for (const std::string text : {"true", "false"}) {
    CLI::App command;
    SettingFlags flags;
    TrainSettings settings;
    settings.model.bidirectional = text == "false";
    flags.declare(command, settings, [](const Setting&) { return true; });
    command.parse("--bidirectional=" + text);
    flags.apply(settings);
    EXPECT_EQ(settings.model.bidirectional, text == "true");
  }
}

}  // namespace
}  // namespace heed
