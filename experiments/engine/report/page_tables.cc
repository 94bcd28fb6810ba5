#include <algorithm>

#include "base/list.h"
#include "base/path.h"
#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/engine/report/page.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" ") + name + "=\"" + escape(value) + "\"";
}

std::string head_html(const Table& table) {
  const bool groups = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const Column& c) { return !c.group.empty(); });
  std::string html = "<thead>";
  if (groups) {
    html += has_groups(table) ? "<tr><td colspan=\"2\"></td>" : "<tr><td></td>";
    for (size_t c = 0; c < table.columns.size();) {
      size_t end = c;
      while (end < table.columns.size() && table.columns[end].group == table.columns[c].group) {
        ++end;
      }
      const std::string span = " colspan=\"" + std::to_string(end - c) + "\">",
                        group = escape(table.columns[c].group);
      html += group.empty() ? "<td" + span + "</td>"
                            : "<th class=\"group\" scope=\"colgroup\"" + span + group + "</th>";
      c = end;
    }
    html += "</tr>\n";
  }
  const auto header = [&](const std::string& name, const std::string& css,
                          const std::string& title) {
    html += "<th scope=\"col\"" + attribute("class", css) + attribute("title", title) +
            "><button type=\"button\">" + escape(name) + "</button></th>";
  };
  html += "<tr>";
  if (has_groups(table)) header(table.groups_are, "", "");
  header(table.rows_are, "", "");
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool first = c == 0 || table.columns[c].group != table.columns[c - 1].group;
    header(table.columns[c].name, groups && first ? "n first" : "n", table.columns[c].key);
  }
  return html + "</tr></thead>\n";
}

// "95 % interval [0.71, 0.75], corrected p = 0.003; mean of ratios 0.81, median of ratios 0.70"
std::string explanation(const Column& column, const Cell& cell) {
  std::string text;
  if (cell.interval) text = "95 % interval " + print_interval(column, cell);
  if (cell.p_value) text += ", corrected p = " + decimal(*cell.p_value, 4);
  std::string others;
  for (size_t i = 0; i < cell.others.size(); ++i) {
    if (!cell.others[i]) continue;
    std::string name = column.others[i].name;
    std::replace(name.begin(), name.end(), '_', ' ');
    others += (others.empty() ? "" : ", ") + name + " " + print_value(column, cell.others[i]);
  }
  if (!text.empty() && !others.empty()) text += "; ";
  return text + others;
}

std::string cell_html(const Column& column, const Cell& cell, bool intervals, bool first) {
  const bool sure = cell.p_value && *cell.p_value < 0.05;
  std::string css = first ? "n first" : "n";
  if (cell.best) css += " best";
  if (sure) css += " sure";
  std::string html = "<td class=\"" + css + "\"" +
                     attribute("data-v", cell.value ? decimal(*cell.value, 9) : "") +
                     attribute("title", explanation(column, cell)) + ">" +
                     escape(print_cell(column, cell)) + (sure ? "*" : "");
  if (intervals && cell.interval) {
    html += "<small>" + escape(print_interval(column, cell)) + "</small>";
  }
  return html + "</td>";
}

std::string row_html(const Table& table, const Row& row, bool begins_group, bool intervals) {
  std::string html = begins_group ? "<tr class=\"begin\">" : "<tr>";
  if (has_groups(table)) html += "<td class=\"p\">" + escape(row.group) + "</td>";
  html += "<th scope=\"row\"" + attribute("title", joined(row.sources, "\n")) + ">" +
          escape(row.label) + "</th>";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool first = c == 0 || table.columns[c].group != table.columns[c - 1].group;
    html += cell_html(table.columns[c], row.cells[c], intervals,
                      first && !table.columns[c].group.empty());
  }
  return html + "</tr>\n";
}

// `by`: the header of its column, which a phone shows beside it.
std::string verdict_html(const ClaimResult& result, const std::string& by,
                         const std::string& missing) {
  const std::string says = !result.holds
                               ? "none\">" + (result.figure.empty() ? missing : "undecided")
                           : *result.holds ? "yes\">&#10003; holds"
                                           : "no\">&#10007; does not hold";
  return "<td" + attribute("data-by", by) + "><span class=\"verdict " + says + "</span><small>" +
         escape(result.figure) + "</small></td>";
}

