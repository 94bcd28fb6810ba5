#include "experiments/engine/report/verdicts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dialog/text/format.h"

namespace heed {
namespace {

const std::string& other_key(const Above& part) {
  return part.than_key.empty() ? part.key : part.than_key;
}

int digits_of(double x) {
  return std::abs(x) < 0.1 ? 4 : std::abs(x) < 10 ? 3 : 1;
}

// "0.575 against 0.431, +0.144 [0.100, 0.190]"; without an estimate "0.575 against 0.431". Of one
// number "0.651 [0.609, 0.694] against 0.800".
std::string figure_of(const Above& part, double first, double second, const Estimate* e = nullptr) {
  const int digits = digits_of(first);
  const auto shifted = [&](double x) { return decimal(x + part.by, digits); };
  const std::string interval =
      e ? "[" + shifted(e->interval.low) + ", " + shifted(e->interval.high) + "]" : "";
  const std::string asked = decimal(part.by, digits_of(part.by));
  std::string text = decimal(first, digits);
  if (!part.than) return text + (e ? " " : "") + interval + " against " + asked;
  text += " against " + (part.times == 1 ? "" : decimal(part.times, 2) + " x ") +
          decimal(second, digits_of(second));
  if (!e) return text;
  const double difference = first - part.times * second;
  return text + (difference > 0 ? ", +" : ", ") + decimal(difference, digits) + " " + interval +
         (part.by == 0 ? "" : ", asked is " + asked);
}

// ---- one part

// The verdict on one part, and its margin above the threshold.
struct Part {
  ClaimResult result;
  double value = -INFINITY;
};

Part of_printed(const Above& part, const VariantNumbers& n) {
  const auto first = n.get(part.variant, part.key),
             second = part.than ? n.get(*part.than, other_key(part)) : std::optional(0.0);
  if (!first || !second) return {};
  const double value = *first - part.times * *second - part.by;
  return {{value == 0 ? std::nullopt : std::optional(value > 0), figure_of(part, *first, *second)},
          value};
}

// All draws that the claims need, each once.
class Draws {
 public:
  Draws(const Findings& found, const std::vector<AboveClaim>& claims);
  // Empty if the number is not a measure.
  const Resampled* of(const RunResult& run, const std::string& key) const {
    const auto it = places_.find({&run, key});
    return it == places_.end() ? nullptr : &drawn_[it->second];
  }

