#include "dialog/data/formats/table.h"

#include "dialog/text/csv.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

std::string table_of(const std::string& bytes, const Columns& columns, size_t limit = 0) {
  const TempDir dir;
  std::string all;
  for (const Dialogue& d : read_table(dir.write("t.csv", bytes), columns, {limit})) {
    all += (all.empty() ? "" : " ") + d.id + "=" + text_of(d);
  }
  return all;
}

const std::string kRows =
    "id,who,when,what is said\nx,ann,1,\"hi, all\"\ny,bob,2,so\nx,ann,3,anyone?\nx,bob,4, "
    "\nx,bob,5,\"\"\"yes\"\"\"\n";

TEST(Table, ColumnsOfAnyNames) {
  EXPECT_EQ(table_of(kRows, {"what is said", "who", {"id"}}),
            "x=ann:hi, all anyone?|bob:\"yes\"| y=bob:so|");
  EXPECT_EQ(table_of(kRows, {"what is said", "who", {"id", "who"}}, 2),
            "x/ann=ann:hi, all anyone?| y/bob=bob:so|");
  EXPECT_EQ(table_of(kRows, {"what is said", "who"}),
            "t.csv:1=ann:hi, all|bob:so|ann:anyone?|bob:\"yes\"|");
  EXPECT_EQ(table_of(kRows, {"what is said", "", {"id"}}), "x=:hi, all|:anyone?|:\"yes\"| y=:so|");
  EXPECT_EQ(table_of(kRows, {"what is said", "who", {"id"}}, 1), "x=ann:hi, all|");
}

TEST(Table, SemicolonsAndTabs) {
  EXPECT_EQ(table_of("who;text\nann;\"a;b\"\nbob;c,d\n", {"text", "who"}),
            "t.csv:1=ann:a;b|bob:c,d|");
  EXPECT_EQ(table_of("who\ttext\nann\ta;b\nbob\tc,d\n", {"text", "who"}),
            "t.csv:1=ann:a;b|bob:c,d|");
  EXPECT_EQ(table_of("text\na\nb\n", {"text"}), "t.csv:1=:a|:b|");
}

// The first line alone chooses, the comma where two are as frequent; a field that is quoted ends at
// the chosen one.
TEST(Table, TheSeparatorIsThatOfTheFirstLine) {
  EXPECT_EQ(table_of("who,text\nann,a;b;c;d\n", {"text", "who"}), "t.csv:1=ann:a;b;c;d|");
  EXPECT_EQ(table_of("who,a;b\nann,c;d\n", {"a;b", "who"}), "t.csv:1=ann:c;d|");
  EXPECT_EQ(table_of("text;who\n\"a;b\";ann\n\"c\";bob\n", {"text", "who"}),
            "t.csv:1=ann:a;b|bob:c|");
}

// Bounds are of each record: many fields, and many records before one of two lines.
TEST(CsvReader, ReadsRecordsUpToTheBounds) {
  const TempDir dir;
  std::vector<std::string> fields;
  CsvReader wide(dir.write("wide.csv", std::string(999, ',') + "\n"));
  ASSERT_TRUE(wide.next(fields));
  EXPECT_EQ(fields, std::vector<std::string>(1000));
  std::string text;
  for (int i = 0; i < 17; ++i) text += std::string(1 << 20, 'x') + "\n";
  CsvReader many(dir.write("many.csv", text + "\"a\nb\",c\n"));
  for (int i = 0; i < 17; ++i) ASSERT_TRUE(many.next(fields));
  ASSERT_TRUE(many.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a\nb", "c"}));
  EXPECT_FALSE(many.next(fields));
}

TEST(Table, SaysWhatIsWrong) {
  const auto table = [](const std::string& path) { read_table(path, {"text", "who", {"id"}}); };
  EXPECT_EQ(error_reading(table, "t.csv", ""), ": is empty");
  EXPECT_EQ(error_reading(table, "t.csv", "who,Text,id\na,b,c\n"),
            ":1: there is no column \"text\"; there are: who, Text, id");
  EXPECT_EQ(error_reading(table, "t.csv", "who,text,id,text\na,b,c,d\n"),
            ":1: two columns are \"text\"");
  EXPECT_EQ(error_reading(table, "t.csv", "who,text,id\n"), ": holds no dialogue");
  EXPECT_EQ(error_reading(table, "t.csv", "who,text,id\na,b\n"), ":2: a row has 3 fields, got 2");
  EXPECT_EQ(error_reading(table, "t.csv", "who,text,id\na,\"b\n"),
            ":3: the quote that opens in line 2 is not closed");
  EXPECT_EQ(error_reading(table, "t.csv", "who;text;id\na;\"b\"c;d\n"),
            ":2: a closing quote must be followed by a semicolon");
}

}  // namespace
}  // namespace heed
