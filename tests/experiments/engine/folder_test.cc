// A folder of runs goes on with the settings and the data that it began with only, both ways: what
// is left out is as different as what is new.
#include <gtest/gtest.h>

#include "base/error.h"
#include "experiments/engine/runs/folder_json.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson description(const OrderedJson& settings,
                        const OrderedJson& data = {{"train_checksum", 1}}) {
  return {{"format", 1}, {"heed", "any"}, {"settings", settings}, {"data", data}};
}

class Folder : public testing::Test {
 protected:
  void open(const OrderedJson& made, const OrderedJson& earlier = OrderedJson::object()) const {
    open_folder(dir.path("out"), "sweep", made, earlier);
  }
  std::string refusal(const OrderedJson& made,
                      const OrderedJson& earlier = OrderedJson::object()) const {
    return error_of<UsageError>([&] { open(made, earlier); });
  }
  const TempDir dir;
};

TEST_F(Folder, TheSameSettingsGoOn) {
  open(description({{"rate", 0.5}, {"attention", "general"}}));
  open(description({{"attention", "general"}, {"rate", 0.5}}));  // in any order
}

TEST_F(Folder, AnOptionThatIsLeftOutNowIsRefused) {
  open(description({{"rate", 0.5}, {"attention", "general"}}));
  EXPECT_EQ(refusal(description({{"rate", 0.5}})),
            dir.path("out") +
                ": holds a sweep with --attention \"general\", not its default; take the same "
                "settings or another --out");
}

TEST_F(Folder, AnOptionThatIsNewOrAnotherValueIsRefused) {
  open(description({{"rate", 0.5}}));
  EXPECT_EQ(refusal(description({{"rate", 0.5}, {"dropout", 0.1}})),
            dir.path("out") +
                ": holds a sweep with --dropout its default, not 0.1; take the same settings or "
                "another --out");
  EXPECT_EQ(
      refusal(description({{"rate", 0.25}})),
      dir.path("out") +
          ": holds a sweep with --rate 0.5, not 0.25; take the same settings or another --out");
}

// What older versions did not write had one value.
TEST_F(Folder, OlderFoldersGoOn) {
  open(description({{"rate", 0.5}}));
  open(description({{"rate", 0.5}, {"pieces", 1}}), {{"pieces", 1}});
  EXPECT_NE(refusal(description({{"rate", 0.5}, {"pieces", 2}}), {{"pieces", 1}})
                .find("--pieces 1, not 2"),
            std::string::npos);
  open(description({{"rate", 0.5}},
                   {{"train_checksum", 1}, {"test_checksum", 7}}));  // not kept then
}

// Older versions wrote for no end of the patience what is 0 now.
TEST_F(Folder, PatienceWithoutAnEndGoesOn) {
  dir.write("out/sweep.json", description({{"patience", "1000000"}}).dump());
  open(description({{"patience", "0"}}));
  EXPECT_NE(refusal(description({{"patience", "3"}})).find("--patience \"0\", not \"3\""),
            std::string::npos);
}

// Of two that begin a folder at once the second one takes what is there.
TEST_F(Folder, AFileIsMadeOnce) {
  const std::string path = dir.path("once.json");
  for (const char* text : {"first", "second"}) create_once(path, text);
  EXPECT_EQ(dir.read("once.json"), "first");
  for (const auto& entry : std::filesystem::directory_iterator(dir.path(""))) {
    EXPECT_EQ(entry.path().filename(), "once.json");
  }
}

TEST_F(Folder, ADamagedDescriptionIsNamed) {
  for (const char* text : {"{", "[]", R"({"format": 1, "settings": []})",
                           R"({"format": 1, "settings": {}, "data": 7})"}) {
    const std::string path = dir.write("out/sweep.json", text);
    EXPECT_EQ(error_of<DataError>([&] { open(description({})); }),
              path + ": not what heed writes there")
        << text;
  }
}

// What lies in a folder of runs does not matter later.
TEST_F(Folder, AModelARunOrDialoguesAreNoFolderOfRuns) {
  for (const char* file : {"config.json", "settings.json", "log.jsonl", "model.safetensors",
                           "train.jsonl.gz", "test.jsonl"}) {
    const std::string path = dir.write(std::string("out/") + file, "{}\n");
    EXPECT_EQ(refusal(description({{"rate", 0.5}})),
              path + ": this folder holds a model, a run or data; take another --out");
    EXPECT_FALSE(std::filesystem::exists(dir.path("out/sweep.json"))) << file;
    std::filesystem::remove(path);
  }
  dir.write("out/notes.txt", "mine");
  open(description({{"rate", 0.5}}));
  dir.write("out/config.json", "{}\n");
  open(description({{"rate", 0.5}}));
}

TEST_F(Folder, OtherDataAreRefused) {
  open(description({}, {{"train_checksum", 1}, {"test_checksum", 2}}));
  const std::string expected =
      dir.path("out") + ": holds a sweep on other data; take the same --data or another --out";
  EXPECT_EQ(refusal(description({}, {{"train_checksum", 1}, {"test_checksum", 3}})), expected);
  EXPECT_EQ(refusal(description({}, {{"train_checksum", 3}, {"test_checksum", 2}})), expected);
  open(description({}, {{"test_checksum", 2}, {"train_checksum", 1}}));
}

}  // namespace
}  // namespace heed
