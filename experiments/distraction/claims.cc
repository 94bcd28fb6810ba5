// The paper's claims as rules.
#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "dialog/respond/das.h"
#include "dialog/text/format.h"
#include "experiments/distraction/results.h"

namespace heed {
namespace {

using T = const VariantNumbers&;
using Number = std::optional<double>;
constexpr size_t kRandomSets = 3;

// The smallest difference that counts. For the paper's table: half of the last printed digit. For
// ours, set by check_claims() to kMargin: the change between seeds on the random sets
// (docs/results/experiment.md).
const char* const kMargin = "margin";
constexpr double kHalfADigit = 0.005, kAnotherSeed = 0.02;

// Whether the first of each pair is below the second; nothing if the only pairs that do not say so
// are too close to tell.
using Pairs = std::vector<std::pair<double, double>>;
std::optional<bool> below(T t, const Pairs& pairs) {
  const double margin = t.get(0, kMargin).value_or(kHalfADigit);
  std::optional<bool> holds = true;
  for (const auto& [a, b] : pairs) {
    if (std::abs(a - b) < margin) {
      holds.reset();
    } else if (a > b) {
      return false;
    }
  }
  return holds;
}

std::string count(size_t holds, size_t of, const char* what) {
  return std::to_string(holds) + " of " + std::to_string(of) + " " + what;
}

size_t variant_of(const Structure& structure, double p) {
  return *find_variant(structure.name, p, true);
}
size_t static_ui(double p, bool loss = true) {
  return *find_variant("static-ui", p, loss);
}

Number ratio(T t, size_t variant, size_t set) {
  return t.get(variant, key_of(set, "das_ratio"));
}

// A variant's mean DAS ratio on the three random sets.
Number random_mean(T t, size_t variant) {
  double sum = 0;
  for (size_t s = 1; s <= kRandomSets; ++s) {
    const Number of_set = ratio(t, variant, s);
    if (!of_set) return std::nullopt;
    sum += *of_set;
  }
  return sum / kRandomSets;
}

ClaimResult similar_perplexities(T t) {
  const std::vector<double> all = t.all(key_of(0, "perplexity"));
  if (all.size() < all_variants().size()) return {};
  const double middle = *median(all);
  const auto close = static_cast<size_t>(
      std::ranges::count_if(all, [&](double x) { return std::abs(x / middle - 1) <= 0.05; }));
  const auto [low, high] = std::ranges::minmax(all);
  return {static_cast<double>(close) >= 0.9 * static_cast<double>(all.size()),
          count(close, all.size(), "within 5 %; ") + decimal(low, 1) + " to " + decimal(high, 1)};
}

ClaimResult ratios_drop(T t) {
  std::vector<double> changes;
  size_t drops = 0;
  for (const Structure& s : paper_structures()) {
    const Number base = random_mean(t, variant_of(s, 0));
    std::vector<double> trained;
    for (const double p : {0.5, 0.7}) {
      if (const Number mean = random_mean(t, variant_of(s, p))) trained.push_back(*mean);
    }
    if (!base || trained.empty()) return {};
    changes.push_back(spread(trained)->mean / *base - 1);
    drops += changes.back() <= -0.075;
  }
  return {drops >= 3, count(drops, changes.size(), "structures; median change ") +
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

// In how many structures this is so of the mean ratios at 0.5, 0.7 and 1.0.
auto over_structures(size_t needed, const char* what,
                     Pairs (*rule)(std::string_view structure, double a, double b, double c)) {
  return [=](T t) -> ClaimResult {
    Count structures;
    for (const Structure& s : paper_structures()) {
      const Number a = random_mean(t, variant_of(s, 0.5)), b = random_mean(t, variant_of(s, 0.7)),
                   c = random_mean(t, variant_of(s, 1.0));
      if (a && b && c) structures.add(below(t, rule(s.name, *a, *b, *c)));
    }
    const bool missing = structures.all < paper_structures().size() - 1;  // one is unreadable
    return missing ? ClaimResult() : structures.at_least(std::min(needed, structures.all), what);
  };
}

// Sets of phrases: frequent and rare, each at the beginning, in the middle and at the end.
constexpr size_t kPhraseSets[] = {4, 7};

// Numbers of the sets of phrases, by how far the set is behind the first one of its kind.
using OfPlaces = std::vector<std::pair<size_t, const char*>>;

// Whether these numbers rise, each above the one before, in four of five variants and kinds of
// phrases, of which there are at least so many.
auto rise(size_t least, const char* what, const OfPlaces& numbers) {
  return [=](T t) -> ClaimResult {
    Count rows;
    for (size_t v = 0; v < all_variants().size(); ++v) {
      for (const size_t first : kPhraseSets) {
        std::vector<double> there;
        for (const auto& [place, name] : numbers) {
          if (const Number x = t.get(v, key_of(first + place, name))) there.push_back(*x);
        }
        if (there.size() < numbers.size()) continue;
        Pairs pairs;
        for (size_t i = 1; i < there.size(); ++i) pairs.emplace_back(there[i - 1], there[i]);
        rows.add(below(t, pairs));
      }
    }
    if (rows.all < least) return {};
    return rows.at_least((4 * rows.all + 4) / 5, what);
  };
}

// The lowest of the variants in this group, and of the others.
struct Lowest {
  std::string name;
  double value = INFINITY;
};
template <class Value>
std::pair<Lowest, Lowest> lowest(bool (*is)(const Variant&), const Value& value) {
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

ClaimResult lowest_of_all(T t) {
  size_t known = 0;
  for (size_t v = 0; v < all_variants().size(); ++v) known += random_mean(t, v).has_value();
  if (known < all_variants().size() - 1) return {};
  const auto [it, other] = lowest([](const Variant& v) { return v.name.name == "static-ui-p0.7"; },
                                  [&](size_t v) { return random_mean(t, v); });
  return {below(t, {{it.value, other.value}}), beside(it, other)};
}

// On both sets of phrases in the middle: whether the lowest of all variants is one of these.
auto lowest_in_the_middle(bool (*is)(const Variant&)) {
  return [=](T t) -> ClaimResult {
    Pairs pairs;
    std::vector<std::string> figures;
    for (const size_t first : kPhraseSets) {
      const auto [one, other] = lowest(is, [&](size_t v) { return ratio(t, v, first + 1); });
      if (one.name.empty() || other.name.empty()) return {};
      pairs.emplace_back(one.value, other.value);
      figures.push_back(kind_of(first) + ": " + beside(one, other));
    }
    return {below(t, pairs), joined(figures, "; ")};
  };
}

ClaimResult loss_helps(T t) {
  const Number with = random_mean(t, static_ui(0.7)), none = random_mean(t, static_ui(0)),
               without = random_mean(t, static_ui(0.7, false));
  if (!with || !without || !none) return {};
  return {below(t, {{*with, *without}, {*without, *none}}),
          decimal(*with, 3) + " with the loss, " + decimal(*without, 3) + " without, " +
              decimal(*none, 3) + " without distractions"};
}

ClaimResult loss_turns_to_the_query(T t) {
  Pairs pairs;
  std::vector<std::string> figures;
  for (const double p : {0.5, 0.7, 1.0}) {
    const Number with = t.get(static_ui(p), key_of(0, "as_history")),
                 without = t.get(static_ui(p, false), key_of(0, "as_history"));
    if (!with || !without) return {};
    pairs.emplace_back(*with, *without);
    figures.push_back("p = " + decimal(p, 1) + ": " + decimal(100 * *with, 1) + " % and " +
                      decimal(100 * *without, 1) + " %");
  }
  return {below(t, pairs), joined(figures, "; ")};
}

ClaimResult static_looks_at_the_query(T t) {
  double highest_static = 0, lowest_other = INFINITY;
  Pairs pairs;
  for (const double p : {0.0, 0.5, 0.7, 1.0}) {
    double sums[2] = {}, counts[2] = {};
    for (const Structure& s : paper_structures()) {
      const Number as = t.get(variant_of(s, p), key_of(0, "as_history"));
      if (!as) return {};
      sums[s.static_query] += *as;
      counts[s.static_query] += 1;
    }
    const auto& [of_static, other] = pairs.emplace_back(sums[1] / counts[1], sums[0] / counts[0]);
    highest_static = std::max(highest_static, of_static);
    lowest_other = std::min(lowest_other, other);
  }
  return {below(t, pairs), "static at most " + decimal(100 * highest_static, 1) +
                               " %, the others at least " + decimal(100 * lowest_other, 1) + " %"};
}

// With distractions at p = 1.0 in training: whether the log-perplexity is lower with distractions
// than without. The paper prints no perplexities of distracting sets.
ClaimResult expects_distractions(T t) {
  Count structures;
  std::string which;
  for (const Structure& s : paper_structures()) {
    const Number none = t.get(variant_of(s, 1.0), key_of(0, "perplexity")),
                 two = t.get(variant_of(s, 1.0), key_of(kRandomSets, "perplexity"));
    if (!none || !two) return {};
    structures.add(*two < *none);
    if (*two < *none) which += " " + std::string(s.name);
  }
  ClaimResult result = structures.at_least(3, "structures");
  if (!which.empty()) result.figure += ":" + which;
  return result;
}

}  // namespace

const std::vector<ClaimRule>& claim_rules() {
  static const ClaimChecks kChecks = {
      {"similar perplexities", similar_perplexities},
      {"ratios drop", ratios_drop},
      {"lowest at 0.7", over_structures(3, "structures are lowest at 0.7",
                                        [](std::string_view, double a, double b, double c) {
                                          return Pairs{{b, a}, {b, c}};
                                        })},
      {"higher at 1.0", over_structures(3, "structures are higher at 1.0 than at 0.7",
                                        [](std::string_view, double, double b, double c) {
                                          return Pairs{{b, c}};
                                        })},
      {"lowest as printed",
       over_structures(5, "structures as in the paper",
                       [](std::string_view name, double a, double b, double c) {
                         if (name == "static" || name == "dynamic-ui") std::swap(a, b);
                         return Pairs{{b, a}, {b, c}};
                       })},
      {"lowest of all", lowest_of_all},
      {"loss helps", loss_helps},
      {"rise to the end", rise(2 * all_variants().size() - 3, "rise from begin to end",
                               {{0, "das_ratio"}, {1, "das_ratio"}, {2, "das_ratio"}})},
      {"static looks at the query", static_looks_at_the_query},
      {"below the first", rise(all_variants().size(), "below the first utterance",
                               {{0, "as_distraction"}, {0, "as_first"}})},
      {"below the last", rise(all_variants().size(), "below the last utterance",
                              {{2, "as_distraction"}, {2, "as_last"}})},
      {"trained lowest in the middle", lowest_in_the_middle([](const Variant& v) {
         return v.insert_prob > 0 && v.attention_loss;
       })},
      {"static-ui lowest in the middle", lowest_in_the_middle([](const Variant& v) {
         return v.name.name == "static-ui-p0.5" || v.name.name == "static-ui-p0.7";
       })},
      {"loss turns to the query", loss_turns_to_the_query},
      {"expects distractions", expects_distractions}};
  static const std::vector<ClaimRule> kRules = described_rules(kDistractionReport, kChecks);
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
