// The page of an experiment: one HTML file that needs no other and no network; without scripts only
// the sorting of tables is missing. Light and dark, in print, and readable without colour. An
// experiment gives the sections as rows of a list.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/claims.h"
#include "experiments/engine/results.h"
#include "experiments/engine/table.h"

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

// A section as a row of an experiment's list; its Contents are what the page is put together from.
template <class Contents> struct SectionRow {
  const char *id, *title;
  std::string (*body)(const Contents&);
};
template <class Contents, size_t n>
std::vector<PageSection> sections_of(const SectionRow<Contents> (&rows)[n],
                                     const Contents& contents) {
  std::vector<PageSection> sections;
  for (const auto& row : rows) sections.push_back({row.id, row.title, row.body(contents)});
  return sections;
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
