#include "dialog/retrieve/score_file.h"

#include "tests/dialog/data/reader_helpers.h"

namespace heed::retrieve {
namespace {

std::vector<ScoredList> read(const std::string& bytes) {
  const TempDir dir;
  return read_scores(dir.write("f", bytes));
}

std::string error(const std::string& bytes) {
  return error_reading([](const std::string& path) { (void)read_scores(path); }, "f", bytes);
}

TEST(ScoreFile, IsRead) {
  const std::string text =
      "{\"id\": \"a\", \"right\": [1], \"scores\": [0.5, -1e3]}\r\n\n"
      "{\"scores\": [1, 2, 3], \"right\": [2, 0], \"other\": null}\n{\"id\": 7, \"right\": [0], "
      "\"scores\": [0, 0]}";
  for (const std::string& bytes : {text, gzip(text)}) {
    const std::vector<ScoredList> lists = read(bytes);
    ASSERT_EQ(lists.size(), 3u);
    EXPECT_EQ(lists[0].id, "a");
    EXPECT_EQ(lists[1].id, "line-3");
    EXPECT_EQ(lists[2].id, "7");
    EXPECT_EQ(lists[0].scores, (std::vector<double>{0.5, -1000}));
    EXPECT_EQ(lists[1].right, (std::vector<size_t>{2, 0}));
    EXPECT_EQ(lists[2].conversation, 2);
  }
}

TEST(ScoreFile, HasTheAttentionOfAScorerThatHasOne) {
  const ScoredList list{.id = "a", .scores = {2, 1}, .right = {1}, .attention = {0.5, 1.5}};
  EXPECT_EQ(score_line(list),
            "{\"id\":\"a\",\"conversation\":0,\"rank\":2,\"ties\":0,\"right\":[1],"
            "\"scores\":[2.0,1.0],\"attention\":[0.5,1.5]}\n");
}

TEST(ScoreFile, IsWrittenAsItIsRead) {
  const ScoredList list{
      .id = "\xC3\xA4#3", .conversation = 4, .scores = {0.1, 1 / 3.0, 0.1}, .right = {0}};
  EXPECT_EQ(score_line(list),
            "{\"id\":\"\xC3\xA4#3\",\"conversation\":4,\"rank\":2,\"ties\":1,\"right\":[0],"
            "\"scores\":[0.1,0.3333333333333333,0.1]}\n");
  const std::vector<ScoredList> back = read(score_line(list) + score_line(list));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].scores, list.scores);
  EXPECT_EQ(back[1].id, list.id);
  EXPECT_EQ(back[0].conversation, 0);
  EXPECT_EQ(back[1].conversation, 0);
}

TEST(ScoreFile, IsChecked) {
  const std::string ok = "{\"right\": [0], \"scores\": [1, 2]}\n";
  EXPECT_EQ(error(""), ": holds no scores");
  EXPECT_EQ(error(ok + "[1]"), ":2: expected {\"right\": [0], \"scores\": [...]}");
  EXPECT_EQ(error(ok + "{\"right\": [0], \"scores\": [1, 2"),
            ":2: not valid JSON: unexpected end of input; expected ']'");
  EXPECT_EQ(error(ok + "{\"right\": [0], \"scores\": [1, 2], \"scores\": [2, 1]}"),
            ":2: \"scores\" is given twice");
  EXPECT_EQ(error("{\"right\": [0]}"), ":1: \"scores\" must be an array of numbers");
  EXPECT_EQ(error(with(ok, "2]", "\"2\"]")), ":1: \"scores\" must be an array of numbers");
  const std::string places = ":1: \"right\" must be an array of places in \"scores\", from 0";
  EXPECT_EQ(error(with(ok, "[0]", "0")), places);
  EXPECT_EQ(error(with(ok, "[0]", "[-1]")), places);
  EXPECT_EQ(error(with(ok, "[0]", "[0.5]")), places);
  EXPECT_EQ(error(with(ok, "[0]", "[]")), ":1: none of the candidates is right");
  EXPECT_EQ(error(with(ok, "[0]", "[2]")),
            ":1: the right candidates must be different places from 0 to 1");
  EXPECT_EQ(error(with(ok, "1, 2", "1")), ":1: at least two candidates are needed to rank them");
  EXPECT_EQ(error("{\"id\": [], " + ok.substr(1)), ":1: \"id\" must be a string or a number");
  const auto of = [&](const char* value) {
    return "{\"conversation\": " + std::string(value) + ", " + ok.substr(1);
  };
  EXPECT_EQ(error(of("-1")), ":1: \"conversation\" must be a whole number from 0 on");
  EXPECT_EQ(error(of("1") + ok), ":2: \"conversation\" must stand in all lines or in none");
  EXPECT_EQ(error(ok + of("1")), ":2: \"conversation\" must stand in all lines or in none");
}

}  // namespace
}  // namespace heed::retrieve
