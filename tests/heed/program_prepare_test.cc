// heed prepare with published corpora: what is written, what is said, what is refused.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dialog/data/corpus.h"
#include "dialog/text/tokenizer.h"
#include "tests/heed/prepare_program.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Of the fourth turn the second one is its writer's, too; a marked turn is no response, but one of
// the turns before. Each word is one token.
TEST_F(Prepare, SpeakersOpenTheTurnsBeforeAResponse) {
  const auto turn = [](const char* speaker, const char* text, bool distraction = false) {
    Json json = {{"speaker", speaker}, {"text", text}};
    if (distraction) json["distraction"] = true;
    return json;
  };
  const Json turns = {turn("A", "Hi"), turn("B", "hello"), turn("A", "x", true), turn("B", "yes"),
                      turn("C", "no")};
  const Json short_one = {turn("A", "a"), turn("B", "b")};
  const std::string in =
      dir.write("in.jsonl", Json({{"id", "d"}, {"turns", turns}}).dump() + "\n" +
                                Json({{"id", "e"}, {"turns", short_one}}).dump());
  ASSERT_EQ(prepare("speakers", in, "out.jsonl").code, 0);
  const std::vector<Json> found = read("out.jsonl");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["id"], "d#4");
  EXPECT_EQ(found[0]["turns"], (Json{turn("A", "_other_ Hi"), turn("B", "_self_ hello"),
                                     turn("A", "_other_ x", true), turn("B", "yes")}));
  EXPECT_EQ(found[1]["id"], "d#5");
  EXPECT_EQ(found[1]["turns"],
            (Json{turn("A", "_other_ Hi"), turn("B", "_other_ hello"), turn("A", "_other_ x", true),
                  turn("B", "_other_ yes"), turn("C", "no")}));
  EXPECT_EQ(tokenize("_other_ Hi"), (std::vector<std::string>{"_other_", "hi"}));
}

std::string daily_dialog(const std::string& id, const std::string& part) {
  const std::string turn =
      R"({"speaker": "user", "utterance": "Tea in )" + id +
      R"(?", "dialogue_acts": {"binary": [{"intent": "question"}]}, "emotion":)";
  return R"({"data_split": ")" + part + R"(", "dialogue_id": ")" + id +
         R"(", "domains": ["Work"], "turns": [)" + turn + R"("anger"}, )" + turn + R"("fear"}, )" +
         turn + R"("anger"}]})";
}

TEST_F(Prepare, DailyDialogInItsOwnParts) {
  const std::string in = dir.write(
      "d.json", "[" + daily_dialog("a", "test") + "," + daily_dialog("b", "train") + "," +
                    daily_dialog("c", "validation") + "," + daily_dialog("d", "train") + "]");
  const Result r = prepare("dailydialog", in, "data", {"--split", "published"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out,
                  "with 12 act (1 different), 12 emotion (2 different), 4 part (3 different), "
                  "4 topic (1 different)\n"))
      << r.out;
  EXPECT_TRUE(has(r.out, "train.jsonl: 2 dialogues with 6 turns\n")) << r.out;
  const std::vector<Json> train = read("data/train.jsonl");
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[0].at("id"), "b");
  EXPECT_EQ(train[0].at("labels"), (Json{{"part", {"train"}}, {"topic", {"work"}}}));
  EXPECT_EQ(train[0].at("turns")[1].at("labels"),
            (Json{{"act", {"question"}}, {"emotion", {"fear"}}}));
  EXPECT_EQ(read("data/valid.jsonl")[0].at("id"), "c");

  const Result shares =
      prepare("dailydialog", in, "other", {"--split", "published", "--test", "0.2"});
  expect_failure(shares, 2, "--valid and --test are shares", "shares of published parts");
  expect_failure(prepare("dailydialog", in, "other", {"--split", "published", "--valid", "0.2"}), 2,
                 "--valid and --test are shares", "a share of a published part");
  expect_failure(prepare("dailydialog", in, "other.jsonl", {"--valid", "0.2"}), 2,
                 "--valid requires --split", "shares of nothing");
  expect_failure(prepare("dailydialog", in, "data", {"--split", "dialogue"}), 1,
                 "train.jsonl: exists; give --out a new folder", "not empty");
  const Result two = prepare("dailydialog", in, "two", {"--split", "published", "--limit", "2"});
  expect_failure(two, 1, "nothing for the valid part: 2 dialogues", "no valid part");
  EXPECT_FALSE(std::filesystem::exists(dir.path("two")));
}

