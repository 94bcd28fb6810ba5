#include "experiments/engine/report/page.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"

namespace heed {
namespace {

// The stripes of bars, for all figures.
constexpr char kPatterns[] =
    "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" style=\"position:absolute\"><defs>"
    "<pattern id=\"stripes\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\"/><path d=\"M2 0v7\"/>"
    "</pattern></defs></svg>\n";

constexpr char kScript[] =
#include "page_script.inc"
    ;

std::string fact_html(const PageFact& fact) {
  return "<div><dt>" + escape(fact.what) + "</dt><dd>" + escape(fact.value) +
         (fact.more.empty() ? "" : "<small>" + escape(fact.more) + "</small>") + "</dd></div>\n";
}

}  // namespace

std::string render(const Page& page) {
  std::string html = html_head(escape(page.title), "report", true) + kPatterns + "<h1>" +
                     escape(page.title) + "</h1>\n<p class=\"lead\">" + page.lead +
                     "</p>\n<dl class=\"facts\">\n";
  for (const PageFact& fact : page.facts) html += fact_html(fact);
  html += "</dl>\n";
  if (!page.warning.empty()) html += "<p class=\"warn\">" + escape(page.warning) + "</p>\n";
  html += "<nav id=\"contents\" aria-label=\"Contents\"><ul>\n";
  for (const PageSection& s : page.sections) {
    html += "<li><a href=\"#" + s.id + "\">" + escape(s.title) + "</a></li>\n";
  }
  html += "</ul></nav>\n";
  for (const PageSection& s : page.sections) {
    html += "<section id=\"" + s.id + "\">\n<header><h2>" + escape(s.title) +
            "</h2><a href=\"#contents\">back to contents</a></header>\n" + s.html + "</section>\n";
  }
  return html + "<footer>" + page.footer + "</footer>\n</main>\n<script>\n" + kScript +
         "</script>\n</body>\n</html>\n";
}

std::string note_html(const std::string& text) {
  return "<p class=\"note\">" + escape(text) + "</p>\n";
}

std::string with_note(const Table& table, bool intervals) {
  return note_html(table.note) + table_html(table, intervals);
}

std::string PageTables::html(const std::string& id, bool intervals,
                             const std::string& otherwise) const {
  const bool there = std::any_of(tables_.begin(), tables_.end(),
                                 [&](const Table& table) { return table.id == id; });
  if (!there && !otherwise.empty()) return note_html(otherwise);
  return with_note(table_of(tables_, id), intervals);
}

std::string PageTables::of(const std::string& prefix, bool intervals) const {
  std::string html;
  for (const Table& table : tables_) {
    if (!table.id.starts_with(prefix)) continue;
    html += "<h3>" + table.title + "</h3>\n" + with_note(table, intervals);
  }
  return html;
}

bool PageTables::has(const std::string& prefix) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](const Table& table) { return table.id.starts_with(prefix); });
}

std::string range_text(const std::vector<double>& values, int digits) {
  if (values.empty()) return "-";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return decimal(*low, digits) + "–" + decimal(*high, digits);
}

std::string time_spent(const Results& results) {
  double hours = 0;
  for (const RunResult& run : results.runs) {
    for (double seconds : run.times.epochs) hours += seconds / 3600;
    hours += run.times.evaluation / 3600;
  }
  if (hours == 0) return "";
  return hours < 1 ? decimal(60 * hours, 0) + " min" : decimal(hours, 1) + " h";
}

}  // namespace heed
