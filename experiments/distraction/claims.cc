// The paper's claims as rules.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dialog/respond/das.h"
#include "dialog/text/format.h"
#include "experiments/distraction/results.h"

namespace heed {
namespace {

using Number = std::optional<double>;
constexpr size_t kRandomSets = 3;

// The smallest difference that counts. For the paper's table: half of the last printed digit. For
// ours, set by check_claims() to kMargin: the change between seeds on the random sets
// (docs/results/experiment.md).
const char* const kMargin = "margin";
constexpr double kHalfADigit = 0.005, kAnotherSeed = 0.02;

// Whether a is below b; empty if they are too close to tell.
std::optional<bool> below(const VariantNumbers& t, double a, double b) {
  const double margin = t.get(0, kMargin).value_or(kHalfADigit);
  if (std::abs(a - b) < margin) return std::nullopt;
  return a < b;
}

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
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

// How often a rule holds, and how often it is undecided.
struct Count {
  size_t yes = 0, open = 0, all = 0;
  void add(std::optional<bool> holds) { ++all, yes += holds == true, open += !holds; }
  // Holds with this many, and is undecided while the open ones could still add up to as many.
  ClaimResult at_least(size_t needed, const char* what) const {
    ClaimResult result = {yes >= needed, count(yes, all, what)};
    if (open > 0) result.figure += ", " + std::to_string(open) + " too close to tell";
    if (yes < needed && yes + open >= needed) result.holds = std::nullopt;
    return result;
  }
};

// In how many structures `holds` is true of the ratios at 0.5, 0.7 and 1.0.
using OfRatios = std::optional<bool> (*)(const VariantNumbers& t, std::string_view structure,
                                         double a, double b, double c);
auto over_structures(size_t needed, const char* what, OfRatios holds) {
  return [=](const VariantNumbers& t) -> ClaimResult {
    Count structures;
    for (const Structure& s : paper_structures()) {
      const Number a = random_mean(t, s.name, 0.5), b = random_mean(t, s.name, 0.7),
                   c = random_mean(t, s.name, 1.0);
      if (a && b && c) structures.add(holds(t, s.name, *a, *b, *c));
    }
    const bool missing = structures.all < paper_structures().size() - 1;  // one is unreadable
    return missing ? ClaimResult() : structures.at_least(std::min(needed, structures.all), what);
  };
}

// The lowest of the variants in this group, and of the others.
struct Lowest {
  std::string name;
  double value = INFINITY;
};
template <class Is, class Value>
std::pair<Lowest, Lowest> lowest(const Is& is, const Value& value) {
  Lowest one, other;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const Number number = value(v);
    Lowest& best = is(all_variants()[v]) ? one : other;
    if (number && *number < best.value) best = {all_variants()[v].name.name, *number};
  }
  return {one, other};
}

std::string beside(const Lowest& one, const Lowest& other) {
  return one.name + " " + decimal(one.value, 3) + ", " + other.name + " " + decimal(other.value, 3);
}

bool is_static_ui_at_07(const Variant& v) {
  return v.name.name == "static-ui-p0.7";
}

ClaimResult lowest_of_all(const VariantNumbers& t) {
  const auto mean = [&](size_t v) {
    const Variant& variant = all_variants()[v];
    return random_mean(t, variant.structure.name, variant.insert_prob, variant.attention_loss);
  };
  size_t known = 0;
  for (size_t v = 0; v < all_variants().size(); ++v) known += mean(v).has_value();
  if (known < all_variants().size() - 1) return {};
  const auto [it, other] = lowest(is_static_ui_at_07, mean);
  return {below(t, it.value, other.value), beside(it, other)};
}

ClaimResult loss_helps(const VariantNumbers& t) {
  const Number with = random_mean(t, "static-ui", 0.7), none = random_mean(t, "static-ui", 0),
               without = random_mean(t, "static-ui", 0.7, false);
  if (!with || !without || !none) return {};
  return {both(below(t, *with, *without), below(t, *without, *none)),
          format("%.3f with the loss, %.3f without, %.3f without distractions", *with, *without,
                 *none)};
}

// Sets of phrases: frequent and rare, each at the beginning, in the middle and at the end.
constexpr size_t kPhraseSets[] = {4, 7};

ClaimResult rise_to_the_end(const VariantNumbers& t) {
  Count rows;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    for (const size_t first : kPhraseSets) {
      const auto ratio = [&](size_t set) { return t.get(v, key_of(set, "das_ratio")); };
      const Number a = ratio(first), b = ratio(first + 1), c = ratio(first + 2);
      if (a && b && c) rows.add(both(below(t, *a, *b), below(t, *b, *c)));
    }
  }
  if (rows.all < 2 * all_variants().size() - 3) return {};
  return rows.at_least((4 * rows.all + 4) / 5, "rise from begin to end");
}

