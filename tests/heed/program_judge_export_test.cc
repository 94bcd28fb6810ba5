// heed judge export: what people are to judge, and its key.
#include <set>

#include "tests/heed/program_judge_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using JudgeExport = JudgeTest;

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

Arguments exporting(const TempDir& dir) {
  return {"judge",     "export",
          "--data",    kSample,
          "--limit",   "80",
          "--threads", "1",
          "--out",     dir.path("items.jsonl"),
          "--key",     dir.path("key.jsonl")};
}

TEST_F(JudgeExport, ExportsRealAndGeneratedResponses) {
  const Arguments command =
      exporting(dir) + Arguments{"--model", kTrained,   "--items", "21",     "--checks",
                                 "0.1",     "--decode", "sample",  "--seed", "3"};
  const Json summary = json_of(command);
  const std::vector<Json> items = lines_of(dir.read("items.jsonl")),
                          key = lines_of(dir.read("key.jsonl"));
  ASSERT_EQ(items.size(), 23u);
  ASSERT_EQ(key.size(), 23u);
  int real = 0, fake = 0, checks = 0;
  std::set<std::string> ids, generated;
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i]["item"], std::to_string(i + 1));
    EXPECT_EQ(key[i]["item"], items[i]["item"]);
    EXPECT_EQ(items[i].size(), 3u);  // item, context, response: nothing that tells
    EXPECT_GE(items[i]["context"].size(), 2u);
    EXPECT_TRUE(ids.insert(key[i]["id"]).second);  // no two of one example
    if (key[i].contains("check")) {
      ++checks;
      EXPECT_EQ(key[i]["real"], false);
      continue;
    }
    ++(key[i]["real"] ? real : fake);
    if (!key[i]["real"]) {
      EXPECT_TRUE(generated.insert(items[i]["response"]).second);
    }
  }
  EXPECT_EQ(real, 11);
  EXPECT_EQ(fake, 10);
  EXPECT_EQ(checks, 2);
  // Their order tells nothing: a real item follows a fake one about as often as the other way
  // round, and another seed has another order.
  const auto order = [&] {
    std::string reals;
    for (const Json& line : lines_of(dir.read("key.jsonl"))) reals += line["real"] ? "r" : "f";
    return reals;
  };
  const std::string first_order = order();
  int changes = 0;
  for (size_t i = 1; i < first_order.size(); ++i) changes += first_order[i] != first_order[i - 1];
  EXPECT_GE(changes, 5) << first_order;
  EXPECT_EQ(summary["items"], 21);
  EXPECT_EQ(summary["inputs"]["models"].size(), 1u);
  // The same again; another seed draws others.
  const std::string before = dir.read("items.jsonl");
  json_of(command);
  EXPECT_EQ(dir.read("items.jsonl"), before);
  json_of(with(command, "--seed", "4"));
  EXPECT_NE(dir.read("items.jsonl"), before);
  EXPECT_NE(order(), first_order);
  // What judge score reads: somebody who calls everything real.
  std::string text;
  for (const Json& item : items)
    text += judgement(std::stoi(item["item"].get<std::string>()), "a", "real");
  json_of(command);
  const Json scores = json_of({"judge", "score", "--judgements", dir.write("j.jsonl", text),
                               "--key", dir.path("key.jsonl"), "--pass", "0"});
  EXPECT_EQ(scores["judgements"]["real"]["recall"]["value"], 1.0);
  EXPECT_NEAR(scores["judgements"]["accuracy"]["value"], 11.0 / 21, 1e-12);
}

// A generated response is what heed respond draws for that example with the same seed.
TEST_F(JudgeExport, ShowsTheResponsesOfTheirExamples) {
  for (const char* seed : {"3", "4"}) {
    const Arguments drawn = {"--model", kTrained, "--decode", "sample", "--seed", seed};
    json_of(exporting(dir) + drawn + Arguments{"--items", "20", "--checks", "0"});
    const Arguments respond = {"respond", "--data", kSample, "--limit", "80", "--out", "-"};
    std::map<std::string, std::string> said;
    for (const Json& line : lines_of(heed_program(respond + drawn).out))
      said[line["id"]] = line["response"];
    const std::vector<Json> items = lines_of(dir.read("items.jsonl")),
                            key = lines_of(dir.read("key.jsonl"));
    ASSERT_EQ(items.size(), 20u);
    for (size_t i = 0; i < items.size(); ++i) {
      if (key[i]["real"]) continue;
      EXPECT_EQ(items[i]["response"], said.at(key[i]["id"])) << seed;
    }
  }
}

// By what is drawn in no other way a model repeats itself: each number stands under its name.
TEST_F(JudgeExport, SaysWhatItWroteAndLeftOut) {
  const Arguments command =
      exporting(dir) + Arguments{"--model", kTrained, "--items", "20", "--checks", "0.13"};
  const Json summary = json_of(command);
  EXPECT_EQ(summary["items"], 20);
  EXPECT_EQ(summary["checks"], 3);  // of 2.6
  const Json& left_out = summary["left_out"];
  EXPECT_GT(left_out["repeated"], 0);  // or the line would not tell them apart
  EXPECT_EQ(heed_program(command).out,
            "wrote 20 items and 3 test questions to " + dir.path("items.jsonl") + ", the key to " +
                dir.path("key.jsonl") +
                "\ngenerated responses left out: " + left_out["empty"].dump() + " empty, " +
                left_out["repeated"].dump() + " repeated, " + left_out["unknown"].dump() +
                " with <unk>, " + left_out["as_people"].dump() + " equal to the human one\n");
}

