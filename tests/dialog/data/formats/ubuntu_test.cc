#include "dialog/data/formats/ubuntu.h"

#include "dialog/text/text_file.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

std::string v1_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_ubuntu_v1(path); }, "1.tsv", bytes);
}
std::string csv_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_ubuntu_csv(path); }, "f.csv", bytes);
}

const std::string kTsv =
    "2005-10-09T12:03:00.000Z\tbipolar\t\thello!\n"
    "2005-10-09T12:03:00.000Z\tbipolar\tmike\t\"less\" shows\ttext files\n"
    "2005-10-09T12:04:00.000Z\tmike\tbipolar\t \n"
    "2005-10-09T12:04:00.000Z\tmike\tbipolar\tthanks\n";
const std::string kTsvText = "bipolar:hello! \"less\" shows\ttext files|mike:thanks|";

TEST(UbuntuV1, JoinsTheMessagesOfASpeaker) {
  TempDir dir;
  const auto dialogues = read_ubuntu_v1(dir.write("1.tsv", kTsv));
  ASSERT_EQ(dialogues.size(), 1u);
  EXPECT_EQ(dialogues[0].id, "1.tsv");
  EXPECT_EQ(text_of(dialogues[0]), kTsvText);
}

TEST(UbuntuV1, WalksTheFoldersInOrder) {
  TempDir dir;
  dir.write("4/2.tsv.gz", gzip(kTsv));
  dir.write("3/1.tsv", kTsv);
  dir.write("3/notes.txt", "no dialogue");
  const auto dialogues = read_ubuntu_v1(dir.path(""));
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(dialogues[0].id, "3/1.tsv");
  EXPECT_EQ(dialogues[1].id, "4/2.tsv.gz");
  EXPECT_EQ(text_of(dialogues[1]), kTsvText);
  EXPECT_EQ(read_ubuntu_v1(dir.path(""), {.limit = 1}).size(), 1u);
}

TEST(UbuntuV1, RefusesBadFiles) {
  EXPECT_EQ(v1_error(kTsv + "time\tfrom\ttext\n"),
            ":5: a message has 4 fields: time, from, to, text");
  EXPECT_EQ(v1_error("t\ta\tb\t\xFF\n"), ":1: the text is not UTF-8");
  EXPECT_EQ(v1_error(""), ": holds no message");
  EXPECT_EQ(v1_error("t\ta\tb\t\n"), ": holds no message");
  EXPECT_EQ(v1_error(gzip(kTsv).substr(0, 20)), ": the gzip data is cut off");
  TempDir dir;
  EXPECT_EQ(error_of<DataError>([&] { read_ubuntu_v1(dir.path(".")); }),
            dir.path(".") + ": holds no .tsv file");
  dir.write("b.csv.gz", "");
  dir.write("a.csv", "");
  EXPECT_EQ(
      error_of<DataError>([&] { read_ubuntu_v1(dir.path("")); }),
      dir.path("") + ": holds no .tsv file; give a .csv file itself: " + dir.path("") + "/a.csv");
  EXPECT_EQ(error_of<DataError>([&] { read_ubuntu_v1(dir.path("no")); }),
            dir.path("no") + ": cannot open: No such file or directory");
}

const std::string kTrain =
    "Context,Utterance,Label\r\n"
    "hello __eou__ a question __eou__ __eot__ which one ? __eou__ __eot__,this one __eou__,1.0\r\n"
    "not __eou__ __eot__,wanted __eou__,0.0\r\n"
    "\r\n"
    "\"say, \"\"hi\"\"\nthere __eou__ __eot__\",\"ok, __eou__ bye __eou__\",1\r\n";