TEST_F(Prepare, MultiwozSaysWhatIsLeftOut) {
  const std::string in = dir.write("val.json", R"({"A": {"log": [
    {"text": "a hotel", "dialog_act": "No Annotation"},
    {"text": "where ?", "dialog_act": {}, "metadata": {"hotel": {"semi": {"type": "hotel"}}}}]}})");
  expect_failure(prepare("multiwoz", in, "m.jsonl"), 1, "none of 1 dialogue has 3 turns", "short");
  const Result r = prepare("multiwoz", in, "m.jsonl", {"--min-turns", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "left out: 1 turns whose acts are not annotated\n")) << r.out;
  EXPECT_EQ(read("m.jsonl")[0].at("turns")[0].at("labels"),
            (Json{{"state", {"hotel-type=hotel"}}}));
}

TEST_F(Prepare, LabelsForProbes) {
  const std::string in = dir.write(
      "d.jsonl",
      R"({"id": "a", "turns": [{"speaker": "user", "text": "a hotel", "labels": {"state": ["hotel-type=hotel"]}}, )"
      R"({"speaker": "system", "text": "where ?", "labels": {"act": ["hotel-request area=?"]}}]})"
      "\n");
  const Result r = prepare("labels", in, "train.labels.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "wrote labels of 1 example of 1 dialogue to ")) << r.out;
  EXPECT_TRUE(has(r.out, "\nAllSlots            1       1.000  1.0000  hotel-type\n")) << r.out;
  const Json line = read("train.labels.jsonl")[0];
  EXPECT_EQ(line.at("id"), "a#2");
  EXPECT_EQ(line.at("labels").at("ActionSelect"), Json({"hotel-request"}));
  EXPECT_EQ(line.at("labels").size(), 16u);
  // Another example with two other slots: 3 labels of 2 examples, the most frequent one of one.
  const std::string two = dir.write(
      "two.jsonl",
      dir.read("d.jsonl") +
          R"({"id": "b", "turns": [{"speaker": "user", "text": "a taxi", "labels": {"state": ["taxi-at=9", "taxi-to=x"]}}, )"
          R"({"speaker": "system", "text": "where ?", "labels": {"act": ["taxi-request to=?"]}}]})"
          "\n");
  const Result both = prepare("labels", two, "new/two.labels.jsonl");
  EXPECT_TRUE(has(both.out, "\nAllSlots            3       1.500  0.5000  hotel-type\n"))
      << both.out;
  const std::string bare = dir.write("bare.jsonl", R"({"id": "a", "turns": [{"text": "x"}]})");
  expect_failure(prepare("labels", bare, "l.jsonl"), 1,
                 "bare.jsonl: no turn has labels that a task is made of", "no annotation");
  expect_failure(prepare("labels", in, "l.jsonl", {"--recent", "old"}), 2, "--recent",
                 "no such way");
  EXPECT_FALSE(std::filesystem::exists(dir.path("l.jsonl")));
}

TEST_F(Prepare, LabelsOfOtherDefinitions) {
  std::string turns;
  for (const char* state : {R"("hotel-area=north")", R"("hotel-area=south")",
                            R"("hotel-area=south", "taxi-area=south")"}) {
    turns += std::string(turns.empty() ? "" : ", ") +
             R"({"speaker": "user", "text": "x", "labels": {"state": [)" + state +
             R"(]}}, {"speaker": "system", "text": "y"})";
  }
  const std::string in = dir.write("d.jsonl", R"({"id": "a", "turns": [)" + turns + "]}\n");
  const auto labels = [&](const std::string& task, const Arguments& options) {
    const Result r = prepare("labels", in, "l.jsonl", options);
    EXPECT_EQ(r.code, 0) << r.err;
    std::vector<Json> found;
    for (const Json& line : read("l.jsonl")) found.push_back(line.at("labels").at(task));
    return Json(found);
  };
  EXPECT_EQ(labels("UtteranceLoc", {}), Json::parse(R"([["0"], ["1"], ["3"]])"));
  EXPECT_EQ(labels("UtteranceLoc", {"--location-buckets", "2"}),
            Json::parse(R"([["0"], ["0"], ["1"]])"));
  EXPECT_EQ(labels("RecentSlots", {}),
            Json::parse(R"([["hotel-area"], ["hotel-area"], ["taxi-area"]])"));
  EXPECT_EQ(labels("RecentSlots", {"--recent", "new"}),
            Json::parse(R"([["hotel-area"], ["none"], ["taxi-area"]])"));
  EXPECT_EQ(labels("RepeatInfo", {}), Json::parse(R"([["none"], ["area"], ["area"]])"));
  EXPECT_EQ(labels("RepeatInfo", {"--repeat", "slot-value"}),
            Json::parse(R"([["none"], ["none"], ["area"]])"));
}

TEST_F(Prepare, OtherFilesAreRefused) {
  const std::string zip = dir.write("c.zip", "PK\x03\x04");
  for (const char* corpus :
       {"dailydialog", "personachat", "multiwoz", "sgd", "ubuntu", "messages", "text"}) {
    const Arguments form =
        std::string(corpus) == "ubuntu" ? Arguments{"--form", "csv"} : Arguments{};
    expect_failure(prepare(corpus, zip, "out.jsonl", form), 1,
                   "c.zip: a zip archive; unpack it (unzip)", corpus);
    expect_failure(prepare(corpus, dir.write("empty", ""), "out.jsonl", form), 1, "empty:", corpus);
    EXPECT_FALSE(std::filesystem::exists(dir.path("out.jsonl")));
  }
}

// Nor is there anything of a folder for it; a place where none can be made is told first.
TEST_F(Prepare, WithoutItsInputMakesNoFolder) {
  expect_failure(prepare("text", dir.path("none"), "new/data/out.jsonl"), 1, "none: ", "none");
  EXPECT_FALSE(std::filesystem::exists(dir.path("new")));
  dir.write("file", "");
  expect_failure(prepare("text", dir.path("none"), "file/out.jsonl"), 1, "cannot write", "file");
}

TEST_F(Prepare, AFolderOfFilms) {
  for (const char* film : {"alien", "brazil", "casablanca"}) {
    const std::string line = std::string(film) + " ";
    dir.write("films/" + std::string(film) + ".txt",
              line + "1\n" + line + "2\n" + line + "3\n\nagain\n" + line + "4\nso\n");
  }
  const Result r = prepare("text", dir.path("films"), "data",
                           {"--split", "film", "--valid", "0.34", "--test", "0.34"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "6 dialogues in 3 films, the largest with 2\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\nnext: heed train --data ")) << r.out;
  for (const char* part : {"train", "valid", "test"}) {
    const std::vector<Json> dialogues = read("data/" + std::string(part) + ".jsonl");
    ASSERT_EQ(dialogues.size(), 2u) << part;
    const auto film = [&](int i) {
      const auto id = dialogues[i].at("id").get<std::string>();
      return id.substr(0, id.find(':'));
    };
    EXPECT_EQ(film(0), film(1));
  }
}

// ---- own data -----------------------------------------------------------------------------------

TEST_F(Prepare, AChatWithNames) {
  const std::string in = dir.write("chat.txt",
                                   "[01/01/2025, 09:03] Ben: hi\n[01/01/2025, 09:04] Ann: yes?\n"
                                   "[01/01/2025, 09:05] Trip: \u200EBen left\n"
                                   "[01/01/2025, 09:05] Ben: the printer\n"
                                   "[01/01/2025, 10:06] Ann: \x1b[2Jnew\n");
  const Result r = prepare("text", in, "c.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(has(r.out, "read as --layout names\nleft out: 1 line without speech ")) << r.out;
  EXPECT_TRUE(has(r.out, "left out 1 with fewer than 3 turns\n")) << r.out;
  EXPECT_TRUE(has(r.out, "chat.txt:1, begins\n  speaker \"Ben\", text \"hi\"\n")) << r.out;
  EXPECT_EQ(read("c.jsonl")[0].at("turns")[2], (Json{{"speaker", "Ben"}, {"text", "the printer"}}));
  const Result all = prepare("text", in, "all.jsonl", {"--gap", "0"});
  EXPECT_TRUE(has(all.out, "wrote 1 dialogue with 4 turns")) << all.out;
  expect_failure(prepare("text", in, "no.jsonl", {"--layout", "lines", "--gap", "5"}), 2,
                 "--gap: only applies with --layout names", "silences of no chat");
  const Result lines = prepare("text", in, "lines.jsonl", {"--layout", "lines"});
  EXPECT_TRUE(has(lines.out, "\n  no speaker, text \"[01/01/2025, 09:03] Ben: hi\"\n"))
      << lines.out;
  EXPECT_FALSE(has(lines.out, "read as")) << lines.out;
}

const std::string kTable = "name,said\nBen,hi\nAnn,\"yes, what?\"\nBen,this\n";

TEST_F(Prepare, ATable) {
  const std::string in = dir.write("chat.csv", kTable);
  expect_failure(prepare("text", in, "c.jsonl"), 1,
                 "chat.csv: looks like a table of name, said, which heed prepare csv reads; "
                 "--layout lines reads it all the same",
                 "a table as text");
  EXPECT_FALSE(std::filesystem::exists(dir.path("c.jsonl")));
  const Result r = prepare("csv", in, "c.jsonl", {"--text", "said", "--speaker", "name"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "\n  speaker \"Ann\", text \"yes, what?\"\n")) << r.out;
  const std::string rows = "without --dialogue all rows are one dialogue\n",
                    turns = "without --speaker each row is a turn\n";
  EXPECT_TRUE(r.out.starts_with(rows + "read 1 dialogue of ")) << r.out;
  const Result bare = prepare("csv", in, "e.jsonl", {"--text", "said"});
  EXPECT_TRUE(bare.out.starts_with(rows + turns + "read 1 dialogue of ")) << bare.out;
  const Result apart =
      prepare("csv", in, "f.jsonl", {"--text", "said", "--dialogue", "name", "--min-turns", "1"});
  EXPECT_TRUE(apart.out.starts_with(turns + "read 2 dialogues of ")) << apart.out;
  expect_failure(prepare("csv", in, "g.jsonl", {"--text", "said", "--min-turns", "4"}), 1,
                 "none of 1 dialogue has 4 turns (without --dialogue all rows are one dialogue; "
                 "without --speaker each row is a turn)",
                 "how it was read");
  expect_failure(prepare("csv", in, "d.jsonl", {"--text", "text"}), 1,
                 "there is no column \"text\"; there are: name, said", "a column");
  expect_failure(prepare("csv", in, "d.jsonl", {"--text", "said", "--dialogue", "id"}), 1,
                 "no column \"id\"", "another column");
  expect_failure(prepare("csv", in, "d.jsonl"), 2, "--text is required", "no column");
}

TEST_F(Prepare, Messages) {
  const std::string in = dir.write(
      "m.json",
      R"({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes?"},)"
      R"( {"role": "tool", "content": "1"}, {"role": "user", "content": "so"}]})");
  const Result r = prepare("messages", in, "m.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "left out: 1 messages of the roles system, ")) << r.out;
  EXPECT_TRUE(has(r.out, "\n  speaker \"assistant\", text \"yes?\"\n")) << r.out;
}

TEST_F(Prepare, OneVeryLongDialogueIsPointedOut) {
  std::string text;
  for (int i = 0; i < 101; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string says = "heed: note: one dialogue with 101 turns: are there blank lines ";
  const Result r = prepare("text", dir.write("t.txt", text), "t.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.err.starts_with(says)) << r.err;
  const Result split =
      heed_program({"prepare", "split", "--in", dir.path("t.jsonl"), "--out", dir.path("parts")});
  EXPECT_EQ(split.code, 1);
  EXPECT_TRUE(has(split.err, says)) << split.err;
  EXPECT_TRUE(has(split.err, "nothing for the train part: 1 dialogue")) << split.err;
  EXPECT_TRUE(has(split.err, "; every part needs a dialogue")) << split.err;
  EXPECT_EQ(prepare("text", dir.write("t.txt", text.substr(7)), "t.jsonl").err, "");
}

// Of several dialogues one may be ten times as long.
TEST_F(Prepare, OneVeryLongDialogueOfSeveralIsPointedOut) {
  std::string text = "a\nb\nc\n\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  EXPECT_EQ(prepare("text", dir.write("t.txt", text), "t.jsonl").err, "");
  const Result r = prepare("text", dir.write("t.txt", text + "x\n"), "t.jsonl");
  EXPECT_TRUE(r.err.starts_with("heed: note: the longest dialogue has 1001 turns: ")) << r.err;
}

// The first three turns of the first dialogue that is kept, or two; 70 characters of each.
TEST_F(Prepare, ShowsTheBeginning) {
  const auto many = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += "ü";
    return text;
  };
  const std::string in =
      dir.write("t.txt", "one\n\n" + many(70) + "\n" + many(71) + "\n\n1\n2\n3\n4\n");
  const auto shown = [&](const char* least) {
    const std::string out = prepare("text", in, "t.jsonl", {"--min-turns", least}).out;
    const size_t begin = out.find("the first one, "), end = out.find("wrote ");
    return begin < end ? out.substr(begin, end - begin) : out;
  };
  const std::string line = "  no speaker, text \"", end = "\"\n";
  EXPECT_EQ(shown("2"), "the first one, t.txt:3, begins\n" + line + many(70) + end + line +
                            many(70) + "\" ...\n");
  EXPECT_EQ(shown("3"), "the first one, t.txt:6, begins\n" + line + "1" + end + line + "2" + end +
                            line + "3" + end);
}

TEST_F(Prepare, ReversesTheTurnsOfEachDialogue) {
  const auto turn = [](const char* speaker, const char* text) {
    return Json{{"speaker", speaker}, {"text", text}};
  };
  const Json a = turn("A", "a"), b = turn("B", "b"), c = turn("C", "c"), d = turn("D", "d");
  const std::string in =
      dir.write("in.jsonl", Json({{"id", "1"}, {"turns", {a, b, c}}}).dump() + "\n" +
                                Json({{"id", "2"}, {"turns", {a, b, c, d}}}).dump());
  ASSERT_EQ(prepare("reverse", in, "data/back/train.jsonl").code, 0);
  const std::vector<Json> found = read("data/back/train.jsonl");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], Json({{"id", "1"}, {"turns", {c, b, a}}}));
  EXPECT_EQ(found[1], Json({{"id", "2"}, {"turns", {d, c, b, a}}}));
}

