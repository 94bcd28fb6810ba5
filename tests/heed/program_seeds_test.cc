// --seed of commands that draw: the same one draws the same, and another one draws anew.
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "dialog/data/corpus.h"
#include "tests/heed/program_ranker.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// `drawn` says what a command drew.
void expect_drawn_by_seed(const std::function<Json(const Arguments& seed)>& drawn) {
  const Json first = drawn({"--seed", "1"});
  EXPECT_FALSE(first.is_null() || first.empty());
  EXPECT_EQ(drawn({"--seed", "1"}), first);
  EXPECT_NE(drawn({"--seed", "2"}), first);
}

Json json_said_by(const Arguments& command) {
  const Result r = heed_program(command + Arguments{"--json", "-"});
  EXPECT_EQ(r.code, 0) << join(command) << r.err;
  return Json::parse(r.out, nullptr, false);
}

TEST(Seeds, OfWhatRankTestInserts) {
  expect_drawn_by_seed([](const Arguments& seed) {
    return json_said_by(Arguments{"rank", "test", "--model", ranker(), "--data", kSample, "--limit",
                                  "120", "--test", "random:1.0"} +
                        seed)["test_sets"]["random:1.0"]["mrr"]["value"];
  });
}

// Of pairs that fill more than one batch: the order of the batches is what is drawn. The cosine of
// the model's vectors draws nothing.
TEST(Seeds, OfALearnedMap) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("data"));
  for (const char* part : {"train", "test"}) {
    write_dialogues(dir.path("data/") + part + ".jsonl",
                    read_dialogues(find_part(kSample, part), 120));
  }
  std::vector<Json> cosines;
  expect_drawn_by_seed([&](const Arguments& seed) {
    const Json rows =
        json_said_by(Arguments{"rank", "baseline", "sim", "map", "--model", kTrained, "--data",
                               dir.path("data"), "--examples", "all", "--limit", "30"} +
                     seed)["scorers"];
    EXPECT_EQ(rows[1]["name"], "map");
    cosines.push_back(rows[0]["mrr"]["value"]);
    return rows[1]["mrr"]["value"];
  });
  EXPECT_EQ(cosines.front(), cosines.back());
}

TEST(Seeds, OfTheClustersOfAWhitelist) {
  const TempDir dir;
  expect_drawn_by_seed([&](const Arguments& seed) {
    const Result r =
        heed_program(Arguments{"rank", "whitelist", "--data", kSample, "--model", ranker(),
                               "--examples", "last", "--entries", "20", "--out", dir.path("pool")} +
                     seed);
    EXPECT_EQ(r.code, 0) << r.err;
    return Json(dir.read("pool"));
  });
}

// One response of each list; the beam's own order draws nothing.
TEST(Seeds, OfTheDrawnResponsesOfNBestLists) {
  const TempDir dir;
  std::vector<Json> first;
  expect_drawn_by_seed([&](const Arguments& seed) {
    const Result r =
        heed_program(Arguments{"generate", "--model", kTrained, "--data", kSample, "--limit", "20",
                               "--n-best", "4", "--max-length", "6", "--rank", "logp", "--out",
                               dir.path("n.jsonl"), "--json", dir.path("n.json")} +
                     seed);
    EXPECT_EQ(r.code, 0) << r.err;
    const Json rows = Json::parse(dir.read("n.json"))["reranked"]["rows"];
    EXPECT_EQ(rows[2]["name"], "drawn");
    first.push_back(rows[1]["mean_length"]);
    return Json{rows[2]["changed"], rows[2]["mean_length"]};
  });
  EXPECT_EQ(first.front(), first.back());
}

}  // namespace
}  // namespace heed