TEST(UbuntuV2, ReadsTheTrainingFile) {
  TempDir dir;
  for (const std::string& bytes : {kTrain, gzip(kTrain), kTrain.substr(0, kTrain.size() - 2)}) {
    const auto [dialogues, label_0_rows] = read_ubuntu_csv(dir.write("train.csv", bytes));
    EXPECT_EQ(label_0_rows, 1);
    ASSERT_EQ(dialogues.size(), 2u);
    EXPECT_EQ(dialogues[0].id, "train.csv:1");
    EXPECT_EQ(text_of(dialogues[0]), ":hello a question|:which one ?|:this one|");
    EXPECT_EQ(dialogues[1].id, "train.csv:3");
    EXPECT_EQ(text_of(dialogues[1]), ":say, \"hi\" there|:ok, bye|");
  }
  EXPECT_EQ(read_ubuntu_csv(dir.path("train.csv"), {.limit = 1}).dialogues.size(), 1u);
}

TEST(UbuntuV2, ReadsTheTestFile) {
  TempDir dir;
  const auto dialogues =
      read_ubuntu_csv(
          dir.write(
              "test.csv",
              "Context,Ground Truth Utterance,Distractor_0,Distractor_1,Distractor_2\n"
              "a __eou__ __eot__ b __eou__ __eot__ c __eou__ __eot__ ,d,\"x, y\",z,a __eou__ b\n"
              "a __eou__ __eot__,,,,\n"))
          .dialogues;
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(text_of(dialogues[0]), ":a|:b|:c|:d|");
  EXPECT_EQ(text_of(dialogues[1]), ":a|:|");
  EXPECT_EQ(dialogues[0].turns[3].notes->candidates,
            (std::vector<std::string>{"x, y", "z", "a b"}));
  EXPECT_EQ(dialogues[0].turns[2].notes->candidates, std::vector<std::string>{});
  // There are no wrong answers to keep.
  const auto [kept, label_0_rows] = read_ubuntu_csv(dir.path("test.csv"), {}, Wrong::kKeep);
  EXPECT_EQ(label_0_rows, 0);
  EXPECT_EQ(text_of(kept.at(0).turns[3].notes->labels), "");
  EXPECT_FALSE(kept[0].turns[3].distraction);
}

TEST(UbuntuV2, KeepsWrongAnswersWhereTheyAreAskedFor) {
  const TempDir dir;
  const auto [dialogues, label_0_rows] =
      read_ubuntu_csv(dir.write("train.csv", kTrain), {}, Wrong::kKeep);
  EXPECT_EQ(label_0_rows, 1);
  ASSERT_EQ(dialogues.size(), 3u);
  EXPECT_EQ(text_of(dialogues[1]), ":not|:wanted|");
  const std::string answers[] = {"answer=yes", "answer=no", "answer=yes"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(dialogues[i].turns.back().notes->labels), answers[i]);
    EXPECT_EQ(dialogues[i].turns.back().distraction, i == 1);
  }
  for (const Dialogue& d : read_ubuntu_csv(dir.path("train.csv")).dialogues) {
    EXPECT_EQ(text_of(d.turns.back().notes->labels), "");
    EXPECT_FALSE(d.turns.back().distraction);
  }
}

TEST(UbuntuV2, RefusesBadFiles) {
  const std::string header = "Context,Utterance,Label\n";
  EXPECT_EQ(csv_error(""), ": is empty");
  EXPECT_EQ(csv_error(header), ": holds no dialogue");
  EXPECT_EQ(
      csv_error("Context,Answer\n"),
      ":1: the header must be folder,dialogueID,date,from,to,text or Context,Utterance,Label or "
      "Context,Ground Truth Utterance,...");
  EXPECT_EQ(csv_error(header + "a,b\n"), ":2: a row has 3 fields, got 2");
  EXPECT_EQ(csv_error(header + "a,b,1.0,\n"), ":2: a row has 3 fields, got 4");
  EXPECT_EQ(csv_error(header + "a,b,yes\n"), ":2: the label must be 1.0 or 0.0");
  EXPECT_EQ(csv_error(header + " __eou__ __eot__ ,b,1\n"), ":2: the context is empty");
  EXPECT_EQ(csv_error(header + "a\"b,c,1\n"), ":2: a quote inside a field that is not quoted");
  EXPECT_EQ(csv_error(header + "\"a\"b,c,1\n"), ":2: a closing quote must be followed by a comma");
  EXPECT_EQ(csv_error(header + "\"a,b,1\nc,d,1\n"),
            ":4: the quote that opens in line 2 is not closed");
  EXPECT_EQ(csv_error(header + "\xFF,b,1\n"), ":2: the text is not UTF-8");
  std::string endless = header + "\"";
  while (endless.size() < kMaxLineBytes + 4000) endless += std::string(999, 'x') + "\n";
  EXPECT_TRUE(csv_error(endless).ends_with("opens in line 2 is not closed within 16 MiB"));
  EXPECT_EQ(csv_error(header + std::string(1000, ',')), ":2: more than 1000 fields");
}