// The text of each claim, and its verdict for the kinds of numbers from `first` to before `last`;
// with `whole` also its rule, and the verdict for the paper's own numbers, if it has any.
std::string claims_table(const Claims& claims, size_t first, size_t last, bool whole) {
  const std::string paper = "In the paper's own table";
  const bool with_paper = whole && claims.has_paper();
  std::string html = "<table class=\"claims\">\n<thead><tr><th scope=\"col\">";
  html += claims.has_paper() ? "The paper says</th>" : "Claim</th>";
  const auto here = [&](size_t kind) { return "Here, " + claims.kinds[kind]; };
  for (size_t k = first; k < last; ++k) html += "<th scope=\"col\">" + escape(here(k)) + "</th>";
  if (with_paper) html += "<th scope=\"col\">" + paper + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const Claim& claim : claims.claims) {
    html += "<tr><th scope=\"row\">" + escape(claim.text) +
            (whole ? "<small>" + escape(claim.rule) + "</small>" : "") + "</th>";
    for (size_t k = first; k < last; ++k) html += verdict_html(claim.ours[k], here(k), kNoRun);
    html += (with_paper ? verdict_html(claim.paper, paper, kNotPrinted) : "") + "</tr>\n";
  }
  return html + "</tbody></table>";
}

}  // namespace

std::string table_html(const Table& table, bool intervals) {
  std::string html = "<table class=\"numbers\"" + attribute("id", "table-" + table.id) + ">\n" +
                     head_html(table) + "<tbody>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const bool begins = r > 0 && table.rows[r].group != table.rows[r - 1].group;
    html += row_html(table, table.rows[r], begins, intervals);
  }
  return scroll_html(table.title, html + "</tbody></table>");
}

std::string claims_html(const Claims& claims) {
  const size_t kinds = claims.kinds.size();
  std::string html =
      scroll_html("Claims", claims_table(claims, 0, std::min<size_t>(kinds, 1), true));
  if (kinds < 2) return html;
  const std::string others = joined(std::vector(claims.kinds.begin() + 1, claims.kinds.end()));
  return html + "<details><summary>By other numbers: " + escape(others) + "</summary>\n" +
         scroll_html("Claims, by other numbers", claims_table(claims, 1, kinds, false)) +
         "</details>\n";
}

std::string sources_html(const std::vector<Table>& tables) {
  std::string html;
  for (const Table& table : tables) {
    html += "<details><summary>" + escape(table.title) +
            "</summary>\n<table class=\"plain\">"
            "<thead><tr><th scope=\"col\">column</th><th scope=\"col\">key in the file</th></tr>"
            "</thead><tbody>";
    for (const Column& c : table.columns) {
      html += "<tr><td>" + escape(c.group + (c.group.empty() ? "" : ", ") + c.name) +
              "</td><td><code>" + escape(c.key) + "</code></td></tr>\n";
    }
    html +=
        "</tbody></table>\n<table class=\"plain\"><thead><tr><th scope=\"col\">row</th>"
        "<th scope=\"col\">files</th></tr></thead><tbody>";
    for (const Row& row : table.rows) {
      html += "<tr><td>" + escape(row.group + " " + row.label) + "</td><td>";
      for (const std::string& file : row.sources) html += "<code>" + escape(file) + "</code> ";
      html += "</td></tr>\n";
    }
    html += "</tbody></table></details>\n";
  }
  return html;
}

std::string settings_html(const Results& results) {
  std::string html = "<dl class=\"settings\">\n";
  for (const auto* list : {&results.settings, &results.data}) {
    for (const ShownSetting& s : *list) {
      const std::string name = list == &results.settings ? "--" + s.name : s.name;
      html += "<div><dt><code>" + escape(name) + "</code></dt><dd>" + escape(shown_path(s.value)) +
              "</dd></div>\n";
    }
  }
  for (const auto& [made_with, runs] : results.made_with()) {
    html += "<div><dt>made with</dt><dd>" + escape(made_with) + ": " + counted(runs, "run") +
            "</dd></div>\n";
  }
  return html + "</dl>\n";
}

std::string unfinished_or_mixed(const Results& results, const std::string& what) {
  size_t missing = 0;
  for (size_t v = 0; v < results.variants.size(); ++v) missing += results.of(v).empty();
  std::string text;
  if (missing > 0) {
    text = std::to_string(missing) + " of the " + std::to_string(results.variants.size()) + " " +
           what + " are not finished: they are missing below.";
  }
  const std::string mixed = mixed_programs(results);
  return text + (text.empty() || mixed.empty() ? "" : " ") + mixed;
}

}  // namespace heed
