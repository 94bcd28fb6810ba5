#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

const std::string kPairs =
    R"({"train": [["book a table", "Restaurant Booking"], ["hi", "greeting"]], )"
    R"("val": [["hello", "greeting"]], "oos_test": [["who won ?", "oos"], [" ", "oos"]]})";

std::string text_of_all(const Published& corpus) {
  std::string all;
  for (const Dialogue& d : corpus.dialogues) {
    all += d.id + " " + text_of(d.notes->labels) + " " + text_of(d) + " " +
           text_of(d.turns[0].notes->labels) + "\n";
  }
  return all;
}

std::string intents_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_intents(path); }, "f", bytes);
}

TEST(Intents, ReadsPairs) {
  const TempDir dir;
  for (const std::string& bytes : {kPairs, gzip(kPairs)}) {
    const Published corpus = read_intents(dir.write("f", bytes));
    EXPECT_EQ(text_of_all(corpus),
              "oos_test-1 part=test user:who won ?| intent=oos\n"
              "train-1 part=train user:book a table| intent=restaurant_booking\n"
              "train-2 part=train user:hi| intent=greeting\n"
              "val-1 part=valid user:hello| intent=greeting\n");
    EXPECT_EQ(corpus.left_out.size(), 1u);  // without text
  }
  EXPECT_EQ(read_intents(dir.path("f"), {.limit = 2}).dialogues.size(), 2u);
}

TEST(Intents, ReadsFolders) {
  const TempDir dir;
  dir.write("atis/train/seq.in", "to boston\nto \n");
  dir.write("atis/train/label", "flight\nflight#airfare\n");
  dir.write("atis/test/seq.in", "a fare");
  dir.write("atis/test/label", "airfare");
  const std::string train =
      "train-1 part=train user:to boston| intent=flight\n"
      "train-2 part=train user:to| intent=flight#airfare\n";
  const std::string test = "test-1 part=test user:a fare| intent=airfare\n";
  EXPECT_EQ(text_of_all(read_intents(dir.path("atis"))), train + test);
  dir.write("atis/valid/seq.in", "no\nyes\n");
  dir.write("atis/valid/label", "no\nyes\n");
  const std::string valid = "valid-1 part=valid user:no| intent=no\n";
  EXPECT_EQ(text_of_all(read_intents(dir.path("atis"))),
            train + valid + "valid-2 part=valid user:yes| intent=yes\n" + test);
  EXPECT_EQ(text_of_all(read_intents(dir.path("atis"), {.limit = 3})), train + valid);
  EXPECT_EQ(text_of_all(read_intents(dir.path("atis/test"))),
            "line-1  user:a fare| intent=airfare\n");
  const auto fails = [&] {
    const std::string said = error_of<DataError>([&] { read_intents(dir.path("atis/test")); });
    return said.substr(dir.path("atis/test").size());
  };
  dir.write("atis/test/label", "airfare\nflight");
  EXPECT_EQ(fails(), "/label:2: label and seq.in have another number of lines");
  dir.write("atis/test/label", " ");
  EXPECT_EQ(fails(), "/label:1: no intent");
  dir.write("atis/test/label", "");
  dir.write("atis/test/seq.in", "");
  EXPECT_EQ(fails().substr(0, 20), ": holds no utterance");
}

TEST(Intents, IsChecked) {
  const std::string object = ": not a JSON object of parts, {\"train\": [[\"text\", \"intent\"]]}";
  for (const char* wrong : {"[]", "7"}) EXPECT_EQ(intents_error(wrong), object);
  for (const char* wrong : {"", "{", "{\"train\": [}"}) {
    EXPECT_TRUE(intents_error(wrong).starts_with(": not valid JSON: ")) << wrong;
  }
  EXPECT_EQ(intents_error("{\"val\": [], \"val\": []}"), ": \"val\" is given twice");
  EXPECT_EQ(intents_error("{}").substr(0, 20), ": holds no utterance");
  EXPECT_EQ(intents_error("{\"dev\": []}"),
            ": the parts are train, val, test and oos_train, oos_val, oos_test, got \"dev\"");
  EXPECT_EQ(intents_error("{\"val\": 3}"), ": \"val\" must be an array");
  for (const char* pair :
       {"\"a\"", "[\"a\"]", "[\"a\", 1]", "[1, \"a\"]", "[\"a\", \"\"]", "[\"a\", \"b\", \"c\"]"}) {
    EXPECT_EQ(intents_error("{\"val\": [[\"a\", \"b\"], " + std::string(pair) + "]}"),
              ": val-2: expected a text and its intent, [\"...\", \"...\"]");
  }
}

}  // namespace
}  // namespace heed
