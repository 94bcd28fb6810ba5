// The reader of JSON against nlohmann-json, and where it says no.
#include "base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/file_helpers.h"

namespace heed {
namespace {

using nlohmann::json;
using Kind = JsonReader::Kind;

// The value that comes. Numbers that are not whole ones >= 0 are read as null.
json read(JsonReader& reader) {
  json value;
  switch (reader.next()) {
    case Kind::object:
      value = json::object();
      reader.object([&](const std::string& name) { value[name] = read(reader); });
      break;
    case Kind::array:
      value = json::array();
      reader.array([&] { value.push_back(read(reader)); });
      break;
    case Kind::string: value = reader.string(); break;
    case Kind::number:
      if (const auto n = reader.number()) value = *n;
      break;
    case Kind::other: reader.skip(); break;
  }
  return value;
}
json read(const std::string& text, int depth = 8) {
  JsonReader reader(text, depth);
  json value = read(reader);
  reader.end();
  return value;
}

TEST(JsonReader, ReadsWhatNlohmannReads) {
  for (const char* text :
       {"{}", "[]", " [ ] ", R"({"a": 1, "b": [2, {"c": "d"}], "": [[]]})", R"("\"\\\/\b\f\n\r\t")",
        R"("\u00e9 \ud83d\ude00 \u0000 é 😀")", R"("\ud7ff \ud800\udc00 \udbff\udfff \ue000")",
        "[0, 18446744073709551615]", "\t\n\r {\"x\" : [ 1 , 2 ] }"}) {
    EXPECT_EQ(read(text), json::parse(text)) << text;
  }
}

TEST(JsonReader, NumbersThatAreNotWholeHaveNoValue) {
  for (const char* text : {"-1", "-0", "1.0", "1e3", "1E+3", "0.5e-2", "18446744073709551616"}) {
    EXPECT_EQ(read(text), json()) << text;
  }
}

// They are skipped; so are values of any other kind.
TEST(JsonReader, WordsHaveNoValue) {
  EXPECT_EQ(read("[true, false, null, 1]"), json::parse("[null, null, null, 1]"));
  const std::string text = R"({"a": [true, {"b": false}], "c": null, "d": -1.5e3, "e": "]}"})";
  JsonReader reader(text, 3);
  reader.skip();
  reader.end();
}

TEST(JsonReader, RefusesWhatNlohmannRefuses) {
  for (const std::string text : {"",
                                 " ",
                                 "{",
                                 "[1,",
                                 "[1,]",
                                 "{\"a\":1,}",
                                 "{\"a\" 1}",
                                 "{a:1}",
                                 "{1:1}",
                                 "[1 2]",
                                 "01",
                                 "1.",
                                 ".5",
                                 "+1",
                                 "1e",
                                 "-",
                                 "tru",
                                 "nulls",
                                 "\"",
                                 "\"\n\"",
                                 "\"\\x\"",
                                 "\"\\u12g4\"",
                                 "\"\\ud800\"",
                                 "\"\\ud800x\"",
                                 "\"\\ude00\"",
                                 "\"\\ud800\\ud7ff\"",
                                 "\"\\ud800\\udbff\"",
                                 "\"\\ud800\\ue000\"",
                                 "\"\xff\"",
                                 "\"\xc0\x80\"",
                                 "{} {}",
                                 "[1]x",
                                 "\"\\u-123\"",
                                 "// x\n1"}) {
    EXPECT_FALSE(json::accept(text)) << text;
    EXPECT_THROW(read(text), JsonError) << text;
    if (text.find('}') == text.npos) {
      EXPECT_THROW(
          {
            JsonReader reader(text, 8);
            reader.skip();
            reader.end();
          },
          JsonError)
          << text;
    }
  }
}

TEST(JsonReader, SaysWhereItStops) {
  EXPECT_EQ(error_of<JsonError>([] { read("[1, x]"); }), "no JSON at byte 4");
  EXPECT_EQ(read("[[1]]", 2), json::parse("[[1]]"));
  EXPECT_EQ(error_of<JsonError>([] { read("[[1]]", 1); }), "JSON nests too deep at byte 2");
  EXPECT_EQ(read("[[1], [2], {}]", 2), json::parse("[[1], [2], {}]"));  // depth, not count
}

TEST(JsonString, IsThatOfNlohmann) {
  std::string all = "é😀";
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  EXPECT_EQ(json_string(all), json(all).dump());
}

// ---- messages of nlohmann-json

TEST(Json, MessagesOfTheOtherLibraryAreShortened) {
  const auto of = [](const std::string& text) {
    return std::string(damaged("a.json", text).what()).substr(std::string("a.json: ").size());
  };
  EXPECT_EQ(of("[json.exception.parse_error.101] parse error at line 3, column 9: syntax error "
               "while parsing value - invalid literal; last read: 'x'"),
            "not what heed writes there: line 3, column 9: invalid literal");
  EXPECT_EQ(of("[json.exception.type_error.302] type must be number, but is string"),
            "not what heed writes there: type must be number, but is string");
  EXPECT_EQ(of("[json.exception.out_of_range.403] key 'line 1: x' not found"),
            "not what heed writes there: key 'line 1: x' not found");
  EXPECT_EQ(json_reason("[json.exception.parse_error.101] parse error at line 1, column 1: " +
                        std::string("syntax error - ") + std::string(500, 'x')),
            std::string(100, 'x'));
}

}  // namespace
}  // namespace heed
