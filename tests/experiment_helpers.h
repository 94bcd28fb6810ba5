// Results of an experiment that was never made, for tests of what is computed from them.
#pragma once

#include <string>

#include "experiment/results.h"
#include "tensor/random.h"

namespace heed {

constexpr int kMadeUpDialogues = 40;

// DAS ratios of a dialogue: a mean that depends on the variant, and noise.
inline SetResult made_up_set(const Variant& v, size_t set, Rng& rng) {
  SetResult result;
  ScoreSummary& s = result.summary;
  s.dialogues = kMadeUpDialogues;
  s.tokens = int64_t{10} * kMadeUpDialogues;
  s.perplexity = 40 + 5 * rng.uniform();
  s.as_history = 0.9, s.as_first = 0.5, s.as_last = 0.8;
  if (set == 0) return result;
  s.as_distraction = 0.7;
  double sum = 0;
  for (int i = 0; i < kMadeUpDialogues; ++i) {
    if (i % 7 == 3) {
      result.das_ratios.push_back(std::nullopt);
      continue;
    }
    result.das_ratios.push_back(1 - 0.3 * v.insert_prob + 0.2 * rng.uniform());
    sum += *result.das_ratios.back();
    ++s.distracted;
  }
  s.das_ratio = sum / static_cast<double>(s.distracted);
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
  e.nll.assign(kMadeUpDialogues, 37.5);
  e.tokens.assign(kMadeUpDialogues, 10);
  e.responses = {0.02, 0.1, 0.3, 8.5, kMadeUpDialogues};
  SampleScore sample{{}, 0.8, "a response of " + run.run.name()};
  for (size_t k = 0; k < utterances; ++k) sample.as_scores.push_back(2 * rng.uniform());
  e.samples = {sample};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    EpochLog log;
    log.epoch = epoch;
    log.valid_perplexity = 100.0 / epoch + 5 * rng.uniform();
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
