// One line makes a setting: each is written, read, shown as an option and held against a run, of
// every system.
#include "dialog/discriminate/settings.h"
#include "dialog/carry/settings.h"
#include "dialog/discriminate/gan/run.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/respond/task.h"
#include "dialog/retrieve/settings.h"
#include "dialog/rewrite/settings.h"
#include "dialog/track/settings.h"
#include "tests/dialog/settings_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

template <class S> Json in_files(const S& settings) {
  return settings_to_json(settings, kVisitSettings);
}

template <class S> class Settings : public testing::Test {};
using Systems =
    testing::Types<TrainSettings, discriminate::Settings, gan::Settings, retrieve::Settings,
                   rewrite::Settings, carry::Settings, track::Settings>;
TYPED_TEST_SUITE(Settings, Systems);

TYPED_TEST(Settings, EveryOneIsWrittenAndReadAgain) {
  const auto changes = all_changes<TypeParam>();
  EXPECT_GT(changes.size(), 30u);
  for (const auto& [setting, settings] : changes) {
    SCOPED_TRACE(setting.key + " --" + setting.option);
    ASSERT_NE(setting.key, "");
    const Json written = in_files(settings);
    EXPECT_NE(written, in_files(TypeParam()));
    const auto read = settings_from_json<TypeParam>(nlohmann::json(written), kVisitSettings);
    EXPECT_EQ(in_files(read), written);
  }
}

TYPED_TEST(Settings, EveryOptionIsShown) {
  const Json usual = as_options(TypeParam());
  for (const auto& [setting, settings] : all_changes<TypeParam>()) {
    if (setting.option.empty()) continue;
    const Json options = as_options(settings);
    EXPECT_NE(options.at(setting.option), usual.at(setting.option)) << setting.option;
  }
}

// What older versions did not write has a value there that is no other training's.
TYPED_TEST(Settings, WhatIsNewerIsOnlyWrittenWhereItIsNotTheDefault) {
  const Json usual = in_files(TypeParam()), before = options_before(TypeParam());
  for (const auto& [setting, settings] : all_changes<TypeParam>()) {
    if (!setting.later) continue;
    const Json::json_pointer place("/" + setting.key);
    EXPECT_FALSE(usual.contains(place)) << setting.key;
    EXPECT_TRUE(in_files(settings).contains(place)) << setting.key;
    if (setting.option.empty()) continue;  // of files only
    EXPECT_EQ(before.at(setting.option), as_options(TypeParam()).at(setting.option));
  }
}

// An unfinished run does not go on as another one, whatever the setting.
template <class S, class Begin> void expect_no_other_run(const std::string& run, Begin begin) {
  for (const auto& [setting, settings] : all_changes<S>()) {
    const bool asked_only = setting.option == "limit" || setting.option == "vocab" ||
                            setting.option == "preset";  // the checksum of the data says more
    const std::string error = error_of<DataError>([&] { begin(settings); });
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
  discriminate::begin_run(discriminator, {}, words, "{}");
  expect_no_other_run<discriminate::Settings>(discriminator, [&](const discriminate::Settings& s) {
    discriminate::begin_run(discriminator, s, words, "{}");
  });
}

TYPED_TEST(Settings, AFileThatHoldsWhatDoesNotFitSaysWhichKey) {
  const auto fails = [](const char* key, const nlohmann::json& value, const std::string& says) {
    nlohmann::json json = in_files(TypeParam());
    json[nlohmann::json::json_pointer(std::string("/") + key)] = value;
    if (value.is_null()) json.erase(key);
    EXPECT_EQ(error_of<UsageError>([&] { settings_from_json<TypeParam>(json, kVisitSettings); }),
              "'" + std::string(key) + "' " + says);
  };
  fails("schedule/patience", "three", "has the wrong type");
  fails("schedule/patience", 1.5, "has the wrong type");
  fails("schedule/patience", int64_t{1} << 32, "is out of range");
  fails("limit", -1, "is out of range");
  fails("hidden_size", nullptr, "is missing");
}

}  // namespace
}  // namespace heed
