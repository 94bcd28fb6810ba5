#include "dialog/text/text_table.h"

#include <algorithm>

#include "dialog/text/terminal.h"

namespace heed {
namespace {

void align(std::vector<std::string>& cells, bool left) {
  int width = 0;
  for (const std::string& cell : cells) width = std::max(width, columns(cell));
  for (std::string& cell : cells) {
    const auto missing = static_cast<size_t>(width - columns(cell));
    cell.insert(left ? cell.size() : 0, missing, ' ');
  }
}

}  // namespace

std::string text_table(std::vector<std::vector<std::string>> table, int width) {
  if (table.empty()) return "";
  for (size_t i = 0; i < table.size(); ++i) align(table[i], i == 0);
  const std::vector<std::string> names = table[0];
  std::vector<std::string> lines = names;
  std::string text;
  const auto end_block = [&] {
    for (std::string& line : lines) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    lines = names;
  };
  bool first = true;  // of its block
  for (size_t i = 1; i < table.size(); ++i) {
    if (!first && columns(lines[0]) + 2 + columns(table[i][0]) > width) {
      end_block();
      text += "\n";
      first = true;
    }
    for (size_t row = 0; row < lines.size(); ++row) lines[row] += "  " + table[i][row];
    first = false;
  }
  end_block();
  return text;
}

std::string text_table_of_rows(const std::vector<std::vector<std::string>>& rows, int width) {
  std::vector<std::vector<std::string>> columns(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  return text_table(std::move(columns), width);
}

}  // namespace heed
