#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "dialog/text/format.h"
#include "experiments/experiment.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// An object, each of whose members is to be taken.
class Fields {
 public:
  explicit Fields(const Json& object) : left_(object) {}
  template <class T> Fields& take(const char* key, T& value) {
    const auto found = left_.find(key);
    if (found == left_.end()) return *this;
    found->get_to(value);
    left_.erase(found);
    return *this;
  }
  void end() const {
    check_internal(left_.empty(), "a described report has a member that nobody reads");
  }

 private:
  Json left_;
};

// A row of each variant: its name, the file of its numbers, and what their keys have instead.
struct RowOf {
  std::string name, file;
  Json instead = Json::object();
};

// A table without its rows, and its section of the page; or, with a metric, the trainings; or what
// a function computes.
struct Described {
  Table table;
  std::vector<RowOf> rows;          // of each variant
  std::vector<std::string> groups;  // of the variants that have rows; none: all
  bool finished = false;            // only those with a finished run have rows
  std::string computed;
  bool changes = false;  // its rows are what the variants change
  std::string beside;    // its columns are a paper's numbers and ours, which that table has in full
  bool some = false;     // rows without any number are left out, and a table without any row
  std::string metric, name;
  int digits = 1;
  bool higher_is_better = false;
  std::string section, otherwise;  // the title, if not the table's; what is there without the table
  bool section_has_intervals = true;
};

void replace(std::string& text, const std::string& name, const std::string& value) {
  const size_t at = text.find(name);
  if (at != text.npos) text.replace(at, name.size(), value);
}

// A part of a description in which {NAME} is the value of that name, and an element of a list with
// "for": NAME one for each value of that list, or with "all" several; objects are values of their
// members' names.
Json filled(const Json& part, const Json& values) {
  Json whole = part;
  if (part.is_string()) {
    for (const auto& [name, value] : values.items()) {
      if (value.is_string()) replace(whole.get_ref<std::string&>(), "{" + name + "}", value);
    }
  }
  if (part.is_object()) {
    for (Json& member : whole) member = filled(member, values);
  }
  if (!part.is_array()) return whole;
  whole.clear();
  for (Json element : part) {
    if (!element.is_object() || !element.contains("for")) {
      whole.push_back(filled(element, values));
      continue;
    }
    const std::string list = element["for"];
    element.erase("for");
    const Json all = element.value("all", Json::array({element}));
    check_internal(values.contains(list), "a described report names a list that there is not");
    for (const Json& value : values.at(list)) {
      Json inner = values;
      inner.update(value.is_object() ? value : Json{{list, value}});
      for (const Json& one : filled(all, inner)) whole.push_back(one);
    }
  }
  return whole;
}

// Puts the name into all texts.
void put_name(Json& json, const std::string& name) {
  if (json.is_string()) replace(json.get_ref<std::string&>(), "{}", name);
  if (!json.is_structured()) return;
  for (Json& part : json) put_name(part, name);
}

Column column_of(const Json& json) {
  Column c;
  std::string best;
  Json others = Json::object();
  Fields(json)
      .take("group", c.group)
      .take("name", c.name)
      .take("key", c.key)
      .take("digits", c.digits)
      .take("percent", c.percent)
      .take("best", best)
      .take("sign", c.sign)
      .take("p_value", c.p_value)
      .take("printed", c.printed)
      .take("variance", c.variance)
      .take("others", others)
      .end();
  for (const auto& [name, number] : others.items()) {
    c.others.push_back({name, c.key.substr(0, c.key.rfind('.') + 1) + number.get<std::string>()});
  }
  if (best == "lowest") {
    c.best = Column::Best::kLowest;
  } else if (best == "highest") {
    c.best = Column::Best::kHighest;
  } else {
    check_internal(best.empty() || best == "none", "the best value is the lowest, highest or none");
  }
  return c;
}

// Columns may be the name of a list.
const Json& listed(const Json& columns, const Json& lists) {
  return columns.is_string() ? lists.at(columns.get<std::string>()) : columns;
}

void add_columns(const Json& columns, const Json& each, const Json& lists,
                 std::vector<Column>& to) {
  for (const Json& json : columns) {
    Json column = each;
    column.update(json);
    const Json names = column.value("names", Json::array({nullptr})),
               parts = column.value("columns", Json());
    column.erase("names");
    column.erase("columns");
    for (const Json& name : names) {
      Json one = column, its = listed(parts, lists);
      if (name.is_string()) {
        if (its.is_null()) one.emplace("name", "{}");
        put_name(one, name);
        put_name(its, name);
      }
      if (its.is_null()) {
        to.push_back(column_of(one));
      } else {
        add_columns(its, one, lists, to);
      }
    }
  }
}

RowOf row_of(const Json& json) {
  RowOf row;
  Fields(json).take("name", row.name).take("file", row.file).take("instead", row.instead).end();
  return row;
}

