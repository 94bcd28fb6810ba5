// One line makes a setting: each is written, read, shown as an option and held against a run.
#include "dialog/respond/settings.h"

#include "base/error.h"
#include "dialog/respond/settings_json.h"
#include "dialog/respond/task.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

void change(const Setting&, bool& value) {
  value = !value;
}
void change(const Setting&, double& value) {
  value = value / 2 + 0.125;
}
void change(const Setting&, std::vector<ParameterGroup>& groups) {
  groups.push_back({.name = "lstm", .rate = 0.5, .weight_decay = 0.25});
}
void change(const Setting& s, std::string& value) {
  value = s.words.empty() ? "x" : s.words.back();
}
template <class T> void change(const Setting&, T& value) {
  ++value;
}
template <class T> void change(const Setting& s, std::optional<T>& value) {
  value = value.value_or(T{});
  change(s, *value);
}
template <class B> void change(const Setting&, Words<B>& value) {
  value.value = !value.value;
}
template <class B> void change(const Setting&, Unless<B>& value) {
  value.value = !value.value;
}
template <class T, class Parse> void change(const Setting& s, Named<T, Parse>& value) {
  value.value = value.parse(s.words.empty() ? "dynamic" : s.words.back());
}

// Changes the setting of this number.
struct Changer {
  size_t number, at = 0;
  Setting changed = {};
  template <class T> void operator()(const Setting& setting, T&& value) {
    if (at++ != number) return;
    change(setting, value);
    changed = setting;
  }
};

struct Changed {
  Setting setting;
  TrainSettings settings;
};

// All settings, and for each of them a training that differs in it and nothing else.
std::vector<Changed> all_changes() {
  std::vector<Changed> all;
  for (size_t i = 0;; ++i) {
    TrainSettings settings;
    Changer changer{.number = i};
    visit_settings(settings, changer);
    if (i == changer.at) return all;
    all.push_back({changer.changed, settings});
  }
}

Json in_files(const TrainSettings& s) {
  return settings_to_json(s, kVisitSettings);
}

TEST(Settings, EveryOneIsWrittenAndReadAgain) {
  const std::vector<Changed> changes = all_changes();
  EXPECT_GT(changes.size(), 40u);
  for (const auto& [setting, settings] : changes) {
    SCOPED_TRACE(setting.key + " --" + setting.option);
    ASSERT_NE(setting.key, "");
    const Json written = in_files(settings);
    EXPECT_NE(written, in_files({}));
    TrainSettings read;
    settings_from_json(nlohmann::json(written), read, kVisitSettings);
    EXPECT_EQ(in_files(read), written);
  }
}

TEST(Settings, EveryOptionIsShown) {
  const Json usual = as_options({});
  for (const auto& [setting, settings] : all_changes()) {
    if (setting.option.empty()) continue;
    const Json options = as_options(settings);
    EXPECT_NE(options.at(setting.option), usual.at(setting.option)) << setting.option;
  }
}

// What older versions did not write has a value there that is no other training's.
TEST(Settings, WhatIsNewerIsOnlyWrittenWhereItIsNotTheDefault) {
  const Json usual = in_files({}), before = options_before();
  for (const auto& [setting, settings] : all_changes()) {
    if (!setting.later) continue;
    const Json::json_pointer place("/" + setting.key);
    EXPECT_FALSE(usual.contains(place)) << setting.key;
    EXPECT_TRUE(in_files(settings).contains(place)) << setting.key;
    EXPECT_EQ(before.at(setting.option), as_options({}).at(setting.option)) << setting.option;
  }
}

// An unfinished run does not go on as another one, whatever the setting.
TEST(Settings, ARunIsNotBegunAgainWithAnotherValueOfAnyOfThem) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("run"));
  start_run(dir.path("run"), {}, Vocabulary::build({{"a", 9}, {"b", 8}}, {}));
  for (const auto& [setting, settings] : all_changes()) {
    const bool asked_only = setting.option == "limit" || setting.option == "vocab" ||
                            setting.option == "preset";  // the checksum of the data says more
    const std::string error =
        error_of<DataError>([&] { begin_run(dir.path("run"), settings, TrainData{}); });
    EXPECT_EQ(error == "no error", asked_only) << setting.key << " " << error;
  }
}

TEST(Settings, AFileThatHoldsAnotherTypeSaysWhichKey) {
  nlohmann::json json = in_files({});
  json["schedule"]["patience"] = "three";
  TrainSettings settings;
  EXPECT_EQ(error_of<UsageError>([&] { settings_from_json(json, settings, kVisitSettings); }),
            "'schedule/patience' has the wrong type");
  json = in_files({});
  json.erase("hidden_size");
  EXPECT_EQ(error_of<UsageError>([&] { settings_from_json(json, settings, kVisitSettings); }),
            "'hidden_size' is missing");
}

}  // namespace
}  // namespace heed
