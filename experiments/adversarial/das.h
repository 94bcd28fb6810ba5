// Do structures that look less at distractions fool the discriminator more often? The DAS ratios of
// the generators (Xing & Gulla 2022, docs/paper.md) beside how many of their responses pass.
#pragma once

#include <vector>

#include "experiments/adversarial/results.h"
#include "experiments/engine/report/table.h"

namespace heed {

constexpr char kDasNote[] =
    "Do structures with a lower DAS ratio fool the discriminator more often? Then correlations are "
    "negative. A pair is a generator and a seed of the discriminator: the generator's DAS ratio "
    "(random, p = 1.0; below 1 it looks less at utterances from elsewhere) and the share of its "
    "responses that pass as real. Intervals (95 %): bootstrap over generators, all seeds of a "
    "generator and of the discriminator together, ranks taken anew; draws of fewer than three "
    "generators are left out, and of fewer than three there is no correlation. Generators differ "
    "in "
    "more than in their attention, so none of this says what is the cause; nor does a correlation "
    "near 0 of a few generators show that there is none.";

// "generators": what they are, a row for each and each corpus; "das": correlations, a row for each
// corpus and discriminator. None without generators.
std::vector<Table> das_tables(const AdversarialResults& results);

// The share that passes by DAS ratio: a panel a corpus, a mark a generator and seed; empty where no
// generator has attention.
std::string das_figure(const AdversarialResults& results);

}  // namespace heed
