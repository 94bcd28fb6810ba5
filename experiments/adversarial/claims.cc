#include "experiments/adversarial/claims.h"

#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "experiments/adversarial/paper.h"

namespace heed {
namespace {

using Number = std::optional<double>;

const std::string kRandom = kPaperTables[0], kGenerated = kPaperTables[1], kHumans = "humans";

// All variants of this name, by their places counted from 0.
std::vector<double> all_of(const VariantNumbers& t, const std::string& key) {
  std::vector<double> found;
  for (size_t v = 0; const Number number = t.get(v, key); ++v) found.push_back(*number);
  return found;
}

std::string listed(const std::vector<double>& numbers, int digits = 3) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : ", ") + decimal(x, digits);
  return text;
}

// The numbers of two names side by side: "0.677 and 0.677, ..."; empty if one has fewer numbers.
struct Pairs {
  std::vector<double> first, second;
  bool complete() const { return !first.empty() && first.size() == second.size(); }
  std::string text() const {
    std::string text;
    for (size_t i = 0; i < first.size(); ++i) {
      text += (i > 0 ? ", " : "") + decimal(first[i], 3) + " and " + decimal(second[i], 3);
    }
    return text;
  }
};
Pairs pairs_of(const VariantNumbers& t, const std::string& first, const std::string& second) {
  return {all_of(t, first), all_of(t, second)};
}

ClaimResult agreement_is_low(const VariantNumbers& t) {
  const auto pi = all_of(t, agreement_key(kRandom, kHumans));
  if (pi.empty()) return {};
  return {*std::max_element(pi.begin(), pi.end()) < 0.4, listed(pi)};
}

ClaimResult people_on_subtle(const VariantNumbers& t) {
  const auto accuracy = all_of(t, paper_key(kRandom, kHumans, "accuracy"));
  if (accuracy.size() != adversarial_paper().corpora.size()) return {};
  const double subtle = accuracy[paper_corpus("subtle")];
  const auto below =
      std::count_if(accuracy.begin(), accuracy.end(), [&](double other) { return subtle < other; });
  return {below + 1 == static_cast<std::ptrdiff_t>(accuracy.size()), listed(accuracy)};
}

ClaimResult people_accommodate(const VariantNumbers& t) {
  const auto get = [&](const char* score) { return all_of(t, paper_key(kRandom, kHumans, score)); };
  const auto f1 = get("real.f1"), other = get("fake.f1"), recall = get("real.recall"),
             precision = get("real.precision"), other_recall = get("fake.recall"),
             other_precision = get("fake.precision");
  if (f1.empty()) return {};
  size_t yes = 0;
  for (size_t c = 0; c < f1.size(); ++c) {
    yes += f1[c] > other[c] && recall[c] > precision[c] && other_recall[c] < other_precision[c];
  }
  return {yes == f1.size(), std::to_string(yes) + " of " + std::to_string(f1.size()) + " corpora"};
}

ClaimResult discriminator_beside_people(const VariantNumbers& t) {
  const Pairs p = pairs_of(t, paper_key(kRandom, kDiscriminator, "accuracy"),
                           paper_key(kRandom, kHumans, "accuracy"));
  if (!p.complete()) return {};
  bool holds = true;
  for (size_t c = 0; c < p.first.size(); ++c) {
    const bool worse = p.first[c] < p.second[c];
    holds &= worse == (c == paper_corpus("switchboard"));
  }
  return {holds, p.text()};
}

ClaimResult discriminator_agrees(const VariantNumbers& t) {
  const Pairs p =
      pairs_of(t, agreement_key(kRandom, kDiscriminator), agreement_key(kRandom, kHumans));
  if (!p.complete()) return {};
  bool holds = true;
  for (size_t c = 0; c < p.first.size(); ++c) {
    holds &= c == paper_corpus("switchboard") ? p.first[c] < 0.1
                                              : std::fabs(p.first[c] - p.second[c]) <= 0.05;
  }
  return {holds, p.text()};
}

ClaimResult cosine_is_higher(const VariantNumbers& t) {
  const auto higher = all_of(t, kCosineHigher), p = all_of(t, kCosineP);
  if (higher.empty() || higher.size() != p.size()) return {};
  size_t yes = 0, no = 0;
  for (size_t c = 0; c < p.size(); ++c) {
    if (p[c] >= 0.05) continue;
    (higher[c] > 0 ? yes : no) += 1;
  }
  ClaimResult result{{},
                     std::to_string(yes) + " of " + std::to_string(p.size()) + " corpora higher, " +
                         std::to_string(no) + " lower (p < .05)"};
  if (yes == p.size()) result.holds = true;
  if (no > 0) result.holds = false;
  return result;
}