 private:
  std::map<std::pair<const RunResult*, std::string>, size_t> places_;
  std::vector<Resampled> drawn_;
};

std::vector<size_t> ways_of(const AboveClaim& claim, const Above& part) {
  return claim.one_of.empty() ? std::vector<size_t>{part.variant} : claim.one_of;
}

Draws::Draws(const Findings& found, const std::vector<AboveClaim>& claims) {
  std::vector<Quotient> quotients;
  std::vector<const Measure*> measures;
  const auto add = [&](size_t variant, const std::string& key) {
    const Measure* measure = found.inference.measure(key);
    if (!measure) return;
    for (const RunResult* run : found.results.of(variant)) {
      if (!places_.emplace(std::pair(run, key), quotients.size()).second) continue;
      quotients.push_back(quotient_of(found.results, *run, *measure));
      measures.push_back(measure);
    }
  };
  for (const AboveClaim& claim : claims) {
    for (const Above& part : claim.parts) {
      for (const size_t variant : ways_of(claim, part)) add(variant, part.key);
      if (part.than) add(*part.than, other_key(part));
    }
  }
  drawn_ = bootstrap(quotients);
  for (size_t i = 0; i < drawn_.size(); ++i) {
    if (measures[i]->exponential) drawn_[i] = exponential(std::move(drawn_[i]));
  }
}

// The interval of the part's difference, from the pairs of runs. `first` and `second`: the means.
struct Difference {
  double first = 0, second = 0;
  size_t seeds = 0;
  bool of_items = true;
  std::optional<Estimate> estimate = {};
};

std::optional<Difference> difference_of(const Above& part, size_t tried, const Results& results,
                                        const Draws& draws) {
  const std::vector<RunPair> pairs =
      paired_runs(results, part.variant, part.than.value_or(part.variant));
  Difference d{.seeds = pairs.size()};
  const auto n = static_cast<double>(pairs.size());
  std::vector<double> values;
  std::vector<Resampled> of_seeds;
  for (const auto& [run, base] : pairs) {
    const auto first = run->numbers.value(part.key),
               second = part.than ? base->numbers.value(other_key(part)) : std::optional(0.0);
    if (!first || !second) return std::nullopt;
    d.first += *first / n, d.second += *second / n;
    values.push_back(*first - part.times * *second - part.by);
    const Resampled *ours = draws.of(*run, part.key), *its = draws.of(*base, other_key(part));
    d.of_items = d.of_items && ours && (its || !part.than);
    if (!d.of_items) continue;
    Resampled& one = of_seeds.emplace_back(*ours);
    for (size_t b = 0; b < one.draws.size(); ++b)
      one.draws[b] -= part.by + (part.than ? part.times * its->draws[b] : 0);
    one.value = values.back();
  }
  if (pairs.empty()) return std::nullopt;
  std::vector<const Resampled*> seeds;
  for (const Resampled& one : of_seeds) seeds.push_back(&one);
  d.estimate = d.of_items ? estimate(over_seeds(seeds), tried) : students_interval(values, tried);
  return d;
}

Part of_ours(const Above& part, size_t tried, const Results& results, const Draws& draws) {
  const auto d = difference_of(part, tried, results, draws);
  if (!d) return {};
  Part made{{{}, figure_of(part, d->first, d->second)},
            d->first - part.times * d->second - part.by};
  const auto of_seeds = [&](size_t variant) { return results.variants[variant].of_seeds; };
  if (d->seeds < 2 && (of_seeds(part.variant) || of_seeds(part.than.value_or(part.variant)))) {
    made.result.figure += " (one seed)";
  } else if (d->estimate && d->estimate->clusters != 1) {
    made.result.figure = figure_of(part, d->first, d->second, &*d->estimate);
    if (!d->of_items) made.result.figure += " by " + counted(d->seeds, "seed");
    if (d->estimate->interval.low > 0) made.result.holds = true;
    if (d->estimate->interval.high < 0) made.result.holds = false;
  }
  return made;
}

// ---- the claim

// All parts together: missing if one is missing, false if one is false.
Part all_of(const std::vector<Part>& parts) {
  Part all{{.holds = true}, INFINITY};
  for (const Part& part : parts) {
    if (part.result.figure.empty()) return {};
    all.value = std::min(all.value, part.value);
    all.result.figure += (all.result.figure.empty() ? "" : "; ") + part.result.figure;
    if (all.result.holds == false) continue;
    if (part.result.holds != true) all.result.holds = part.result.holds;
  }
  return all;
}

// Holds if one way holds, and does not hold if none of all does. The figure is that of the best
// way.
ClaimResult one_of(const std::vector<Part>& ways) {
  const Part* best = nullptr;
  size_t known = 0, no = 0;
  const auto rank = [](const Part& p) { return std::pair(p.result.holds == true, p.value); };
  for (const Part& way : ways) {
    if (way.result.figure.empty()) continue;
    ++known;
    no += way.result.holds == false;
    if (!best || rank(way) > rank(*best)) best = &way;
  }
  if (!best) return {};
  ClaimResult result = best->result;
  if (result.holds == false && no < ways.size()) result.holds.reset();
  if (known > 1) result.figure += "; the best of " + std::to_string(known);
  return result;
}

template <class Decide>  // decide(part) -> Part
ClaimResult over_ways(const AboveClaim& claim, const Decide& decide) {
  std::vector<Part> ways;
  const size_t tried = std::max<size_t>(1, claim.one_of.size());
  for (size_t way = 0; way < tried; ++way) {
    std::vector<Part> parts;
    for (Above part : claim.parts) {
      part.variant = ways_of(claim, part)[way];
      parts.push_back(decide(part, tried));
    }
    ways.push_back(all_of(parts));
  }
  return one_of(ways);
}

// What the variants say together, and the figure of each behind its name.
ClaimResult agreed(const EachClaim& claim, const Findings& found) {
  size_t yes = 0, no = 0, known = 0;
  ClaimResult all;
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    const VariantName& variant = found.results.variants[v];
    if (!claim.of.empty() && variant.label != claim.of) continue;
    const ClaimResult one = is_below(
        claim.change ? found.inference.change(claim.key, v) : found.inference.value(claim.key, v),
        claim.digits);
    if (one.figure.empty()) continue;
    ++known;
    yes += one.holds == !claim.above;
    no += one.holds == claim.above;
    all.figure += (all.figure.empty() ? "" : "; ") +
                  (claim.of.empty() ? variant.label : variant.group) + " " + one.figure;
  }
  if (known > 0 && (yes == known || no == known)) all.holds = yes == known;
  return all;
}

}  // namespace

Claims decide(const std::vector<EachClaim>& claims, const Findings& found) {
  Claims all{.kinds = {"intervals"}, .claims = {}};
  for (const EachClaim& claim : claims) {
    all.claims.push_back({claim.claim, claim.rule, {}, {agreed(claim, found)}});
  }
  return all;
}

ClaimResult decide(const AboveClaim& claim, const VariantNumbers& printed) {
  return over_ways(claim, [&](const Above& part, size_t) { return of_printed(part, printed); });
}

Claims decide(const std::vector<AboveClaim>& claims, const VariantNumbers& paper,
              const Findings& found) {
  Claims all{.kinds = {"intervals"}, .claims = {}};
  const Draws draws(found, claims);
  for (const AboveClaim& claim : claims) {
    all.claims.push_back({claim.claim,
                          claim.rule,
                          decide(claim, paper),
                          {over_ways(claim, [&](const Above& part, size_t tried) {
                            return of_ours(part, tried, found.results, draws);
                          })}});
  }
  return all;
}

}  // namespace heed
