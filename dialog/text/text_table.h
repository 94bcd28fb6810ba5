#pragma once

#include <string>
#include <vector>

namespace heed {

// A table for people, of columns of cells with a title first: the first column is left-aligned, the
// others right-aligned. Columns that do not fit into `width` follow below, with the first column
// again.
std::string text_table(std::vector<std::vector<std::string>> columns, int width);
// The same of rows of cells, the titles first.
std::string text_table_of_rows(const std::vector<std::vector<std::string>>& rows, int width);

// The same of a list, column by column; each element is a row.
template <class Row> class ColumnsOf {
 public:
  explicit ColumnsOf(const std::vector<Row>& rows) : rows_(rows) {}
  template <class Cell> void add(const std::string& title, const Cell& cell) {
    std::vector<std::string>& column = columns_.emplace_back(1, title);
    for (const Row& row : rows_) column.push_back(cell(row));
  }
  std::string text(int width) const { return text_table(columns_, width); }

 private:
  const std::vector<Row>& rows_;
  std::vector<std::vector<std::string>> columns_;
};

}  // namespace heed
