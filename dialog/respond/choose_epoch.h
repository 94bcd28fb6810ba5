// Which of a run's kept epochs writes best.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/respond/run.h"
#include "dialog/text/overlap.h"

namespace heed {

// "best-bleu", "best-rouge" or "best-meteor".
bool chooses_epoch(const std::string& name);

struct KeptEpoch {
  int epoch;
  OverlapMeans overlap;  // of its responses with the human ones
  double likeness = 0;   // of them, by a Likeness
};
struct ChosenEpoch {
  KeptEpoch best;                 // the first among equals
  std::vector<KeptEpoch> epochs;  // all, in order
};
// A measure of responses, given the human ones.
using Likeness = std::function<double(const std::vector<Tokens>& responses,
                                      const std::vector<Tokens>& references)>;
using ChooseProgress = std::function<void(int epoch, int64_t examples, int64_t tokens)>;

// Every epoch-N.safetensors of a run writes responses, greedily and of at most 100 tokens, to these
// dialogues, whose examples have the bounds of training. Throws DataError if the run kept no epoch
// or no dialogue is long enough.
std::vector<KeptEpoch> overlaps_of_epochs(const std::string& run,
                                          const std::vector<Dialogue>& dialogues,
                                          int64_t batch_size, Device device,
                                          const ChooseProgress& progress = {},
                                          const Likeness& likeness = {});
// The best one by the mean BLEU-2, ROUGE-L or METEOR (Parthasarathi, Pineau & Chandar 2020, section
// 4). Throws UsageError for an unknown name and for no epochs.
KeptEpoch best_epoch(const std::vector<KeptEpoch>& epochs, const std::string& name);
// Both.
ChosenEpoch choose_epoch(const std::string& run, const std::string& name,
                         const std::vector<Dialogue>& dialogues, int64_t batch_size, Device device,
                         const ChooseProgress& progress = {});

}  // namespace heed
