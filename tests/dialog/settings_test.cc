// One line makes a setting: each is written, read, shown as an option and held against a run, of
// every system.
#include "dialog/discriminate/task.h"
#include "dialog/respond/task.h"
#include "dialog/system.h"
#include "tests/dialog/settings_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// What the files of a system hold.
Json in_files(const System& system, const System::Files& of) {
  const System::Files usual = system.files();
  Json json = Json::object();
  for (size_t i = 0; i < of.files.size(); ++i) {
    json.update(settings_to_json(of.files[i], usual.files[i], kVisitSettings));
  }
  return json;
}

void read(const System::Files& of, const nlohmann::json& json) {
  const SettingReader reader(json);
  for (const AnySettings& settings : of.files) visit_settings(settings, reader);
}

Json options_of(const System::Files& of) {
  Json json = Json::object();
  for (const AnySettings& settings : of.files) json.update(as_options(settings));
  return json;
}

// Calls use(system, setting, files) with each setting of each system changed, and nothing else.
template <class Use> void each_change(const Use& use) {
  size_t all = 0;
  for (const System& system : systems()) {
    if (!system.files) continue;
    for (size_t i = 0;; ++i, ++all) {
      const System::Files files = system.files();
      Changer changer{.number = i};
      for (const AnySettings& settings : files.files) visit_settings(settings, changer);
      if (i == changer.at) break;
      SCOPED_TRACE(system.name + ": " + changer.changed.key + " --" + changer.changed.option);
      use(system, changer.changed, files);
    }
  }
  EXPECT_GT(all, 200u);
}

TEST(Settings, EveryOneIsWrittenAndReadAgain) {
  each_change([](const System& system, const Setting& setting, const System::Files& changed) {
    ASSERT_NE(setting.key, "");
    const Json written = in_files(system, changed);
    const System::Files there = system.files();
    EXPECT_NE(written, in_files(system, there));
    read(there, nlohmann::json(written));
    EXPECT_EQ(in_files(system, there), written);
  });
}

TEST(Settings, EveryOptionIsShown) {
  each_change([](const System& system, const Setting& setting, const System::Files& changed) {
    if (setting.option.empty()) return;
    EXPECT_NE(options_of(changed).at(setting.option),
              options_of(system.files()).at(setting.option));
  });
}

// The options that older versions did not know have their defaults.
template <class S> void expect_defaults_of_before() {
  const Json before = options_before(S()), usual = as_options(S());
  for (const auto& [setting, changed] : all_changes<S>()) {
    if (!setting.later || setting.option.empty()) continue;  // empty: of files only
    EXPECT_EQ(before.at(setting.option), usual.at(setting.option)) << setting.option;
  }
}

// What older versions did not write has a value there that is no other training's.
TEST(Settings, WhatIsNewerIsOnlyWrittenWhereItIsNotTheDefault) {
  each_change([](const System& system, const Setting& setting, const System::Files& changed) {
    if (!setting.later) return;
    const Json::json_pointer place("/" + setting.key);
    EXPECT_FALSE(in_files(system, system.files()).contains(place));
    EXPECT_TRUE(in_files(system, changed).contains(place));
  });
  expect_defaults_of_before<TrainSettings>();
  expect_defaults_of_before<discriminate::Settings>();
}

// An unfinished run does not go on as another one, whatever the setting.
template <class S, class Begin>
void expect_no_other_run(const std::string& run, Begin begin, const S& usual = {}) {
  for (const auto& [setting, settings] : all_changes<S>(usual)) {
    const bool asked_only = setting.option == "limit" || setting.option == "vocab" ||
                            setting.option == "preset";  // the checksum of the data says more
    const std::string error = error_of<DataError>([&, &s = settings] { begin(s); });
    const bool same = error == "no error";
    EXPECT_EQ(same, asked_only) << setting.key << " " << error;
    EXPECT_TRUE(same || error == run + ": holds a run with other settings; move it away") << error;
  }
}

TEST(BegunRuns, DoNotGoOnWithAnotherValueOfAnySetting) {
  const TempDir dir;
  const Vocabulary words = Vocabulary::build({{"a", 9}, {"b", 8}}, {});
  const std::string model = dir.path("model"), discriminator = dir.path("discriminator");
  std::filesystem::create_directory(model);
  start_run(model, {}, words);
  expect_no_other_run<TrainSettings>(
      model, [&](const TrainSettings& s) { begin_run(model, s, TrainData{}); });
  std::filesystem::create_directory(discriminator);
  discriminate::Settings usual;
  usual.words_fingerprint = 1;
  const auto begin = [&](const discriminate::Settings& s) {
    discriminate::Runs::begin(discriminator, s, {words, {}, {}}, "{}");
  };
  begin(usual);
  expect_no_other_run(discriminator, begin, usual);
  usual.words_fingerprint = {};  // an older version wrote none, and any will do
  std::filesystem::remove_all(discriminator);
  std::filesystem::create_directory(discriminator);
  begin(usual);
  usual.words_fingerprint = 1;
  begin(usual);
}

TEST(Settings, AFileThatHoldsWhatDoesNotFitSaysWhichKey) {
  for (const System& system : systems()) {
    if (!system.files || system.files().files.size() < 2) continue;  // players have no loop
    const auto fails = [&](const char* key, const nlohmann::json& value, const std::string& says) {
      const System::Files of = system.files();
      nlohmann::json json = in_files(system, of);
      const nlohmann::json::json_pointer place(std::string("/") + key);
      if (!json.contains(place)) return;  // the system has no such setting
      json[place] = value;
      if (value.is_null()) json.erase(key);
      EXPECT_EQ(error_of<UsageError>([&] { read(of, json); }), "'" + std::string(key) + "' " + says)
          << system.name;
    };
    fails("schedule/patience", "three", "has the wrong type");
    fails("schedule/patience", 1.5, "has the wrong type");
    fails("schedule/patience", int64_t{1} << 32, "is out of range");
    fails("limit", -1, "is out of range");
    fails("limit", 1.5, "has the wrong type");
    fails("hidden_size", nullptr, "is missing");
  }
}

// Older versions had no 0 for never, and wrote a million.
TEST(Settings, PatienceOfAMillionEpochsIsReadAsNever) {
  const auto read = [](int patience) {
    return settings_from_json<LoopSettings>({{"schedule", {{"patience", patience}}}},
                                            kVisitSettings)
        .schedule.patience;
  };
  EXPECT_EQ(read(1000000), 0);
  EXPECT_EQ(read(999999), 999999);
  EXPECT_EQ(read(0), 0);
}

}  // namespace
}  // namespace heed
