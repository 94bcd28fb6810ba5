// The commands that people look at or talk to: show, chat, prepare, bench.
#include <nlohmann/json.hpp>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Commands : public ProgramWithRun {
 protected:
  Result chat(const std::string& typed, const Arguments& more = {}) {
    dir.write("typed", typed);
    return heed_program(Arguments{"chat", "--model", run()} + more, "", dir.path("typed"));
  }
};

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

// ---- show ---------------------------------------------------------------------------------------

TEST_F(Commands, ShowPrintsDialoguesWithTheirDistractions) {
  const Result r = heed_program({"show", "--model", run(), "--data", kTestPart, "--limit", "20",
                                 "--count", "2", "--test", "frequent:end"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "why should i help you"), 2u) << r.out;  // one of the paper's phrases
  EXPECT_GE(count(r.out, "DAS ratio"), 2u) << r.out;
  const Result again = heed_program({"show", "--model", run(), "--data", kTestPart, "--limit", "20",
                                     "--count", "2", "--test", "frequent:end"});
  EXPECT_EQ(again.out, r.out);
}

TEST_F(Commands, ShowWritesAPageWithBothModels) {
  const std::string page = dir.path("page.html");
  const Result r =
      heed_program({"show", "--model", run(), "--baseline", run(), "--name", "one <b>", "--name",
                    "two", "--data", kSample, "--limit", "8", "--count", "3", "--html", page});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = dir.read("page.html");
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u) << html.substr(0, 80);
  EXPECT_GT(count(html, "one &lt;b&gt;"), 0u);
  EXPECT_EQ(count(html, "one <b>"), 0u);
  EXPECT_GT(count(html, "two"), 0u);
  EXPECT_EQ(count(html, "class=\"card dialogue\""), 3u);
  EXPECT_EQ(count(html, "<script"), 0u);
}

TEST_F(Commands, ShowSaysWhatIsNotThere) {
  const Arguments show = {"show", "--model", run(), "--data", kSample, "--limit", "8"};
  expect_failure(heed_program(show + Arguments{"--id", "no such"}), 1,
                 kSample + ": no dialogue 'no such' to show", "--id");
  expect_failure(heed_program(show + Arguments{"--name", "a", "--name", "b"}), 2,
                 "--name: more names than models", "--name");
  expect_failure(heed_program(show + Arguments{"--test", "often:end"}), 2, "often:end", "--test");
}

// ---- chat ---------------------------------------------------------------------------------------

TEST_F(Commands, ChatAnswersAndShowsWhereItLooked) {
  const Result r = chat("how do i install it\nxyzzyq now\n");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "\nmodel: "), 2u) << r.out;
  EXPECT_EQ(count(r.out, "you: how do i install it"), 2u) << r.out;  // remembered
  EXPECT_EQ(count(r.out, "(not in the vocabulary: xyzzyq)"), 1u) << r.out;
  EXPECT_EQ(chat("how do i install it\nxyzzyq now\n").out, r.out);
}

TEST_F(Commands, ChatObeys) {
  const Result r = chat("hello\r\n/reset\n/help\n/nonsense\n\n  \nhello\n/quit\nnever read\n");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "A new conversation begins."), 1u);
  EXPECT_EQ(count(r.out, "/reset  forget the conversation"), 1u);
  EXPECT_EQ(count(r.out, "/nonsense: no such command"), 1u);
  EXPECT_EQ(count(r.out, "you: hello"), 2u) << r.out;  // once in each conversation
  EXPECT_EQ(count(r.out, "never read"), 0u);
}

