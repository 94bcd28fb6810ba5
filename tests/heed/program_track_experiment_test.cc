// heed reproduce energy, as people call it.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "nn/safetensors.h"
#include "tests/golden.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Dialogues of a food and an area, which end with "thanks".
std::string foods_and_areas() {
  std::string lines;
  for (int i = 0; i < 24; ++i) {
    const std::string food = i % 2 ? "thai" : "greek", area = i % 3 ? "north" : "south";
    const auto turn = [](const std::string& who, const std::string& text,
                         const std::string& state) {
      return R"({"speaker": ")" + who + R"(", "text": ")" + text + "\"" +
             (state.empty() ? "" : R"(, "labels": {"state": [)" + state + "]}") + "}";
    };
    const std::string one = "\"food=" + food + "\"", both = "\"area=" + area + "\", " + one;
    lines += R"({"id": "d)" + std::to_string(i) + R"(", "turns": [)" +
             turn("user", food + " please", one) + ", " + turn("system", "where?", "") + ", " +
             turn("user", "in the " + area, both) + ", " + turn("system", "ok", "") + ", " +
             turn("user", "thanks", both) + "]}\n";
  }
  return lines;
}

// "thanks" changes nothing, so that it stands before turns of other dialogues, and the state of
// each turn behind one survives or does not.
TEST(Track, ItsExperimentIsReproduced) {
  const TempDir dir;
  for (const char* part : {"train", "valid", "test"}) {
    dir.write(std::string("data/") + part + ".jsonl", foods_and_areas());
  }
  const Result r = heed_program({"reproduce", "energy", "--data", dir.path("data"), "--out",
                                 dir.path("out"), "--width", "8", "--epochs", "2", "--steps", "3",
                                 "--machine", "text", "--only", "[eh]*"});
  ASSERT_EQ(r.code, 0) << r.err;
  for (const std::string run : {"heads", "energy"}) {
    const Json json = Json::parse(dir.read("out/" + run + "-seed1/evaluation.json"));
    EXPECT_EQ(json["conversations"].size(), 72u);
    EXPECT_EQ(Json::parse(dir.read("out/" + run + "-seed1/config.json"))["act_size"], 8);
    for (const char* key : {"joint", "changes", "distracted", "survives"}) {
      const Json& items = json[std::string(key) + "_items"];
      ASSERT_EQ(items.size(), 72u) << key;
      double sum = 0, count = 0;
      for (const Json& x : items) {
        if (!x.is_null()) sum += x.get<double>(), ++count;
      }
      // No distraction before the first turns, and none where the drawn one is its own.
      EXPECT_TRUE(std::string(key) == "survives" ? count > 40 && count <= 48 : count == 72)
          << count;
      EXPECT_DOUBLE_EQ(json[key], sum / count) << key;
    }
  }
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("energy");
}

// Of turns that are distractions it has no number; and its folder may be called by another path
// when it goes on.
TEST(Track, ItsExperimentGoesOnFromAnotherPathAndLeavesDistractionsOut) {
  const TempDir dir;
  for (const char* part : {"train", "valid"}) {
    dir.write(std::string("data/") + part + ".jsonl", foods_and_areas());
  }
  std::istringstream lines(foods_and_areas());
  std::string some;  // in which the area depends on the food
  for (std::string line; std::getline(lines, line);) {
    if (has(line, "thai") == has(line, "north")) some += line + "\n";
  }
  dir.write("data/test.jsonl", std::regex_replace(some, std::regex(R"("text": "thanks")"),
                                                  R"("text": "thanks", "distraction": true)"));
  const auto reproduced = [&](const std::string& out, const std::string& only) {
    const Result r =
        heed_program({"reproduce", "energy", "--data", dir.path("data"), "--out", out, "--width",
                      "8", "--epochs", "1", "--steps", "3", "--machine", "text", "--only", only});
    EXPECT_EQ(r.code, 0) << r.err;
  };
  reproduced(dir.path("out"), "[eh]*");
  const Json json = Json::parse(dir.read("out/energy-seed1/evaluation.json"));
  EXPECT_EQ(json["conversations"].size(), 24u);
  EXPECT_EQ(json["joint_items"].size(), 24u);
  const Json &right = json["dependence"]["area-food"]["right"],
             &tracked = json["dependence"]["area-food"]["tracked"];
  EXPECT_NEAR(right["phi"], std::sqrt(0.5), 1e-9);
  EXPECT_NE(tracked["phi"], right["phi"]);  // or this would test nothing
  EXPECT_NEAR(json["phi_difference"].get<double>(),
              std::abs(tracked["phi"].get<double>() - right["phi"].get<double>()), 1e-9);
  std::filesystem::remove(dir.path("out/energy-seed1/evaluation.json"));
  reproduced(dir.path("data/../out"), "energy");
  EXPECT_EQ(Json::parse(dir.read("out/energy-seed1/evaluation.json"))["joint"], json["joint"]);
}

