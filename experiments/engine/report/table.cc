#include "experiments/engine/report/table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/list.h"
#include "dialog/text/format.h"
#include "train/number_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string print_number(const Column& column, double value, bool sign) {
  const std::string text = decimal((column.percent ? 100 : 1) * value, column.digits);
  const bool zero = text.find_first_of("123456789") == text.npos;
  if (column.p_value && zero) return "< " + decimal(std::pow(10, -column.digits), column.digits);
  return sign && value > 0 && !zero ? "+" + text : text;
}

// A one-line header for a file: "random p = 0.5"
std::string full_name(const Column& c) {
  return c.group.empty() ? c.name : c.group + " " + c.name;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string exact(const std::optional<double>& value) {
  return value ? Json(*value).dump() : "";
}

// The contents of a cell besides its value, by name.
using Extras = std::vector<std::pair<std::string, std::optional<double>>>;

Extras extras_of(const Column& column, const Cell& cell) {
  const auto& interval = cell.interval;
  Extras extras = {{"deviation", cell.deviation},
                   {"low", interval ? std::optional(interval->low) : std::nullopt},
                   {"high", interval ? std::optional(interval->high) : std::nullopt},
                   {"p", cell.p_value}};
  for (size_t i = 0; i < column.others.size(); ++i) {
    extras.push_back(
        {column.others[i].name, i < cell.others.size() ? cell.others[i] : std::nullopt});
  }
  return extras;
}

// The extras that any cell of a column has.
std::vector<size_t> extras_of(const Table& table, size_t c) {
  std::vector<size_t> found;
  for (size_t i = 0; i < extras_of(table.columns[c], {}).size(); ++i) {
    const bool any = std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return extras_of(table.columns[c], row.cells[c])[i].second.has_value();
    });
    if (any) found.push_back(i);
  }
  return found;
}

// With its interval if the table is about intervals.
std::string cell_text(const Table& table, size_t column, const Cell& cell) {
  const std::string interval =
      table.intervals ? print_interval(table.columns[column], cell) : std::string();
  return print_cell(table.columns[column], cell) + (interval.empty() ? "" : " " + interval);
}

// Whether the row's interval in a column is better than those of all other rows, without overlap.
bool stands_out(const Table& table, const Row& row, size_t c) {
  const Column::Best best = table.columns[c].best;
  const auto& mine = row.cells[c].interval;
  if (best == Column::Best::kNone || !mine || row.reference) return false;
  bool others = false;
  for (const Row& other : table.rows) {
    if (&other == &row || other.reference || !other.cells[c].value) continue;
    const auto& its = other.cells[c].interval;
    if (!its) return false;
    if (best == Column::Best::kLowest ? mine->high >= its->low : mine->low <= its->high)
      return false;
    others = true;
  }
  return others;
}

}  // namespace

void mark_best(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    for (Row& row : table.rows) row.cells[c].best = stands_out(table, row, c);
  }
}

std::string print_value(const Column& column, const std::optional<double>& value) {
  return value && std::isfinite(*value) ? print_number(column, *value, column.sign) : "–";
}

std::string print_cell(const Column& column, const Cell& cell) {
  if (!cell.text.empty()) return cell.text;
  Column own = column;
  own.digits = cell.digits.value_or(column.digits);
  std::string text = print_value(own, cell.value);
  if (cell.deviation) text += " ± " + print_number(own, *cell.deviation, false);
  return text + (cell.doubtful ? "?" : "");
}

std::string print_interval(Column column, const Cell& cell) {
  column.sign = false;
  column.digits = cell.digits.value_or(column.digits);
  return cell.interval ? "[" + print_value(column, cell.interval->low) + ", " +
                             print_value(column, cell.interval->high) + "]"
                       : "";
}

int digits_of(const std::vector<std::optional<Estimate>>& estimates) {
  int digits = 1;
  for (const std::optional<Estimate>& e : estimates) {
    const double width = e ? e->interval.high - e->interval.low : 0;
    if (width > 0) digits = std::max(digits, 1 - static_cast<int>(std::floor(std::log10(width))));
  }
  return std::min(digits, 6);
}

bool has_groups(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const Row& row) { return !row.group.empty(); });
}