Described described_table(const Json& json, const Json& lists) {
  Described d;
  Json each = Json::object(), columns = Json::array(), rows = Json::array({Json::object()});
  Fields(json)
      .take("id", d.table.id)
      .take("title", d.table.title)
      .take("note", d.table.note)
      .take("rows_are", d.table.rows_are)
      .take("groups_are", d.table.groups_are)
      .take("intervals", d.table.intervals)
      .take("rows", rows)
      .take("groups", d.groups)
      .take("finished", d.finished)
      .take("computed", d.computed)
      .take("changes", d.changes)
      .take("beside", d.beside)
      .take("some", d.some)
      .take("metric", d.metric)
      .take("name", d.name)
      .take("digits", d.digits)
      .take("higher_is_better", d.higher_is_better)
      .take("section", d.section)
      .take("otherwise", d.otherwise)
      .take("section_has_intervals", d.section_has_intervals)
      .take("each", each)
      .take("columns", columns)
      .end();
  add_columns(listed(columns, lists), each, lists, d.table.columns);
  for (const Json& row : rows) d.rows.push_back(row_of(row));
  return d;
}

bool has_number(const Row& row) {
  return std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.value.has_value(); });
}

// What all tables of a report share.
struct Notes {
  std::string items = {}, clusters = "conversations";

  Table fill(Table table, const Results& results) const {
    std::string& note = table.note;
    const std::string item = !items.empty()                         ? items
                             : results.setting("examples") == "all" ? "test example"
                                                                    : "test dialogue";
    replace(note, "{tested}",
            counted(results.items(), item) + ", " + counted(results.seeds(), "seed"));
    replace(note, "{intervals}", intervals_text(results, clusters));
    replace(note, "{clusters}", results.clusters_text(clusters));
    replace(note, "{resamples}", std::to_string(kResamples));
    return table;
  }
};

Table trainings(const Described& d, const Results& results) {
  return trainings_table(results, d.metric, d.name, d.digits, d.higher_is_better);
}

// Puts a paper's numbers into the columns that show them. It prints no intervals: ours have none
// beside them.
void add_printed(const std::vector<Column>& columns, const PaperNumbers& paper, size_t variant,
                 Row& row) {
  if (std::ranges::all_of(columns, [](const Column& c) { return c.printed.empty(); })) return;
  row.sources.push_back(paper.source);
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string& key = columns[c].printed;
    row.cells[c].interval.reset();
    if (key.empty()) continue;
    row.cells[c] = {.value = paper.numbers.get(variant, key),
                    .doubtful = paper.numbers.is_doubtful(variant, key)};
    const auto variance = paper.numbers.get(variant, key + ".pm");
    if (columns[c].variance && variance) row.cells[c].deviation = std::sqrt(*variance);
  }
}

// The rows of the variants that a table shows.
void add_rows(const Described& d, const PaperNumbers& paper, const Findings& found, Table& table) {
  std::vector<Table> by_row;  // the table with one row a variant
  for (const RowOf& of : d.rows) {
    Table& one = by_row.emplace_back(d.table);
    for (Column& column : one.columns) {
      for (const auto& [part, other] : of.instead.items()) {
        replace(column.key, part, other);
        replace(column.printed, part, other);
      }
    }
    add_variants(one, found.results, found.inference);
  }
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    const auto runs = found.results.of(v);
    const auto group = std::ranges::find(d.groups, found.results.variants[v].group);
    if (!d.groups.empty() && group == d.groups.end()) continue;
    if (d.finished && runs.empty()) continue;
    for (size_t r = 0; r < d.rows.size(); ++r) {
      const auto& [name, file, instead] = d.rows[r];
      Row& row = table.rows.emplace_back(std::move(by_row[r].rows[v]));
      if (!name.empty()) row.group = std::exchange(row.label, name);
      for (const RunResult* run : runs) {
        if (!file.empty()) row.sources.push_back(source_of(*run, file));
      }
      add_printed(by_row[r].columns, paper, v, row);
    }
  }
  mark_best(table);
}

