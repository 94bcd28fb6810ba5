// A table of numbers, and its output formats.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/engine/stats/statistics.h"

namespace heed {

struct Cell {
  std::optional<double> value = {};
  std::optional<double> deviation = {};            // over seeds
  std::optional<Interval> interval = {};           // 95 %
  std::optional<double> p_value = {};              // corrected for the number of comparisons
  std::vector<std::optional<double>> others = {};  // one for each of Column::others, or none
  bool best = false;                               // of its column
  bool doubtful = false;                           // printed with a question mark
  std::string text = {};                           // instead of a number
  std::optional<int> digits = {};                  // instead of the column's
};

struct Column {
  enum class Best { kNone, kLowest, kHighest };
  std::string group = {}, name = {};  // "random", "p = 0.5"
  std::string key = {};  // its name in evaluation.json: "test_sets.random:0.5.das_ratio"
  int digits = 2;
  bool percent = false;  // printed times 100
  Best best = Best::kNone;
  bool sign = false;  // printed with + or -
  // Shown beside it in the files, and on the page under the pointer: other definitions of the same
  // number, {"mean_of_ratios", "test_sets.random:0.5.mean_das_ratio"}.
  struct Other {
    std::string name, key;
  };
  std::vector<Other> others = {};
  bool p_value = false;  // "< 0.0001" is printed instead of 0
  // The name of a paper's number, shown instead of ours; behind +- it prints a variance.
  std::string printed = {};
  bool variance = false;
};

struct Row {
  std::string group, label;               // "p = 0.7", "static-ui"
  std::vector<Cell> cells = {};           // one for each column
  std::vector<std::string> sources = {};  // the files of its numbers
  bool reference = false;                 // not one of the compared rows
};

struct Table {
  std::string id, title, note;  // "table3"
  // The headings of the first two columns. Of a table that has none they are the experiment's.
  std::string rows_are = "", groups_are = "";
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  bool intervals = false;  // in Markdown too: the table is about them
};

// Whether a row belongs to a group; else texts and pages have no column of groups.
bool has_groups(const Table& table);

// Marks the best cell of each column that defines "best", if its interval overlaps with none of the
// other rows'. Without intervals nothing is marked.
void mark_best(Table& table);

// A number in the column's format; "–" for none.
std::string print_value(const Column& column, const std::optional<double>& value);
// With "± deviation" if there are several seeds.
std::string print_cell(const Column& column, const Cell& cell);

// "[0.71, 0.75]"; empty if there is none.
std::string print_interval(Column column, const Cell& cell);

// The number of digits after the point, from 1 to 6, at which the ends of all intervals differ by
// about ten steps: 2 for [0.52, 0.83], 4 for [1.0126, 1.0165].
int digits_of(const std::vector<std::optional<Estimate>>& estimates);

std::string to_markdown(const Table& table);  // best values in bold
std::string to_latex(const Table& table);     // a tabular, with the rules of booktabs
// One line per row: the value of each column and, if the table has them, its deviation, interval,
// p-value and others. Not rounded.
std::string to_csv(const Table& table);
std::string to_json_text(const Table& table);

// The table of that id. Throws InternalError if there is none.
const Table& table_of(const std::vector<Table>& tables, const std::string& id);

// Writes ID.md, ID.csv and ID.json of each table into a folder, which is made if it does not exist.
void save_tables(const std::string& folder, const std::vector<Table>& tables);

}  // namespace heed