TEST_F(Commands, ChatDecodesAsAsked) {
  const Result beam = chat("hello there\n", {"--decode", "beam", "--beam-size", "3"});
  ASSERT_EQ(beam.code, 0) << beam.err;
  EXPECT_EQ(count(beam.out, "\nmodel: "), 1u);
  const Result drawn = chat("hello there\n", {"--decode", "sample", "--seed", "3"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(chat("hello there\n", {"--decode", "sample", "--seed", "3"}).out, drawn.out);
}

// ---- prepare ------------------------------------------------------------------------------------

TEST_F(Commands, PrepareUbuntuFolder) {
  std::filesystem::create_directories(dir.path("dialogs/3"));
  dir.write("dialogs/3/1.tsv",
            "2004-11-23T11:49:00.000Z\tann\t\thello\n2004-11-23T11:49:01.000Z\tann\t\tanyone?\n"
            "2004-11-23T11:50:00.000Z\tbob\tann\tyes\n2004-11-23T11:51:00.000Z\tann\tbob\tgood\n");
  dir.write("dialogs/3/2.tsv", "2004-11-23T11:49:00.000Z\tann\t\talone\n");
  const Result r = heed_program(
      {"prepare", "ubuntu", "--in", dir.path("dialogs"), "--out", dir.path("all.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "left out 1 with fewer than 3 turns"), 1u) << r.out;
  EXPECT_EQ(count(r.out, "wrote 1 dialogue with 3 turns"), 1u) << r.out;
  const Json dialogue = Json::parse(dir.read("all.jsonl"));
  ASSERT_EQ(dialogue.at("turns").size(), 3u);
  EXPECT_EQ(dialogue.at("turns")[1].at("text"), "yes");
}

TEST_F(Commands, PrepareUbuntuCsv) {
  dir.write("train.csv",
            "Context,Utterance,Label\n"
            "\"hello , all __eou__ __eot__ hi __eou__ __eot__ \",an answer __eou__,1\n"
            "x __eou__ __eot__,y __eou__,0\n");
  const Result r = heed_program(
      {"prepare", "ubuntu", "--in", dir.path("train.csv"), "--out", dir.path("all.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(dir.read("all.jsonl")).at("turns").back().at("text"), "an answer");
}

TEST_F(Commands, PrepareSaysWhatItCannotRead) {
  const auto prepare = [&](const std::string& in, const Arguments& more = {}) {
    return heed_program(Arguments{"prepare", "ubuntu", "--in", in, "--out", dir.path("out.jsonl")} +
                        more);
  };
  expect_failure(prepare(dir.path("none")), 1, "no such file or directory", "no folder");
  dir.write("some.txt", "x");
  expect_failure(prepare(dir.path("some.txt")), 2, "say --form tsv or csv", "no suffix");
  dir.write("short.tsv", "2004-11-23T11:49:00.000Z\tann\t\talone\n");
  expect_failure(prepare(dir.path("short.tsv")), 1, "none of 1 dialogue has 3 turns", "short");
  EXPECT_FALSE(std::filesystem::exists(dir.path("out.jsonl")));
}

TEST_F(Commands, PrepareTellsUbuntuByTheName) {
  const std::string tsv =
      "2004-11-23T11:49:00.000Z\tann\t\thi\n2004-11-23T11:50:00.000Z\tbob\tann\tyes\n";
  const std::string csv = "Context,Utterance,Label\na __eou__ __eot__,b __eou__,1\n";
  for (const auto& [name, text] : {std::pair("1.tsv", tsv), {"1.csv", csv}}) {
    const std::string gz = std::string(name) + ".gz";
    for (const std::string& in : {dir.write(name, text), dir.write(gz, gzip(text))}) {
      const Result r = heed_program(
          {"prepare", "ubuntu", "--in", in, "--out", dir.path("all.jsonl"), "--min-turns", "2"});
      EXPECT_EQ(r.code, 0) << in << r.err;
      EXPECT_EQ(count(r.out, "wrote 1 dialogue with 2 turns"), 1u) << r.out;
    }
  }
}

TEST_F(Commands, PrepareSaysWhatItLeavesOut) {
  dir.write("train.csv",
            "Context,Utterance,Label\n"
            "a __eou__ __eot__ b __eou__ __eot__,c __eou__,1\n"
            "a __eou__ __eot__,d __eou__,0\n"
            "a __eou__ __eot__,e __eou__,0\n");
  const Result r = heed_program(
      {"prepare", "ubuntu", "--in", dir.path("train.csv"), "--out", dir.path("all.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "left out: 2 rows with label 0, whose utterance is not the answer"), 1u);
}

TEST_F(Commands, PrepareUbuntuMessages) {
  dir.write("dialogueText.csv",
            "folder,dialogueID,date,from,to,text\n"
            "3,1.tsv,t,ann,,\"hello, all\"\n3,1.tsv,t,bob,ann,hi\n3,1.tsv,t,ann,bob,bye\n");
  const Result r = heed_program(
      {"prepare", "ubuntu", "--in", dir.path("dialogueText.csv"), "--out", dir.path("all.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(dir.read("all.jsonl")).at("turns")[0].at("text"), "hello, all");
  EXPECT_EQ(
      count(r.out, "  speaker \"ann\", text \"hello, all\"\n  speaker \"bob\", text \"hi\"\n"), 1u)
      << r.out;
  const Result folder =
      heed_program({"prepare", "ubuntu", "--in", dir.path(""), "--out", dir.path("all.jsonl")});
  expect_failure(folder, 1, "give a .csv file itself: ", "a folder with a .csv file");
}

// Forty dialogues of three turns; those with the same last digit share a long utterance.
std::string plain_dialogues() {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const std::string digit = std::to_string(i % 10), number = std::to_string(i);
    text += "ann\tthis was said in more than one conversation, number " + digit + "\nbob\tyes " +
            number + "\nann\tok " + number + "\n\n";
  }
  return text;
}

TEST_F(Commands, PrepareTextAndSplitMakeADataDirectory) {
  const Result text =
      heed_program({"prepare", "text", "--in", dir.write("t.txt", plain_dialogues()), "--out",
                    dir.path("all.jsonl.gz")});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(count(text.out, "read as --layout tabs"), 1u) << text.out;
  EXPECT_EQ(count(text.out, "wrote 40 dialogues with 120 turns (mean 3.0)"), 1u) << text.out;
  EXPECT_EQ(
      count(text.out, "the first one, t.txt:1, begins\n  speaker \"ann\", text \"this was said"),
      1u)
      << text.out;
  const auto split = [&](const std::string& out, const Arguments& more) {
    return heed_program(
        Arguments{"prepare", "split", "--in", dir.path("all.jsonl.gz"), "--out", dir.path(out)} +
        more);
  };
  const Result r = split("data", {"--valid", "0.2", "--test", "0.2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count(r.out, "40 dialogues in 10 conversations, the largest with 4\n"), 1u) << r.out;
  EXPECT_EQ(count(r.out, "train.jsonl.gz: 24 dialogues with 72 turns\n"), 1u) << r.out;
  EXPECT_TRUE(r.out.ends_with("\nnext: heed train --data " + dir.path("data") +
                              " --out runs/first --preset smoke\n"))
      << r.out;
  EXPECT_EQ(count(r.out, "0 utterances of 40 or more characters in more than one part\n"), 1u);
  ASSERT_EQ(split("again", {"--valid", "0.2", "--test", "0.2"}).code, 0);
  ASSERT_EQ(split("other", {"--valid", "0.2", "--test", "0.2", "--seed", "2"}).code, 0);
  EXPECT_EQ(dir.read("data/test.jsonl.gz"), dir.read("again/test.jsonl.gz"));
  EXPECT_NE(dir.read("data/test.jsonl.gz"), dir.read("other/test.jsonl.gz"));
  const Result tenths = split("tenths", {"--by", "dialogue"});
  EXPECT_EQ(count(tenths.out, "train.jsonl.gz: 32 dialogues with 96 turns\n"), 1u) << tenths.out;
  EXPECT_EQ(count(tenths.out, "valid.jsonl.gz: 4 dialogues with 12 turns\n"), 1u) << tenths.out;
  EXPECT_EQ(count(tenths.out, "test.jsonl.gz: 4 dialogues with 12 turns\n"), 1u) << tenths.out;
  const Result single = split("single", {"--by", "dialogue", "--test", "0"});
  EXPECT_EQ(count(single.out, "(a split by conversation leaves none)"), 1u) << single.out;
  EXPECT_FALSE(std::filesystem::exists(dir.path("single/test.jsonl.gz")));
  const Result train =
      heed_program({"train", "--data", dir.path("data"), "--out", dir.path("run"), "--preset",
                    "smoke", "--hidden", "8", "--epochs", "1", "--threads", "1"});
  EXPECT_EQ(train.code, 0) << train.err;
}

TEST_F(Commands, PrepareSplitSaysWhatItCannotDo) {
  const std::string in = dir.write("all.jsonl",
                                   "{\"id\": \"a\", \"turns\": [{\"text\": \"x\"}]}\n"
                                   "{\"id\": \"b\", \"turns\": [{\"text\": \"y\"}]}\n"
                                   "{\"id\": \"c\", \"turns\": [{\"text\": \"z\"}]}\n");
  const auto split = [&](const Arguments& more, const std::string& out = "data") {
    return heed_program(Arguments{"prepare", "split", "--in", in, "--out", dir.path(out)} + more);
  };
  expect_failure(split({"--valid", "0"}), 2, "--valid 0: the valid part is needed",
                 "no valid part");
  expect_failure(split({"--valid", "0.5", "--test", "0.5"}), 2, "leave nothing to train", "all");
  expect_failure(split({"--test", "0.95"}), 2, "--test", "too large a share");
  expect_failure(split({"--by", "week"}), 2, "--by", "no such way");
  expect_failure(split({"--by", "day"}), 1, "dialogue 'a': its id holds no date", "no dates");
  expect_failure(split({"--by", "folder"}), 1, "dialogue 'a': its id holds no '/'", "no folders");
  expect_failure(split({"--valid", "0.6", "--test", "0.3"}), 1,
                 "nothing for the train part: 3 dialog", "nothing left");
  EXPECT_FALSE(std::filesystem::exists(dir.path("data")));
  dir.write("old/valid.jsonl.gz", "");
  expect_failure(split({}, "old"), 1, "valid.jsonl.gz: exists; give --out a new folder",
                 "not empty");
}

// ---- bench --------------------------------------------------------------------------------------

const Arguments kTinyBench = {"bench",    "--batch", "2",        "--embed",   "4",
                              "--hidden", "4",       "--layers", "1",         "--vocab",
                              "20",       "--steps", "2",        "--threads", "2"};

TEST_F(Commands, BenchTimesAllWork) {
  for (const char* work : {"train", "forward", "score", "greedy", "beam"}) {
    const Result r = heed_program(kTinyBench + Arguments{"--work", work});
    ASSERT_EQ(r.code, 0) << r.err;
    const Json json = Json::parse(r.out);
    expect_made_with(json.at("heed"), "bench");
    EXPECT_EQ(json.at("heed").at("threads"), 2);
    EXPECT_EQ(json.at("inputs").at("work"), work);
    EXPECT_GT(json.at("tokens_per_s"), 0) << work;
    EXPECT_GT(json.at("loss"), 0) << work;
    EXPECT_GT(json.at("gflop_per_step"), 0) << work;
    EXPECT_GT(json.at("share_of_peak"), 0) << work;
  }
}

// Of a step, however many are timed.
TEST_F(Commands, BenchCountsTheWorkOfAStep) {
  const auto line = [](const char* steps) {
    return Json::parse(heed_program(with(kTinyBench, "--steps", steps)).out);
  };
  const Json one = line("1"), three = line("3");
  EXPECT_EQ(one.at("tokens_per_step"), three.at("tokens_per_step"));
  EXPECT_NEAR(one.at("gflop_per_step").get<double>(), three.at("gflop_per_step").get<double>(),
              1e-9);
}

TEST_F(Commands, BenchReadsLengths) {
  dir.write("lengths.jsonl",
            "{\"context\": [3, 2], \"response\": 4}\n{\"context\": [1], \"response\": 1}\n");
  const Arguments bench = kTinyBench + Arguments{"--lengths", dir.path("lengths.jsonl")};
  const Result r = heed_program(bench);
  ASSERT_EQ(r.code, 0) << r.err;
  // each utterance and each response ends with a token of its own
  EXPECT_EQ(Json::parse(r.out).at("tokens_per_step"), (3 + 1 + 2 + 1 + 4 + 1) + (1 + 1 + 1 + 1));
  // The first batch is the warm-up; each step has its own, and what is behind them is not read.
  std::string lengths;
  const int per_dialogue[] = {900, 901, 10, 20, 3, 4, 500};
  for (const int n : per_dialogue)
    lengths += Json({{"context", {n}}, {"response", 1}}).dump() + "\n";
  dir.write("lengths.jsonl", lengths);
  EXPECT_EQ(Json::parse(heed_program(bench).out).at("tokens_per_step"),
            (10 + 20 + 3 + 4 + 4 * 3) / 2.0);
  for (const char* line : {"{\"context\": [3]}", "[]", "{\"context\": [], \"response\": 1}",
                           "{\"context\": [0], \"response\": 1}", "x"}) {
    dir.write("lengths.jsonl", line);
    expect_failure(heed_program(bench), 1, "lengths.jsonl:1: ", line);
  }
  dir.write("lengths.jsonl", "");
  expect_failure(heed_program(bench), 1, "no lengths", "empty");
}

}  // namespace
}  // namespace heed