// Whether a mean mass is within 0.1 of the expected one: for every seed, for none, or undecided.
Number is_about(const VariantNumbers& t, size_t corpus, const std::string& key, double wanted) {
  const double mean = t.get(corpus, key).value(),
               low = t.get(corpus, key + "." + kLow).value_or(mean),
               high = t.get(corpus, key + "." + kHigh).value_or(mean);
  if (low >= wanted - 0.1 && high <= wanted + 0.1) return 1;
  return high < wanted - 0.1 || low > wanted + 0.1 ? Number(0) : std::nullopt;
}

ClaimResult attention_on_response(const VariantNumbers& t) {
  const Pairs p = pairs_of(t, kAttentionReal, kAttentionFake);
  if (!p.complete()) return {};
  size_t yes = 0, no = 0;
  for (size_t c = 0; c < p.first.size(); ++c) {
    for (const Number& is :
         {is_about(t, c, kAttentionReal, 0.9), is_about(t, c, kAttentionFake, 0.5)}) {
      yes += is == 1.0;
      no += is == 0.0;
    }
  }
  ClaimResult result{{}, p.text()};
  if (yes == 2 * p.first.size()) result.holds = true;
  if (no > 0) result.holds = false;
  return result;
}

ClaimResult people_on_generated(const VariantNumbers& t) {
  const auto accuracy = all_of(t, paper_key(kGenerated, kHumans, "accuracy"));
  if (accuracy.empty()) return {};
  const bool holds = std::all_of(accuracy.begin(), accuracy.end(),
                                 [](double a) { return std::fabs(a - 0.5) <= 0.05; });
  return {holds, listed(accuracy)};
}

ClaimResult discriminator_on_generated(const VariantNumbers& t) {
  const auto of = [&](const char* number) {
    return all_of(t, paper_key(kGenerated, kDiscriminator, number));
  };
  const auto accuracy = of("accuracy"), p = of(kChance), low = of(kLow), high = of(kHigh);
  const bool ours = low.size() == accuracy.size();
  if (accuracy.empty() || (!ours && p.size() != accuracy.size())) return {};
  size_t sure = 0, below = 0;
  for (size_t i = 0; i < accuracy.size(); ++i) {
    sure += ours ? low[i] > 0.5 : p[i] < 0.05;
    below += ours ? high[i] < 0.5 : accuracy[i] <= 0.5;
  }
  ClaimResult result{{},
                     std::to_string(sure) + " of " + std::to_string(accuracy.size()) +
                         " above chance (" + (ours ? "95 % intervals" : "p < .05") +
                         "): " + listed(accuracy)};
  if (sure == accuracy.size()) result.holds = true;
  if (below > 0) result.holds = false;
  return result;
}

ClaimResult agreement_on_generated(const VariantNumbers& t) {
  const Pairs p =
      pairs_of(t, agreement_key(kGenerated, kHumans), agreement_key(kGenerated, kDiscriminator));
  if (!p.complete()) return {};
  const bool low = *std::max_element(p.first.begin(), p.first.end()) < 0.3;
  return {low && p.second.at(paper_corpus("switchboard")) < 0, p.text()};
}

struct Rule {
  const char *id, *rule;
  ClaimResult (*check)(const VariantNumbers&);
};
constexpr Rule kRules[] = {
    {"hard", "Fleiss' pi of the people below 0.4 on every corpus", agreement_is_low},
    {"humans-subtle", "accuracy of the people on SubTle below that on every other corpus",
     people_on_subtle},
    {"accommodate",
     "of the people on every corpus: F1 of real above that of random, recall of real above its "
     "precision, recall of random below its precision",
     people_accommodate},
    {"disc-movie-sub",
     "accuracy of the discriminator not below the people's on MovieTriples and SubTle, below it on "
     "Switchboard",
     discriminator_beside_people},
    {"disc-agreement",
     "pi of discriminator and majority within 0.05 of the people's on MovieTriples and SubTle, "
     "below 0.1 on Switchboard",
     discriminator_agrees},
    {"cosine",
     "on every corpus the cosine is higher where the passage is judged real (rank-sum test, p < "
     ".05 with every seed); does not hold where one is lower",
     cosine_is_higher},
    {"attention",
     "on every corpus the mean mass on the response is 0.9 where judged real and 0.5 where judged "
     "fake, each within 0.1 with every seed; does not hold where one is not with any",
     attention_on_response},
    {"generated-humans", "accuracy of the people within 0.05 of 0.5 on every corpus",
     people_on_generated},
    {"generated-disc",
     "accuracy above 0.5 for every corpus and generator; ours by the 95 % interval over "
     "conversations and seeds: does not hold where one is below 0.5; the paper's, of which there "
     "is no more, by the exact binomial test (one-sided, p < .05): does not hold where one is not "
     "above 0.5",
     discriminator_on_generated},
    {"generated-agreement",
     "Fleiss' pi of the people below 0.3 on every corpus, of the discriminator on Switchboard "
     "below 0",
     agreement_on_generated}};

