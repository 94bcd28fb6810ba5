// Results of an experiment that was never made, for tests of what is computed from them.
#pragma once

#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "dialog/respond/das.h"
#include "dialog/respond/run.h"
#include "experiments/distraction/results.h"
#include "tensor/random.h"

namespace heed {

constexpr int kMadeUpDialogues = 40;  // two of them a conversation

// Attention scores of each dialogue: a ratio that depends on the variant, and noise.
inline void make_up_set(Numbers& numbers, const Variant& v, size_t set, Rng& rng) {
  const auto put = [&](const char* name, std::optional<double> value) {
    numbers.set(key_of(set, name), value);
  };
  put("perplexity", 40 + 5 * rng.uniform());
  Series of_history, of_distractions;
  std::vector<double> ratios;
  double distraction_sum = 0, history_sum = 0;
  for (int i = 0; i < kMadeUpDialogues; ++i) {
    const double history = 0.8 + 0.2 * rng.uniform(),
                 ratio = 1 - 0.3 * v.insert_prob + 0.2 * rng.uniform();
    of_history.push_back(history);
    if (set > 0) {
      of_distractions.push_back(i % 7 == 3 ? std::nullopt : std::optional(ratio * history));
      if (i % 7 == 3) continue;
    }
    ratios.push_back(ratio);
    history_sum += history;
    distraction_sum += ratio * history;
  }
  const auto n = static_cast<double>(ratios.size());
  const bool distracted = set > 0;
  const auto if_distracted = [&](double value) {
    return distracted ? std::optional(value) : std::nullopt;
  };
  put("das_ratio", if_distracted(distraction_sum / history_sum));
  put("mean_das_ratio", if_distracted(std::accumulate(ratios.begin(), ratios.end(), 0.0) / n));
  put("median_das_ratio", if_distracted(*median(ratios)));
  put("as_distraction", if_distracted(distraction_sum / n));
  put("as_history", history_sum / n);
  put("as_first", 0.5);
  put("as_last", 0.8);
  put("distracted", distracted ? n : 0);
  numbers.set_series(key_of(set, "dialogues_as_history"), of_history);
  numbers.set_series(key_of(set, "dialogues_as_distraction"), of_distractions);
}

inline RunResult made_up_run(size_t variant, uint64_t seed, size_t utterances) {
  Rng rng(seed, "made up", variant);
  RunResult run;
  run.run = planned_run(names_of(variant_names(all_variants())), variant, seed);
  Numbers& n = run.numbers;
  n.set("best_epoch", 2);
  n.set("epochs", 3);
  n.set("valid_perplexity", 50);
  n.set("parameters", 123456);
  for (size_t s = 0; s < kSets; ++s) make_up_set(n, all_variants()[variant], s, rng);
  add_shares(n);
  Series nll, tokens(kMadeUpDialogues, 10.0);
  double sum = 0;
  for (int i = 0; i < kMadeUpDialogues; ++i) {
    nll.push_back(35 + 5 * rng.uniform());
    sum += *nll.back();
  }
  n.set_series("nll", nll);
  n.set_series("tokens", tokens);
  n.set(key_of(0, "perplexity"), std::exp(sum / (10 * kMadeUpDialogues)));
  n.set("responses.bleu", 0.02);
  n.set("responses.distinct_1", 0.1);
  n.set("responses.distinct_2", 0.3);
  n.set("responses.mean_length", 8.5);
  Series as_scores;
  for (size_t k = 0; k < utterances; ++k) as_scores.push_back(2 * rng.uniform());
  n.set_series(sample_key(0, "as_scores"), as_scores);
  n.set(sample_key(0, "das_ratio"), 0.8);
  n.set_text(sample_key(0, "response"), "a response of " + run.run.name);
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

// Of several seeds, if structures are given, only their variants have all, and others the first
// one: what p-values cost goes by the square of the number of comparisons.
inline Results made_up_results(int seeds = 1, const std::set<std::string>& structures = {}) {
  Results results;
  results.folder = "runs/made-up";
  results.settings = {{"hidden", "64"}, {"layers", "1"}, {"vocabulary", "100"}, {"epochs", "3"}};
  results.data = {{"train_examples", "1000"}, {"test_examples", "40"}};
  results.variants = variant_names(all_variants());
  for (int i = 0; i < kMadeUpDialogues; ++i) results.clusters.push_back(i / 2);
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const std::string structure(all_variants()[v].structure.name);
    const bool all = structures.empty() || structures.contains(structure);
    for (int s = 1; s <= (all ? seeds : 1); ++s) {
      results.runs.push_back(made_up_run(v, static_cast<uint64_t>(s), 3));
    }
  }
  return results;
}

inline Samples made_up_samples() {
  return {
      "random:1.0",
      {{"d1",
        "what a human said",
        {{"my disk is full", false}, {"would you have lunch ?", true}, {"which one ?", false}}}},
      {std::nullopt, 0.4, 0.8, 12, kMadeUpDialogues}};
}

inline Inference infer(const Results& results) {
  const MeasuredRuns& m = distraction_report().measured;
  return {results, m.measures, m.comparison};
}

inline DistractionFound found_of(const Results& results,
                                 const Samples& samples = made_up_samples()) {
  return {{results, infer(results)}, samples};
}

}  // namespace heed
