// Each option of the trainings of systems acts: in the place of what the command has, it makes
// another model, or is refused where it does not apply.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

struct Change {
  Arguments options;
  Arguments with = {};  // what is given in both trainings
};

// The bytes of the model that the command makes, a tiny one in one epoch.
std::string trained(const TempDir& dir, const Arguments& command) {
  std::filesystem::remove_all(dir.path("run"));
  const Result r = heed_program(
      command + Arguments{"--epochs", "1", "--threads", "1", "--out", dir.path("run")});
  EXPECT_EQ(r.code, 0) << join(command) << r.err;
  return r.code == 0 ? dir.read("run/model.safetensors") : "";
}

void each_makes_another_model(const Arguments& command, const std::vector<Change>& changes) {
  const TempDir dir;
  std::map<std::string, std::string> without;
  for (const Change& change : changes) {
    std::string& base = without[join(change.with)];
    if (base.empty()) base = trained(dir, command + change.with);
    EXPECT_NE(trained(dir, command + change.with + change.options), base)
        << join(change.options) << " changes nothing";
  }
}

// Two turns of a user, whose one value holds or does not.
std::string items(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const std::string city = i % 2 ? "Rio" : "Lima";
    nlohmann::json item = {
        {"id", std::to_string(i)},
        {"turns",
         {{{"speaker", "user"}, {"text", "a hotel in " + city + " please"}},
          {{"speaker", "system"}, {"text", "for how many " + std::to_string(i % 5)}},
          {{"speaker", "user"}, {"text", i % 3 ? "two and a taxi" : "no , elsewhere"}}}},
        {"candidates",
         {{{"turn", 0}, {"key", "city"}, {"value", city}, {"span", {11, 11 + city.size()}}},
          {{"turn", 1},
           {"key", "rooms"},
           {"from", "Hotels_1"},
           {"value", std::to_string(i % 5)},
           {"span", {13, 14}}}}},
        {"carry", i % 3 ? nlohmann::json{0} : nlohmann::json::array()}};
    lines += item.dump() + "\n";
  }
  return lines;
}

TEST(SystemOptions, OfCarryover) {
  const TempDir dir;
  dir.write("data/train.jsonl", items(24));
  dir.write("data/valid.jsonl", items(6));
  const Arguments pointer = {"--decoder", "pointer"}, attention = {"--decoder", "self-attention"};
  each_makes_another_model({"train", "carryover", "--data", dir.path("data"), "--preset", "smoke"},
                           {{{"--decoder", "independent"}},
                            {{"--order", "none"}, pointer},
                            {{"--value", "average"}, pointer},
                            {{"--slot-heads", "3"}, attention},
                            {{"--head-size", "3"}, attention},
                            {{"--set", "same"}, pointer},
                            {{"--share", "0.5"}, pointer},
                            {{"--shuffled-labels"}, pointer}});
}

// FriendsQA's form: two questions on each of ten dialogues.
std::string questions() {
  nlohmann::json data = nlohmann::json::array();
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    const nlohmann::json answer = {{"answer_text", number},
                                   {"utterance_id", 0},
                                   {"inner_start", 2},
                                   {"inner_end", 2},
                                   {"is_speaker", false}};
    nlohmann::json qas = nlohmann::json::array();
    for (const char* question : {"What has Ann ?", "What is it that she has here today ?"}) {
      qas.push_back({{"id", number + question}, {"question", question}, {"answers", {answer}}});
    }
    data.push_back(
        {{"title", number},
         {"paragraphs",
          {{{"utterances:",
             {{{"speakers", {"Ann"}}, {"utterance", "i have " + number + " here"}},
              {{"speakers", {"Bob"}}, {"utterance", "that is good to know , thank you"}}}},
            {"qas", qas}}}}});
  }
  return nlohmann::json({{"data", data}}).dump();
}

