#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "dialog/text/format.h"
#include "experiments/adversarial/experiment.h"

namespace heed {
namespace {

using T = const VariantNumbers&;
using Number = std::optional<double>;
using Check = std::function<ClaimResult(T)>;

constexpr char kPaperText[] =
#include "adversarial_evaluation.inc"
    ;

// ---- rules

constexpr size_t kMostListed = 8;
std::string listed(const std::vector<double>& numbers) {
  return joined(numbers, ", ", [](double x) { return decimal(x, 3); });
}

// "0.677 and 0.677, ..."
std::string listed(const std::vector<double>& first, const std::vector<double>& second) {
  std::string text;
  for (size_t i = 0; i < first.size(); ++i)
    text += (i > 0 ? ", " : "") + decimal(first[i], 3) + " and " + decimal(second[i], 3);
  return text;
}

// Of all numbers of this name.
Check every(const std::string& key, bool (*holds)(double number)) {
  return [=](T t) -> ClaimResult {
    const auto all = t.all(key);
    if (all.empty()) return {};
    return {std::all_of(all.begin(), all.end(), holds), listed(all)};
  };
}

// Of the numbers of two names side by side, of every corpus.
Check every_pair(const std::string& first, const std::string& second,
                 bool (*holds)(size_t corpus, double first, double second)) {
  return [=](T t) -> ClaimResult {
    const auto a = t.all(first), b = t.all(second);
    if (a.empty() || a.size() != b.size()) return {};
    ClaimResult result{true, listed(a, b)};
    for (size_t c = 0; c < a.size(); ++c) result.holds = *result.holds && holds(c, a[c], b[c]);
    return result;
  };
}

// Holds where all say yes, and does not where one says no.
ClaimResult decided(size_t yes, size_t no, size_t all, const std::string& figure) {
  ClaimResult result{{}, figure};
  if (yes == all) result.holds = true;
  if (no > 0) result.holds = false;
  return result;
}

ClaimResult people_on_subtle(T t) {
  const auto accuracy = t.all("random.humans.accuracy");
  if (accuracy.size() != std::size(kPaperCorpora)) return {};
  const double subtle = accuracy[kSubTle];
  const bool lowest = subtle < accuracy[kSwitchboard] && subtle < accuracy[kMovieTriples];
  return {lowest, listed(accuracy)};
}

ClaimResult people_accommodate(T t) {
  const auto get = [&](const char* score) { return t.all(std::string("random.humans.") + score); };
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

ClaimResult cosine_is_higher(T t) {
  const auto higher = t.all("cosine.higher"), p = t.all("cosine.p");
  if (higher.empty() || higher.size() != p.size()) return {};
  size_t yes = 0, no = 0;
  for (size_t c = 0; c < p.size(); ++c) {
    if (p[c] < 0.05) (higher[c] > 0 ? yes : no) += 1;
  }
  return decided(yes, no, p.size(),
                 std::to_string(yes) + " of " + std::to_string(p.size()) + " corpora higher, " +
                     std::to_string(no) + " lower (p < .05)");
}

// Whether a mean mass is within 0.1 of the expected one: for every seed, for none, or undecided.
std::optional<bool> is_about(T t, size_t place, const std::string& key, double wanted) {
  const bool of_seeds = !t.all(key + ".low").empty();
  const double low = t.all(of_seeds ? key + ".low" : key).at(place),
               high = t.all(of_seeds ? key + ".high" : key).at(place);
  if (low >= wanted - 0.1 && high <= wanted + 0.1) return true;
  return high < wanted - 0.1 || low > wanted + 0.1 ? std::optional(false) : std::nullopt;
}

ClaimResult attention_on_response(T t) {
  const std::string real = "attention.judged_real", fake = "attention.judged_fake";
  const auto on_real = t.all(real), on_fake = t.all(fake);
  if (on_real.empty() || on_real.size() != on_fake.size()) return {};
  size_t yes = 0, no = 0;
  for (size_t c = 0; c < on_real.size(); ++c) {
    for (const auto& is : {is_about(t, c, real, 0.9), is_about(t, c, fake, 0.5)}) {
      yes += is == true;
      no += is == false;
    }
  }
  return decided(yes, no, 2 * on_real.size(), listed(on_real, on_fake));
}

ClaimResult discriminator_on_generated(T t) {
  const auto of = [&](const char* number) {
    return t.all(std::string("generated.discriminator.") + number);
  };
  const auto accuracy = of("accuracy"), p = of("p"), low = of("low"), high = of("high");
  const bool ours = low.size() == accuracy.size();
  if (accuracy.empty() || (!ours && p.size() != accuracy.size())) return {};
  size_t sure = 0, below = 0;
  for (size_t i = 0; i < accuracy.size(); ++i) {
    sure += ours ? low[i] > 0.5 : p[i] < 0.05;
    below += ours ? high[i] < 0.5 : accuracy[i] <= 0.5;
  }
  return decided(sure, below, accuracy.size(),
                 std::to_string(sure) + " of " + std::to_string(accuracy.size()) +
                     " above chance (" + (ours ? "95 % intervals" : "p < .05") + "): " +
                     (accuracy.size() > kMostListed ? range_text(accuracy, 3) : listed(accuracy)));
}

// ---- our numbers

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
  for (const std::string judged : {"judged_real", "judged_fake"}) {
    const std::vector<double> masses = get(judged + ".attention.response");
    if (masses.empty()) continue;
    const auto [low, high] = std::minmax_element(masses.begin(), masses.end());
    numbers.set(corpus, "attention." + judged, spread(masses)->mean);
    numbers.set(corpus, "attention." + judged + ".low", *low);
    numbers.set(corpus, "attention." + judged + ".high", *high);
  }
  const auto p = get("cosine_judged_real_against_fake.p"),
             larger = get("cosine_judged_real_against_fake.first_is_larger");
  if (p.empty() || p.size() != larger.size()) return;
  const auto higher =
      std::count_if(larger.begin(), larger.end(), [](double share) { return share > 0.5; });
  const bool agree = higher == 0 || static_cast<size_t>(higher) == larger.size();
  numbers.set(corpus, "cosine.p", agree ? *std::max_element(p.begin(), p.end()) : 1);
  numbers.set(corpus, "cosine.higher", higher > 0 ? 1 : 0);
}

// The smallest number of seeds of such discriminators; 0 if there are none.
size_t fewest_seeds(const AdversarialFound& found, bool together) {
  size_t fewest = 0;
  for (size_t c = 0; c < found.results.corpora.size(); ++c) {
    const ScoredRow* row = found.rows.discriminator(c, kRandomSet, together);
    if (row && (fewest == 0 || row->seeds < fewest)) fewest = row->seeds;
  }
  return fewest;
}

}  // namespace

const PaperNumbers& adversarial_paper() {
  static const PaperNumbers kRead = {
      printed_numbers(kPaperText, {std::begin(kPaperCorpora), std::end(kPaperCorpora)}),
      "data/adversarial-evaluation.json"};
  return kRead;
}

const std::vector<ClaimRule>& adversarial_claim_rules() {
  const auto is_low = [](double pi) { return pi < 0.4; };
  const auto is_chance = [](double accuracy) { return std::fabs(accuracy - 0.5) <= 0.05; };
  const auto is_worse_on_switchboard = [](size_t corpus, double its, double theirs) {
    return (its < theirs) == (corpus == kSwitchboard);
  };
  const auto agrees_but_on_switchboard = [](size_t corpus, double its, double theirs) {
    return corpus == kSwitchboard ? its < 0.1 : std::fabs(its - theirs) <= 0.05;
  };
  const auto are_low = [](size_t corpus, double theirs, double its) {
    return theirs < 0.3 && (corpus != kSwitchboard || its < 0);
  };
  static const std::vector<ClaimRule> kRules = described_rules(
      kAdversarialReport,
      {{"low agreement of people", every("random.humans.pi", is_low)},
       {"people on SubTle", people_on_subtle},
       {"people accommodate", people_accommodate},
       {"discriminator against people",
        every_pair("random.discriminator.accuracy", "random.humans.accuracy",
                   is_worse_on_switchboard)},
       {"discriminator agrees",
        every_pair("random.discriminator.pi", "random.humans.pi", agrees_but_on_switchboard)},
       {"cosine is higher", cosine_is_higher},
       {"attention on response", attention_on_response},
       {"people cannot tell", every("generated.humans.accuracy", is_chance)},
       {"discriminator on generated", discriminator_on_generated},
       {"agreement on generated",
        every_pair("generated.humans.pi", "generated.discriminator.pi", are_low)}});
  return kRules;
}

VariantNumbers claim_numbers(const AdversarialFound& found, bool together) {
  const auto& [results, rows] = found;
  VariantNumbers numbers;
  size_t generated = 0;
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const ScoredRow* random = rows.discriminator(c, kRandomSet, together);
    if (!random || !random->scores[0]) continue;
    numbers.set(c, "random.discriminator.accuracy", random->scores[0]->value);
    add_looks(results, random->variant, c, numbers);
    for (const std::string& generator : results.generators) {
      const ScoredRow* row = rows.discriminator(c, generator, together);
      if (!row || !row->scores[0]) continue;
      numbers.set(generated, "generated.discriminator.accuracy", row->scores[0]->value);
      numbers.set(generated, "generated.discriminator.low", row->scores[0]->interval.low);
      numbers.set(generated, "generated.discriminator.high", row->scores[0]->interval.high);
      ++generated;
    }
  }
  return numbers;
}

Claims check_adversarial_claims(const AdversarialFound& found) {
  std::vector<ClaimNumbers> ours;
  std::vector<size_t> seeds;
  for (const bool together : {false, true}) {
    const auto& runs = found.results.runs;
    const bool there = std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) {
      const JudgeVariant& judge = found.results.judges[run.run.variant];
      return judge.together == together && !judge.scenario;
    });
    if (!there) continue;
    ours.push_back({together ? "one discriminator for all corpora" : "a discriminator a corpus",
                    claim_numbers(found, together)});
    seeds.push_back(fewest_seeds(found, together));
  }
  Claims claims = check_claims(adversarial_claim_rules(), adversarial_paper().numbers, ours);
  for (Claim& claim : claims.claims) {
    for (size_t k = 0; k < ours.size(); ++k) {
      if (seeds[k] < 2 && claim.ours[k].holds) claim.ours[k].holds.reset();
    }
  }
  return claims;
}

}  // namespace heed
