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

// A table without its rows, and its section of the page; or, with a metric, the trainings; or what
// a function computes.
struct Described {
  Table table;
  VariantRows rows;
  std::string computed;
  bool changes = false;  // its rows are what the variants change
  bool some = false;     // rows without any number are left out, and a table without any row
  std::string metric, name;
  int digits = 1;
  bool higher_is_better = false;
  std::string section, otherwise;  // the title, if not the table's; what is there without the table
  bool section_has_intervals = true;
};

// The list of that name.
const Json& list_in(const Json& values, const std::string& name) {
  check_internal(values.contains(name), "a described report names a list that there is not");
  return values.at(name);
}

Json filled(Json part, const Json& values);

// What an element of a list stands for: with "for" one for each value of that list, with "all"
// these elements, each with what stands around them.
void add_filled(Json element, const Json& values, Json& to) {
  if (element.contains("for")) {
    const std::string list = element["for"];
    element.erase("for");
    for (const Json& value : list_in(values, list)) {
      Json inner = values;
      inner.update(value.is_object() ? value : Json{{list, value}});
      add_filled(element, inner, to);
    }
  } else if (element.contains("all")) {
    const Json all = element["all"];
    element.erase("all");
    for (const Json& one : all.is_string() ? list_in(values, all) : all) {
      Json with_all = element;
      with_all.update(one);
      add_filled(with_all, values, to);
    }
  } else {
    to.push_back(filled(element, values));
  }
}

// A part of a description in which {NAME} is the text of that name.
Json filled(Json part, const Json& values) {
  if (part.is_string()) {
    for (const auto& [name, value] : values.items()) {
      if (value.is_string()) replace_first(part.get_ref<std::string&>(), "{" + name + "}", value);
    }
  } else if (part.is_object()) {
    for (Json& member : part) member = filled(member, values);
  } else if (part.is_array()) {
    Json list = Json::array();
    for (const Json& element : part) add_filled(element, values, list);
    return list;
  }
  return part;
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

VariantRows::Each row_of(const Json& json) {
  VariantRows::Each row;
  Json instead = Json::object();
  Fields(json).take("name", row.name).take("file", row.file).take("instead", instead).end();
  for (const auto& [part, other] : instead.items()) row.instead.emplace_back(part, other);
  return row;
}

Described described_table(const Json& json) {
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
      .take("groups", d.rows.groups)
      .take("finished", d.rows.finished)
      .take("in_full", d.rows.in_full)
      .take("computed", d.computed)
      .take("changes", d.changes)
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
  for (const Json& own : columns) {
    Json column = each;
    column.update(own);
    d.table.columns.push_back(column_of(column));
  }
  for (const Json& row : rows) d.rows.each.push_back(row_of(row));
  return d;
}

std::vector<Described> described_tables(const Json& tables, const Json& values) {
  std::vector<Described> all;
  for (const Json& table : filled(tables, values)) all.push_back(described_table(table));
  return all;
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
    replace_first(note, "{tested}",
                  counted(results.items(), item) + ", " + counted(results.seeds(), "seed"));
    replace_first(note, "{intervals}", intervals_text(results, clusters));
    replace_first(note, "{clusters}", results.clusters_text(clusters));
    replace_first(note, "{resamples}", std::to_string(kResamples));
    return table;
  }
};

Table trainings(const Described& d, const Results& results) {
  return trainings_table(results, d.metric, d.name, d.digits, d.higher_is_better);
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
    replace_first(table.note, "{p-values}", p_values_text(found.inference));
    if (d.changes) {
      add_changes(table, found.results, found.inference);
    } else {
      add_rows(table, d.rows, paper, found);
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
  const Notes notes{report.value("items_are", ""), report.value("clusters_are", Notes().clusters)};
  std::vector<Table> tables;
  for (const Described& d :
       described_tables(report.at("tables"), report.value("values", Json::object()))) {
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
  Json numbers = Json::object(), values = Json::object(), tables = Json::array();
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
      .take("values", values)
      .take("tables", tables)
      .take("sections", sections)
      .take("claims", claims)
      .end();
  s.paper = paper.source.empty()
                ? printed_numbers(Json{{"numbers", numbers}}.dump(), names_of(variants))
                : paper.numbers;
  const std::vector<Described> all = described_tables(tables, values);
  for (const Described& d : all) {
    check_internal(d.computed.empty() || computed.contains(d.computed),
                   "a described table is computed by no function");
    if (!d.metric.empty() || !d.computed.empty()) continue;
    if (d.changes) {
      for (const Column& column : d.table.columns) s.measured.comparison.keys.push_back(column.key);
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