// Dialogues whose states change with every turn but the last one.
std::string changing_states(int dialogues, int turns) {
  std::string lines;
  for (int i = 0; i < dialogues; ++i) {
    Json json = {{"id", "d" + std::to_string(i)}, {"turns", Json::array()}};
    for (int t = 0; t < turns; ++t) {
      const bool last = t + 1 == turns;
      const std::string food = (t - last) % 2 ? "thai" : "greek";
      json["turns"].push_back({{"speaker", "user"}, {"text", last ? "thanks" : food + " please"}});
      json["turns"].back()["labels"]["state"] = {"food=" + food, "area=north"};
    }
    lines += json.dump() + "\n";
  }
  return lines;
}

// Of one of two slots. Logistic trackers begin with the features of the heads, and one of them
// keeps them.
TEST(Track, ItsExperimentHasLogisticTrackers) {
  const TempDir dir;
  for (const char* part : {"train", "valid"}) {
    dir.write(std::string("data/") + part + ".jsonl", foods_and_areas());
  }
  dir.write("data/test.jsonl", changing_states(12, 10));
  const Result r =
      heed_program({"reproduce",     "energy",  "--data",    dir.path("data"), "--out",
                    dir.path("out"), "--width", "8",         "--epochs",       "1",
                    "--steps",       "2",       "--machine", "text",           "--slots",
                    "food",          "--limit", "10",        "--only",         "[hl]*"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(dir.read("out/energy.json"))["data"]["test_turns"], 100);
  const auto weights = [&](const std::string& run) {
    return load_tensors(dir.path("out/" + run + "-seed1/model.safetensors"));
  };
  const TensorMap heads = weights("heads");
  for (const std::string run : {"logistic", "logistic-fixed"}) {
    const Json json = Json::parse(dir.read("out/" + run + "-seed1/evaluation.json"));
    EXPECT_EQ(json["slots"].size(), 1u) << json["slots"];
    EXPECT_TRUE(json["slots"].contains("food"));
    const Json config = Json::parse(dir.read("out/" + run + "-seed1/config.json"));
    EXPECT_EQ(config["independent"], true) << run;
    // Each dialogue has draws of its own: where its own "thanks" is drawn, nothing is inserted.
    std::map<size_t, int> own;  // turns of the dialogues, by their place
    for (size_t i = 0; i < 100; ++i) own[i % 10] += json["survives_items"][i].is_null();
    EXPECT_EQ(own[0], 10);
    own.erase(0);
    EXPECT_GT(std::max_element(own.begin(), own.end(),
                               [](auto& a, auto& b) { return a.second < b.second; })
                  ->second,
              1);
    size_t features = 0, same = 0;
    for (const auto& [name, tensor] : weights(run)) {
      if (!name.starts_with("features")) continue;
      ++features;
      same += tensor.to_vector() == heads.at(name).to_vector();
    }
    EXPECT_GT(features, 0u);
    EXPECT_EQ(same == features, run == "logistic-fixed") << same << " of " << features;
  }
}

// Its options that are settings of a tracker have their bounds, words and help.
TEST(Track, ItsExperimentTakesWhatTrackersTake) {
  const TempDir dir;
  dir.write("data/train.jsonl", foods_and_areas());
  const auto fails = [&](const char* option, const char* value, const std::string& says) {
    for (const Arguments& command : {Arguments{"train", "tracker"}, {"reproduce", "energy"}}) {
      expect_failure(heed_program(command + Arguments{"--data", dir.path("data"), "--out",
                                                      dir.path("out"), option, value}),
                     2, says, join(command));
    }
  };
  fails("--steps", "10001", "--steps: expected a whole number from 1 to 10000, got '10001'");
  fails("--machine", "speech", "--machine: expected acts, text or none, got 'speech'");
}

}  // namespace
}  // namespace heed
