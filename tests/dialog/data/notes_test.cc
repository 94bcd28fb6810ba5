// Labels, candidates and personas of dialogues.
#include "dialog/data/corpus.h"
#include "tests/dialog/data/count_labels.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

const std::string kNotes =
    R"({"id": "d", "labels": {"topic": ["work", "tea"]}, "personas": {"A": ["i like tea ."]}, )"
    R"("turns": [{"speaker": "A", "text": "hi", "labels": {"act": ["greet"], "state": ["a=b", "c"]}}, )"
    R"({"text": "ho", "distraction": true, "candidates": ["no", "né"]}]})"
    "\n";

std::vector<Dialogue> read_notes(const std::string& bytes) {
  const TempDir dir;
  return read_dialogues(dir.write("f", bytes), Reading{.notes = true});
}

std::string notes_error(const std::string& bytes) {
  return error_reading(
      [](const std::string& path) { read_dialogues(path, Reading{.notes = true}); }, "f",
      kNotes + bytes);
}

TEST(Notes, AreReadAndWritten) {
  const std::vector<Dialogue> dialogues = read_notes(kNotes);
  ASSERT_EQ(dialogues.size(), 1u);
  const Dialogue& d = dialogues[0];
  EXPECT_EQ(text_of(d), "A:hi|:ho|");
  EXPECT_EQ(text_of(d.notes->labels), "topic=work,tea");
  EXPECT_EQ(text_of(d.notes->personas), "A=i like tea .");
  EXPECT_EQ(text_of(d.turns[0].notes->labels), "act=greet state=a=b,c");
  EXPECT_TRUE(d.turns[0].notes->candidates.empty());
  EXPECT_EQ(d.turns[1].notes->candidates, (std::vector<std::string>{"no", "né"}));
  EXPECT_EQ(count_labels(dialogues), 5u);
  const TempDir dir;
  write_dialogues(dir.path("out"), dialogues);
  EXPECT_EQ(dir.read("out"), kNotes);
}

TEST(Notes, AreNotReadWhereNobodyAsks) {
  const TempDir dir;
  const std::string wrong = R"({"labels": 3, "personas": [], "turns": [{"text": "a", "labels": [)"
                            R"({}], "candidates": {"turns": 1}}]})";
  const std::vector<Dialogue> dialogues = read_dialogues(dir.write("f", kNotes + wrong));
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(count_labels(dialogues), 0u);
  write_dialogues(dir.path("out"), {dialogues[1]});
  EXPECT_EQ(dir.read("out"), "{\"id\": \"line-2\", \"turns\": [{\"text\": \"a\"}]}\n");
}

TEST(Notes, MayStandInAnyOrderAndBeSingle) {
  const Dialogue d = read_notes(
      R"({"turns": [{"labels": {"x": "one", "y": []}, "candidates": [], "text": "a"}, {"text": "b", )"
      R"("labels": {"x": ["two"]}}], "labels": {"x": "all"}, "more": [{"labels": 1}]})")[0];
  EXPECT_EQ(text_of(d.turns[0].notes->labels), "x=one");
  EXPECT_EQ(text_of(d.turns[1].notes->labels), "x=two");
  EXPECT_EQ(text_of(d.notes->labels), "x=all");
}

// What one turn or dialogue has, the next one may have, too, but none twice.
TEST(Notes, EachTurnMayHaveAll) {
  const auto turn = [](const std::string& x) {
    return R"({"speaker": ")" + x + R"(", "text": "t)" + x + R"(", "distraction": true, )" +
           R"("labels": {"act": ["l)" + x + R"("]}, "candidates": ["c)" + x + "\"]}";
  };
  const auto line = [&](const std::string& x) {
    return R"({"id": ")" + x + R"(", "labels": {"topic": [")" + x + R"("]}, "personas": {"A": [")" +
           x + R"("]}, "turns": [)" + turn(x + "1") + ", " + turn(x + "2") + "]}\n";
  };
  const TempDir dir;
  write_dialogues(dir.path("out"), read_notes(line("a") + line("b")));
  EXPECT_EQ(dir.read("out"), line("a") + line("b"));
  using Key = std::pair<std::string, std::string>;
  for (const auto& [key, value] :
       {Key("speaker", "\"\""), Key("text", "\"\""), Key("distraction", "true"),
        Key("labels", "{}"), Key("candidates", "[]")}) {
    const std::string again = with(turn("2"), "{", "{\"" + key + "\": " + value + ", ");
    EXPECT_EQ(notes_error("{\"turns\": [" + turn("1") + ", " + again + "]}"),
              ":2: \"" + key + "\" is given twice");
  }
}

TEST(Notes, AreChecked) {
  EXPECT_EQ(notes_error(R"({"labels": []})"), ":2: labels must be an object, got an array");
  EXPECT_EQ(notes_error(R"({"personas": "A"})"), ":2: personas must be an object, got a string");
  EXPECT_EQ(notes_error(R"({"labels": {"a": 1}})"),
            ":2: each label must be a string or an array, got a number");
  EXPECT_EQ(notes_error(R"({"labels": {"a": {}}})"),
            ":2: each label must be a string or an array, got an object");
  EXPECT_EQ(notes_error(R"({"labels": {"a": ["b", ["c"]]}})"),
            ":2: each value in a list must be a string, got an array");
  EXPECT_EQ(notes_error(R"({"labels": {"a": ["b", null]}})"),
            ":2: each value in a list must be a string, got null");
  EXPECT_EQ(notes_error(R"({"labels": {"a": ["b"], "a": []}})"), ":2: \"a\" is given twice");
  EXPECT_EQ(notes_error(R"({"labels": {}, "labels": {}})"), ":2: \"labels\" is given twice");
  EXPECT_EQ(notes_error(R"({"turns": [{"text": "", "candidates": "a"}]})"),
            ":2: candidates must be an array, got a string");
  EXPECT_EQ(notes_error(R"({"labels": {"turns": ["a"]}})"), ":2: the dialogue has no \"turns\"");
}

TEST(Notes, AreCopiedWithTheTurn) {
  Turn turn{"", "a"};
  EXPECT_TRUE(turn.notes->labels.empty());
  turn.notes.edit().labels["x"] = {"y"};
  Turn copy = turn;
  copy.notes.edit().labels["x"] = {"z"};
  EXPECT_EQ(text_of(turn.notes->labels), "x=y");
  turn = copy;
  EXPECT_EQ(text_of(turn.notes->labels), "x=z");
  copy = Turn{};
  EXPECT_TRUE(copy.notes->labels.empty());
}

TEST(Notes, SurviveEveryCut) {
  for (size_t size = 1; size + 1 < kNotes.size(); ++size) {
    const std::string error = notes_error(kNotes.substr(0, size));
    EXPECT_TRUE(error.starts_with(":2: not valid JSON at byte")) << error;
  }
}

}  // namespace
}  // namespace heed