std::string to_markdown(const Table& table) {
  const bool groups = has_groups(table);
  const auto escaped = [](std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
    return text;
  };
  const auto names = [&](const std::string& group, const std::string& row) {
    return "| " + (groups ? escaped(group) + " | " : "") + escaped(row) + " |";
  };
  std::string text =
      "## " + table.title + "\n\n" + table.note + "\n\n" + names(table.groups_are, table.rows_are);
  std::string line = "\n" + names("---", "---");
  for (const Column& c : table.columns) {
    text += " " + escaped(full_name(c)) + " |";
    line += " ---: |";
  }
  text += line + "\n";
  for (const Row& row : table.rows) {
    text += names(row.group, row.label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string cell = escaped(cell_text(table, c, row.cells[c]));
      text += row.cells[c].best ? " **" + cell + "** |" : " " + cell + " |";
    }
    text += "\n";
  }
  return text;
}

std::string to_latex(const Table& table) {
  const auto escaped = [](const std::string& text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      const auto is = [&](const char* symbol) {
        const bool found = text.compare(i, std::strlen(symbol), symbol) == 0;
        if (found) i += std::strlen(symbol) - 1;
        return found;
      };
      if (is("±")) {
        result += "$\\pm$";
      } else if (is("–")) {
        result += "--";
      } else if (is("\\") || is("~") || is("^")) {
        result += std::string("\\char`\\") + text[i] + "{}";
      } else if (is("<") || is(">")) {
        result += std::string("$") + text[i] + "$";
      } else {
        if (std::strchr("&%$#_{}", text[i])) result += '\\';
        result += text[i];
      }
    }
    return result;
  };
  const bool groups = has_groups(table);
  const auto names = [&](const std::string& group, const std::string& row) {
    return (groups ? escaped(group) + " & " : "") + escaped(row);
  };
  std::string text = "% " + table.title + "; \\usepackage{booktabs}\n\\begin{tabular}{" +
                     (groups ? "ll" : "l") + std::string(table.columns.size(), 'r') +
                     "}\n\\toprule\n" + names(table.groups_are, table.rows_are);
  for (const Column& c : table.columns) text += " & " + escaped(full_name(c));
  text += " \\\\\n\\midrule\n";
  for (const Row& row : table.rows) {
    text += names(row.group, row.label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string cell = escaped(cell_text(table, c, row.cells[c]));
      text += row.cells[c].best ? " & \\textbf{" + cell + "}" : " & " + cell;
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string to_csv(const Table& table) {
  std::string text = quoted(table.groups_are) + "," + quoted(table.rows_are);
  std::vector<std::vector<size_t>> extras;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    extras.push_back(extras_of(table, c));
    const std::string name = full_name(table.columns[c]);
    const Extras names = extras_of(table.columns[c], {});
    text += "," + quoted(name);
    for (const size_t i : extras[c]) text += "," + quoted(name + " " + names[i].first);
  }
  text += ",source\n";
  for (const Row& row : table.rows) {
    text += quoted(row.group) + "," + quoted(row.label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = row.cells[c];
      text += "," + (cell.text.empty() ? exact(cell.value) : quoted(cell.text));
      const Extras all = extras_of(table.columns[c], row.cells[c]);
      for (const size_t i : extras[c]) text += "," + exact(all[i].second);
    }
    text += "," + quoted(joined(row.sources, " ")) + "\n";
  }
  return text;
}

std::string to_json_text(const Table& table) {
  Json json = {{"id", table.id}, {"title", table.title}, {"note", table.note}};
  for (const Column& c : table.columns) {
    json["columns"].push_back({{"name", full_name(c)}, {"key", c.key}});
  }
  json["rows"] = Json::array();
  for (const Row& row : table.rows) {
    Json cells = Json::array();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = row.cells[c];
      Json value = {{"value", or_null(cell.value)}};
      if (!cell.text.empty()) value["value"] = cell.text;
      for (const auto& [name, number] : extras_of(table.columns[c], cell)) {
        if (number) value[name] = *number;
      }
      if (cell.best) value["best"] = true;
      if (cell.doubtful) value["doubtful"] = true;
      cells.push_back(std::move(value));
    }
    json["rows"].push_back({{table.groups_are, row.group},
                            {table.rows_are, row.label},
                            {"cells", std::move(cells)},
                            {"sources", row.sources}});
  }
  return json.dump(1) + "\n";
}

const Table& table_of(const std::vector<Table>& tables, const std::string& id) {
  for (const Table& table : tables) {
    if (table.id == id) return table;
  }
  throw InternalError("internal error: there is no table " + id);
}

void save_tables(const std::string& folder, const std::vector<Table>& tables) {
  make_directory(folder);
  for (const Table& table : tables) {
    const std::string path = (std::filesystem::path(folder) / table.id).string();
    write_file(path + ".md", to_markdown(table));
    write_file(path + ".csv", to_csv(table));
    write_file(path + ".json", to_json_text(table));
  }
}

}  // namespace heed
