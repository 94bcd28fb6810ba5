// heed train comprehend and heed ask, as people call them.
#include "tests/heed/program_ask_data.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Ask : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir = new TempDir;
    data = dir->write("questions.json", friends_questions());
    run = dir->path("run");
    const Result r =
        heed_program({"train", "comprehend", "--data", data, "--hidden", "16", "--encoder-layers",
                      "1", "--cells", "8", "--epochs", "2", "--threads", "1", "--out", run});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out + r.err, "21 training questions on 7 passages and 3 to validate"));
  }
  static void TearDownTestSuite() { delete dir; }

  static TempDir* dir;
  static std::string data, run;
};
TempDir* Ask::dir = nullptr;
std::string Ask::data, Ask::run;

TEST_F(Ask, AnswersQuestionsAboutADialogue) {
  const std::string talk = dir->write(
      "talk.jsonl",
      "{\"id\": \"a\", \"turns\": [{\"speaker\": \"Ann\", \"text\": \"i have 4 here\"}]}\n"
      "{\"id\": \"b\", \"turns\": [{\"speaker\": \"Bob\", \"text\": \"i \\u001b[31m have\"}]}\n");
  const Result one = heed_program({"ask", "--model", run, "--dialogue", talk, "What has Ann ?"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(has(one.out, "%)"));
  EXPECT_FALSE(has(one.out, "What has Ann ?")) << one.out;  // which is alone
  const Result two = heed_program(
      {"ask", "--model", run, "--dialogue", talk, "--which", "b", "What has Bob ?", "And then ?"});
  EXPECT_TRUE(has(two.out, "And then ?\n")) << two.out;
  EXPECT_FALSE(has(two.out, "\x1b"));
  const Result none =
      heed_program({"ask", "--model", run, "--dialogue", talk, "--least-p", "1", "What has Ann ?"});
  EXPECT_TRUE(has(none.out, "the dialogue does not say")) << none.out;
}

// An answer is shown in the turn that it stands in, or that it begins in: what stands before it is
// of that turn.
TEST_F(Ask, ShowsTheTurnOfAnAnswer) {
  Json turns = Json::array();
  for (const auto& [name, number] : {std::pair("Ann", 4), {"Bob", 7}, {"Cyd", 2}, {"Dan", 5}}) {
    turns.push_back({{"speaker", name}, {"text", "i have " + std::to_string(number) + " here"}});
  }
  const std::string talk =
      dir->write("four.jsonl", Json({{"id", "d"}, {"turns", turns}}).dump() + "\n");
  const Result r =
      heed_program({"ask", "--model", run, "--dialogue", talk, "What has Ann ?", "What has Bob ?",
                    "What has Cyd ?", "What has Dan ?", "who ?", "7 ?"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(r.out);
  int behind_the_first = 0;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find('[');
    if (!line.starts_with("  ") || begin == line.npos) continue;
    EXPECT_TRUE(has(line.substr(begin), "]")) << line;
    const std::string before = line.substr(2, begin - 2);
    const std::regex whole_turn("here .+:");
    EXPECT_FALSE(std::regex_search(before, whole_turn)) << line;
    EXPECT_FALSE(std::regex_search(line.substr(line.find(']')), whole_turn)) << line;
    behind_the_first += !line.starts_with("  Ann") && !line.starts_with("  [Ann");
  }
  EXPECT_GT(behind_the_first, 0) << r.out;
}

TEST_F(Ask, MeasuresItsAnswers) {
  const Result r = heed_program({"ask", "--model", run, "--data", data, "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out);
  EXPECT_EQ(json["inputs"]["data"]["path"], data);
  EXPECT_GT(json["inputs"]["data"]["fingerprint"], 0);
  for (const char* history : {"gold", "predicted"}) {
    const Json& scores = json[history];
    EXPECT_EQ(scores["questions"], 6);
    EXPECT_GE(scores["f1"], scores["exact"]);
    EXPECT_EQ(scores["heq_q"], scores["exact"]);  // people agree in all
    EXPECT_TRUE(scores["f1_unanswerable"].is_null());
  }
  const Result shown = heed_program({"ask", "--model", run, "--data", data});
  EXPECT_TRUE(has(shown.out, "6 questions on 2 passages of a test part that is a fifth: " + data +
                                 " has no train part"))
      << shown.out;
  const Result two = heed_program({"ask", "--model", run, "--data", data + "," + data});
  EXPECT_TRUE(has(two.out, "12 questions on 4 passages")) << two.out << two.err;
  EXPECT_NE(json["gold"]["exact"], json["gold"]["f1"]);  // or the row would not tell them apart
  const auto expect_row = [](const std::string& table, const Json& scores) {
    std::string row = "\ngold";
    for (const char* measure : {"exact", "f1", "heq_q", "heq_d", "f1_answerable"}) {
      char cell[32];
      std::snprintf(cell, sizeof cell, " +%.1f", 100 * scores[measure].get<double>());
      row += cell;
    }
    EXPECT_TRUE(std::regex_search(table, std::regex(row + " +-"))) << row << "\n" << table;
  };
  expect_row(shown.out, json["gold"]);
  const Result lines =
      heed_program({"ask", "--model", run, "--data", data, "--history", "gold", "--out", "-"});
  std::istringstream in(lines.out);
  std::vector<std::string> ids;
  std::string last_answer;  // to 8-2
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    ids.push_back(json["id"]);
    if (ids.back() == "8-2") last_answer = json["answer"];
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"8-0", "8-1", "8-2", "9-0", "9-1", "9-2"}));
  // Where people do not agree in a word, every answer is as good as theirs: in all but 8-2.
  Json asked = Json::parse(friends_questions());
  for (const int i : {8, 9}) {
    for (const int k : {0, 1, 2}) {
      Json& answer = asked["data"][i]["paragraphs"][0]["qas"][k]["answers"][1];
      if (i == 8 && k == 2) continue;
      answer.update({{"answer_text", "here"}, {"inner_start", 3}, {"inner_end", 3}});
    }
  }
  Json unanswered = asked;
  unanswered["data"][8]["paragraphs"][0]["qas"][0]["answers"] = Json::array();
  const Result fewer = heed_program(
      {"ask", "--model", run, "--data", dir->write("unanswered.json", unanswered.dump())});
  EXPECT_TRUE(has(fewer.out, "5 questions on 2 passages")) << fewer.out;
  EXPECT_TRUE(has(fewer.err, "1 question left out of all parts: they have no answer")) << fewer.err;
  const Arguments apart = {
      "ask", "--model", run, "--data", dir->write("apart.json", asked.dump()), "--history", "gold"};
  const Json scores = Json::parse(heed_program(apart + Arguments{"--json", "-"}).out)["gold"];
  const int right = last_answer == std::to_string((7 * 8 + 3 * 2) % 10);
  EXPECT_EQ(scores["heq_q"], (5 + right) / 6.0);
  EXPECT_EQ(scores["heq_d"], (1 + right) / 2.0);
  expect_row(heed_program(apart).out, scores);
}

// One after the other, with its own answers before: as the questions of a file. Where an answer
// counts as none, the next question is read with none before it.
TEST_F(Ask, AnswersAskedInTurnAreThoseOfAFile) {
  const Json said = {"i have 6 here", "i have 9 here", "i have 2 here"};
  Json turns = Json::array();
  for (size_t i = 0; i < 3; ++i) {
    turns.push_back({{"speaker", std::vector{"Ann", "Bob", "Cyd"}[i]}, {"text", said[i]}});
  }
  const std::string talk =
      dir->write("eight.jsonl", Json({{"id", "8"}, {"turns", turns}}).dump() + "\n");
  const Arguments ask = {"ask", "--model", run, "--dialogue", talk};
  const Arguments questions = {"What has Ann ?", "What has Bob ?", "What has Cyd ?"};
  const Result typed = heed_program(ask + questions),
               low = heed_program(ask + Arguments{"--least-p", "1"} + questions);
  std::istringstream lines(
      heed_program({"ask", "--model", run, "--data", data, "--history", "predicted", "--out", "-"})
          .out);
  auto at = typed.out.cbegin();
  std::vector<std::string> of_file, of_low;
  for (std::string line; of_file.size() < 3 && std::getline(lines, line);) {
    const Json answer = Json::parse(line);
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.1f", 100 * answer["p"].get<double>());
    std::smatch found;
    ASSERT_TRUE(
        std::regex_search(at, typed.out.cend(), found, std::regex("(.*) \\(([0-9.]+) %\\)\n")))
        << typed.out;
    EXPECT_EQ(found[1].str() + " " + found[2].str(),
              (answer["answer"].is_null() ? "the dialogue does not say"
                                          : answer["answer"].get<std::string>()) +
                  " " + percent);
    of_file.emplace_back(percent);
    at = found[0].second;
  }
  for (auto from = low.out.cbegin(); of_low.size() < 3;) {
    std::smatch found;
    ASSERT_TRUE(std::regex_search(from, low.out.cend(), found,
                                  std::regex("does not say \\([a-z ]*([0-9.]+) %\\)")))
        << low.out;
    of_low.push_back(found[1]);
    from = found[0].second;
  }
  EXPECT_EQ(of_low[0], of_file[0]);
  EXPECT_NE(of_low, of_file);
}

// Behind a reset a question is the first one again.
TEST_F(Ask, AResetForgetsTheQuestionsBefore) {
  const std::string talk = dir->write(
      "two.jsonl",
      R"({"turns": [{"speaker": "Ann", "text": "i have 4"}, {"speaker": "Bob", "text": "i have 7"}]})");
  const auto answers = [&](const std::string& typed) {
    const Result r =
        heed_program({"ask", "--model", run, "--dialogue", talk}, "", dir->write("typed", typed));
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const std::string second = "What has Bob ?\n", first = "What has Ann ?\n";
  const std::string alone = answers(second), both = answers(first + second),
                    reset = answers(first + "/reset\n" + second), said = answers(first);
  EXPECT_TRUE(has(alone, "%)")) << alone;
  EXPECT_NE(both, said + alone);
  EXPECT_EQ(reset, said + "A new conversation begins.\n" + alone);
}

TEST_F(Ask, NumbersAreThoseOfAnyBatch) {
  expect_properties("ask", {"--model", run}, data);
}

TEST_F(Ask, RefusesWhatItCannotDo) {
  const auto refused = [&](const Arguments& more, int code, const std::string& error) {
    const Result r = heed_program(Arguments{"ask", "--model", run} + more);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_TRUE(has(r.err, error)) << r.err;
  };
  refused({}, 2, "give --dialogue FILE and questions, or --data");
  refused({"--data", data, "--out", "-"}, 2, "--out: give --history gold or predicted");
  refused({"--data", data, "--which", "x"}, 2, "--which: only applies with --dialogue");
  refused({"--data", kSample}, 1, "no .json");
  refused({"--dialogue", dir->write("t.jsonl", "{\"turns\": [{\"text\": \"x\"}]}\n"), "--which",
           "z", "x ?"},
          1, "no dialogue has the id 'z'");
  refused({"--dialogue", dir->path("t.jsonl"), "x ?", " "}, 2, "ask: a question is empty");
  for (const std::string preset : {"frozen", "fine-tuned", "paper"}) {
    expect_failure(heed_program({"train", "comprehend", "--data", data, "--preset", preset, "--out",
                                 dir->path("none")}),
                   2, "--preset " + preset + " needs --init", preset);
  }
  const Result tuned = heed_program(
      {"reproduce", "comprehend", "--data", data, "--fine-tune", "--out", dir->path("tuned")});
  EXPECT_EQ(tuned.code, 2);
  EXPECT_TRUE(has(tuned.err, "--fine-tune needs --init")) << tuned.err;
  expect_failure(heed_program({"reproduce", "comprehend", "--data", data, "--limit", "8", "--out",
                               dir->path("none")}),
                 1, "questions.json: no question to test; two of ten passages, the ninth",
                 "--limit 8");
  EXPECT_FALSE(std::filesystem::exists(dir->path("none")));
  const Result other =
      heed_program({"ask", "--model", source_dir() + "/data/models/ranker", "--data", data});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(
      has(other.err, "a ranker, which cannot answer; models of these systems can: comprehend"))
      << other.err;
}

// A batch of questions with two turns before is read in eight pieces, to the memory's relief.
TEST_F(Ask, TrainsAnEncoderFurtherInPieces) {
  const Result r = heed_program({"train",           "comprehend",
                                 "--data",          data,
                                 "--preset",        "fine-tuned",
                                 "--init",          run,
                                 "--turns",         "2",
                                 "--window",        "64",
                                 "--longest-query", "32",
                                 "--cells",         "4",
                                 "--epochs",        "1",
                                 "--threads",       "1",
                                 "--out",           dir->path("further")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(dir->read("further/settings.json"))["pieces"], 8);
  EXPECT_FALSE(Json::parse(dir->read("run/settings.json")).contains("pieces"));
}

}  // namespace
}  // namespace heed