std::vector<Table> tables_of(const std::vector<Described>& all, const Notes& notes,
                             const PaperNumbers& paper, const ComputedTables& computed,
                             const Findings& found) {
  std::vector<Table> tables;
  for (const Described& d : all) {
    if (!d.computed.empty()) {
      for (Table& table : computed.at(d.computed)(found)) tables.push_back(std::move(table));
      continue;
    }
    if (!d.metric.empty()) {
      tables.push_back(trainings(d, found.results));
      continue;
    }
    Table table = notes.fill(d.table, found.results);
    replace(table.note, "{p-values}", p_values_text(found.inference));
    if (!d.beside.empty()) {
      tables.push_back(beside(std::move(table), found.results, paper, d.beside));
      continue;
    }
    if (d.changes) {
      add_changes(table, found.results, found.inference);
    } else {
      add_rows(d, paper, found, table);
    }
    if (d.some) std::erase_if(table.rows, std::not_fn(has_number));
    if (!d.some || !table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

EachClaim each_of(const Json& json) {
  EachClaim claim;
  Fields(json)
      .take("claim", claim.claim)
      .take("rule", claim.rule)
      .take("key", claim.key)
      .take("of", claim.of)
      .take("change", claim.change)
      .take("above", claim.above)
      .take("digits", claim.digits)
      .end();
  return claim;
}

AboveClaim claim_of(const Json& json, const std::vector<VariantName>& variants) {
  const auto place_of = [&](const std::string& name) {
    const auto found = std::ranges::find(variants, name, &VariantName::name);
    check_internal(found != variants.end(), "a described claim names a variant that there is not");
    return static_cast<size_t>(found - variants.begin());
  };
  AboveClaim claim;
  std::vector<Json> parts;
  std::vector<std::string> one_of;
  Fields(json)
      .take("claim", claim.claim)
      .take("rule", claim.rule)
      .take("parts", parts)
      .take("one_of", one_of)
      .end();
  for (const Json& part : parts) {
    std::string variant, than;
    Above& above = claim.parts.emplace_back();
    Fields(part)
        .take("variant", variant)
        .take("key", above.key)
        .take("than", than)
        .take("than_key", above.than_key)
        .take("times", above.times)
        .take("by", above.by)
        .end();
    above.variant = place_of(variant);
    if (!than.empty()) above.than = place_of(than);
  }
  for (const std::string& name : one_of) claim.one_of.push_back(place_of(name));
  return claim;
}

}  // namespace

std::vector<Table> tables_without_rows(const std::string& json, const Results& results) {
  const Json report = Json::parse(json);
  const Json lists = report.value("lists", Json::object());
  const Notes notes{report.value("items_are", ""), report.value("clusters_are", Notes().clusters)};
  std::vector<Table> tables;
  for (const Json& table : report.at("tables")) {
    const Described d = described_table(table, lists);
    tables.push_back(d.metric.empty() ? notes.fill(d.table, results) : trainings(d, results));
  }
  return tables;
}

std::vector<DescribedSection> described_sections(const std::string& json) {
  const Json report = Json::parse(json);
  std::vector<DescribedSection> sections;
  for (const Json& described : report.at("sections")) {
    DescribedSection& section = sections.emplace_back();
    std::vector<Json> parts;
    Fields(described)
        .take("id", section.id)
        .take("title", section.title)
        .take("shows", parts)
        .end();
    for (const Json& part : parts) {
      DescribedSection::Part& shown = section.parts.emplace_back();
      Fields(part)
          .take("note", shown.note)
          .take("figure", shown.figure)
          .take("table", shown.table)
          .take("otherwise", shown.otherwise)
          .take("intervals", shown.intervals)
          .end();
    }
  }
  return sections;
}

std::vector<ClaimRule> described_rules(const std::string& json, const ClaimChecks& checks) {
  const Json report = Json::parse(json);
  std::vector<ClaimRule> rules;
  for (const Json& claim : report.at("claims"))
    rules.push_back({claim.at("claim"), claim.at("rule"), checks.at(claim.at("check"))});
  return rules;
}

Showing<> described(const std::string& json, const std::vector<VariantName>& variants,
                    const MeasuredRuns& measured, const PaperNumbers& paper,
                    const ComputedTables& computed) {
  Showing<> s{.measured = measured};
  auto& baseline = s.measured.comparison.baseline;
  if (!baseline) baseline = against_first({}).baseline;
  Notes notes;
  std::string source;
  Json numbers = Json::object(), lists = Json::object(), values = Json::object(),
       tables = Json::array();
  std::vector<Json> claims, sections;
  Fields(Json::parse(json))
      .take("title", s.title)
      .take("lead", s.lead)
      .take("footer", s.footer)
      .take("variants_are", s.variants_are)
      .take("groups_are", s.groups_are)
      .take("rows_are", s.rows_are)
      .take("claims_title", s.claims_title)
      .take("claims_note", s.claims_note)
      .take("claims_lead", s.claims_lead)
      .take("sources_note", s.sources_note)
      .take("items_are", notes.items)
      .take("clusters_are", notes.clusters)
      .take("source", source)
      .take("numbers", numbers)
      .take("lists", lists)
      .take("values", values)
      .take("tables", tables)
      .take("sections", sections)
      .take("claims", claims)
      .end();
  s.paper = paper.source.empty()
                ? printed_numbers(Json{{"numbers", numbers}}.dump(), names_of(variants))
                : paper.numbers;
  std::vector<Described> all;
  for (const Json& table : filled(tables, values)) {
    Described& d = all.emplace_back(described_table(table, lists));
    check_internal(d.computed.empty() || computed.contains(d.computed),
                   "a described table is computed by no function");
    if (!d.metric.empty() || !d.computed.empty()) continue;
    for (Column& column : d.table.columns) {
      if (!column.printed.empty()) column.key = paper.source;
      if (d.changes) s.measured.comparison.keys.push_back(column.key);
    }
    s.sections.push_back({d.table.id, d.section.empty() ? d.table.title : d.section,
                          shows(d.table.id, d.section_has_intervals, d.otherwise)});
  }
  s.tables = [=](const Findings& found) { return tables_of(all, notes, paper, computed, found); };
  for (const Json& claim : claims) {
    if (claim.contains("parts")) {
      s.rules.push_back(claim_of(claim, variants));
    } else if (!claim.contains("check")) {
      s.each.push_back(each_of(claim));
    }
  }
  return s;
}

}  // namespace heed
