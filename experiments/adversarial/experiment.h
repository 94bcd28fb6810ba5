// The experiment on adversarial evaluation (Bruni & Fernández 2017): can a classifier tell the
// responses that were said from others?
#pragma once

#include "experiments/adversarial/results.h"
#include "experiments/experiment.h"

namespace heed {

const Showing<AdversarialFound>& adversarial_showing();
Experiment adversarial_experiment();

// ---- what the report shows

// "table1" and "table2", the paper's rows among them; "looks"; of generators "generators", what
// they are, and "das", the correlations of their DAS ratios with how often their responses pass; of
// scenarios "reliability"; "runs".
std::vector<Table> adversarial_tables(const AdversarialFound& found);
Table generators_table(const AdversarialResults& results);
Table correlations_table(const AdversarialResults& results);

// The share that passes by DAS ratio (Xing & Gulla 2022, docs/paper.md): a panel a corpus, a mark a
// generator and seed; empty where no generator has attention.
std::string das_figure(const AdversarialResults& results);

}  // namespace heed
