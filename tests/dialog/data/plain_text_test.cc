#include "dialog/data/plain_text.h"

#include "base/error.h"
#include "dialog/text/text_file.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// "id=speaker:text|:text| id=..."
std::string read(const std::string& bytes, TextLayout layout = TextLayout::kAuto,
                 TextLayout expected = TextLayout::kAuto) {
  const TempDir dir;
  const PlainText text = read_plain_text(dir.write("t.txt", bytes), layout);
  EXPECT_TRUE(expected == TextLayout::kAuto || text.layout == expected);
  std::string all;
  for (const Dialogue& d : text.dialogues) {
    all += (all.empty() ? "" : " ") + d.id + "=";
    for (const Turn& turn : d.turns) all += turn.speaker + ":" + turn.text + "|";
  }
  return all;
}

std::string error(const std::string& bytes, TextLayout layout = TextLayout::kAuto) {
  const TempDir dir;
  const std::string path = dir.write("t.txt", bytes);
  const std::string what = error_of<DataError>([&] { read_plain_text(path, layout); });
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

TEST(PlainText, ADialogueALine) {
  const std::string text =
      "Hi , Ann . __eou__ Hello __eou__\n\nA__eou____eou__ B \n__eou__\nlast\n";
  const std::string expected = "t.txt:1=:Hi , Ann .|:Hello| t.txt:3=:A|:B| t.txt:4= t.txt:5=:last|";
  EXPECT_EQ(read(text, TextLayout::kAuto, TextLayout::kEou), expected);
  EXPECT_EQ(read(text, TextLayout::kEou), expected);
  EXPECT_EQ(read(gzip(text)), expected);
}

TEST(PlainText, AnUtteranceALine) {
  EXPECT_EQ(read("\n \n a \nb\tc\n\t\n\n d", TextLayout::kAuto, TextLayout::kLines),
            "t.txt:3=:a|:b\tc| t.txt:7=:d|");
  EXPECT_EQ(read("a\tb __eou__", TextLayout::kLines), "t.txt:1=:a\tb __eou__|");
}

TEST(PlainText, SpeakerAndText) {
  EXPECT_EQ(read("ann\thi\nann\t there\nbob\t\n\tx\ty\n\nbob\tyes\n", TextLayout::kAuto,
                 TextLayout::kTabs),
            "t.txt:1=ann:hi there|:x\ty| t.txt:6=bob:yes|");
}

TEST(PlainText, CarriageReturnsAndByteOrderMarks) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "ann\thi\r\n\r\nbob\tyes\r\n"),
            "t.txt:1=ann:hi| t.txt:3=bob:yes|");
}

TEST(PlainText, StopsAtTheLimitAndTellsHowFarItIs) {
  const TempDir dir;
  std::vector<size_t> told;
  const Reading one{.limit = 1, .progress = [&](size_t read) { told.push_back(read); }};
  const std::string path = dir.write("t.txt", "a\nb\n\nc\n\xFF");
  const PlainText text = read_plain_text(path, TextLayout::kAuto, one);
  ASSERT_EQ(text.dialogues.size(), 1u);
  EXPECT_EQ(text.dialogues[0].turns.size(), 2u);
  EXPECT_EQ(told, (std::vector<size_t>{0, 1}));
}

TEST(PlainTexts, AreThoseOfAFolder) {
  const TempDir dir;
  dir.write("b.txt", "c\n\nd\n");
  dir.write("a/x.txt.gz", gzip("a\nb\n"));
  dir.write("a/notes.md", "no dialogue");
  const auto ids = [&](size_t limit) {
    std::vector<size_t> told;
    const Reading reading{.limit = limit, .progress = [&](size_t read) { told.push_back(read); }};
    const PlainText text = read_plain_texts(dir.path(""), TextLayout::kAuto, reading);
    EXPECT_EQ(text.layout, TextLayout::kLines);
    EXPECT_EQ(told.back(), text.dialogues.size() - (limit == 0));
    std::string all;
    for (const Dialogue& d : text.dialogues) all += d.id + " ";
    return all;
  };
  EXPECT_EQ(ids(0), "a/x.txt.gz:1 b.txt:1 b.txt:3 ");
  EXPECT_EQ(ids(2), "a/x.txt.gz:1 b.txt:1 ");
  const TempDir empty;
  EXPECT_EQ(error_of<DataError>([&] { read_plain_texts(empty.path(""), TextLayout::kAuto); }),
            empty.path("") + ": holds no .txt file");
}

TEST(PlainText, RefusesBadFiles) {
  EXPECT_EQ(error(""), ": holds no dialogue");
  EXPECT_EQ(error(" \n\t\n"), ": holds no dialogue");
  EXPECT_EQ(error("ann\thi\nbob yes\n"), ":2: a line is speaker, tab, text; this one has no tab");
  EXPECT_EQ(error("a\n\xC0\xAF\n"), ":2: the text is not UTF-8");
  EXPECT_EQ(error(std::string("a\nb\0\n", 5)), ":2: a zero byte, this is not a text file");
  EXPECT_EQ(error(std::string(kMaxLineBytes + 1, 'x')), ":1: the line is longer than 16 MiB");
  EXPECT_EQ(error(gzip("some text").substr(0, 20)), ": the gzip data is cut off");
  EXPECT_EQ(error("{\"turns\": [{\"text\": \"a\"}]}"),
            ":1: these are JSON Lines already: `heed prepare split` makes the parts of them");
}

}  // namespace
}  // namespace heed
