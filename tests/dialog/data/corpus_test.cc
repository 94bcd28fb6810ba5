#include "dialog/data/corpus.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <list>

#include "dialog/text/text_file.h"
#include "tests/dialog/data/reader_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

const std::string kLine =
    R"({"id": "linked/2005-07-06_14/1015", "turns": [)"
    R"({"speaker": "holycow", "text": "what java applet window?"}, )"
    R"({"text": "h\u00e9, \"quoted\"\ttab", "distraction": true}, )"
    R"({"speaker": "holycow", "text": "okay, what site?", "distraction": false}]})";

std::string turns_of(const Dialogue& dialogue) {
  std::string all;
  for (const Turn& turn : dialogue.turns) {
    all += turn.speaker + (turn.distraction ? "* " : ": ") + turn.text + "\n";
  }
  return all;
}

void expect_kline(const std::vector<Dialogue>& dialogues) {
  ASSERT_EQ(dialogues.size(), 1u);
  EXPECT_EQ(dialogues[0].id, "linked/2005-07-06_14/1015");
  EXPECT_EQ(
      turns_of(dialogues[0]),
      "holycow: what java applet window?\n* hé, \"quoted\"\ttab\nholycow: okay, what site?\n");
}

const std::string kHint =
    "; dialogues are JSON Lines (docs/files.md), which `heed prepare` makes of other files";

// Without the path, and without the hint where that must stand: where no dialogue came before.
std::string read_error(const std::string& bytes) {
  TempDir dir;
  const std::string path = dir.write("f.jsonl", bytes);
  std::string error = error_of<DataError>([&] { read_dialogues(path); });
  if (error.ends_with(kHint)) error.resize(error.size() - kHint.size());
  return error.starts_with(path) ? error.substr(path.size()) : error;
}

TEST(ReadDialogues, SaysWhatAFileOfAnotherKindNeeds) {
  TempDir dir;
  const auto error = [&](const std::string& bytes) {
    return error_of<DataError>([&] { read_dialogues(dir.write("f", bytes)); });
  };
  EXPECT_EQ(error("Good morning , sir .\n"),
            dir.path("f") + ":1: not valid JSON at byte 1: invalid literal" + kHint);
  EXPECT_TRUE(error("[[\"a\", \"b\"]]\n").ends_with(kHint));
  EXPECT_EQ(error(kLine + "\n{}"), dir.path("f") + ":2: the dialogue has no \"turns\"");
}

TEST(ReadDialogues, ReadsAllFields) {
  TempDir dir;
  expect_kline(read_dialogues(dir.write("f", kLine)));
  expect_kline(read_dialogues(dir.write("f", "\xEF\xBB\xBF\r\n \t\n" + kLine + "\r\n\n")));
}

TEST(ReadDialogues, TellsGzipByContentNotByName) {
  TempDir dir;
  expect_kline(read_dialogues(dir.write("f.jsonl", gzip(kLine))));
  expect_kline(read_dialogues(dir.write("f.gz", kLine)));
  const std::string members = gzip(kLine.substr(0, 99)) + gzip("") + gzip(kLine.substr(99));
  expect_kline(read_dialogues(dir.write("members.gz", members)));
}

TEST(ReadDialogues, NamesADialogueWithoutIdByItsLine) {
  TempDir dir;
  const std::string bytes = "\n{\"turns\": [{\"text\": \"\"}]}\n";
  EXPECT_EQ(read_dialogues(dir.write("f", bytes))[0].id, "line-2");
}

TEST(ReadDialogues, IdsMayBeNumbers) {
  TempDir dir;
  std::string bytes, ids;
  for (const char* id : {"7", "-7", "18446744073709551615", "1.50", "\"x\""}) {
    bytes += "{\"turns\": [{\"text\": \"a\"}], \"id\": " + std::string(id) + "}\n";
  }
  for (const Dialogue& d : read_dialogues(dir.write("f", bytes))) ids += d.id + " ";
  EXPECT_EQ(ids, "7 -7 18446744073709551615 1.50 x ");
}

