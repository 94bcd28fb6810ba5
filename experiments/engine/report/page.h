// The page of an experiment: one HTML file that needs no other and no network; without scripts only
// the sorting of tables is missing. Light and dark, in print, and readable without colour. An
// experiment gives the sections as rows of a list.
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
  std::string lead;  // HTML: what the experiment is
  std::vector<PageFact> facts;
  std::string warning = {};  // such as what is missing
  std::vector<PageSection> sections;
  std::string footer;  // HTML: what it is an experiment of
};
std::string render(const Page& page);

// The tables of a report, as sections show them.
class PageTables {
 public:
  explicit PageTables(const std::vector<Table>& tables) : tables_(tables) {}

  // The one of that id with its note; where there is none the note `otherwise`, and without that an
  // InternalError. `intervals`: also shows them, under the values.
  std::string html(const std::string& id, bool intervals = false,
                   const char* otherwise = nullptr) const;
  // Those whose id begins so, each with its title, in their order.
  std::string of(const std::string& prefix, bool intervals = false) const;
  bool has(const std::string& prefix) const;
  const std::vector<Table>& all() const { return tables_; }

 private:
  const std::vector<Table>& tables_;
};

// A section as a row of an experiment's list, made of what was found (experiments/experiment.h) and
// the tables of it.
template <class Found> struct Section {
  std::string id, title;
  std::function<std::string(const Found&, const PageTables&)> body;
};
// The body of a section that is one table.
inline auto shows(const std::string& id, bool intervals = false, const char* otherwise = nullptr) {
  return
      [=](const auto&, const PageTables& tables) { return tables.html(id, intervals, otherwise); };
}

// ---- what sections are put together from; all texts are escaped

std::string note_html(const std::string& text);
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
// What a reader has to know first: "9 of the 11 models are not finished", and whether several
// programs made the runs.
std::string unfinished_or_mixed(const Results& results, const std::string& what);

// "0.71–1.02"
std::string range_text(const std::vector<double>& values, int digits);
// "45 min", "1.5 h": all workers together.
std::string time_spent(const Results& results);

}  // namespace heed