// Whether phrases at this place (0: the beginning, 2: the end) get less attention than the original
// utterance beside them, in four of five variants and kinds. The paper has only the rare ones.
auto less_than_its_neighbour(size_t place, const char* neighbour, const char* what) {
  return [=](const VariantNumbers& t) -> ClaimResult {
    Count rows;
    for (size_t v = 0; v < all_variants().size(); ++v) {
      for (const size_t first : kPhraseSets) {
        const Number phrases = t.get(v, key_of(first + place, "as_distraction")),
                     beside = t.get(v, key_of(first + place, neighbour));
        if (phrases && beside) rows.add(below(t, *phrases, *beside));
      }
    }
    if (rows.all < all_variants().size()) return {};
    return rows.at_least((4 * rows.all + 4) / 5, what);
  };
}

// On both sets of phrases in the middle: whether the lowest of all variants is one of these.
auto lowest_in_the_middle(bool (*is)(const Variant&)) {
  return [=](const VariantNumbers& t) -> ClaimResult {
    ClaimResult result{true, ""};
    for (const size_t first : kPhraseSets) {
      const auto [one, other] =
          lowest(is, [&](size_t v) { return t.get(v, key_of(first + 1, "das_ratio")); });
      if (one.name.empty() || other.name.empty()) return {};
      result.holds = both(result.holds, below(t, one.value, other.value));
      result.figure +=
          (result.figure.empty() ? "" : "; ") + kind_of(first) + ": " + beside(one, other);
    }
    return result;
  };
}

ClaimResult loss_turns_to_the_query(const VariantNumbers& t) {
  std::optional<bool> holds = true;
  std::string figure;
  for (const double p : {0.5, 0.7, 1.0}) {
    const Number with = t.get(*find_variant("static-ui", p, true), key_of(0, "as_history")),
                 without = t.get(*find_variant("static-ui", p, false), key_of(0, "as_history"));
    if (!with || !without) return {};
    holds = both(holds, below(t, *with, *without));
    figure += (figure.empty() ? "" : "; ") +
              format("p = %.1f: %.1f %% and %.1f %%", p, 100 * *with, 100 * *without);
  }
  return {holds, figure};
}

// With distractions at p = 1.0 in training: whether the log-perplexity is lower with distractions
// than without. The paper prints no perplexities of distracting sets.
ClaimResult expects_distractions(const VariantNumbers& t) {
  Count structures;
  std::string which;
  for (const Structure& s : paper_structures()) {
    const size_t v = *find_variant(s.name, 1.0, true);
    const Number none = t.get(v, key_of(0, "perplexity")),
                 two = t.get(v, key_of(kRandomSets, "perplexity"));
    if (!none || !two) return {};
    structures.add(*two < *none);
    if (*two < *none) which += " " + std::string(s.name);
  }
  ClaimResult result = structures.at_least(3, "structures");
  if (!which.empty()) result.figure += ":" + which;
  return result;
}

ClaimResult static_looks_at_the_query(const VariantNumbers& t) {
  double highest_static = 0, lowest_other = INFINITY;
  std::optional<bool> holds = true;
  for (const double p : {0.0, 0.5, 0.7, 1.0}) {
    double sums[2] = {}, counts[2] = {};
    for (const Structure& s : paper_structures()) {
      const Number as = t.get(*find_variant(s.name, p, true), key_of(0, "as_history"));
      if (!as) return {};
      sums[s.static_query] += *as;
      counts[s.static_query] += 1;
    }
    const double other = sums[0] / counts[0], of_static = sums[1] / counts[1];
    holds = both(holds, below(t, of_static, other));
    highest_static = std::max(highest_static, of_static);
    lowest_other = std::min(lowest_other, other);
  }
  return {holds, format("static at most %.1f %%, the others at least %.1f %%", 100 * highest_static,
                        100 * lowest_other)};
}

}  // namespace

