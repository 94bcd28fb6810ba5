// The paper's claims as rules.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dialog/text/format.h"
#include "experiments/distraction/paper.h"

namespace heed {
namespace {

using Number = std::optional<double>;
constexpr size_t kRandomSets = 3;

// Half of the last digit that the paper prints: smaller differences count as none.
bool below(double a, double b) {
  return a + 0.005 <= b;
}

std::string format(const char* text, double a, double b = 0, double c = 0) {
  char line[200];
  // cppcheck-suppress wrongPrintfScanfArgNum ; most texts show fewer than three
  std::snprintf(line, sizeof line, text, a, b, c);
  return line;
}

std::string count(size_t holds, size_t of, const char* what) {
  return std::to_string(holds) + " of " + std::to_string(of) + " " + what;
}

// A variant's mean DAS ratio on the three random sets.
Number random_mean(const VariantNumbers& t, std::string_view structure, double p,
                   bool loss = true) {
  double sum = 0;
  for (size_t s = 1; s <= kRandomSets; ++s) {
    const Number ratio = t.get(*find_variant(structure, p, loss), key_of(s, "das_ratio"));
    if (!ratio) return std::nullopt;
    sum += *ratio;
  }
  return sum / kRandomSets;
}

ClaimResult similar_perplexities(const VariantNumbers& t) {
  std::vector<double> all;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const Number perplexity = t.get(v, key_of(0, "perplexity"));
    if (!perplexity) return {};
    all.push_back(*perplexity);
  }
  const double middle = *median(all);
  const auto close = static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [&](double x) { return std::abs(x / middle - 1) <= 0.05; }));
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return {static_cast<double>(close) >= 0.9 * static_cast<double>(all.size()),
          count(close, all.size(), "within 5 %") + format("; %.1f to %.1f", *low, *high)};
}

ClaimResult ratios_drop(const VariantNumbers& t) {
  std::vector<double> changes;
  size_t drops = 0;
  for (const Structure& s : paper_structures()) {
    const Number base = random_mean(t, s.name, 0);
    std::vector<double> trained;
    for (const double p : {0.5, 0.7}) {
      if (const Number ratio = random_mean(t, s.name, p)) trained.push_back(*ratio);
    }
    if (!base || trained.empty()) continue;
    const double mean = trained.size() == 2 ? (trained[0] + trained[1]) / 2 : trained[0];
    changes.push_back(mean / *base - 1);
    drops += changes.back() <= -0.075;
  }
  if (changes.size() < paper_structures().size()) return {};
  return {drops >= 3, count(drops, changes.size(), "structures") + "; median change " +
                          decimal(100 * *median(changes), 1) + " %"};
}

// In how many structures `holds` is true of the ratios at 0.5, 0.7 and 1.0.
template <class Rule>
ClaimResult over_structures(const VariantNumbers& t, size_t needed, const char* what, Rule holds) {
  size_t yes = 0, known = 0;
  for (const Structure& s : paper_structures()) {
    const Number a = random_mean(t, s.name, 0.5), b = random_mean(t, s.name, 0.7),
                 c = random_mean(t, s.name, 1.0);
    if (!a || !b || !c) continue;
    ++known;
    yes += holds(s.name, *a, *b, *c);
  }
  if (known < paper_structures().size() - 1) return {};  // one of the paper's is unreadable
  return {yes >= std::min(needed, known), count(yes, known, what)};
}

ClaimResult best_at_07(const VariantNumbers& t) {
  return over_structures(
      t, 3, "structures are lowest at 0.7",
      [](auto, double a, double b, double c) { return below(b, a) && below(b, c); });
}

ClaimResult worse_at_1(const VariantNumbers& t) {
  return over_structures(t, 3, "structures are higher at 1.0 than at 0.7",
                         [](auto, double, double b, double c) { return below(b, c); });
}

ClaimResult best_of_each(const VariantNumbers& t) {
  return over_structures(t, 5, "structures as in the paper",
                         [](std::string_view name, double a, double b, double c) {
                           const bool half = name == "static" || name == "dynamic-ui";
                           return half ? below(a, b) && below(a, c) : below(b, a) && below(b, c);
                         });
}

ClaimResult lowest_of_all(const VariantNumbers& t) {
  std::string best;
  double lowest = INFINITY, second = INFINITY;
  size_t known = 0;
  for (const Variant& v : all_variants()) {
    const Number ratio = random_mean(t, v.structure.name, v.insert_prob, v.attention_loss);
    known += ratio.has_value();
    if (!ratio) continue;
    second = std::min(second, std::max(*ratio, lowest));
    if (*ratio >= lowest) continue;
    lowest = *ratio;
    best = v.name();
  }
  if (known < all_variants().size() - 1) return {};
  const std::string low = decimal(lowest, 3), next = decimal(second, 3);
  return {best == "static-ui-p0.7" && below(lowest, second),
          low == next ? "the two lowest are equal, " + low
                      : best + " is lowest, " + low + "; the next one has " + next};
}