TEST(SystemOptions, OfReadersOfPassages) {
  const TempDir dir;
  const std::string data = dir.write("questions.json", questions());
  each_makes_another_model({"train", "comprehend", "--data", data, "--hidden", "16",
                            "--encoder-layers", "1", "--cells", "8"},
                           {{{"--turns", "0"}},
                            {{"--without-questions"}, {"--turns", "1"}},
                            {{"--without-answers"}, {"--turns", "1"}},
                            {{"--other-turns"}, {"--turns", "1"}},
                            {{"--kinds"}},
                            {{"--window", "10"}},
                            {{"--longest-query", "5"}},
                            {{"--together", "1"}}});
  expect_failure(heed_program({"train", "comprehend", "--data", data, "--frozen", "--out",
                               dir.path("frozen")}),
                 2, "--frozen needs --init", "an encoder that is drawn");
}

TEST(SystemOptions, OfGaps) {
  const TempDir dir;
  std::string lines;
  const std::vector<std::string> things = {"甲", "乙", "丙", "丁"};
  for (int i = 0; i < 60; ++i) {
    const std::string thing = things[i % 4] + things[i / 4 % 4];
    lines += "我要" + thing + "谢谢\t\t好的\t\t" +
             (i % 2 ? "多少钱\t\t" + thing + "多少钱" : "它在吗\t\t" + thing + "在吗") + "\n";
  }
  dir.write("corpus.txt", lines);
  const Result r = heed_program({"prepare", "rewriting", "--in", dir.path("corpus.txt"), "--out",
                                 dir.path("data"), "--split", "dialogue"});
  ASSERT_EQ(r.code, 0) << r.err;
  each_makes_another_model({"train", "gaps", "--data", dir.path("data"), "--preset", "smoke"},
                           {{{"--positions", "off"}},
                            {{"--max-turn-words", "4"}},
                            {{"--max-span", "1"}},
                            {{"--learn", "detect"}},
                            {{"--label-weight", "1"}},
                            {{"--size-weight", "1"}},
                            {{"--margin", "0.001"}},
                            {{"--hardest", "2"}}});
}

TEST(SystemOptions, OfExplanations) {
  const TempDir dir;
  const std::string data = dir.write(
      "d.jsonl",
      R"({"turns": [{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d"}, {"text": "hi"}, )"
      R"({"text": "all"}, {"text": "it is slow because the disk is full"}, )"
      R"({"text": "why is it full ?"}, {"text": "there are too many logs"}]})"
      "\n");
  const auto made = [&](const Arguments& options) {
    const Result r = heed_program(
        Arguments{"prepare", "because", "--in", data, "--out", dir.path("new/out.jsonl")} +
        options);
    EXPECT_EQ(r.code, 0) << r.err;
    const bool why = std::count(options.begin(), options.end(), "why") > 0;
    EXPECT_EQ(r.out, dir.path("new/out.jsonl") + (why ? ": 1 answer" : ": 1 explanation") +
                         " of 1 dialogue\n");
    return nlohmann::json::parse(dir.read("new/out.jsonl"))["turns"];
  };
  EXPECT_EQ(made({}).size(), 7u);  // five turns before, what is so, and why
  EXPECT_EQ(made({"--before", "0"}).size(), 2u);
  EXPECT_EQ(made({"--before", "0"})[1]["text"], "the disk is full");
  EXPECT_EQ(made({"--of", "why"}).back()["text"], "there are too many logs");
  EXPECT_EQ(made({"--of", "why", "--before", "1"}).size() + 1,
            made({"--of", "why", "--before", "2"}).size());
  const std::string none =
      dir.write("none.jsonl", R"({"turns": [{"text": "hi"}, {"text": "yo"}]})");
  for (const auto& [of, what] :
       {std::pair("because", "with \"because\" between texts of 3 to 50 tokens"),
        {"why", "after one that begins with \"why\""}}) {
    const Result r =
        heed_program({"prepare", "because", "--in", none, "--out", dir.path("none/x"), "--of", of});
    EXPECT_EQ(r.code, 1);
    EXPECT_FALSE(std::filesystem::exists(dir.path("none")));
    EXPECT_EQ(r.err, "heed: " + none + ": no turn " + what + "\n");
  }
}

}  // namespace
}  // namespace heed