TEST_F(Prepare, AsksOnATerminal) {
  const std::string in = dir.write("chat.csv", kTable);
  const Arguments command = {"prepare", "text", "--in", in, "--out", dir.path("t.jsonl")};
  const std::string question = "which heed prepare csv reads. Read it as --layout lines? [y/N] ";
  const std::string no = on_terminal(command, "\n");
  EXPECT_TRUE(has(no, question) && has(no, "; --layout lines reads it all the same")) << no;
  EXPECT_FALSE(std::filesystem::exists(dir.path("t.jsonl")));
  for (const char* answer : {"y\n", "Y\n", "yes\n"}) {
    const std::string yes = on_terminal(command, answer);
    EXPECT_TRUE(has(yes, question) && has(yes, "wrote 1 dialogue with 4 turns")) << yes;
  }
}

TEST_F(Prepare, WrongAnswersOfUbuntuAreMarked) {
  const std::string in = dir.write(
      "train.csv", "Context,Utterance,Label\na __eou__ __eot__ b __eou__ __eot__,c __eou__,0\n");
  const Result r = prepare("ubuntu", in, "u.jsonl", {"--keep-wrong"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "marked as a distraction: the last turn of 1 row with label 0\n"));
  const Json last = read("u.jsonl")[0].at("turns").back();
  EXPECT_EQ(last.at("distraction"), true);
  EXPECT_EQ(last.at("labels"), (Json{{"answer", {"no"}}}));
  const std::string tsv = dir.write("1.tsv", "x\ta\t\thi\n");
  expect_failure(prepare("ubuntu", tsv, "v.jsonl", {"--keep-wrong"}), 2,
                 "--keep-wrong: only applies to .csv files, of v2", "v1 has no labels");
}

}  // namespace
}  // namespace heed
