// What the report of this experiment shows.
#pragma once

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/table.h"
#include "experiments/probes/results.h"

namespace heed {

// "logistic regression, raw representations" ... of a reading, for titles.
std::string reading_title(const std::string& reading);

// Scores of every reading, the paper's tables beside ours, and what the paper does not have.
std::vector<Table> probe_tables(const ProbesResults& results, const Inference& inference);

// The paper's claims, and what its numbers say when they are read closely, as rules that are
// computed for them and for ours.
const std::vector<ClaimRule>& probe_claim_rules();
// The rules for the paper's numbers, and for ours by each reading with logistic regression.
Claims check_probe_claims(const ProbesResults& results);

// What puts the headline in doubt: a row a check, with what it says of the paper's numbers and of
// ours.
Table doubts_table(const ProbesResults& results);

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

// Mean F1 of the best model over these tasks; nothing if it has not all.
std::optional<double> mean_f1(const RunResult& run, const std::string& reading,
                              const std::vector<std::string>& tasks);
// What the correlations can show, and what they cannot.
std::string correlations_note(const ProbesResults& results);
// "das": the DAS ratios of the models; "das-raw" and so on: of each reading the correlations of
// DAS ratio and F1 by task. None where no run has attention.json.
Table das_table(const ProbesResults& results);
std::vector<Table> attention_tables(const ProbesResults& results);

// ---- figures

// How a model is drawn: the paper's models have full lines and a mark each, the others thin ones.
LegendEntry style_of(size_t variant);
// F1 by epoch (the paper's Figures 5 to 7): a panel a task, a line a model, of a reading.
std::string epochs_figure(const ProbesResults& results, const std::string& reading);
// F1, the mean over all tasks, by DAS ratio (random:1.0): a panel a reading, a mark a run.
std::string attention_figure(const ProbesResults& results);
// The first two principal components of what encoders make of training examples (Figures 2 and 4):
// three panels a model, its first seed, untrained, last and best; empty where no run has any.
std::string components_figure(const ProbesResults& results);

}  // namespace heed