// Or it would tell who said nothing.
TEST_F(JudgeExport, NobodyJudgesNothing) {
  std::string data;
  for (int i = 0; i < 40; ++i) {
    data += dialogue("d" + std::to_string(i),
                     {"hello there", "how are you", i % 2 == 0 ? "fine" : "\u200B"});
  }
  json_of(with(with(exporting(dir), "--data", dir.write("d.jsonl", data)), "--limit", "40") +
          Arguments{"--model", kTrained, "--decode", "sample", "--items", "10", "--checks", "0"});
  for (const Json& item : lines_of(dir.read("items.jsonl"))) EXPECT_NE(item["response"], "");
}

// Words of a response in another order, also where most orders are the one that it has.
TEST_F(JudgeExport, ATestQuestionIsNotTheResponseItself) {
  std::string data;
  for (int i = 0; i < 120; ++i) {  // equal words have one order only
    const char* const said = i % 2 == 0 ? "yes yes yes yes no" : "ha ha ha ha ha";
    data += dialogue("d" + std::to_string(i), {"hello there", "how are you", said});
  }
  const Arguments command =
      with(with(exporting(dir), "--data", dir.write("d.jsonl", data)), "--limit", "120") +
      Arguments{"--a", kTrained, "--b", kTrained, "--pairs", "20", "--checks", "1"};
  json_of(command);
  const std::vector<Json> items = lines_of(dir.read("items.jsonl")),
                          key = lines_of(dir.read("key.jsonl"));
  ASSERT_EQ(items.size(), 40u);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!key[i].contains("check")) continue;
    const bool is_a = key[i]["expected"] == "a";
    EXPECT_EQ(items[i][is_a ? "a" : "b"], "yes yes yes yes no");
    EXPECT_NE(items[i][is_a ? "b" : "a"], "yes yes yes yes no");
  }
}

TEST_F(JudgeExport, ExportsPairs) {
  const Arguments command =
      exporting(dir) +
      Arguments{"--a",     kTrained, "--b",      source_dir() + "/data/models/baseline",
                "--pairs", "30",     "--checks", "0.2"};
  const Json summary = json_of(command);
  const std::vector<Json> items = lines_of(dir.read("items.jsonl")),
                          key = lines_of(dir.read("key.jsonl"));
  ASSERT_EQ(items.size(), 36u);
  int swapped = 0, identical = 0, checks = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(key[i]["identical"], items[i]["a"] == items[i]["b"]);
    swapped += key[i]["swapped"].get<bool>();
    identical += key[i]["identical"].get<bool>();
    if (!key[i].contains("check")) continue;
    ++checks;
    EXPECT_EQ(key[i]["expected"], key[i]["swapped"] ? "b" : "a");
  }
  EXPECT_EQ(checks, 6);
  EXPECT_GT(swapped, 5);
  EXPECT_LT(swapped, 31);
  EXPECT_EQ(summary["identical"], identical);
  EXPECT_EQ(summary["items"], 30);
  EXPECT_EQ(summary["checks"], 6);
  std::vector<std::string> models;
  for (const Json& model : summary["inputs"]["models"]) models.push_back(model["path"]);
  EXPECT_EQ(models, (std::vector<std::string>{kTrained, source_dir() + "/data/models/baseline"}));
  // A model against itself: all pairs are ties.
  EXPECT_EQ(json_of(with(command, "--b", kTrained))["identical"], 30);
}

// A key of items that nobody has would be taken for one.
TEST_F(JudgeExport, AFullDiskLeavesNoKeyWithoutItems) {
  const Arguments command =
      exporting(dir) + Arguments{"--model", kTrained, "--items", "20", "--decode", "sample"};
  {
    const FilesUpTo bytes(3000);  // the key has 1,100 of them, the items 5,000
    expect_failure(without_notes(heed_program(command)), 1, "items.jsonl", "full");
  }
  EXPECT_EQ(dir.count_files(), 0u);
  EXPECT_EQ(heed_program(command).code, 0);
  EXPECT_LT(dir.read("key.jsonl").size(), 3000u);
  EXPECT_GT(dir.read("items.jsonl").size(), 3000u);
}

TEST_F(JudgeExport, ExportSaysWhatIsWrong) {
  const auto says = [&](const Arguments& more, int code, const std::string& text) {
    expect_failure(heed_program(exporting(dir) + more), code, text, join(more));
  };
  const std::string both = "give --model and --items (real or generated), or --a, --b and --pairs";
  says({}, 2, both);
  says({"--model", kTrained, "--items", "4", "--pairs", "4"}, 2, both);
  says({"--model", kTrained}, 2, "--items is required with --model");
  says({"--items", "4"}, 2, "--model is required with --items");
  says({"--a", kTrained, "--pairs", "4"}, 2, "--b is required for pairs");
  says({"--model", kTrained, "--items", "200"}, 1,
       "test questions; ask for fewer or give more dialogues");
  says({"--model", dir.path("no"), "--items", "4"}, 1, "no: no such directory");
  expect_failure(heed_program(with(exporting(dir), "--key", dir.path("items.jsonl")) +
                              Arguments{"--model", kTrained, "--items", "4"}),
                 2, "is --out, too; give another file", "--key");
  expect_failure(heed_program(with(exporting(dir), "--key", "-") +
                              Arguments{"--model", kTrained, "--items", "4"}),
                 2, "--key: must be a separate file that judges do not see", "--key");
  EXPECT_FALSE(std::filesystem::exists(dir.path("items.jsonl")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("key.jsonl")));
  // A key does not replace what is read.
  const std::string data = dir.write("mine.jsonl", "{}\n");
  const Arguments over = with(with(exporting(dir), "--key", data), "--data", data);
  expect_failure(heed_program(over + Arguments{"--model", kTrained, "--items", "4"}), 2,
                 "would overwrite what --data reads", "--key");
}

}  // namespace
}  // namespace heed
