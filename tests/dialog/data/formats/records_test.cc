#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "dialog/data/formats/published.h"
#include "dialog/data/formats/records_json.h"
#include "dialog/text/word_vectors.h"
#include "tensor/random.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// "name=value" for each record, whose values are under "v".
std::string records_of(const std::string& bytes, Braces braces, size_t limit = 0) {
  const TempDir dir;
  std::string all;
  size_t count = 0;
  read_records(dir.write("f", bytes), braces, [&](JsonRecord& record) {
    all += record.name() + "=" + record.text(record.json(), "v") + " ";
    return ++count != limit;
  });
  return all;
}

std::string records_error(const std::string& bytes, Braces braces = Braces::kLines) {
  return error_reading(
      [&](const std::string& path) {
        read_records(path, braces, [](JsonRecord&) { return true; });
      },
      "f", bytes);
}

TEST(Records, AreElementsMembersOrLines) {
  const std::string array = "[ {\"v\": \"a]\\\"\\\\\"} ,\n{\"w\": [{}, [\"}\"]], \"v\":\"b\"}]\n";
  EXPECT_EQ(records_of(array, Braces::kLines), "=a]\"\\ =b ");
  EXPECT_EQ(records_of(gzip(array), Braces::kMembers), "=a]\"\\ =b ");
  EXPECT_EQ(records_of("\xEF\xBB\xBF {\"x:\\\"\" : {\"v\": \"a\"}, \"y\":{\"v\":\"b\"} }",
                       Braces::kMembers),
            "x:\"=a y=b ");
  EXPECT_EQ(records_of("{\"v\": \"a\"}\n\n{\"v\":\n\"b\"}{\"v\": \"c\"}", Braces::kLines),
            "=a =b =c ");
  EXPECT_EQ(records_of("[]", Braces::kLines), "");
  EXPECT_EQ(records_of("{}", Braces::kMembers), "");
  EXPECT_EQ(records_of("[{\"v\": \"a\"}, not read", Braces::kLines, 1), "=a ");
}

TEST(Records, MustBeJson) {
  EXPECT_EQ(records_error(""), ": holds no dialogue");
  EXPECT_EQ(records_error(" \n"), ": holds no dialogue");
  EXPECT_EQ(records_error("\nhello"),
            ":2: not valid JSON: a '[' or '{' must come first (heed prepare "
            "text reads texts, csv tables)");
  EXPECT_EQ(records_error("[{}\n{}]"), ":2: not valid JSON: unexpected '{'; expected ']'");
  EXPECT_EQ(records_error("[{},]").substr(0, 19), ":1: not valid JSON:");
  EXPECT_EQ(records_error("[{}"), ":1: not valid JSON: unexpected end of input; expected ']'");
  EXPECT_EQ(records_error("[{}]\n\n x"), ":3: not valid JSON: invalid literal");
  EXPECT_EQ(records_error("[{}] {}"), ":1: not valid JSON: unexpected '{'; expected end of input");
  EXPECT_EQ(records_error("[{}}").substr(0, 19), ":1: not valid JSON:");
  EXPECT_EQ(records_error("[{\n\n\"a\": nul}]"), ":3: not valid JSON: invalid literal");
  EXPECT_EQ(records_error("[{},\n{\"a\": 1e999}]"),
            ":2: not valid JSON: number overflow parsing '1e999'");
  EXPECT_EQ(records_error("[{\"a\": \"\xFF\"}]"),
            ":1: not valid JSON: invalid string: ill-formed UTF-8 byte");
  EXPECT_EQ(records_error("{}\n{\"a"), ":2: not valid JSON: invalid string: missing closing quote");
  EXPECT_EQ(records_error("{\"a\" {}}", Braces::kMembers),
            ":1: not valid JSON: unexpected '{'; expected ':'");
  EXPECT_EQ(records_error("{7: {}}", Braces::kMembers),
            ":1: not valid JSON: unexpected number literal; expected string literal");
  EXPECT_EQ(records_error("{\"a\": {}]", Braces::kMembers),
            ":1: not valid JSON: unexpected ']'; expected '}'");
  EXPECT_EQ(records_error("[{}, 3]"), ":1: each dialogue must be an object, got a number");
  EXPECT_EQ(records_error("{\"a\":\n[{}]}", Braces::kMembers),
            ":2: each dialogue must be an object, got an array");
  EXPECT_EQ(records_error("[{\"a\": " + std::string(100'000, '[')), ":1: nested deeper than 64");
}

// Wherever a file is cut off, the answer is an error of one line.
TEST(Records, SurviveEveryCut) {
  const std::string text = "{\"x\": {\"v\": [\"a\", {\"b\": -1.5e3}], \"w\": null}, \"y\": {}}";
  ASSERT_EQ(records_error(text, Braces::kMembers), "no error");
  for (size_t size = 1; size < text.size(); ++size) {
    const std::string what = records_error(text.substr(0, size), Braces::kMembers);
    EXPECT_TRUE(what.starts_with(":1: not valid JSON: ")) << size << what;
    EXPECT_EQ(what.find('\n'), what.npos);
  }
}

TEST(Records, SayWhatIsWrongInThem) {
  const auto wrong = [](auto use) {
    return error_reading(
        [&](const std::string& path) {
          read_records(path, Braces::kMembers, [&](JsonRecord& record) {
            if (record.name() == "first") return true;
            use(record, record.json());
            return true;
          });
        },
        "f", R"({"first": {}, "second": {"t": "x", "l": [1], "m": {"a": null}}})");
  };
  const std::string where = ": dialogue 2 (second)";
  using Json = JsonRecord::Json;
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.text(j, "no"); }),
            where + ": there is no \"no\"");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.in_turn(3), r.text(j, "l"); }),
            where + ", turn 3: \"l\" must be a string, got an array");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.list(j, "m"); }),
            where + ": \"m\" must be an array, got an object");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.map(j, "t"); }),
            where + ": \"t\" must be an object, got a string");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.text(j.at("l"), "x"); }),
            where + ": expected an object with \"x\", got an array");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.texts(j, "l"); }),
            where + ": each value in \"l\" must be a string, got a number");
  EXPECT_EQ(wrong([](JsonRecord& r, const Json& j) { r.as_text(j.at("m").at("a"), "a slot"); }),
            where + ": a slot must be a string, got null");
}

