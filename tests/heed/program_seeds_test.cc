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

// The intervals of the scores and of chance, and the lists that lose their right candidates: those
// that the score of "none" is learned from, and those that it is measured in.
TEST(Seeds, OfScoresInAFile) {
  const TempDir dir;
  std::string lists, alike, spread;
  for (int i = 0; i < 60; ++i) {
    Json scores = Json::array();
    for (int k = 0; k < 2 + i % 5; ++k) scores.push_back((i * i + 7 * k * (i + 3)) % 23);
    lists += Json({{"right", {i % 2}}, {"scores", scores}}).dump() + "\n";
    alike += Json({{"right", {0}}, {"scores", {8, 2}}}).dump() + "\n";
    spread += Json({{"right", {0}}, {"scores", {20 + i * 37 % 61, i * 53 % 61}}}).dump() + "\n";
  }
  dir.write("lists", lists), dir.write("alike", alike), dir.write("spread", spread);
  const auto ranked = [&](const char* seed, const char* learned) {
    const Arguments none = {"--without-right", "0.3", "--learn-none", dir.path(learned)};
    return json_said_by(Arguments{"rank", "scores", dir.path("lists"), "--seed", seed} +
                        (*learned ? none : Arguments{}));
  };
  const Json plain = ranked("1", ""), again = ranked("1", ""), other = ranked("2", "");
  for (const size_t row : {0, 1}) {
    EXPECT_EQ(plain["scorers"][row], again["scorers"][row]);
    EXPECT_NE(plain["scorers"][row], other["scorers"][row]) << row;
  }
  EXPECT_NE(ranked("1", "spread")["inputs"]["none"]["score"],
            ranked("2", "spread")["inputs"]["none"]["score"]);
  const Json first = ranked("1", "alike"), second = ranked("2", "alike");
  EXPECT_EQ(first["inputs"]["none"]["score"], 5);  // between 2 and 8, whatever is drawn
  EXPECT_EQ(second["inputs"]["none"]["score"], 5);
  EXPECT_NE(first["scorers"][0]["recall"]["1"]["value"],
            second["scorers"][0]["recall"]["1"]["value"]);
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
