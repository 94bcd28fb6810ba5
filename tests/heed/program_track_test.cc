// heed prepare woz, heed train tracker and heed track, as people call them.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "dialog/data/corpus.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Dialogues in the form of WOZ 2.0: a food, then an area.
std::string woz(int count) {
  const std::vector<std::string> foods = {"thai", "greek"}, areas = {"north", "south"};
  std::string all;
  for (int i = 0; i < count; ++i) {
    const std::string food = R"(["food", ")" + foods[i % 2] + "\"]",
                      area = R"(["area", ")" + areas[i / 2 % 2] + "\"]";
    const auto informs = [](const std::string& pair) {
      return R"({"act": "inform", "slots": [)" + pair + "]}";
    };
    all += std::string(i == 0 ? "[" : ",") + R"({"dialogue_idx": )" + std::to_string(i) +
           R"(, "dialogue": [{"system_transcript": "", "system_acts": [], "transcript": ")" +
           foods[i % 2] + R"( please", "turn_label": [)" + food + R"(], "belief_state": [)" +
           informs(food) + R"(]}, {"system_transcript": "where?", "system_acts": ["area"],)" +
           R"("transcript": "in the )" + areas[i / 2 % 2] + R"(", "turn_label": [)" + area +
           R"(], "belief_state": [)" + informs(food) + "," + informs(area) + "]}]}";
  }
  return all + "]";
}

// Data and two runs for all tests.
struct Made {
  Made() {
    std::filesystem::create_directory(dir.path("data"));
    for (const std::string part : {"train", "valid", "test"}) {
      const std::string file = dir.write("woz.json", woz(part == "valid" ? 20 : 40));
      const Result r = heed_program({"prepare", "woz", "--in", file, "--out",
                                     data + "/" + part + ".jsonl", "--min-turns", "1"});
      EXPECT_EQ(r.code, 0) << r.err;
    }
    const Arguments train = {"train",  "tracker", "--data",  data, "--preset", "smoke",
                             "--rate", "0.03",    "--batch", "8",  "--epochs", "8"};
    Result r = heed_program(train + Arguments{"--out", heads});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "values of area (3), food (3)")) << r.out;
    EXPECT_TRUE(has(r.out, "40 training dialogues and 20 to validate")) << r.out;
    r = heed_program(train + Arguments{"--out", energy, "--init", heads, "--output", "energy",
                                       "--fixed-features", "--steps", "5"});
    EXPECT_EQ(r.code, 0) << r.err;
  }
  const TempDir dir;
  const std::string data = dir.path("data"), heads = dir.path("heads"), energy = dir.path("energy");
};
const Made& made() {
  static const Made all;
  return all;
}

TEST(Track, MeasuresAFile) {
  for (const std::string& model : {made().heads, made().energy}) {
    Result r = heed_program({"track", model, "--data", made().data});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "40 dialogues, 80 turns of the user")) << r.out;
    EXPECT_TRUE(has(r.out, "\nwords of the value  ")) << r.out;
    r = heed_program({"track", model, "--data", made().data, "--json", "-"});
    ASSERT_EQ(r.code, 0) << r.err;
    const Json json = Json::parse(r.out, nullptr, false);
    EXPECT_GT(json["trackers"][model]["joint"], 0.9);
    EXPECT_EQ(json["trackers"]["words of the value"]["joint"], 1);
    EXPECT_EQ(json["trackers"]["most frequent state"]["joint"], 0.25);
    EXPECT_EQ(json["slots"]["area"]["has_value_percent"], 50);
    EXPECT_EQ(json["slots"]["food"]["has_value_percent"], 100);
    EXPECT_EQ(json["inputs"]["data"]["path"], made().data + "/test.jsonl");
    EXPECT_EQ(json["dialogues"], 40);
    EXPECT_EQ(json["turns"], 80);
    EXPECT_EQ(json["inputs"]["data"]["fingerprint"],
              fingerprint(read_dialogues(made().data + "/test.jsonl")));
    EXPECT_EQ(json["slots"]["food"]["changes_percent"], 50);
    ASSERT_EQ(json["dependence"].size(), 1u);
    EXPECT_NEAR(json["dependence"][0]["right"]["phi"], 0, 1e-6);
  }
}

// The rule believes the word that is said, which is not the food; in the second turn nothing
// changes, which is right although the state is not.
TEST(Track, EachNumberStandsUnderItsName) {
  const TempDir dir;
  const auto said = [](const std::string& text) {
    return R"({"speaker": "user", "text": ")" + text + R"(", "labels": {"state": ["food=greek"]}})";
  };
  const std::string data =
      dir.write("one.jsonl",
                R"({"id": "d", "turns": [)" + said("thai please") + ", " + said("well") + "]}\n");
  const Result r = heed_program({"track", made().heads, "--data", data});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("% +joint +above 1/2 +changes +area +food")));
  EXPECT_TRUE(std::regex_search(
      r.out, std::regex("words of the value +0\\.0 +0\\.0 +50\\.0 +100\\.0 +0\\.0")))
      << r.out;
}