ClaimResult loss_helps(const VariantNumbers& t) {
  const Number with = random_mean(t, "static-ui", 0.7), none = random_mean(t, "static-ui", 0),
               without = random_mean(t, "static-ui", 0.7, false);
  if (!with || !without || !none) return {};
  return {below(*with, *without) && below(*without, *none),
          format("%.3f with the loss, %.3f without, %.3f without distractions", *with, *without,
                 *none)};
}

ClaimResult rise_to_the_end(const VariantNumbers& t) {
  size_t rise = 0, known = 0;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    for (const size_t first : {4, 7}) {  // frequent, rare: begin, middle, end
      const auto ratio = [&](size_t set) { return t.get(v, key_of(set, "das_ratio")); };
      const Number a = ratio(first), b = ratio(first + 1), c = ratio(first + 2);
      if (!a || !b || !c) continue;
      ++known;
      rise += below(*a, *b) && below(*b, *c);
    }
  }
  if (known < 2 * all_variants().size() - 3) return {};
  return {static_cast<double>(rise) >= 0.8 * static_cast<double>(known),
          count(rise, known, "rise from begin to end")};
}

ClaimResult static_looks_at_the_query(const VariantNumbers& t) {
  double highest_static = 0, lowest_other = INFINITY;
  bool holds = true;
  for (const double p : {0.0, 0.5, 0.7, 1.0}) {
    double sums[2] = {}, counts[2] = {};
    for (const Structure& s : paper_structures()) {
      const Number as = t.get(*find_variant(s.name, p, true), key_of(0, "as_history"));
      if (!as) return {};
      sums[s.static_query] += *as;
      counts[s.static_query] += 1;
    }
    const double other = sums[0] / counts[0], of_static = sums[1] / counts[1];
    holds = holds && below(of_static, other);
    highest_static = std::max(highest_static, of_static);
    lowest_other = std::min(lowest_other, other);
  }
  return {holds, format("static at most %.1f %%, the others at least %.1f %%", 100 * highest_static,
                        100 * lowest_other)};
}

}  // namespace

const std::vector<ClaimRule>& claim_rules() {
  static const std::vector<ClaimRule> kRules = {
      {"Perplexities of the variants are close.", "At least nine in ten within 5 % of the median.",
       similar_perplexities},
      {"For most structures DAS ratios drop by about 10 % with p = 0.5 or 0.7.",
       "Mean over the random sets, p = 0.5 and 0.7 together against p = 0: a drop of 7.5 % or more "
       "in "
       "at least 3 of 5 structures.",
       ratios_drop},
      {"p = 0.7 is generally the best.",
       "Mean over the random sets: lowest of 0.5, 0.7 and 1.0 in at least 3 structures.",
       best_at_07},
      {"p = 1.0 is worse.",
       "Mean over the random sets: higher than at 0.7 in at least 3 structures.", worse_at_1},
      {"static and dynamic-ui are best at 0.5, non-hier, static-ui and dynamic at 0.7.",
       "Mean over the random sets: in all structures.", best_of_each},
      {"static-ui at p = 0.7 has the lowest DAS ratio of all variants.",
       "Mean over the random sets.", lowest_of_all},
      {"Without the attention loss the gain is smaller.",
       "static-ui, p = 0.7, mean over the random sets: with the loss < without it < no "
       "distractions "
       "in training.",
       loss_helps},
      {"DAS ratios rise from begin to middle to end.",
       "begin < middle < end in at least 80 % of variants and kinds of phrases.", rise_to_the_end},
      {"Static structures look more at the query.",
       "Mean AS of the history: lower for static and static-ui than for the others, at every p.",
       static_looks_at_the_query},
  };
  return kRules;
}

Claims check_claims(const Results& results) {
  const VariantNumbers ours = mean_numbers(results);
  std::vector<ClaimNumbers> kinds;
  for (const RatioKind& kind : kRatioKinds) {
    kinds.push_back({kind.name, ours});
    for (size_t v = 0; v < all_variants().size(); ++v) {
      for (size_t s = 1; s < kSets; ++s) {
        kinds.back().numbers.set(v, key_of(s, "das_ratio"), ours.get(v, key_of(s, kind.key)));
      }
    }
  }
  return check_claims(claim_rules(), paper_numbers().numbers, kinds);
}

}  // namespace heed