TEST(ReadDialogues, IgnoresUnknownKeys) {
  TempDir dir;
  const std::string bytes =
      R"({"x": {"turns": 1, "id": [[{"text": 2}], null]}, "turns": [{"y": [{"text": 3}], "text": )"
      R"("a", "z": -1.5e3}], "w": [], "id": "i"})";
  const std::vector<Dialogue> dialogues = read_dialogues(dir.write("f", bytes));
  EXPECT_EQ(dialogues[0].id, "i");
  EXPECT_EQ(turns_of(dialogues[0]), ": a\n");
}

TEST(ReadDialogues, StopsAtTheLimit) {
  TempDir dir;
  const std::string path = dir.write("f", kLine + "\n" + kLine + "\nnot read");
  EXPECT_EQ(read_dialogues(path, 2).size(), 2u);
  EXPECT_THROW(read_dialogues(path, 3), DataError);
}

TEST(ReadDialogues, ChecksTheFields) {
  EXPECT_EQ(read_error(kLine + "\n[1]"), ":2: the line must be an object, got an array");
  EXPECT_EQ(read_error("3"), ":1: the line must be an object, got a number");
  EXPECT_EQ(read_error("{}"), ":1: the dialogue has no \"turns\"");
  EXPECT_EQ(read_error(R"({"turns": []})"), ":1: \"turns\" is empty");
  EXPECT_EQ(read_error(R"({"turns": {}})"), ":1: turns must be an array, got an object");
  EXPECT_EQ(read_error(R"({"turns": ["a"]})"), ":1: each turn must be an object, got a string");
  EXPECT_EQ(read_error(R"({"turns": [{"text": "a"}, {"speaker": "b"}]})"),
            ":1: turn 2 has no \"text\"");
  EXPECT_EQ(read_error(R"({"turns": [{"text": null}]})"), ":1: text must be a string, got null");
  EXPECT_EQ(read_error(R"({"turns": [{"text": "a", "speaker": 1}]})"),
            ":1: speaker must be a string, got a number");
  EXPECT_EQ(read_error(R"({"turns": [{"text": "a", "distraction": "yes"}]})"),
            ":1: distraction must be true or false, got a string");
  EXPECT_EQ(read_error(R"({"id": true})"),
            ":1: id must be a string or a number, got true or false");
  EXPECT_EQ(read_error(R"({"turns": [{"text": "a", "text": "b"}]})"),
            ":1: \"text\" is given twice");
  EXPECT_EQ(read_error(R"({"turns": [{"text": "a"}], "turns": []})"),
            ":1: \"turns\" is given twice");
}

