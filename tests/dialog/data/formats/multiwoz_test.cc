#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// A dialogue as MultiWOZ 2.1 has them, made up.
const std::string kMultiwozJson = R"({"MUL1.json": {"goal": {}, "log": [
  {"text": "a cheap hotel ", "metadata": {}, "dialog_act": {"Hotel-Inform": [["Price", "cheap"]]}},
  {"text": "which area ?", "dialog_act": {"Hotel-Request": [["Area", "?"]], "general-reqmore": [["none", "none"]]},
   "metadata": {"hotel": {"book": {"booked": [{"name": "x"}], "stay": "", "people": "2"},
                          "semi": {"area": "not mentioned", "name": "none", "price Range": " The  CHEAP one"}},
                "taxi": {"semi": {"leaveAt": ["12:00", "13:00"], "destination": []}}}},
  {"text": "north", "metadata": {}, "dialog_act": "No Annotation"},
  {"text": "", "metadata": {}, "dialog_act": {"Hotel-NoOffer": []}},
  {"text": "bye", "metadata": {}}]},
  "SNG2.json": {"log": []}})";

Published multiwoz_of(const std::string& bytes, const Reading& reading = {}) {
  const TempDir dir;
  return read_multiwoz(dir.write("f", bytes), reading);
}

std::string multiwoz_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_multiwoz(path); }, "f", bytes);
}

TEST(MultiwozJson, HasStatesAndActs) {
  for (const std::string& bytes : {kMultiwozJson, gzip(kMultiwozJson)}) {
    const auto [dialogues, left_out] = multiwoz_of(bytes);
    ASSERT_EQ(dialogues.size(), 2u);
    const Dialogue& d = dialogues[0];
    EXPECT_EQ(d.id, "MUL1.json");
    EXPECT_EQ(text_of(d), "user:a cheap hotel |system:which area ?|user:north|user:bye|");
    EXPECT_EQ(text_of(d.turns[0].notes->labels),
              "act=hotel-inform price=cheap "
              "state=hotel-people=2,hotel-price_range=the_cheap_one,taxi-leaveat=12:00");
    EXPECT_EQ(text_of(d.turns[1].notes->labels), "act=hotel-request area=?,general-reqmore");
    EXPECT_EQ(text_of(d.turns[2].notes->labels), "");  // the state is empty, no acts
    EXPECT_EQ(text_of(d.turns[3].notes->labels), "");  // nobody answers it
    EXPECT_EQ(dialogues[1].id, "SNG2.json");
    EXPECT_TRUE(dialogues[1].turns.empty());
    EXPECT_EQ(left_out, (std::map<std::string, size_t>{{"turns whose acts are not annotated", 2},
                                                       {"turns without text", 1}}));
  }
  EXPECT_EQ(multiwoz_of(kMultiwozJson, {.limit = 1}).dialogues.size(), 1u);
}

// Only where slot and value are none is the act alone.
TEST(MultiwozJson, ActsMayHaveNone) {
  const Published corpus =
      multiwoz_of(R"({"A": {"log": [{"text": "x", "dialog_act": {"Hotel-Inform": )"
                  R"([["Internet", "none"], ["none", "x"], ["none", "none"]]}}]}})");
  EXPECT_EQ(text_of(corpus.dialogues.at(0).turns.at(0).notes->labels),
            "act=hotel-inform internet=none,hotel-inform none=x,hotel-inform");
}

TEST(MultiwozJson, IsChecked) {
  const std::string where = ": dialogue 1 (MUL1.json)";
  EXPECT_EQ(multiwoz_error("{}"), ": holds no dialogue");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "\"log\"", "\"lag\"")),
            where + ": there is no \"log\"");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "\"text\": \"north\"", "\"text\": 7")),
            where + ", turn 3: \"text\" must be a string, got a number");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "   \"metadata\"", "   \"meta\"")),
            where + ", turn 2: there is no \"metadata\"");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "\"people\": \"2\"", "\"people\": 2")),
            where + ", turn 2: \"people\" must be a string, got a number");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "[\"12:00\", \"13:00\"]", "[[\"12:00\"]]")),
            where + ", turn 2: \"leaveAt\" must be a string, got an array");
  EXPECT_EQ(multiwoz_error(with(
                kMultiwozJson,
                "{\"semi\": {\"leaveAt\": [\"12:00\", \"13:00\"], \"destination\": []}}", "7")),
            where + ", turn 2: each domain of \"metadata\" must be an object");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "[[\"Price\", \"cheap\"]]", "{}")),
            where + ", turn 1: each act must be a list of pairs of slot and value");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "[\"Price\", \"cheap\"]", "[\"Price\"]")),
            where + ", turn 1: each act must have pairs of two texts");
  EXPECT_EQ(multiwoz_error(with(kMultiwozJson, "\"cheap\"]", "null]")),
            where + ", turn 1: the value of an act must be a string, got null");
}

