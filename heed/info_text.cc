#include "heed/info_text.h"

#include <algorithm>

#include "dialog/text/terminal.h"
#include "dialog/text/text_table.h"
#include "heed/provenance.h"
#include "heed/results.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kValues = 12;             // entries of a list that are shown
constexpr size_t kFirst = 40, kLast = 20;  // rows of a table that are shown
constexpr int kCellColumns = 60;

// A list of objects, or an object of several such lists by name; the objects begin with the same
// key.
bool is_table(const Json& value) {
  const bool may_be = value.is_array() ? !value.empty() : value.is_object() && value.size() > 1;
  const auto begins = [](const Json& row) {
    return row.is_object() && !row.empty() ? row.items().begin().key() : "";
  };
  const std::string first = may_be ? begins(*value.begin()) : "";
  return !first.empty() && std::all_of(value.begin(), value.end(),
                                       [&](const Json& row) { return begins(row) == first; });
}

}  // namespace

std::string value_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_number_float()) return six_digits(value.get<double>());
  if (value.is_object()) return value.empty() ? "none" : printable(as_text(value));
  if (!value.is_array()) return value.dump();
  std::string text;
  for (size_t i = 0; i < std::min(value.size(), kValues); ++i) {
    text += (i == 0 ? "" : ", ") + value_text(value[i]);
  }
  if (value.size() > kValues) text += " and " + std::to_string(value.size() - kValues) + " more";
  return text.empty() ? "none" : text;
}

namespace {

std::string cell_text(const Json& row, const std::string& key) {
  if (!row.contains(key)) return "";
  const std::string text = value_text(row[key]);
  const std::string shown = cut(text, kCellColumns);
  return shown.size() < text.size() ? shown + "..." : shown;
}

// The keys of all rows, in the order of their first appearance.
std::vector<std::string> keys_of(const Json& rows) {
  std::vector<std::string> keys;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::string table_text(const Json& rows, int width) {
  std::vector<std::vector<std::string>> columns;
  const auto add_column = [&](const std::string& title, const auto& cell) {
    columns.push_back({printable(title)});
    size_t at = 0;
    for (const auto& [name, row] : rows.items()) {
      const bool shown = rows.size() <= kFirst + kLast || at < kFirst || at + kLast >= rows.size();
      if (shown) columns.back().push_back(cell(name, row));
      if (++at == kFirst && rows.size() > kFirst + kLast) columns.back().emplace_back("...");
    }
  };
  if (rows.is_object()) {
    add_column("", [](const std::string& name, const Json&) { return printable(name); });
  }
  for (const std::string& key : keys_of(rows)) {
    add_column(key, [&](const std::string&, const Json& row) { return cell_text(row, key); });
  }
  return text_table(std::move(columns), width);
}

struct Line {
  std::string name, value;
};
struct Lines {
  std::vector<Line> lines;
  std::vector<std::pair<std::string, const Json*>> tables;
};

// All values within an object, each under the path of names that leads to it.
void collect(const Json& object, const std::string& prefix, Lines& found) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + printable(key);
    if (is_table(value)) {
      found.tables.emplace_back(name, &value);
    } else if (value.is_object() && !value.empty()) {
      collect(value, name + ".", found);
    } else {
      found.lines.push_back({name, value_text(value)});
    }
  }
}

std::string text_of(const std::vector<Line>& lines, int indent, int width) {
  int longest = 0;
  for (const Line& line : lines) longest = std::max(longest, columns(line.name));
  const int at = indent + longest + 2;
  std::string text;
  for (const Line& line : lines) {
    text += pad(std::string(static_cast<size_t>(indent), ' ') + line.name, at);
    const std::vector<std::string> parts =
        width - at < 20 ? std::vector{line.value} : wrap(line.value, width - at);
    for (size_t i = 0; i < parts.size(); ++i) {
      text += (i == 0 ? "" : "\n" + std::string(static_cast<size_t>(at), ' ')) + parts[i];
    }
    text += "\n";
  }
  return text;
}

std::string text_of_tables(const Lines& found, int width) {
  std::string text;
  for (const auto& [name, table] : found.tables) {
    text += "\n" + name + " (" + std::to_string(table->size()) + ")\n" + table_text(*table, width);
  }
  return text;
}

}  // namespace

std::string info_text(const Json& object, int width) {
  std::vector<Line> top;
  std::string sections;
  for (const auto& [key, value] : object.items()) {
    if (!is_table(value) && !(value.is_object() && !value.empty())) {
      top.push_back({printable(key), value_text(value)});
      continue;
    }
    Lines found;
    if (is_table(value)) {
      found.tables.emplace_back(printable(key), &value);
    } else {
      sections += "\n" + printable(key) + "\n";
      collect(value, "", found);
    }
    sections += text_of(found.lines, 2, width) + text_of_tables(found, width);
  }
  return text_of(top, 0, width) + sections;
}

}  // namespace heed