// dialogueText.csv of Kaggle.
const std::string kMessages = "folder,dialogueID,date,from,to,text\n";

TEST(UbuntuMessages, AreTheDialoguesOfV1) {
  TempDir dir;
  const std::string bytes = kMessages +
                            "3,1.tsv,2005-10-09T12:03:00.000Z,bipolar,,hello!\n"
                            "3,1.tsv,2005-10-09T12:03:00.000Z,bipolar,mike,"
                            "\"\"\"less\"\" shows\ttext files\"\n"
                            "3,1.tsv,2005-10-09T12:04:00.000Z,mike,bipolar,\" \"\n"
                            "3,1.tsv,2005-10-09T12:04:00.000Z,mike,bipolar,thanks\n"
                            "4,1.tsv,t,a,,\"two,\nlines\"\n"
                            "4,2.tsv,t,a,,\"\"\n"
                            "4,1.tsv,t,b,a,late\n";
  for (const std::string& copy : {bytes, gzip(bytes), "\xEF\xBB\xBF" + bytes}) {
    const auto dialogues = read_ubuntu_csv(dir.write("dialogueText.csv", copy)).dialogues;
    ASSERT_EQ(dialogues.size(), 3u);
    EXPECT_EQ(dialogues[0].id, "3/1.tsv");
    EXPECT_EQ(text_of(dialogues[0]), kTsvText);
    EXPECT_EQ(text_of(dialogues[1]), "a:two,\nlines|b:late|");  // its rows are not together
    EXPECT_EQ(dialogues[2].id, "4/2.tsv");
    EXPECT_EQ(text_of(dialogues[2]), "");
  }
  std::vector<size_t> told;
  const Reading two{.limit = 2, .progress = [&](size_t read) { told.push_back(read); }};
  EXPECT_EQ(read_ubuntu_csv(dir.path("dialogueText.csv"), two).dialogues.size(), 2u);
  EXPECT_EQ(told, (std::vector<size_t>{0, 1, 2}));
}

TEST(UbuntuMessages, RefusesBadFiles) {
  EXPECT_EQ(csv_error(kMessages), ": holds no dialogue");
  EXPECT_EQ(csv_error("folder,dialogueID,date,from,text\n").substr(0, 23),
            ":1: the header must be ");
  EXPECT_EQ(csv_error(kMessages + "3,1.tsv,t,a,b\n"), ":2: a row has 6 fields, got 5");
  EXPECT_EQ(csv_error(kMessages + "3,1.tsv,t,a,b,c,d\n"), ":2: a row has 6 fields, got 7");
  EXPECT_EQ(csv_error(kMessages + "3,1.tsv,t,a,b,\"open\n\n"),
            ":4: the quote that opens in line 2 is not closed");
  EXPECT_EQ(csv_error(kMessages + "3,1.tsv,t,a,b,\xC3\n"), ":2: the text is not UTF-8");
  EXPECT_EQ(csv_error(kMessages + std::string("3,1.tsv,t,a,b,\0\n", 16)),
            ":2: a zero byte, this is not a text file");
  EXPECT_EQ(csv_error(kMessages + std::string(kMaxLineBytes + 1, 'x')),
            ":2: the line is longer than 16 MiB");
}

}  // namespace
}  // namespace heed
