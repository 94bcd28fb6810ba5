// heed chat: how much of a conversation it keeps and reads, and what it draws.
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "nn/safetensors.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

std::string chat(const std::string& typed, const Arguments& more = {}) {
  const TempDir dir;
  dir.write("typed", typed);
  const Result r = heed_program(Arguments{"chat", "--model", kTrained, "--threads", "1"} + more, "",
                                dir.path("typed"));
  EXPECT_EQ(r.code, 0) << r.err;
  return r.out;
}

// All matches of an expression, one after the other.
std::vector<std::string> all(const std::string& text, const std::string& expression) {
  const std::regex regex(expression, std::regex::multiline);
  std::vector<std::string> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
       it != std::sregex_iterator(); ++it) {
    found.push_back(it->str());
  }
  return found;
}

std::string last_answer(const std::string& out) {
  return out.substr(out.rfind("\nmodel: "));
}

TEST(Chat, KeepsAsManyTurnsAsInTraining) {
  std::string typed;
  for (const char* word : {"one", "two", "three", "four", "five", "six", "seven", "eight"}) {
    typed += std::string(word) + "\n";
  }
  const std::string last = last_answer(chat(typed));
  EXPECT_EQ(all(last, " (you|model): ").size(), 10u) << last;
  EXPECT_NE(last.find("(5 earlier turns are not read)"), last.npos) << last;
  EXPECT_NE(last.find("15 ? you: eight"), last.npos) << last;
  // Of a new conversation nothing is forgotten.
  const std::string anew = last_answer(chat(typed + "/reset\nnine\n"));
  EXPECT_EQ(anew.find("not read"), anew.npos) << anew;
  EXPECT_NE(anew.find(" 1 ? you: nine"), anew.npos) << anew;
}

// What is behind the 50 tokens that an utterance had in training is shown, and not read.
TEST(Chat, ReadsAsMuchOfALineAsInTraining) {
  std::string line;
  for (int i = 0; i < 50; ++i) line += "ubuntu ";
  const auto numbers = [&](const std::string& more) {
    return all(chat(line + more + "\nwhat is it?\n"), R"(\d+ %|^model: .*$)");
  };
  const std::vector<std::string> cut = numbers("");
  EXPECT_GE(cut.size(), 5u);
  EXPECT_EQ(numbers("windows windows windows windows"), cut);
  line.erase(0, 70);  // forty words: now it is read
  EXPECT_NE(numbers("windows windows windows windows"), numbers(""));
}

// What the model said is cut to three words, too; then three turns are within ten tokens.
TEST(Chat, ReadsAsMuchOfAnAnswerAsInTraining) {
  const TempDir dir;
  std::filesystem::copy(kTrained, dir.path("run"));
  Json settings = Json::parse(dir.read("run/settings.json"));
  settings["examples"]["max_utterance_tokens"] = 3;
  settings["examples"]["max_context_tokens"] = 10;
  dir.write("run/settings.json", settings.dump());
  const Result r = heed_program({"chat", "--model", dir.path("run"), "--decode", "greedy"}, "",
                                dir.write("typed", "my wifi is gone\nwhat is it?\n"));
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string last = last_answer(r.out);
  EXPECT_EQ(all(last, " (you|model): ").size(), 3u) << last;
}

TEST(Chat, RefusesWhatTheBestOfSeveralDoesNotUse) {
  for (const char* option : {"--temperature", "--top-k"}) {
    expect_failure(heed_program({"chat", "--model", kTrained, "--best-of", "2", option, "3"}), 2,
                   std::string(option) + ": only applies with --decode sample", option);
  }
}

TEST(Chat, SaysWhatToExpectAndAnswersDifferently) {
  const std::string typed = "hello\nhow do i mount a usb stick\nwhat is 2 + 2\n";
  const std::string out = chat(typed);
  EXPECT_EQ(all(out, R"(A model of \d+\.\d million parameters .*watch where it looks.*)").size(),
            1u)
      << out;
  const std::vector<std::string> answers = all(out, "^model: .*$");
  EXPECT_EQ(std::set<std::string>(answers.begin(), answers.end()).size(), 3u) << out;
  EXPECT_EQ(chat(typed), out);  // with the same seed
  EXPECT_NE(chat(typed, {"--seed", "2"}), out);
}

// The temperature that nobody gives is 0.7.
TEST(Chat, DrawsWithATemperature) {
  const std::string typed = "hello\nhow do i mount a usb stick\n", usual = chat(typed);
  EXPECT_EQ(chat(typed, {"--decode", "sample", "--temperature", "0.7"}), usual);
  EXPECT_NE(chat(typed, {"--temperature", "1"}), usual);
}

// Where all words are as probable the first one, <eos>, ends an answer before it begins. That is no
// turn of the conversation.
TEST(Chat, AnEmptyAnswerIsNoTurn) {
  const TempDir dir;
  std::filesystem::copy(kModel, dir.path("run"));
  std::vector<NamedTensor> tensors;
  for (const auto& [name, tensor] : load_tensors(dir.path("run/model.safetensors"))) {
    const bool last = name == "decoder.output.weight";
    tensors.push_back({name, last ? Tensor::zeros(tensor.shape(), DType::f32) : tensor});
  }
  ASSERT_EQ(tensors.size(), 16u);
  save_tensors(dir.path("run/model.safetensors"), tensors);
  const Result r = heed_program({"chat", "--model", dir.path("run"), "--decode", "greedy"}, "",
                                dir.write("typed", "hello\nare you there\n"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(all(r.out, "^model: \\(says nothing\\)$").size(), 2u) << r.out;
  EXPECT_EQ(all(r.out, R"(\(the same answer as before\))").size(), 1u) << r.out;
  const std::string last = last_answer(r.out);
  EXPECT_NE(last.find(" 1   you: hello\n"), last.npos) << last;
  EXPECT_NE(last.find(" 2 ? you: are you there\n"), last.npos) << last;
}

TEST(Chat, SaysWhereAnAnswerComesAgain) {
  const std::string typed = "hello\n/reset\nhello\n";
  EXPECT_EQ(all(chat(typed, {"--decode", "greedy"}), R"(\(the same answer as before\))").size(),
            1u);
  EXPECT_EQ(all(chat(typed), R"(\(the same answer as before\))").size(), 0u);
}

TEST(Chat, DrawsEveryAnswerAnew) {
  const std::string out = chat("hello there\n/reset\nhello there\n/reset\nhello there\n",
                               {"--decode", "sample", "--temperature", "3", "--top-k", "0"});
  const std::vector<std::string> answers = all(out, "^model: .*$");
  ASSERT_EQ(answers.size(), 3u) << out;
  EXPECT_NE(answers[0], answers[1]);
  EXPECT_NE(answers[1], answers[2]);
}

}  // namespace
}  // namespace heed
