#include <nlohmann/json.hpp>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
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

// A table without its rows, and its section of the page; or, with a metric, the trainings.
struct Described {
  Table table;
  bool changes = false;  // its rows are what the variants change
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

Column column_of(Fields& json) {
  Column c;
  std::string best;
  json.take("group", c.group)
      .take("name", c.name)
      .take("key", c.key)
      .take("digits", c.digits)
      .take("percent", c.percent)
      .take("best", best)
      .take("sign", c.sign)
      .end();
  if (best == "lowest") {
    c.best = Column::Best::kLowest;
  } else if (best == "highest") {
    c.best = Column::Best::kHighest;
  } else {
    check_internal(best.empty() || best == "none", "the best value is the lowest, highest or none");
  }
  return c;
}

Described described_table(const Json& json) {
  Described d;
  Json each = Json::object(), columns = Json::array();
  Fields(json)
      .take("id", d.table.id)
      .take("title", d.table.title)
      .take("note", d.table.note)
      .take("intervals", d.table.intervals)
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
  for (const Json& column : columns) {
    Json whole = each;
    whole.update(column);
    std::vector<std::string> names;
    const Column one = column_of(Fields(whole).take("names", names));
    if (names.empty()) d.table.columns.push_back(one);
    for (const std::string& name : names) {
      Column& named = d.table.columns.emplace_back(one);
      named.name = name;
      replace(named.key, "{}", name);
    }
  }
  return d;
}

bool has_number(const Row& row) {
  return std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.value.has_value(); });
}

std::vector<Table> tables_of(const std::vector<Described>& all, const std::string& items,
                             const std::string& clusters, const Findings& found) {
  std::vector<Table> tables;
  for (const Described& d : all) {
    if (!d.metric.empty()) {
      tables.push_back(
          trainings_table(found.results, d.metric, d.name, d.digits, d.higher_is_better));
      continue;
    }
    Table table = d.table;
    replace(table.note, "{tested}",
            counted(found.results.items(), items) + ", " + counted(found.results.seeds(), "seed"));
    replace(table.note, "{intervals}", intervals_text(found.results, clusters));
    replace(table.note, "{p-values}", p_values_text(found.inference));
    (d.changes ? add_changes : add_variants)(table, found.results, found.inference);
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

Showing<> described(const std::string& json, const std::vector<VariantName>& variants,
                    const MeasuredRuns& measured) {
  Showing<> s{.measured = measured};
  auto& baseline = s.measured.comparison.baseline;
  if (!baseline) baseline = against_first({}).baseline;
  std::string items = "test dialogue", clusters = "conversations", source;
  Json numbers = Json::object();
  std::vector<Json> tables, claims;
  Fields(Json::parse(json))
      .take("title", s.title)
      .take("lead", s.lead)
      .take("footer", s.footer)
      .take("variants_are", s.variants_are)
      .take("groups_are", s.groups_are)
      .take("rows_are", s.rows_are)
      .take("claims_title", s.claims_title)
      .take("claims_note", s.claims_note)
      .take("sources_note", s.sources_note)
      .take("items_are", items)
      .take("clusters_are", clusters)
      .take("source", source)
      .take("numbers", numbers)
      .take("tables", tables)
      .take("claims", claims)
      .end();
  s.paper = printed_numbers(Json{{"numbers", numbers}}.dump(), names_of(variants));
  std::vector<Described> all;
  for (const Json& table : tables) {
    const Described& d = all.emplace_back(described_table(table));
    if (!d.metric.empty()) continue;
    for (const Column& column : d.table.columns) {
      if (d.changes) s.measured.comparison.keys.push_back(column.key);
    }
    s.sections.push_back({d.table.id, d.section.empty() ? d.table.title : d.section,
                          shows(d.table.id, d.section_has_intervals, d.otherwise)});
  }
  s.tables = [=](const Findings& found) { return tables_of(all, items, clusters, found); };
  for (const Json& claim : claims) {
    if (claim.contains("parts")) {
      s.rules.push_back(claim_of(claim, variants));
    } else {
      s.each.push_back(each_of(claim));
    }
  }
  return s;
}

}  // namespace heed