const std::vector<ClaimRule>& claim_rules() {
  using T = const VariantNumbers&;
  static const std::vector<ClaimRule> kRules = {
      {"Perplexities of the variants are close.", "At least nine in ten within 5 % of the median.",
       similar_perplexities},
      {"For most structures DAS ratios drop by about 10 % with p = 0.5 or 0.7.",
       "Mean over the random sets, p = 0.5 and 0.7 together against p = 0: a drop of 7.5 % or more "
       "in at least 3 of 5 structures.",
       ratios_drop},
      {"p = 0.7 is generally the best.",
       "Mean over the random sets: lowest of 0.5, 0.7 and 1.0 in at least 3 structures.",
       over_structures(3, "structures are lowest at 0.7",
                       [](T t, std::string_view, double a, double b, double c) {
                         return both(below(t, b, a), below(t, b, c));
                       })},
      {"p = 1.0 is worse.",
       "Mean over the random sets: higher than at 0.7 in at least 3 structures.",
       over_structures(
           3, "structures are higher at 1.0 than at 0.7",
           [](T t, std::string_view, double, double b, double c) { return below(t, b, c); })},
      {"static and dynamic-ui are best at 0.5, non-hier, static-ui and dynamic at 0.7.",
       "Mean over the random sets: in all structures.",
       over_structures(5, "structures as in the paper",
                       [](T t, std::string_view name, double a, double b, double c) {
                         if (name == "static" || name == "dynamic-ui") std::swap(a, b);
                         return both(below(t, b, a), below(t, b, c));
                       })},
      {"static-ui at p = 0.7 has the lowest DAS ratio of all variants.",
       "Mean over the random sets.", lowest_of_all},
      {"Without the attention loss the gain is smaller.",
       "static-ui, p = 0.7, mean over the random sets: with the loss < without it < no "
       "distractions in training.",
       loss_helps},
      {"DAS ratios rise from begin to middle to end.",
       "begin < middle < end in at least 80 % of variants and kinds of phrases.", rise_to_the_end},
      {"Static structures look more at the query.",
       "Mean AS of the history: lower for static and static-ui than for the others, at every p.",
       static_looks_at_the_query},
      {"Phrases at the beginning get less attention than the first utterance.",
       "AS of the distractions below that of the history's first utterance in at least 80 % of "
       "variants and kinds of phrases.",
       less_than_its_neighbour(0, "as_first", "below the first utterance")},
      {"Phrases at the end get less attention than the last utterance.",
       "AS of the distractions below that of the history's last utterance in at least 80 % of "
       "variants and kinds of phrases.",
       less_than_its_neighbour(2, "as_last", "below the last utterance")},
      {"In the middle, models trained with distractions are best.",
       "frequent:middle and rare:middle: the lowest DAS ratio with distractions and the loss in "
       "training is below the lowest without one of them.",
       lowest_in_the_middle(
           [](const Variant& v) { return v.insert_prob > 0 && v.attention_loss; })},
      {"In the middle, static-ui at p = 0.5 or 0.7 is best.",
       "frequent:middle and rare:middle: its DAS ratio is below the lowest of all others.",
       lowest_in_the_middle([](const Variant& v) {
         return v.name.name == "static-ui-p0.5" || v.name.name == "static-ui-p0.7";
       })},
      {"The attention loss turns static-ui to the query.",
       "Mean AS of the history: lower with the loss than without, at 0.5, 0.7 and 1.0.",
       loss_turns_to_the_query},
      {"A model trained at p = 1.0 assumes that there must be distractions.",
       "Perplexity at p = 1.0: lower on random:1.0 than on the original test set, in at least 3 of "
       "5 structures.",
       expects_distractions},
  };
  return kRules;
}

Claims check_claims(const VariantNumbers& ours) {
  std::vector<ClaimNumbers> kinds;
  for (const RatioKind& kind : kRatioKinds) {
    kinds.push_back({kind.name, ours});
    kinds.back().numbers.set(0, kMargin, kAnotherSeed);
    for (size_t v = 0; v < all_variants().size(); ++v) {
      for (size_t s = 1; s < kSets; ++s) {
        kinds.back().numbers.set(v, key_of(s, "das_ratio"), ours.get(v, key_of(s, kind.key)));
      }
    }
  }
  return check_claims(claim_rules(), paper_numbers().numbers, kinds);
}

}  // namespace heed