TEST(Archives, AreRefusedWithAHint) {
  EXPECT_EQ(records_error("PK\x03\x04rest"),
            ": a zip archive; unpack it (unzip) and give the file that is in it");
  EXPECT_EQ(records_error("\xFD"
                          "7zXZ"),
            ": xz data; unpack it (xz -dk) and give the file that comes out");
}

TEST(ReadText, IsTheWholeText) {
  const TempDir dir;
  const std::string text(300'000, 'x');
  EXPECT_EQ(read_text(dir.write("f", "\xEF\xBB\xBF" + text), 300'003), text);
  EXPECT_EQ(read_text(dir.write("f.gz", gzip(text)), 300'000), text);
  EXPECT_EQ(error_of<DataError>([&] { read_text(dir.path("f.gz"), 299'999); }),
            dir.path("f.gz") + ": the text is longer than 0 MiB");
  EXPECT_EQ(first_sign(dir.write("f", "\xEF\xBB\xBF\r\n\t {")), '{');
  EXPECT_EQ(first_sign(dir.write("f", gzip(" x"))), 'x');
  EXPECT_EQ(first_sign(dir.write("f", gzip("\n") + gzip("{"))), '{');
  EXPECT_EQ(first_sign(dir.write("f", " \n")), '\0');
  const std::string pipe = dir.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& peek : std::vector<std::function<void()>>{
           [&] { (void)first_sign(pipe); }, [&] { (void)word_vector_width(pipe); }}) {
    EXPECT_EQ(error_of<DataError>(peek),
              pipe + ": is a pipe, and would be read twice; give a file");
  }
}

// Also what does not become small: gzip data of many chunks.
TEST(TextWriter, WritesTextsOfAnySize) {
  const TempDir dir;
  std::string text(1 << 20, ' ');
  Rng rng(1, "test.text", 0);
  for (char& c : text) c = static_cast<char>(' ' + rng.below(95));
  for (const char* name : {"f", "f.gz"}) {
    TextWriter writer(dir.path(name));
    writer.write(text);
    writer.write("end");
    writer.commit();
    EXPECT_EQ(read_text(dir.path(name), 2 << 20), text + "end") << name;
  }
  EXPECT_GT(dir.read("f.gz").size(), 2 * LineReader::kAhead);
}

TEST(LabelValue, IsLowerCaseWithoutBlanks) {
  EXPECT_EQ(label_value(" The  Lensfield\tHotel\n"), "the_lensfield_hotel");
  EXPECT_EQ(label_value("CAFÉ"), "cafÉ");
  EXPECT_EQ(label_value("@AZ[`az{"), "@az[`az{");
  EXPECT_EQ(label_value(" "), "");
  EXPECT_EQ(label_value("\u3000modern\u00a0\u2003European\u200b"), "modern_european");
  const NameAndValue label = split_value("a-b=c=d");
  EXPECT_EQ(label.name, "a-b");
  EXPECT_EQ(label.value, "c=d");
  EXPECT_EQ(split_value("general-bye").name, "general-bye");
  EXPECT_EQ(split_value("general-bye").value, "");
}

}  // namespace
}  // namespace heed
