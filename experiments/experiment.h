// An experiment is a description. It defines the options and the variants, how a run is trained and
// measured (Making, making_json.h), and which tables, claims and sections the report has (Showing).
// Everything else is shared by all experiments: folders, seeds, shards, workers, resumption, the
// page, the commands heed reproduce NAME and heed report DIR. experiments/all.cc lists all.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "experiments/engine/report/page.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/report/verdicts.h"
#include "experiments/engine/runs/plan.h"
#include "train/neighbours.h"
#include "train/setting.h"

namespace heed {

struct Structure;
struct TrainSettings;
namespace discriminate {
struct Settings;
}

// ---- options

using OptionValue =
    std::variant<bool*, int*, int64_t*, size_t*, std::string*, std::vector<std::string>*>;
// Gets an option (train/setting.h) and a reference to its value. A command declares options with a
// help text; KIND.json keeps those with a key.
using OptionVisitor = std::function<void(const Setting&, const OptionValue&)>;
// Numbers, each under its own name, which form a group in the help text.
struct NumberOption {
  const char *name, *help;
  OptionValue value;
  double least = 0, most = 1e9;
};
inline void show(const OptionVisitor& visitor, const char* group,
                 const std::vector<NumberOption>& options) {
  for (const NumberOption& o : options) {
    visitor(setting(o.name, o.name, o.help, {.group = group, .least = o.least, .most = o.most}),
            o.value);
  }
}

// The settings and presets that the command has in addition: those of response models
// (dialog/respond/settings.h), of discriminators (dialog/discriminate/settings.h), or none.
enum class Trains { kNothing, kResponders, kDiscriminators };

// The arguments of a command besides the options of the experiment.
struct ExperimentRequest {
  std::string data;
  MadeWith made_with = {};
  int pieces = 1;  // of a batch, which ranks share; the next two include it
  std::function<TrainSettings(const Structure&)> responder = {};  // of Trains::kResponders
  std::function<discriminate::Settings()> discriminator = {};     // of Trains::kDiscriminators
  // The requested batch size, else one that suits the number of examples.
  std::function<int64_t(const TrainSettings&, size_t examples)> batch_size = {};
  // Throws UsageError if the option was given, because it only applies with `is_for`, such as
  // another option.
  std::function<void(const std::string& option, const std::string& is_for)> refuse_given = {};
};

// ---- an experiment that is made

// The same for any settings and data. A command calls these in this order.
class ExperimentWork {
 public:
  virtual ~ExperimentWork() = default;
  virtual void visit(const OptionVisitor& visitor) = 0;
  virtual std::vector<VariantName> take(const ExperimentRequest& request) = 0;
  virtual void load(bool reads) = 0;
  // Of the data, to compare ranks; empty if another rank reads it for this one.
  virtual std::string checksum() const = 0;
  virtual void share(const Neighbours& neighbours) = 0;
  virtual void settle() = 0;
  // Throws UsageError if one of the runs cannot be trained with these settings.
  virtual void check(const std::vector<PlannedRun>& runs) const = 0;
  virtual void open(const std::string& out) = 0;  // engine/runs/folder_json.h says what is thrown
  virtual Plan plan(const std::string& out, const std::vector<PlannedRun>& runs) = 0;
  virtual std::string in_short() const = 0;
  virtual std::function<int64_t(const std::string& run)> words() const = 0;
};

// ---- showing the findings F: the results (F::results) and the numbers computed from them

template <class F = Findings> struct Showing {
  std::string title = {}, lead = {}, footer = {};  // of the page; the latter two in HTML
  std::string variants_are = "variants";
  std::string groups_are = "trained with", rows_are = "structure";  // of VariantName
  std::string claims_title = "Does the paper hold here?", claims_note = {};
  std::string claims_lead = {};  // on the page, instead of claims_note
  std::string sources_note = {};

  // What is measured. Instead, for other findings and other variants than those of the layout:
  // reads a folder, and throws DataError as load_results() does.
  MeasuredRuns measured = {};
  std::function<F(const std::string& folder, const ResultsLayout& layout)> load = {};
  std::function<std::vector<Table>(const F&)> tables = {};
  // For Findings: decided by their intervals, beside the paper's numbers.
  std::vector<AboveClaim> rules = {};
  std::vector<EachClaim> each = {};  // or these, of which a paper says nothing
  VariantNumbers paper = {};
  Claims (*claims)(const F&) = nullptr;  // otherwise, instead of the rules
  std::vector<PageFact> (*facts)(const F&) = [](const F&) { return std::vector<PageFact>(); };
  // Between the claims and the trainings (table "runs"), the sources and the settings.
  std::vector<Section<F>> sections = {};
};

// Tables that a function computes, by the name under which a description has them.
using ComputedTables = std::map<std::string, std::function<std::vector<Table>(const Findings&)>>;

// A report that is described in JSON, as `experiments/*/report.json`: its members are those of
// Showing, and
//   numbers  what a paper prints, as printed_numbers() reads it; "source" says where. Instead:
//            `paper`
//   tables   in their order, each a section of the page. What "columns" have in common is "each".
//            In a note {tested} are the numbers of items ("items_are") and seeds, {clusters} that
//            of "clusters_are", {intervals} and {p-values} what intervals_text() and
//            p_values_text() say. "changes": what variants change, against the first one unless
//            `measured` says otherwise. "printed" in a column: the name of the paper's number that
//            it has instead of ours; "variance": what is printed behind +- is one; "in_full": the
//            table that has ours with their deviations. "rows": several of each variant, each with
//            the "file" of its numbers, and what their keys have "instead" of something. Only
//            variants of "groups" have rows; "finished": only those with runs; "some": rows without
//            numbers are left out. With a "metric": the trainings. "computed": those of that name
//   claims   those of AboveClaim, by the names of variants, of EachClaim, or with a "check"
//   sections where they are others than the tables'
//   values   texts and lists. In tables {NAME} is the text of that name. An element with "for":
//            NAME stands for one with each value of the list as {NAME} (or, if they are objects,
//            with each member). One with "all" stands for these elements, or those of the list of
//            that name, each with what stands around them
Showing<> described(const std::string& json, const std::vector<VariantName>& variants,
                    const MeasuredRuns& measured, const PaperNumbers& paper = {},
                    const ComputedTables& computed = {});
// Its tables with their notes, for rows that are not variants: only trainings have rows.
std::vector<Table> tables_without_rows(const std::string& json, const Results& results);
// Its claims that a function checks, by the name that is their "check".
using ClaimChecks = std::map<std::string, std::function<ClaimResult(const VariantNumbers&)>>;
std::vector<ClaimRule> described_rules(const std::string& json, const ClaimChecks& checks);
// Its "sections", which "show" notes, tables and figures; those are functions, by their names.
struct DescribedSection {
  struct Part {
    std::string note, figure, table, otherwise;  // otherwise: without the table
    bool intervals = false;
  };
  std::string id, title;
  std::vector<Part> parts;
};
std::vector<DescribedSection> described_sections(const std::string& json);
template <class F>
using Figures = std::map<std::string, std::function<std::string(const F& found)>>;
template <class F>
std::vector<Section<F>> sections_of(const std::string& json, const Figures<F>& figures) {
  std::vector<Section<F>> sections;
  for (const DescribedSection& s : described_sections(json)) {
    const auto body = [s, figures](const F& found, const PageTables& tables) {
      std::string html;
      for (const DescribedSection::Part& part : s.parts) {
        if (!part.note.empty()) html += note_html(part.note);
        if (!part.figure.empty()) html += figures.at(part.figure)(found);
        if (!part.table.empty()) html += tables.html(part.table, part.intervals, part.otherwise);
      }
      return html;
    };
    sections.push_back({s.id, s.title, body});
  }
  return sections;
}
// What is not about findings, for others.
template <class F> Showing<F> with_texts_of(const Showing<>& s) {
  return {.title = s.title,
          .lead = s.lead,
          .footer = s.footer,
          .variants_are = s.variants_are,
          .groups_are = s.groups_are,
          .rows_are = s.rows_are,
          .claims_title = s.claims_title,
          .claims_note = s.claims_note,
          .claims_lead = s.claims_lead,
          .sources_note = s.sources_note};
}

struct Report {
  std::vector<Table> tables;
  Claims claims;
  std::string claims_note, page;
};

// Writes its tables and claims into a folder.
void save(const std::string& folder, const Report& report);

template <class F> Claims claims_of(const Showing<F>& showing, const F& found) {
  if constexpr (std::is_same_v<F, Findings>) {
    if (!showing.each.empty()) return decide(showing.each, found);
    if (!showing.claims) return decide(showing.rules, showing.paper, found);
  }
  return showing.claims(found);
}

template <class F>
F load_found(const Showing<F>& showing, const std::string& folder, const ResultsLayout& layout) {
  if constexpr (std::is_same_v<F, Findings>) {
    if (!showing.load) return load_findings(folder, layout, showing.measured);
  }
  return showing.load(folder, layout);
}

template <class F> Report report_of(const Showing<F>& showing, const F& found) {
  Report report{showing.tables(found), claims_of(showing, found), showing.claims_note, ""};
  for (Table& table : report.tables) {
    if (table.groups_are.empty()) table.groups_are = showing.groups_are;
    if (table.rows_are.empty()) table.rows_are = showing.rows_are;
  }
  const Results& results = found.results;
  Page page{.title = showing.title,
            .lead = showing.lead,
            .facts = {},
            .sections = {},
            .footer = showing.footer};
  const auto trainings = std::count_if(
      results.runs.begin(), results.runs.end(),
      [&](const RunResult& run) { return results.variants[run.run.variant].trained; });
  page.facts.push_back({"trainings", std::to_string(trainings),
                        std::to_string(results.variants.size()) + " " + showing.variants_are +
                            ", seeds: " + std::to_string(results.seeds())});
  for (PageFact& fact : showing.facts(found)) page.facts.push_back(std::move(fact));
  if (const std::string time = time_spent(results); !time.empty()) {
    page.facts.push_back({"computed in", time, "all workers together"});
  }
  page.warning = unfinished_or_mixed(results, showing.variants_are);
  const std::string& lead = showing.claims_lead.empty() ? showing.claims_note : showing.claims_lead;
  if (!report.claims.claims.empty()) {
    page.sections.push_back(
        {"claims", showing.claims_title, note_html(lead) + claims_html(report.claims)});
  }
  const PageTables tables(report.tables);
  for (const Section<F>& row : showing.sections)
    page.sections.push_back({row.id, row.title, row.body(found, tables)});
  page.sections.push_back({"trainings", "The trainings", tables.html("runs")});
  page.sections.push_back({"sources", "Where every number is from",
                           note_html(showing.sources_note) + sources_html(report.tables)});
  page.sections.push_back({"settings", "Settings", settings_html(results)});
  report.page = render(page);
  return report;
}

// ---- the row

struct Experiment {
  std::string name;       // heed reproduce NAME; empty: it has a command of its own
  std::string kind = {};  // KIND.json describes its folders
  // For --help: "Train ...", further remarks, options of an example, patterns of --only.
  std::string what = {}, more = {}, example = {}, only = {};
  Trains trains = Trains::kNothing;
  std::string preset = "laptop";
  bool many_corpora = false;  // --data may name several, separated by commas

  // Filled in by experiment() (making_json.h).
  std::function<std::unique_ptr<ExperimentWork>()> work = {};
  std::function<Report(const std::string& folder)> report = {};
};

// The first one is the default of heed reproduce.
const std::vector<Experiment>& all_experiments();
// The experiment of a folder, by its KIND.json; the first one if there is none.
const Experiment& experiment_of(const std::vector<Experiment>& among, const std::string& folder);

}  // namespace heed
