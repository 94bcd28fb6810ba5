// The experiment on adversarial evaluation (Bruni & Fernández 2017): can a classifier tell the
// responses that were said from others?
#pragma once

#include "experiments/adversarial/results.h"
#include "experiments/experiment.h"

namespace heed {

const Showing<AdversarialFound>& adversarial_showing();
Experiment adversarial_experiment();

// ---- what the report shows

// The tables of report.json: "table1" and "table2", the paper's rows among them; "looks"; of
// generators "generators", what they are, "agreement" and "reliability-of-measures"; of scenarios
// "reliability"; "runs".
std::vector<Table> adversarial_tables(const AdversarialFound& found);
// A generator's training, whatever its seed: "static-ui-p0.7-seed2" is one of "static-ui-p0.7".
std::string without_seed(const std::string& generator);
// The share of a generator's responses to a corpus that pass as real in a run; `half`: only those
// in conversations of even (0) or odd (1) numbers. Nothing if there are none.
std::optional<double> passing_share(const AdversarialResults& results, const RunResult& run,
                                    size_t corpus, const std::string& generator,
                                    std::optional<int> half = {});
// Over the seeds of a discriminator.
std::optional<Spread> passing_share(const AdversarialResults& results, size_t variant,
                                    size_t corpus, const std::string& generator,
                                    std::optional<int> half = {});
// Whether the measures of the generators, DAS ratio, F1 of probes and the share that passes by each
// discriminator, have an order that a second measurement would confirm, and whether they agree.
void add_measures(const AdversarialResults& results, Table& table);
void add_agreement(const AdversarialResults& results, Table& table);

// The share that passes by DAS ratio (Xing & Gulla 2022, docs/paper.md): a panel a corpus, a mark
// for each generator and seed of the discriminator; empty where no generator has attention.
std::string das_figure(const AdversarialResults& results);

}  // namespace heed
