#include "dialog/data/formats/plain_text.h"

#include "base/error.h"
#include "dialog/text/text_file.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// "id=speaker:text|:text| id=..."
std::string plain_of(const std::string& bytes, TextLayout layout = TextLayout::kAuto,
                     TextLayout expected = TextLayout::kAuto) {
  const TempDir dir;
  const PlainText text = read_plain_text(dir.write("t.txt", bytes), {layout});
  EXPECT_TRUE(expected == TextLayout::kAuto || text.layout == expected);
  std::string all;
  for (const Dialogue& d : text.dialogues) {
    all += (all.empty() ? "" : " ") + d.id + "=";
    for (const Turn& turn : d.turns) all += turn.speaker + ":" + turn.text + "|";
  }
  return all;
}

std::string plain_error(const std::string& bytes, TextLayout layout = TextLayout::kAuto) {
  const TempDir dir;
  const std::string path = dir.write("t.txt", bytes);
  const std::string what = error_of<DataError>([&] { read_plain_text(path, {layout}); });
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

TEST(PlainText, ADialogueALine) {
  const std::string text =
      "Hi , Ann . __eou__ Hello __eou__\n\nA__eou____eou__ B \n__eou__\nlast\n";
  const std::string expected = "t.txt:1=:Hi , Ann .|:Hello| t.txt:3=:A|:B| t.txt:4= t.txt:5=:last|";
  EXPECT_EQ(plain_of(text, TextLayout::kAuto, TextLayout::kEou), expected);
  EXPECT_EQ(plain_of(text, TextLayout::kEou), expected);
  EXPECT_EQ(plain_of(gzip(text)), expected);
}

TEST(PlainText, AnUtteranceALine) {
  EXPECT_EQ(plain_of("\n \n a \nb\tc\n\t\n\n d", TextLayout::kAuto, TextLayout::kLines),
            "t.txt:3=:a|:b\tc| t.txt:7=:d|");
  EXPECT_EQ(plain_of("a\tb __eou__", TextLayout::kLines), "t.txt:1=:a\tb __eou__|");
}

TEST(PlainText, SpeakerAndText) {
  EXPECT_EQ(plain_of("ann\thi\n ann \t there\nbob\t\n\tx\ty\n\nbob\tyes\n", TextLayout::kAuto,
                     TextLayout::kTabs),
            "t.txt:1=ann:hi there|:x\ty| t.txt:6=bob:yes|");
}

TEST(PlainText, CarriageReturnsAndByteOrderMarks) {
  EXPECT_EQ(plain_of("\xEF\xBB\xBF"
                     "ann\thi\r\n\r\nbob\tyes\r\n"),
            "t.txt:1=ann:hi| t.txt:3=bob:yes|");
}

TEST(PlainText, StopsAtTheLimitAndTellsHowFarItIs) {
  const TempDir dir;
  std::vector<size_t> told;
  const Reading one{.limit = 1, .progress = [&](size_t read) { told.push_back(read); }};
  const std::string path = dir.write("t.txt", "a\nb\n\nc\n\xFF");
  const PlainText text = read_plain_text(path, {}, one);
  ASSERT_EQ(text.dialogues.size(), 1u);
  EXPECT_EQ(text.dialogues[0].turns.size(), 2u);
  EXPECT_EQ(told, (std::vector<size_t>{0, 1}));
}

TEST(PlainTexts, AreThoseOfAFolder) {
  const TempDir dir;
  dir.write("b.txt", "c\n\nd\n");
  dir.write("a/x.txt.gz", gzip("a\nb\n"));
  dir.write("a/notes.md", "no dialogue");
  dir.write("c.txt/notes.md", "in a folder");
  const auto ids = [&](size_t limit) {
    std::vector<size_t> told;
    const Reading reading{.limit = limit, .progress = [&](size_t read) { told.push_back(read); }};
    const PlainText text = read_plain_texts(dir.path(""), {}, reading);
    EXPECT_EQ(text.layout, TextLayout::kLines);
    EXPECT_EQ(told.back(), text.dialogues.size() - (limit == 0));
    std::string all;
    for (const Dialogue& d : text.dialogues) all += d.id + " ";
    return all;
  };
  EXPECT_EQ(ids(0), "a/x.txt.gz:1 b.txt:1 b.txt:3 ");
  EXPECT_EQ(ids(2), "a/x.txt.gz:1 b.txt:1 ");
  const TempDir empty;
  EXPECT_EQ(error_of<DataError>([&] { read_plain_texts(empty.path(""), {}); }),
            empty.path("") + ": holds no .txt file");
}

// All files as the first one; what nobody said is counted in all of them.
TEST(PlainTexts, AreReadAsTheFirstOne) {
  const TempDir dir;
  dir.write("a:1.txt", "hi __eou__ yes __eou__\n");
  dir.write("b.txt", "x\ny\n");
  const PlainText text = read_plain_texts(dir.path(""), {});
  EXPECT_EQ(text.layout, TextLayout::kEou);
  ASSERT_EQ(text.dialogues.size(), 3u);
  EXPECT_EQ(text.dialogues[0].id, "a:1.txt:1");
  EXPECT_EQ(text.dialogues[2].id, "b.txt:2");
  const TempDir chats;
  for (const char* name : {"a.txt", "b.txt"}) {
    chats.write(name,
                "[01/01/2025, 09:03] Ben: hi\n[01/01/2025, 09:04] Ann: yes?\n"
                "[01/01/2025, 09:05] Trip: \u200EBen left\n[01/01/2025, 09:05] Ben: bye\n");
  }
  EXPECT_EQ(read_plain_texts(chats.path(""), {}).left_out, 2u);
  const TempDir pauses;
  for (const char* name : {"a.txt", "b.txt"}) {
    pauses.write(name, "[01/01/2025, 09:00] Ben: hi\n[01/01/2025, 09:10] Ann: yes?\n");
  }
  const auto count = [&](int gap) {
    return read_plain_texts(pauses.path(""), {.gap_minutes = gap}).dialogues.size();
  };
  EXPECT_EQ(count(10), 2u);
  EXPECT_EQ(count(9), 4u);
}

TEST(PlainText, RefusesBadFiles) {
  EXPECT_EQ(plain_error(""), ": holds no dialogue");
  EXPECT_EQ(plain_error(" \n\t\n"), ": holds no dialogue");
  EXPECT_EQ(plain_error("ann\thi\nbob yes\n"),
            ":2: a line is speaker, tab, text; this one has no tab");
  EXPECT_EQ(plain_error("a\n\xC0\xAF\n"), ":2: the text is not UTF-8");
  EXPECT_EQ(plain_error(std::string("a\nb\0\n", 5)), ":2: a zero byte, this is not a text file");
  EXPECT_EQ(plain_error(std::string(kMaxLineBytes + 1, 'x')), ":1: the line is longer than 16 MiB");
  EXPECT_EQ(plain_error(gzip("some text").substr(0, 20)), ": the gzip data is cut off");
  EXPECT_EQ(
      plain_error("{\"turns\": [{\"text\": \"a\"}]}"),
      ": these are JSON Lines already: `heed prepare split` makes the parts of them; --layout "
      "lines reads it all the same");
}

// What a file looks like that is not read without a question.
TEST(PlainText, AsksBeforeItTakesOneThingForAnother) {
  const auto doubt = [](const std::string& bytes) {
    const std::string what = plain_error(bytes);
    const size_t end = what.find("; --layout ");
    return end == what.npos ? "no doubt: " + what
                            : what.substr(2, end - 2) + what.substr(end + 11, 5);
  };
  const std::string table = "looks like a table of ", csv = ", which heed prepare csv readslines";
  EXPECT_EQ(doubt("who,text\nann,\"hi, you\"\nbob,yo\n"), table + "who, text" + csv);
  EXPECT_EQ(doubt("who,text\r\nann,\"hi, you\"\r\nbob,yo\r\n"), table + "who, text" + csv);
  EXPECT_EQ(doubt("\"id\";\"what is said\"\n1;hi\n1;yo\n"), table + "id, what is said" + csv);
  EXPECT_EQ(doubt("id\twho\ttext\n1\tann\thi\n1\tbob\tyo\n"),
            table + "id, who, text, which heed prepare csv readstabs ");
  EXPECT_EQ(doubt("1\tann\thi\n1\tbob\tyo\n2\tann\tso\n"),
            "looks like a table; with a first line of names heed prepare csv reads ittabs ");
  // Ubuntu's v1 has a time as WeeChat has, and one column more
  EXPECT_TRUE(doubt("2004-11-23T11:49:00.000Z\tann\t\thi\n2004-11-23T11:50:00.000Z\tbob\tann\tyo\n"
                    "2004-11-23T11:51:00.000Z\tann\tbob\tso\n")
                  .starts_with("looks like a table; with"));
  EXPECT_EQ(doubt("{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}"),
            "looks like JSON of roles and contents, which heed prepare messages readslines");
  EXPECT_EQ(doubt("[\n {\"a\": 1}]"), "looks like JSONlines");
  for (const char* begin : {"<!DOCTYPE html>", "<!doctype html>", "<!-- x -->",
                            "<html lang=\"en\">", "<?xml version=\"1.0\"?>"}) {
    EXPECT_EQ(doubt(begin + std::string("\n<p>")), "looks like HTML or XMLlines");
  }
  EXPECT_EQ(doubt("hi\nann\tyo\nbob\tso\n"),
            "many of the first 3 lines hold a tab: is it --layout tabs?lines");
  EXPECT_EQ(doubt("hi\nyo __eou__ so __eou__\na __eou__"),
            "many of the first 3 lines hold __eou__: is it --layout eou?lines");
  EXPECT_EQ(doubt("hi\nann: yo\nbob: so\nand more\n"),
            "many of the first 4 lines begin with a name or a time: is it --layout names?lines");
  EXPECT_EQ(doubt("1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:03,000 --> 00:00:04,000\nHo"),
            "many of the first 6 lines hold an arrow: are these subtitles?lines");
}

TEST(PlainText, WhatSeemsAStrangeFileIsReadIfSomebodySaysSo) {
  const TempDir dir;
  const std::string path = dir.write("t.csv", "who,text\nann,hi\nbob,yo\n");
  std::string asked;
  const auto yes = [&](const std::string& question) { return asked = question, true; };
  const PlainText text = read_plain_text(path, {.read_anyway = yes});
  EXPECT_EQ(text.layout, TextLayout::kLines);
  EXPECT_EQ(text.dialogues[0].turns.size(), 3u);
  EXPECT_EQ(asked, path +
                       ": looks like a table of who, text, which heed prepare csv reads. Read it "
                       "as --layout lines?");
  EXPECT_EQ(plain_of("who,text\nann,hi\nbob,yo\n", TextLayout::kLines),
            "t.txt:1=:who,text|:ann,hi|:bob,yo|");
  // few or prose-like commas, colons and tabs are no sign
  EXPECT_EQ(plain_of("well, yes\nno, thanks\nok, then\n", TextLayout::kAuto, TextLayout::kLines),
            "t.txt:1=:well, yes|:no, thanks|:ok, then|");
  EXPECT_EQ(plain_of("yes,no\nno,yes\n", TextLayout::kAuto, TextLayout::kLines),
            "t.txt:1=:yes,no|:no,yes|");
  EXPECT_EQ(plain_of("one thing: no\nwhat?\nthat\n", TextLayout::kAuto, TextLayout::kLines),
            "t.txt:1=:one thing: no|:what?|:that|");
}

// Looking ahead neither takes lines nor needs the whole file.
TEST(PlainText, LongFilesAreReadAsShortOnes) {
  std::string bytes, expected = "t.txt:1=";
  for (int i = 0; i < 20000; ++i) {
    const std::string name = i % 2 == 0 ? "ann" : "bob", text = "text " + std::to_string(i);
    bytes += name + ": " + text + "\r\n";
    expected += name + ":" + text + "|";
  }
  ASSERT_GT(bytes.size(), size_t{1} << 18);
  EXPECT_EQ(plain_of(bytes, TextLayout::kAuto, TextLayout::kNames), expected);
  EXPECT_EQ(plain_of(gzip(bytes)), expected);
  EXPECT_EQ(plain_error(bytes + "no name\n"),
            ":20001: a line is \"Name: text\"; this one has no name");
}

}  // namespace
}  // namespace heed
