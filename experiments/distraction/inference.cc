#include "experiments/distraction/inference.h"

namespace heed {
namespace {

// A number of a run on a set as a quotient of sums over its dialogues; set 0 is the original one.
using GetQuotient = Quotient (*)(const Evaluation&, size_t set);

Quotient log_perplexity(const Evaluation& e, size_t) {  // its exp is the perplexity
  return quotient(Series(e.nll.begin(), e.nll.end()), Series(e.tokens.begin(), e.tokens.end()),
                  e.conversations);
}

Quotient das_ratio(const Evaluation& e, size_t set) {
  return quotient(e.sets[set].as_distraction, e.sets[set].as_history, e.conversations);
}

// The attention scores are means over the dialogues that have both.
Quotient as_distraction(const Evaluation& e, size_t set) {
  return mean_quotient(e.sets[set].as_distraction, e.sets[set].as_history, e.conversations);
}

Quotient as_history(const Evaluation& e, size_t set) {
  const SetResult& s = e.sets[set];
  return mean_quotient(s.as_history, set == 0 ? s.as_history : s.as_distraction, e.conversations);
}

// One number of all runs on the sets from `first` on, resampled.
class Resamples {
 public:
  Resamples(const Results& results, size_t first, size_t sets, GetQuotient get)
      : results_(results), sets_(sets) {
    std::vector<Quotient> quotients;
    for (const RunResult& run : results.runs) {
      for (size_t s = 0; s < sets; ++s) quotients.push_back(get(run.evaluation, first + s));
    }
    resampled_ = bootstrap(quotients);
  }
  void transform(Resampled (*function)(Resampled)) {
    for (Resampled& x : resampled_) x = function(std::move(x));
  }
  std::optional<Estimate> value(size_t variant, size_t set) const {
    std::vector<const Resampled*> of_seeds;
    for (const RunResult* run : results_.of(variant)) of_seeds.push_back(&at(run, set));
    return of_seeds.empty() ? std::nullopt : estimate(over_seeds(of_seeds));
  }
  std::optional<Estimate> change(size_t variant, size_t set) const {
    std::vector<const Resampled*> ours, base;
    for (const auto& [run, baseline] : paired_runs(results_, variant)) {
      ours.push_back(&at(run, set));
      base.push_back(&at(baseline, set));
    }
    if (ours.empty()) return std::nullopt;
    return estimate(difference(over_seeds(ours), over_seeds(base)));
  }

 private:
  const Resampled& at(const RunResult* run, size_t set) const {
    return resampled_[static_cast<size_t>(run - results_.runs.data()) * sets_ + set];
  }

  const Results& results_;
  const size_t sets_;
  std::vector<Resampled> resampled_;
};

std::vector<std::optional<Estimate>> on_original(const Resamples& resamples) {
  std::vector<std::optional<Estimate>> estimates;
  for (size_t v = 0; v < all_variants().size(); ++v) estimates.push_back(resamples.value(v, 0));
  return estimates;
}

using Method = std::optional<Estimate> (Resamples::*)(size_t, size_t) const;
std::vector<Inference::OfSets> on_distracting(const Resamples& resamples, Method method) {
  std::vector<Inference::OfSets> estimates(all_variants().size());
  for (size_t v = 0; v < estimates.size(); ++v) {
    for (size_t s = 0; s < kTestSets.size(); ++s) estimates[v][s] = (resamples.*method)(v, s);
  }
  return estimates;
}

// One family: all comparisons that there are.
void correct(Inference& inference) {
  std::vector<double> p_values;
  std::vector<double*> places;
  inference.corrected.resize(inference.change.size());
  for (size_t v = 0; v < inference.change.size(); ++v) {
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      inference.corrected[v][s] = 1;
      if (!inference.change[v][s]) continue;
      p_values.push_back(inference.change[v][s]->p_value);
      places.push_back(&inference.corrected[v][s]);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  for (size_t i = 0; i < places.size(); ++i) *places[i] = corrected[i];
  inference.comparisons = p_values.size();
}

}  // namespace

std::vector<RunPair> paired_runs(const Results& results, size_t variant) {
  const Variant base = all_variants()[variant].baseline();
  const size_t b = *find_variant(base.structure.name, base.insert_prob, base.attention_loss);
  std::vector<RunPair> pairs;
  for (const RunResult* run : results.of(variant)) {
    for (const RunResult* baseline : results.of(b)) {
      if (b != variant && baseline->run.seed == run->run.seed) pairs.push_back({run, baseline});
    }
  }
  return pairs;
}

Inference infer(const Results& results) {
  Inference inference;
  Resamples perplexity(results, 0, 1, log_perplexity);
  perplexity.transform(exponential);
  inference.perplexity = on_original(perplexity);
  inference.history_as = on_original(Resamples(results, 0, 1, as_history));

  const auto on_sets = [&](GetQuotient get) {
    return Resamples(results, 1, kTestSets.size(), get);
  };
  inference.as_distraction = on_distracting(on_sets(as_distraction), &Resamples::value);
  inference.as_history = on_distracting(on_sets(as_history), &Resamples::value);
  const Resamples ratios = on_sets(das_ratio);
  inference.das_ratio = on_distracting(ratios, &Resamples::value);
  inference.change = on_distracting(ratios, &Resamples::change);
  correct(inference);
  return inference;
}

}  // namespace heed