// Turns that are distractions are not measured.
TEST(Track, RefusesAFileOfDistractionsAlone) {
  const TempDir dir;
  const std::string data = dir.write(
      "one.jsonl",
      R"({"id": "d", "turns": [{"speaker": "user", "text": "thai please", "distraction": true, )"
      R"("labels": {"state": ["food=thai"]}}]})");
  expect_failure(heed_program({"track", made().heads, "--data", data, "--json", "-"}), 1,
                 "has no states to compare with", "distractions");
}

// Two slots that change together: chi2 is twice the turns, and phi the root of 2. What the tracker
// makes of the words of nobody is another matter, and one of the foods it never saw.
TEST(Track, EachTableHasTheNumbersOfTheJson) {
  const TempDir dir;
  const auto said = [](const std::string& state) {
    return R"({"speaker": "user", "text": "well", "labels": {"state": [)" + state + "]}}";
  };
  const std::string data =
      dir.write("one.jsonl", R"({"id": "d", "turns": [)" + said(R"("area=north", "food=thai")") +
                                 ", " + said(R"("area=south", "food=welsh")") + ", " + said("") +
                                 ", " + said("") + "]}\n");
  const Result r = heed_program({"track", made().heads, "--data", data});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "1 value that the tracker does not know, as food=welsh")) << r.err;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("area +3 +50\\.00 +75\\.00"))) << r.out;
  const Json json =
      Json::parse(heed_program({"track", made().heads, "--data", data, "--json", "-"}).out);
  EXPECT_EQ(json["unknown_values"], Json{"food=welsh"});
  const Json& none = json["trackers"]["most frequent state"];
  EXPECT_EQ(none["joint"], 0.5);
  EXPECT_EQ(none["changes"], 0.25);
  const Json &right = json["dependence"][0]["right"], &tracked = json["dependence"][0]["tracked"];
  EXPECT_NEAR(right["chi2"], 8, 1e-9);
  EXPECT_NEAR(right["cramers_v"], 1, 1e-9);
  EXPECT_NEAR(json["phi_difference"], std::sqrt(2.0) - tracked["phi"].get<double>(), 1e-9);
  char row[120];
  std::snprintf(row, sizeof row, "area, food +8\\.00 +1\\.4142 +1\\.0000 +%.2f +%.4f +%.4f\n",
                tracked["chi2"].get<double>(), tracked["phi"].get<double>(),
                tracked["cramers_v"].get<double>());
  EXPECT_TRUE(std::regex_search(r.out, std::regex(row))) << row << r.out;
}

// It has the sizes of the tracker that it begins with, whatever the preset says.
TEST(Track, TakesTheSizesOfItsFeatures) {
  const TempDir dir;
  const Arguments train = {"train", "tracker", "--data", made().data, "--preset",
                           "smoke", "--limit", "8",      "--epochs",  "1"};
  ASSERT_EQ(heed_program(train + Arguments{"--hidden", "9", "--embed", "7", "--act-size", "5",
                                           "--out", dir.path("heads")})
                .code,
            0);
  const Result r = heed_program(train + Arguments{"--init", dir.path("heads"), "--output", "energy",
                                                  "--steps", "3", "--out", dir.path("energy")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json config = Json::parse(dir.read("energy/config.json"));
  EXPECT_EQ(config["output"], "energy");
  EXPECT_EQ(config["hidden_size"], 9);
  EXPECT_EQ(config["embedding_size"], 7);
  EXPECT_EQ(config["act_size"], 5);
}

TEST(Track, NumbersAreThoseOfAnyBatchAndOrder) {
  const TempDir dir;
  const std::string data = made().data + "/test.jsonl";
  for (const std::string& model : {made().heads, made().energy}) {
    expect_properties("track", {model}, data, turned(data, dir));
  }
}

TEST(Track, WritesStates) {
  const TempDir dir;
  const std::string in =
      dir.write("in.jsonl",
                R"({"id": "a", "turns": [{"speaker": "user", "text": "thai please"},
          {"speaker": "system", "text": "where?"}, {"speaker": "user", "text": "in the south"}]})");
  std::string line = dir.read("in.jsonl");
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  dir.write("in.jsonl", line + "\n");
  Result r = heed_program({"track", made().heads, "--data", in, "--out", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out, nullptr, false);
  EXPECT_EQ(json["id"], "a");
  ASSERT_EQ(json["turns"].size(), 2u);
  EXPECT_EQ(json["turns"][0]["text"], "thai please");
  EXPECT_EQ(json["turns"][1]["text"], "in the south");
  EXPECT_EQ(json["turns"][0]["state"], (Json{{"food", "thai"}}));
  EXPECT_EQ(json["turns"][1]["state"]["area"], "south");
  EXPECT_GT(json["turns"][0]["p"]["food"], 0.5);
  EXPECT_NE(json["turns"][1]["p"], json["turns"][0]["p"]);
  r = heed_program({"track", made().heads, "--data", in});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "has no states to compare with")) << r.err;
}