// Of each seed that has the number.
std::vector<double> of_seeds(const std::vector<const RunResult*>& runs, const std::string& key) {
  std::vector<double> found;
  for (const RunResult* run : runs) {
    if (const Number number = run->numbers.value(key)) found.push_back(*number);
  }
  return found;
}

void add_looks(const AdversarialResults& results, size_t variant, size_t corpus,
               VariantNumbers& numbers) {
  const auto get = [&](const std::string& number) {
    return of_seeds(results.of(variant), looks_key(results.corpora[corpus], number));
  };
  for (const auto& [key, name] : {std::pair(kAttentionReal, "judged_real.attention.response"),
                                  {kAttentionFake, "judged_fake.attention.response"}}) {
    const std::vector<double> masses = get(name);
    if (masses.empty()) continue;
    const auto [low, high] = std::minmax_element(masses.begin(), masses.end());
    numbers.set(corpus, key, spread(masses)->mean);
    numbers.set(corpus, std::string(key) + "." + kLow, *low);
    numbers.set(corpus, std::string(key) + "." + kHigh, *high);
  }
  const auto p = get("cosine_judged_real_against_fake.p"),
             larger = get("cosine_judged_real_against_fake.first_is_larger");
  if (p.empty() || p.size() != larger.size()) return;
  const auto higher =
      std::count_if(larger.begin(), larger.end(), [](double share) { return share > 0.5; });
  const bool agree = higher == 0 || static_cast<size_t>(higher) == larger.size();
  numbers.set(corpus, kCosineP, agree ? *std::max_element(p.begin(), p.end()) : 1);
  numbers.set(corpus, kCosineHigher, higher > 0 ? 1 : 0);
}

}  // namespace

const std::vector<ClaimRule>& adversarial_claim_rules() {
  static const std::vector<ClaimRule> kAll = [] {
    std::vector<ClaimRule> rules;
    for (const Rule& rule : kRules)
      rules.push_back({adversarial_paper().claims.at(rule.id), rule.rule, rule.check});
    return rules;
  }();
  return kAll;
}

VariantNumbers claim_numbers(const AdversarialResults& results, const ScoredRows& rows,
                             bool together) {
  VariantNumbers numbers;
  size_t generated = 0;
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const ScoredRow* random = rows.discriminator(c, kRandomSet, together);
    if (!random) continue;
    numbers.set(c, paper_key(kRandom, kDiscriminator, "accuracy"), random->scores[0]->value);
    add_looks(results, random->variant, c, numbers);
    for (const std::string& generator : results.generators) {
      const ScoredRow* row = rows.discriminator(c, generator, together);
      if (!row || !row->scores[0]) continue;
      const auto set = [&](const char* number, double value) {
        numbers.set(generated, paper_key(kGenerated, kDiscriminator, number), value);
      };
      set("accuracy", row->scores[0]->value);
      set(kLow, row->scores[0]->interval.low);
      set(kHigh, row->scores[0]->interval.high);
      ++generated;
    }
  }
  return numbers;
}

namespace {

// The smallest number of seeds of such discriminators; 0 if there are none.
size_t fewest_seeds(const AdversarialResults& results, const ScoredRows& rows, bool together) {
  size_t fewest = 0;
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const ScoredRow* row = rows.discriminator(c, kRandomSet, together);
    if (row && (fewest == 0 || row->seeds < fewest)) fewest = row->seeds;
  }
  return fewest;
}

}  // namespace

Claims check_adversarial_claims(const AdversarialResults& results, const ScoredRows& rows) {
  std::vector<ClaimNumbers> ours;
  std::vector<size_t> seeds;
  for (const bool together : {false, true}) {
    const bool there = std::any_of(results.runs.begin(), results.runs.end(), [&](const auto& run) {
      const JudgeVariant& judge = results.judges[run.run.variant];
      return judge.together == together && !judge.scenario;
    });
    if (!there) continue;
    ours.push_back({together ? "one discriminator for all corpora" : "a discriminator a corpus",
                    claim_numbers(results, rows, together)});
    seeds.push_back(fewest_seeds(results, rows, together));
  }
  Claims claims =
      check_claims(adversarial_claim_rules(), adversarial_paper().numbers.numbers, ours);
  for (Claim& claim : claims.claims) {
    for (size_t k = 0; k < ours.size(); ++k) {
      if (seeds[k] < 2 && claim.ours[k].holds) claim.ours[k].holds.reset();
    }
  }
  return claims;
}

}  // namespace heed
