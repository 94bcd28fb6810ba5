// The page of an experiment: one HTML file that needs no other and no network; without scripts only
// the sorting of tables is missing. It works in light and dark mode, in print, and without colour.
// An experiment gives the sections as rows of a list.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/table.h"
#include "experiments/engine/runs/results.h"

namespace heed {

struct PageSection {
  std::string id, title;
  std::string html;
};
struct PageFact {
  std::string what, value, more;
};
struct Page {
  std::string title;
  std::string lead;  // HTML: describes the experiment
  std::vector<PageFact> facts;
  std::string warning = {};  // such as a list of missing runs
  std::vector<PageSection> sections;
  std::string footer;  // HTML: names the subject of the experiment
};
std::string render(const Page& page);

// The tables of a report, for its sections.
class PageTables {
 public:
  explicit PageTables(const std::vector<Table>& tables) : tables_(tables) {}

  // The table of that id with its note; if there is none, the note `otherwise`, and without that an
  // InternalError. `intervals`: also shows them, under the values.
  std::string html(const std::string& id, bool intervals = false,
                   const std::string& otherwise = "") const;
  // The tables whose id has this prefix, each with its title, in order.
  std::string of(const std::string& prefix, bool intervals = false) const;
  bool has(const std::string& prefix) const;
  const std::vector<Table>& all() const { return tables_; }

 private:
  const std::vector<Table>& tables_;
};

std::string note_html(const std::string& text);

// A section as a row of an experiment's list, made from the findings (experiments/experiment.h) and
// their tables.
template <class Found> struct Section {
  std::string id, title;
  std::function<std::string(const Found&, const PageTables&)> body;
};
// The body of a section that is one table.
inline auto shows(const std::string& id, bool intervals = false,
                  const std::string& otherwise = "") {
  return
      [=](const auto&, const PageTables& tables) { return tables.html(id, intervals, otherwise); };
}
// That of a section that is a note and a figure, made from the findings.
inline auto draws(const std::string& note, auto figure) {
  return [=](const auto& found, const PageTables&) { return note_html(note) + figure(found); };
}

// ---- building blocks of sections; all texts are escaped

// A table whose columns can be sorted. `intervals`: also shows them, under the values.
std::string table_html(const Table& table, bool intervals = false);
// Its note, and the table.
std::string with_note(const Table& table, bool intervals = false);
// Does each claim hold here, by each kind of numbers?
std::string claims_html(const Claims& claims);
// For each table the key of each column, and the files of each row.
std::string sources_html(const std::vector<Table>& tables);
// How the experiment was made.
std::string settings_html(const Results& results);
// What a reader should know first: "9 of the 11 models are not finished", and whether several
// programs made the runs.
std::string unfinished_or_mixed(const Results& results, const std::string& what);

// "0.71–1.02"
std::string range_text(const std::vector<double>& values, int digits);
// "45 min", "1.5 h": all workers together; "" where no run kept its times.
std::string time_spent(const Results& results);

}  // namespace heed