TEST(Track, TalksTurnByTurn) {
  const TempDir dir;
  const std::string typed = dir.write("typed",
                                      "greek please\nsystem: request area\nin the north\n/reset\n"
                                      "thai please\n/quit\n");
  const Result r = heed_program({"track", made().heads}, "", typed);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "  + food = greek (")) << r.out;
  EXPECT_TRUE(has(r.out, "  + area = north (")) << r.out;
  EXPECT_TRUE(has(r.out, "    food = greek (")) << r.out;
  EXPECT_TRUE(has(r.out, "A new conversation begins.\n  + food = thai (")) << r.out;
}

// What is typed has the probabilities of a file with the same turns and acts; an act is read with
// the next turn only.
TEST(Track, TellsOnWhatIsTypedAsOnAFile) {
  const TempDir dir;
  const std::string data = dir.write(
      "same.jsonl",
      R"({"id": "d", "turns": [{"speaker": "user", "text": "greek please"}, )"
      R"({"speaker": "system", "text": "", "labels": {"act": ["request area", "bye"]}}, )"
      R"({"speaker": "user", "text": "in the north"}, {"speaker": "user", "text": "thai please"}]})"
      "\n");
  const Json turns =
      Json::parse(heed_program({"track", made().heads, "--data", data, "--out", "-"}).out)["turns"];
  const auto typed = [&](const std::string& acts) {
    const Result r = heed_program(
        {"track", made().heads}, "",
        dir.write("typed", "greek please\n" + acts + "in the north\n" + "thai please\n/quit\n"));
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  std::string expected;
  Json before = Json::object();
  ASSERT_EQ(turns.size(), 3u);
  for (const Json& turn : turns) {
    for (const auto& [slot, p] : turn["p"].items()) {
      const std::string now = turn["state"].value(slot, "none"), old = before.value(slot, "none");
      if (now == "none" && old == "none") continue;
      const char sign = now == old ? ' ' : now == "none" ? '-' : old == "none" ? '+' : '*';
      char text[32];
      std::snprintf(text, sizeof text, " (%.2f", p.get<double>());
      expected += std::string("  ") + sign + " " + slot + " = " + now + text +
                  (sign == '*' || sign == '-' ? ", was " + old : "") + ")\n";
    }
    before = turn["state"];
  }
  const std::string said = typed("system: bye,request area\n");
  EXPECT_TRUE(has(said, expected)) << expected << "\n" << said;
  EXPECT_FALSE(has(typed(""), expected)) << "acts are not read";
}

// Both turns say a slot that the other does not, so both carry the state.
TEST(Track, ShowsWhichTurnsTheStateHangsOn) {
  const Result r =
      heed_program({"show", "--model", made().heads, "--data", made().data, "--count", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "human: area = north, food = thai")) << r.out;
  EXPECT_TRUE(has(r.out, "heads: area = north, food = thai")) << r.out;
  EXPECT_TRUE(has(r.out, "1   user: thai please")) << r.out;
  EXPECT_TRUE(has(r.out, "2 ? user: in the north")) << r.out;
}

// Turns that changed nothing in the other dialogue, so that the state stays right.
TEST(Track, ShowsItWithTurnsOfOthers) {
  const std::string data = made().dir.write(
      "inserted.jsonl",
      "{\"id\": \"d\", \"turns\": [{\"speaker\": \"user\", \"text\": \"thai please\", "
      "\"labels\": {\"state\": [\"food=thai\"]}}]}\n"
      "{\"turns\": [{\"speaker\": \"user\", \"text\": \"north please\", \"labels\": {\"state\": "
      "[\"area=north\"]}}, {\"speaker\": \"user\", \"text\": \"thank you\", \"labels\": "
      "{\"state\": [\"area=north\"]}}]}\n");
  const Arguments show = {"show", "--model", made().heads, "--data", data, "--count", "1"};
  const Result r = heed_program(show + Arguments{"--insert", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(
      std::regex_search(r.out, std::regex("(✗|x) user: thank you[\\s\\S]*(✗|x) user: thank you")))
      << r.out;
  EXPECT_TRUE(has(r.out, " 3 ? user: thai please")) << r.out;
  EXPECT_TRUE(has(r.out, "human: food = thai")) << r.out;
  expect_failure(heed_program({"show", "--model", made().heads, "--data", data, "--insert", "1",
                               "--count", "2"}),
                 1,
                 data +
                     ": distractions are turns of other dialogues that change nothing, and there "
                     "is none",
                 "the second");
}

TEST(Track, RefusesWhatItCannotDo) {
  const auto refused = [](const Arguments& arguments, int code, const std::string& says) {
    expect_failure(heed_program(arguments), code, says, join(arguments));
  };
  const std::string none = made().dir.path("none");
  refused({"track", made().heads, "--out", "x"}, 2, "--out: only applies with --data");
  refused({"track", made().heads, "--batch", "7"}, 2, "--batch: only applies with --data");
  refused({"track", kSample}, 1, "config.json");
  refused({"track", kModel}, 2, "which cannot tag");
  refused({"rewrite", "--model", made().heads}, 2, "a tracker of states, for heed track");
  refused({"train", "tracker", "--data", kSample, "--out", none}, 1, "no turn has a state");
  refused({"train", "tracker", "--data", made().data, "--fixed-features", "--out", none}, 2,
          "--fixed-features needs --init");
  const TempDir dir;
  const std::string encoder = imported_tiny_bert(dir);
  refused({"train", "tracker", "--data", made().data, "--init", encoder, "--encoder", "pretrained",
           "--fixed-features", "--out", none},
          2, "--fixed-features: " + encoder + " is no tracker");
  for (const auto& [option, value] : std::map<std::string, std::string>{{"--embed", "9"},
                                                                        {"--hidden", "9"},
                                                                        {"--act-size", "9"},
                                                                        {"--machine", "text"},
                                                                        {"--vocab", "99"},
                                                                        {"--slots", "food"}}) {
    refused({"train", "tracker", "--data", made().data, "--init", made().heads, option, value,
             "--out", none},
            2, option + ": with --init it is that of");
  }
}

// A tracker that begins with another one goes on training its encoder at the rate of an encoder.
TEST(Track, KeepsTheRateOfItsEncoder) {
  const TempDir dir;
  const std::string encoder = imported_tiny_bert(dir);
  const Arguments train = {"train",   "tracker", "--data",   made().data, "--preset", "smoke",
                           "--limit", "8",       "--epochs", "1",         "--rate",   "0.01"};
  for (const auto& [run, more] :
       {std::pair("heads", Arguments{"--init", encoder, "--encoder", "pretrained"}),
        {"energy", {"--init", dir.path("heads"), "--output", "energy", "--steps", "3"}}}) {
    const Result r = heed_program(train + more + Arguments{"--out", dir.path(run)});
    ASSERT_EQ(r.code, 0) << r.err;
    const Json groups =
        Json::parse(dir.read(std::string(run) + "/settings.json"))["optimizer"]["groups"];
    ASSERT_EQ(groups.size(), 1u) << run;
    EXPECT_EQ(groups[0]["name"], "encoder");
    EXPECT_NEAR(groups[0]["rate"].get<double>(), 5e-5 / 0.01, 1e-12);
  }
}

// Every setting makes another tracker.
TEST(Track, SettingsAct) {
  const TempDir dir;
  const auto trained = [&](const Arguments& more) {
    std::filesystem::remove_all(dir.path("run"));
    const Result r = heed_program(Arguments{"train", "tracker", "--data", made().data, "--preset",
                                            "smoke", "--limit", "8", "--epochs", "1", "--output",
                                            "energy", "--out", dir.path("run")} +
                                  more);
    EXPECT_EQ(r.code, 0) << join(more) << r.err;
    return dir.read("run/model.safetensors");
  };
  const std::string usual = trained({});
  EXPECT_TRUE(trained({}) == usual);
  const std::vector<Arguments> settings = {
      {"--machine", "text"}, {"--act-size", "5"},     {"--energy-size", "5"}, {"--steps", "3"},
      {"--independent"},     {"--inner-rate", "0.3"}, {"--slots", "fo*"}};
  for (const Arguments& more : settings) EXPECT_TRUE(trained(more) != usual) << join(more);
}

// The vector of a context is a representation as any other.
TEST(Track, IsAnEncoder) {
  const TempDir dir;
  const Result r = heed_program(
      {"features", "--model", made().heads, "--data", made().data, "--out", dir.path("f")});
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace heed
