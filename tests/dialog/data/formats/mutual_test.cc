#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// As published, made up.
const std::string kRow =
    R"({"answers": "C", "options": ["m : no .", "F: a bus", "m : the 5 : 40 , from platform m", "m : no ."], )"
    R"("article": "m : hi , which train ?  f : the one from them : sam m took it . M: When ?", "id": "dev_1"})";

Published mutual_of(const std::string& bytes) {
  const TempDir dir;
  return read_mutual(dir.write("f", bytes));
}

std::string mutual_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_mutual(path); }, "f", bytes);
}

TEST(Mutual, HasTurnsAndCandidates) {
  for (const std::string& bytes : {kRow, kRow + "\n" + kRow, gzip(kRow)}) {
    const std::vector<Dialogue> dialogues = mutual_of(bytes).dialogues;
    const Dialogue& d = dialogues.back();
    EXPECT_EQ(d.id, "dev_1");
    EXPECT_EQ(text_of(d),
              "m:hi , which train ?|f:the one from them : sam m took it .|m:When ?|"
              "m:the 5 : 40 , from platform m|");
    EXPECT_EQ(d.turns[3].notes->candidates, (std::vector<std::string>{"no .", "a bus", "no ."}));
    EXPECT_TRUE(d.turns[2].notes->candidates.empty());
  }
}

TEST(Mutual, ATextWithoutMarksIsNobodys) {
  const Dialogue d =
      mutual_of(with(with(kRow, "m : hi", "m ; f : hi"), "m : the", "the")).dialogues[0];
  EXPECT_EQ(text_of(d).substr(0, 27), ":m ;|f:hi , which train ?|f");
  EXPECT_EQ(d.turns.back().speaker, "");
  EXPECT_EQ(d.turns.back().text, "the 5 : 40 , from platform m");
}

TEST(Mutual, MayBeAFolder) {
  const TempDir dir;
  dir.write("dev/dev_2.txt", with(kRow, "dev_1", "dev_2"));
  dir.write("dev/dev_1.txt", kRow);
  dir.write("dev/readme.md", "no JSON");
  EXPECT_EQ(read_mutual(dir.path("dev")).dialogues.size(), 2u);
  EXPECT_EQ(read_mutual(dir.path("dev"), {.limit = 1}).dialogues.at(0).id, "dev_1");
  EXPECT_EQ(read_mutual(dir.path("dev")).dialogues[1].id, "dev_2");
  dir.write("dev/dev_3.txt", "not read");
  EXPECT_EQ(read_mutual(dir.path("dev"), {.limit = 2}).dialogues.size(), 2u);
  const TempDir empty;
  EXPECT_EQ(error_of<DataError>([&] { read_mutual(empty.path("")); }),
            empty.path("") + ": holds no dialogue in a file *.txt");
}

TEST(Mutual, IsChecked) {
  const std::string row = ": dialogue 1: ", answer =
                                                "\"answers\" must be the letter of an option, A "
                                                "being the first";
  EXPECT_EQ(mutual_error(""), ": holds no dialogue");
  EXPECT_EQ(mutual_error("{}"), row + "there is no \"options\"");
  EXPECT_EQ(mutual_error(with(kRow, "\"C\"", "\" \"")),
            row + answer + "; those of the test part are not published");
  for (const char* wrong : {"\"E\"", "\"c\"", "\"@\"", "\"AB\""}) {
    EXPECT_EQ(mutual_error(with(kRow, "\"C\"", wrong)), row + answer);
  }
  EXPECT_EQ(mutual_error(with(kRow, "\"C\"", "2")),
            row + "\"answers\" must be a string, got a number");
  EXPECT_EQ(mutual_error(with(kRow, "\"m : no .\"", "\"m : \"")), row + "an option has no text");
  EXPECT_EQ(mutual_error(with(kRow, "\"m : no .\"", "7")),
            row + "each value in \"options\" must be a string, got a number");
  EXPECT_EQ(mutual_error(
                "{\"id\": \"x\", \"article\": \" f: \", \"options\": [\"a\"], \"answers\": \"A\"}"),
            row + "\"article\" has no text");
  EXPECT_EQ(mutual_error(kRow + "\n{"),
            ":2: not valid JSON: unexpected end of input; expected string literal");
}

}  // namespace
}  // namespace heed