const std::string kHeader =
    "# Dialogue ID\tTurn Index\tLast Turn\tSystem Response\tUser Utterance\thotel-area\t"
    "hotel-book day\ttrain-leaveAt\t\n";
const std::string kTable = kHeader +
                           "A.json\t0\tFalse\t\ta hotel .\tnone\tfriday\tnone\n"
                           "A.json\t1\tTrue\twhere ?\tnorth .\tNorth|east\tfriday\tdo not care\n"
                           "\n"
                           "B.json\t0\tTrue\tand a taxi ?\tno .\tnone\tnot mentioned\t\n";

TEST(MultiwozTable, HasStates) {
  const auto [dialogues, left_out] = multiwoz_of(kTable);
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(dialogues[0].id, "A.json");
  EXPECT_EQ(text_of(dialogues[0]), "user:a hotel .|system:where ?|user:north .|");
  EXPECT_EQ(text_of(dialogues[0].turns[0].notes->labels), "state=hotel-day=friday");
  EXPECT_EQ(text_of(dialogues[0].turns[1].notes->labels), "");
  EXPECT_EQ(text_of(dialogues[0].turns[2].notes->labels),
            "state=hotel-area=north,hotel-day=friday,train-leaveat=dontcare");
  EXPECT_EQ(text_of(dialogues[1]), "system:and a taxi ?|user:no .|");
  EXPECT_TRUE(left_out.empty());
  EXPECT_EQ(multiwoz_of(kTable, {.limit = 1}).dialogues.size(), 1u);
  const Published other_order =
      multiwoz_of(with(with(kTable, "hotel-area", "train-to"), "train-leaveAt\t", "hotel-area\t"));
  EXPECT_EQ(text_of(other_order.dialogues[0].turns[2].notes->labels),
            "state=hotel-area=dontcare,hotel-day=friday,train-to=north");
  const Published blank = multiwoz_of(with(kTable, "where ?", " "));
  EXPECT_EQ(blank.left_out.at("turns without text"), 1u);
}

TEST(MultiwozTable, IsChecked) {
  const std::string header =
      ":1: the header must be '# Dialogue ID', 'Turn Index', 'Last Turn', 'System Response', 'User "
      "Utterance' and slots, with tabs between them";
  EXPECT_EQ(multiwoz_error("some text\n"), header);
  EXPECT_EQ(multiwoz_error(with(kTable, "Last Turn", "Last")), header);
  EXPECT_EQ(multiwoz_error(kHeader), ": holds no dialogue");
  EXPECT_EQ(multiwoz_error(with(kTable, "hotel-area", "area")),
            ":1: a slot is domain-name, got 'area'");
  EXPECT_EQ(multiwoz_error(kHeader + "A\t0\tTrue\t\thi\tnone\n"), ":2: a row has 8 fields, got 6");
  EXPECT_EQ(multiwoz_error(with(kTable, "A.json\t1", "A.json\t2")),
            ":3: the turn index must be 1, got '2'");
  EXPECT_EQ(multiwoz_error(with(kTable, "A.json\t0", "A.json\t1")),
            ":2: the turn index must be 0, got '1'");
  EXPECT_EQ(multiwoz_error(kTable + "A.json\t0\tTrue\t\thi\tnone\tnone\tnone\n"),
            ":6: the rows of dialogue 'A.json' are not together");
  EXPECT_EQ(multiwoz_error(with(kTable, "north .", "\xFF")), ":3: the text is not UTF-8");
}

}  // namespace
}  // namespace heed