TEST(ReadDialogues, ChecksTheJson) {
  EXPECT_EQ(read_error("\n" + kLine + " {}"), ":2: not valid JSON at byte " +
                                                  std::to_string(kLine.size() + 2) +
                                                  ": unexpected '{'; expected end of input");
  EXPECT_EQ(read_error(R"({"id")"),
            ":1: not valid JSON at byte 6: unexpected end of input; expected ':'");
  EXPECT_EQ(read_error("{\"id\": \"\xC3(\"}"),
            ":1: not valid JSON at byte 10: invalid string: ill-formed UTF-8 byte");
  EXPECT_EQ(read_error("hello"), ":1: not valid JSON at byte 1: invalid literal");
  EXPECT_EQ(read_error("{\"x\": " + std::string(100'000, '[')), ":1: nested deeper than 64");
}

// Wherever a line is cut off, the answer is an error of one line.
TEST(ReadDialogues, SurvivesEveryCut) {
  for (size_t size = 1; size < kLine.size(); ++size) {
    const std::string error = read_error(kLine.substr(0, size));
    EXPECT_TRUE(error.starts_with(":1: not valid JSON at byte")) << error;
    EXPECT_EQ(error.find('\n'), error.npos);
  }
}

TEST(ReadDialogues, RefusesWhatIsNoTextFile) {
  TempDir dir;
  EXPECT_EQ(read_error(""), ": holds no dialogue");
  EXPECT_EQ(read_error(" \n\n"), ": holds no dialogue");
  EXPECT_EQ(read_error(std::string("\x7F\x45LF\0\0\n", 7)),
            ":1: a zero byte, this is not a text file");
  EXPECT_EQ(error_of<DataError>([&] { read_dialogues(dir.path("no")); }),
            dir.path("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(error_of<DataError>([&] { read_dialogues(dir.path("")); }),
            dir.path("") + ": is a directory, not a file");
}

TEST(ReadDialogues, RefusesDamagedGzip) {
  std::string data = gzip(kLine);
  EXPECT_EQ(read_error(data.substr(0, data.size() - 1)), ": the gzip data is cut off");
  EXPECT_EQ(read_error(data.substr(0, 2)), ": the gzip data is cut off");
  EXPECT_EQ(read_error(data + "garbage"), ": something else follows the gzip data");
  data[data.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(read_error(data), ": the gzip data is damaged");
}

TEST(ReadDialogues, BoundsTheLength) {
  std::string text(kMaxLineBytes - 23, 'x');
  const std::string longest = "{\"turns\":[{\"text\":\"" + text + "\"}]}\n";
  ASSERT_EQ(longest.size(), kMaxLineBytes + 1);  // with the end of the line
  TempDir dir;
  EXPECT_EQ(read_dialogues(dir.write("f", longest))[0].turns[0].text, text);
  EXPECT_EQ(read_error(longest + std::string(kMaxLineBytes + 1, ' ')),
            ":2: the line is longer than 16 MiB");
  // a small file that becomes large
  EXPECT_EQ(read_error(gzip(std::string(100 << 20, ' '))), ":1: the line is longer than 16 MiB");
}

TEST(WriteDialogues, ReadsBackTheSame) {
  TempDir dir;
  std::vector<Dialogue> dialogues = read_dialogues(dir.write("f", kLine + "\n" + kLine));
  dialogues[1].turns[0].text = std::string("\0\x01\n\\ 😀", 9);
  for (const std::string name : {"out.jsonl", "out.jsonl.gz"}) {
    write_dialogues(dir.path(name), dialogues);
    const std::vector<Dialogue> again = read_dialogues(dir.path(name));
    ASSERT_EQ(again.size(), 2u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(again[i].id, dialogues[i].id);
      EXPECT_EQ(turns_of(again[i]), turns_of(dialogues[i]));
    }
  }
  EXPECT_EQ(dir.read("out.jsonl.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(dir.read("out.jsonl").substr(0, 38), kLine.substr(0, 38));
}

TEST(WriteDialogues, RefusesTextThatIsNotUtf8) {
  TempDir dir;
  EXPECT_EQ(error_of<DataError>([&] {
              write_dialogues(dir.path("f"), {{"a", {{"", "ok"}}}, {"b", {{"", "\xFF"}}}});
            }),
            dir.path("f") + ": cannot write a dialogue whose text is not UTF-8, dialogue 2");
  EXPECT_EQ(dir.count_files(), 0u);
}

TEST(WriteDialogues, RefusesWhatCouldNotBeReadAgain) {
  TempDir dir;
  EXPECT_EQ(error_of<DataError>([&] {
              write_dialogues(dir.path("f"), {{"a", {{"", std::string(kMaxLineBytes, 'x')}}}});
            }),
            dir.path("f") + ": cannot write a dialogue of more than 16 MiB, dialogue 1");
  EXPECT_EQ(dir.count_files(), 0u);
}

TEST(AddMessage, JoinsThoseOfOneSpeaker) {
  Dialogue dialogue;
  add_message(dialogue, "ann", "hi");
  add_message(dialogue, "ann", " \t");
  add_message(dialogue, "ann", "there");
  add_message(dialogue, "bob", "hi");
  EXPECT_EQ(turns_of(dialogue), "ann: hi there\nbob: hi\n");
}

TEST(FindPart, IsThereWithEitherName) {
  const TempDir dir;
  dir.write("train.jsonl", "x");
  dir.write("valid.jsonl.gz", "x");
  EXPECT_TRUE(has_part(dir.path(""), "train"));
  EXPECT_TRUE(has_part(dir.path(""), "valid"));
  EXPECT_FALSE(has_part(dir.path(""), "test"));
  EXPECT_FALSE(has_part(dir.path("no"), "train"));
}

TEST(FindPart, IsTheOneFileOfThePart) {
  TempDir dir;
  EXPECT_EQ(error_of<DataError>([&] { find_part(dir.path("no"), "train"); }),
            dir.path("no") +
                ": not a directory; a data directory holds train.jsonl or train.jsonl.gz"
                "; `heed prepare text` and `split` make one");
  EXPECT_EQ(error_of<DataError>([&] { find_part(dir.path("."), "train"); }),
            dir.path(".") +
                ": holds neither train.jsonl nor train.jsonl.gz"
                "; `heed prepare split` makes them");
  const std::string compressed = dir.write("train.jsonl.gz", "x");
  EXPECT_EQ(find_part(dir.path(""), "train"), compressed);
  const std::string plain = dir.write("train.jsonl", "x");
  EXPECT_EQ(error_of<DataError>([&] { find_part(dir.path("."), "train"); }),
            dir.path(".") + ": holds train.jsonl and train.jsonl.gz; keep one of them");
  std::filesystem::remove(compressed);
  EXPECT_EQ(find_part(dir.path(""), "train"), plain);
  ASSERT_EQ(::mkfifo(dir.path("test.jsonl").c_str(), 0600), 0);
  EXPECT_EQ(error_of<DataError>([&] { find_part(dir.path("."), "test"); }),
            dir.path("./test.jsonl") + ": not a regular file");
}

// On a full disk there are all parts or none, though the first ones would have had space.
TEST(CommitAll, WritesAllFilesOrNone) {
  const TempDir dir;
  std::list<DialogueWriter> writers;
  for (const size_t bytes : {10UL, 200'000UL}) {
    const std::string name = "part" + std::to_string(bytes);
    writers.emplace_back(dir.path(name)).write({"d", {{"a", std::string(bytes, 'x')}}});
  }
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // so that it is an error and not a signal
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{100'000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = error_of<DataError>([&] { commit_all(writers); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(error, dir.path("part200000") + ": cannot write: File too large");
  writers.clear();
  EXPECT_EQ(dir.count_files(), 0u);
}

TEST(FindDialogues, IsAPartOfADirectoryOrTheFileItself) {
  const TempDir dir;
  dir.write("data/test.jsonl.gz", "x");
  EXPECT_EQ(find_dialogues(dir.path("data"), "test"), dir.path("data/test.jsonl.gz"));
  EXPECT_EQ(find_dialogues(dir.path("some.jsonl"), "test"), dir.path("some.jsonl"));
  EXPECT_EQ(find_dialogues("", "test"), "");
  EXPECT_EQ(error_of<DataError>([&] { find_dialogues(dir.path("data"), "train"); }),
            dir.path("data") +
                ": holds neither train.jsonl nor train.jsonl.gz; `heed prepare split` makes them");
}

TEST(Fingerprint, IsOfIdsTextsAndMarks) {
  const std::vector<Dialogue> d = {{"x", {{"A", "a"}, {"B", "b"}}}};
  const uint32_t known = fingerprint(d);
  auto changed = [&](auto change) {
    std::vector<Dialogue> other = d;
    change(other[0]);
    return fingerprint(other) != known;
  };
  EXPECT_EQ(fingerprint(d), known);
  EXPECT_TRUE(changed([](Dialogue& o) { o.id = "y"; }));
  EXPECT_TRUE(changed([](Dialogue& o) { o.turns[1].text = "c"; }));
  EXPECT_TRUE(changed([](Dialogue& o) { o.turns[1].distraction = true; }));
  EXPECT_TRUE(changed([](Dialogue& o) { o.turns = {{"A", "ab"}}; }));
  EXPECT_FALSE(changed([](Dialogue& o) { o.turns[0].speaker = "C"; }));  // is not read
}

TEST(SampleData, HasDialoguesOfThreeTurnsAndMore) {
  for (const char* part : {"valid", "test"}) {
    const std::string path = find_part(source_dir() + "/data/ubuntu-sample", part);
    const std::vector<Dialogue> dialogues = read_dialogues(path);
    EXPECT_GT(dialogues.size(), 500u);
    for (const Dialogue& dialogue : dialogues) {
      ASSERT_GE(dialogue.turns.size(), 3u) << dialogue.id;
      for (const Turn& turn : dialogue.turns) ASSERT_FALSE(turn.text.empty()) << dialogue.id;
    }
  }
}

}  // namespace
}  // namespace heed
