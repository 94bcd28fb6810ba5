// heed prepare carryover and heed train carryover: what they say of what they read.
#include <map>
#include <nlohmann/json.hpp>

#include "dialog/carry/items.h"
#include "tests/heed/program_carry_data.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// A hotel's city, and the same one in two slots of a taxi.
std::string city_for_a_taxi(int number) {
  const std::string city = number % 2 ? "Rio" : "Lima";
  const auto turn = [](const std::string& text, const std::string& service, const Json& actions,
                       const Json& values) {
    const Json frame = {{"service", service},
                        {"actions", actions},
                        {"state", {{"active_intent", "FindIt"}, {"slot_values", values}}}};
    return Json{{"speaker", "USER"}, {"utterance", text}, {"frames", Json::array({frame})}};
  };
  const Json inform = {{"act", "INFORM"}, {"slot", "city"}, {"values", {city}}},
             taxi = {{"place", {city}}, {"stop", {city}}};
  return Json({{"dialogue_id", std::to_string(number)},
               {"turns", Json::array({turn("in " + city, "Hotels_1", Json::array({inform}),
                                           {{"city", {city}}}),
                                      turn("a ride", "Taxis_1", Json::array(), taxi)})}})
             .dump() +
         "\n";
}

// A slot may correspond to several others: each pair counts.
TEST(CarryNotes, PairsOfSlotsAreCounted) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += city_for_a_taxi(i);
  for (const std::string part : {"train", "valid", "test"}) {
    dir.write("sgd/" + part + ".jsonl", lines);
    dir.write("sgd/" + part + "_schema.json",
              R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}]}, )"
              R"({"service_name": "Taxis_1", "slots": [{"name": "place"}, {"name": "stop"}]}])");
  }
  const Result r =
      heed_program({"prepare", "carryover", "--in", dir.path("sgd"), "--out", dir.path("items")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "; 2 pairs of corresponding slots\n")) << r.out;
  const carry::Item taxi = carry::read_items(dir.path("items/valid.jsonl.gz")).at(1);
  ASSERT_EQ(taxi.candidates.size(), 2u);
  EXPECT_EQ(taxi.candidates[0].key + taxi.candidates[1].key, "placestop");
}

// What is learned from, by which decoder, and what is left out.
TEST(CarryNotes, ATrainingSaysWhatItReads) {
  const TempDir dir;
  const std::string two = lines_of_two_cities({"0", "1"});
  dir.write("data/train.jsonl",
            two + R"({"turns": [{"text": "a"}], "candidates": [], "carry": []})" + "\n");
  dir.write("data/valid.jsonl", lines_of_two_cities({"1", "0", "0"}));
  for (const auto& [decoder, order] : std::map<std::string, std::string>{
           {"pointer", ", order turn"}, {"self-attention", ""}, {"independent", ""}}) {
    const Arguments by_turn = {"--order", "turn"};
    const Result r = heed_program(Arguments{"train", "carryover", "--data", dir.path("data"),
                                            "--preset", "smoke", "--epochs", "1", "--decoder",
                                            decoder, "--out", dir.path(decoder)} +
                                  (order.empty() ? Arguments{} : by_turn));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, dir.path(decoder) + ": " + decoder + order + ", ")) << r.out;
    EXPECT_EQ(has(r.out, ", order "), !order.empty()) << r.out;
    EXPECT_TRUE(has(r.out, " words, 32 cells in each direction\n")) << r.out;
    EXPECT_TRUE(has(r.out, "2 training items and 3 to validate\n")) << r.out;
    EXPECT_TRUE(has(r.err, "left out: 1 training item without a candidate\n")) << r.err;
  }
}

}  // namespace
}  // namespace heed
