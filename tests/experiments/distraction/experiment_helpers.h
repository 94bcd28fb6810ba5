// Results of an experiment that was never made, for tests of what is computed from them.
#pragma once

#include <cmath>
#include <numeric>
#include <string>

#include "experiments/distraction/results.h"
#include "tensor/random.h"

namespace heed {

constexpr int kMadeUpDialogues = 40;  // two of them a conversation

// Attention scores of each dialogue: a ratio that depends on the variant, and noise.
inline SetResult made_up_set(const Variant& v, size_t set, Rng& rng) {
  SetResult result;
  ScoreSummary& s = result.summary;
  s.dialogues = kMadeUpDialogues;
  s.tokens = int64_t{10} * kMadeUpDialogues;
  s.perplexity = 40 + 5 * rng.uniform();
  s.as_first = 0.5, s.as_last = 0.8;
  double of_distractions = 0, of_history = 0;
  std::vector<double> ratios;
  for (int i = 0; i < kMadeUpDialogues; ++i) {
    const double history = 0.8 + 0.2 * rng.uniform(),
                 ratio = 1 - 0.3 * v.insert_prob + 0.2 * rng.uniform();
    result.as_history.push_back(history);
    if (set > 0) {
      result.as_distraction.push_back(i % 7 == 3 ? std::nullopt : std::optional(ratio * history));
      if (i % 7 == 3) continue;
    }
    ratios.push_back(ratio);
    of_history += history;
    of_distractions += ratio * history;
  }
  const auto n = static_cast<double>(ratios.size());
  s.as_history = of_history / n;
  if (set == 0) return result;
  s.distracted = static_cast<int64_t>(ratios.size());
  s.as_distraction = of_distractions / n;
  s.das_ratio = of_distractions / of_history;
  s.mean_das_ratio = std::accumulate(ratios.begin(), ratios.end(), 0.0) / n;
  s.median_das_ratio = median(ratios);
  return result;
}

inline RunResult made_up_run(size_t variant, uint64_t seed, size_t utterances) {
  Rng rng(seed, "made up", variant);
  RunResult run;
  run.run = {variant, seed};
  Evaluation& e = run.evaluation;
  e.best_epoch = 2, e.epochs = 3;
  e.valid_perplexity = 50, e.parameters = 123456;
  for (size_t s = 0; s < kSets; ++s) e.sets[s] = made_up_set(run.run.get(), s, rng);
  double nll = 0;
  for (int i = 0; i < kMadeUpDialogues; ++i) {
    e.conversations.push_back(i / 2);
    e.nll.push_back(35 + 5 * rng.uniform());
    e.tokens.push_back(10);
    nll += e.nll.back();
  }
  e.sets[0].summary.perplexity = std::exp(nll / (10 * kMadeUpDialogues));
  e.responses = {0.02, 0.1, 0.3, 8.5, kMadeUpDialogues};
  SampleScore sample{{}, 0.8, "a response of " + run.run.name()};
  for (size_t k = 0; k < utterances; ++k) sample.as_scores.push_back(2 * rng.uniform());
  e.samples = {sample};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    EpochLog log;
    log.epoch = epoch;
    log.metrics = {{kTrainPerplexity, 90.0 / epoch},
                   {kValidPerplexity, 100.0 / epoch + 5 * rng.uniform()}};
    run.log.push_back(log);
  }
  run.times = {{10, 11, 12}, 5};
  return run;
}

inline Results made_up_results(int seeds = 1) {
  Results results;
  results.folder = "runs/made-up";
  results.settings = {{"hidden", "64"}, {"layers", "1"}, {"vocabulary", "100"}, {"epochs", "3"}};
  results.data = {{"train_examples", "1000"}, {"test_examples", "40"}};
  results.human = {std::nullopt, 0.4, 0.8, 12, kMadeUpDialogues};
  results.sample_set = "random:1.0";
  results.samples = {
      {"d1",
       "what a human said",
       {{"my disk is full", false}, {"would you have lunch ?", true}, {"which one ?", false}}}};
  for (size_t v = 0; v < all_variants().size(); ++v) {
    for (int s = 1; s <= seeds; ++s) {
      results.runs.push_back(made_up_run(v, static_cast<uint64_t>(s), 3));
    }
  }
  return results;
}

}  // namespace heed
