// What the report of this experiment shows besides what report.json describes.
#pragma once

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/figures.h"
#include "experiments/experiment.h"
#include "experiments/probes/results.h"

namespace heed {

// The report on a folder with these results: report.json for its tasks, its readings and those of
// the paper's tables that it has numbers of.
Showing<> probes_showing(const Results& results);

// "744 test examples of 40 dialogues, 2 seeds. ", for notes.
std::string of_examples(const Results& results);
// "logistic regression, raw representations" ... of a reading, for titles.
std::string reading_title(const std::string& reading);

// The paper's claims, and what its numbers say when they are read closely, as rules that are
// computed for them and for ours; and what checks them.
const std::vector<ClaimRule>& probe_claim_rules();
const ClaimChecks& probe_claim_checks();

// What puts the headline in doubt: a row a check, with what it says of the paper's numbers and of
// ours.
Table doubts_table(const Results& results);
// Means over the tasks of each level: as the paper prints them in its Table 8, computed from its
// Tables 6 and 7, and ours.
Table difficulty_table(const Results& results);

// ---- where models look (attention.json) beside what can be read off their encoders

// The subjects of DAS ratios: a test set, or the mean of the three places of its kind.
struct DasColumn {
  const char *name, *set;
};
constexpr DasColumn kDas[] = {{"random, p = 1.0", "random:1.0"},
                              {"random, p = 0.7", "random:0.7"},
                              {"random, p = 0.5", "random:0.5"},
                              {"frequent", "frequent:*"},
                              {"rare", "rare:*"}};
// Of how many models they are known; of none where no run has attention.json.
size_t attending_models(const Results& results);
// Mean F1 of the best model over these tasks; nothing if it has not all.
std::optional<double> mean_f1(const RunResult& run, const std::string& reading,
                              const std::vector<std::string>& tasks);
// What the correlations can show, and what they cannot.
std::string correlations_note(const Results& results);
// "das-raw" and so on: of each reading the correlations of DAS ratio and F1 by task.
std::vector<Table> correlation_tables(const Results& results);

// ---- figures

// F1 by epoch (the paper's Figures 5 to 7): a panel a task, a line a model, of a reading.
std::string epochs_figure(const Results& results, const std::string& reading);
// F1, the mean over all tasks, by DAS ratio (random:1.0): a panel a reading, a mark a run.
std::string attention_figure(const Results& results);
// The first two principal components of what encoders make of training examples (Figures 2 and 4):
// three panels a model, its first seed, untrained, last and best; empty where no run has any.
std::string components_figure(const Results& results);

}  // namespace heed
