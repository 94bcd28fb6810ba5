// The paper's claims as rules: each holds for the paper's own numbers, and fails for others.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "dialog/respond/das.h"
#include "experiments/distraction/results.h"
#include "tests/experiments/distraction/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

const VariantNumbers& of_paper() {
  return paper_numbers().numbers;
}

Claims check(const std::vector<VariantNumbers>& tables) {
  std::vector<ClaimNumbers> kinds;
  for (const VariantNumbers& table : tables) kinds.push_back({"made up", table});
  return check_claims(claim_rules(), of_paper(), kinds);
}

constexpr size_t kVariants = 23;

std::string das(size_t set) {
  return key_of(set, "das_ratio");
}
const std::string kPerplexity = key_of(0, "perplexity"), kHistoryAs = key_of(0, "as_history");

// The paper prints no perplexities of distracting sets, which one claim needs.
bool of_expecting(const Claim& claim) {
  return claim.text.starts_with("A model trained at p = 1.0");
}

TEST(Claims, HoldForThePapersOwnNumbers) {
  for (const Claim& claim : check({of_paper()}).claims) {
    EXPECT_EQ(claim.ours[0].figure, claim.paper.figure);
    EXPECT_EQ(claim.paper.figure.empty(), of_expecting(claim)) << claim.text;
    if (of_expecting(claim)) continue;
    EXPECT_EQ(claim.ours[0].holds, std::optional(true))
        << claim.text << " " << claim.ours[0].figure;
  }
}

// Each claim can fail: of models that are the other way around. Where all are alike, most cannot
// be told.
TEST(Claims, DoNotHoldForOtherNumbers) {
  VariantNumbers alike, reversed = of_paper();
  for (size_t v = 0; v < kVariants; ++v) {
    alike.set(v, kPerplexity, 44);
    alike.set(v, kHistoryAs, 1);
    const double history = *of_paper().get(v, kHistoryAs);
    reversed.set(v, kPerplexity, 100 * history);
    reversed.set(v, kHistoryAs, 1 - history);
    alike.set(v, key_of(3, "perplexity"), 44);
    reversed.set(v, key_of(3, "perplexity"), 101 * history);
    for (size_t s = 1; s < kSets; ++s) {
      alike.set(v, das(s), 1);
      if (const auto ratio = of_paper().get(v, das(s))) reversed.set(v, das(s), 2 - *ratio);
      for (const char* number : {"as_distraction", "as_first", "as_last"}) {
        alike.set(v, key_of(s, number), 1);
        const auto as = of_paper().get(v, key_of(s, number));
        if (as) reversed.set(v, key_of(s, number), 1 - *as);
      }
    }
  }
  for (const Claim& claim : check({alike, reversed}).claims) {
    std::optional<bool> of_alike;  // undecided
    if (claim.text.starts_with("Perplexities")) of_alike = true;
    if (claim.text.starts_with("For most structures") || of_expecting(claim)) of_alike = false;
    EXPECT_EQ(claim.ours[0].holds, of_alike) << claim.text << " " << claim.ours[0].figure;
    EXPECT_EQ(claim.ours[1].holds, std::optional(false))
        << claim.text << " " << claim.ours[1].figure;
  }
}

// Three structures are needed: two are clear, and of the others one is as good at 0.5, or all are
// worse at 0.7.
TEST(Claims, AreUndecidedWhileTheOpenOnesCouldDecide) {
  for (const bool worse : {false, true}) {
    VariantNumbers table = of_paper();
    for (const Structure& s : paper_structures()) {
      const bool clear = s.name == "static" || s.name == "dynamic";
      for (size_t set = 1; set <= 3; ++set) {
        table.set(*find_variant(s.name, 0.5, true), das(set), clear ? 0.8 : worse ? 0.6 : 0.702);
        table.set(*find_variant(s.name, 0.7, true), das(set), 0.7);
        table.set(*find_variant(s.name, 1.0, true), das(set), 0.9);
      }
    }
    const ClaimResult result = check({table}).claims.at(2).ours[0];
    EXPECT_EQ(result.holds, worse ? std::optional(false) : std::nullopt);
    EXPECT_EQ(result.figure, std::string("2 of 5 structures are lowest at 0.7") +
                                 (worse ? "" : ", 3 too close to tell"));
  }
}

// Ours have to differ by what another seed changes, 0.02; the paper's by half a digit.
TEST(Claims, OfOursNeedALargerDifference) {
  for (const double at_05 : {0.715, 0.725}) {
    Results results = made_up_results();
    for (RunResult& run : results.runs) {
      const double p = all_variants()[run.run.variant].insert_prob;
      for (size_t s = 1; s < kSets; ++s) {
        run.numbers.set(das(s), p == 0.7 ? 0.7 : p == 0.5 ? at_05 : 0.9);
      }
    }
    const Claim claim = check_claims(mean_numbers(results)).claims.at(2);
    ASSERT_TRUE(claim.text.starts_with("p = 0.7 is generally")) << claim.text;
    EXPECT_EQ(claim.ours[0].holds, at_05 > 0.72 ? std::optional(true) : std::nullopt);
  }
}

// ---- each half of each rule

size_t at(std::string_view structure, double p, bool loss = true) {
  return *find_variant(structure, p, loss);
}

void set_random(VariantNumbers& t, size_t variant, double ratio) {
  for (size_t s = 1; s <= 3; ++s) t.set(variant, das(s), ratio);
}

void set_perplexities(VariantNumbers& t, double perplexity) {
  for (const size_t v : {3, 4, 5}) t.set(v, kPerplexity, perplexity);
}

// The ratio on a set becomes that on another one.
void copy_ratio(VariantNumbers& t, size_t to, size_t from) {
  for (size_t v = 0; v < kVariants; ++v) t.set(v, das(to), t.get(v, das(from)));
}

struct Spoiled {
  const char *what, *claim;  // the claim's beginning
  std::function<void(VariantNumbers&)> spoil;
  std::optional<bool> holds = false;
};

// Numbers of all structures on the random sets, as the paper finds them: ratios at p = 0, 0.5, ...
void set_all(VariantNumbers& t, double p, double ratio) {
  for (const Structure& s : paper_structures()) set_random(t, at(s.name, p), ratio);
}

const std::vector<Spoiled> kSpoiled = {
    {"three of 23 too high", "Perplexities", [](VariantNumbers& t) { set_perplexities(t, 80); }},
    {"three of 23 too low", "Perplexities", [](VariantNumbers& t) { set_perplexities(t, 20); }},
    {"three of 23 by 8 %", "Perplexities",
     [](VariantNumbers& t) { set_perplexities(t, 1.08 * *median(t.all(kPerplexity))); }},
    {"no drop at 0.5", "For most structures",
     [](VariantNumbers& t) { set_all(t, 0, 0.8), set_all(t, 0.5, 0.81), set_all(t, 0.7, 0.7); }},
    {"no drop at 0.7", "For most structures",
     [](VariantNumbers& t) { set_all(t, 0, 0.8), set_all(t, 0.5, 0.7), set_all(t, 0.7, 0.81); }},
    {"0.5 as good as 0.7", "p = 0.7 is generally",
     [](VariantNumbers& t) { set_all(t, 0.5, 0.7), set_all(t, 0.7, 0.7), set_all(t, 1, 0.9); },
     std::nullopt},
    {"1.0 as good as 0.7", "p = 0.7 is generally",
     [](VariantNumbers& t) { set_all(t, 0.5, 0.9), set_all(t, 0.7, 0.7), set_all(t, 1, 0.7); },
     std::nullopt},
    {"1.0 as good as 0.7", "p = 1.0 is worse",
     [](VariantNumbers& t) { set_all(t, 0.7, 0.7), set_all(t, 1, 0.7); }, std::nullopt},
    {"static best at 0.7", "static and dynamic-ui are best",
     [](VariantNumbers& t) { set_random(t, at("static", 0.7), 0.3); }},
    {"static best at 1.0", "static and dynamic-ui are best",
     [](VariantNumbers& t) { set_random(t, at("static", 1), 0.3); }},
    {"dynamic-ui best at 0.7", "static and dynamic-ui are best",
     [](VariantNumbers& t) { set_random(t, at("dynamic-ui", 0.7), 0.3); }},
    {"dynamic best at 0.5", "static and dynamic-ui are best",
     [](VariantNumbers& t) { set_random(t, at("dynamic", 0.5), 0.3); }},
    {"dynamic best at 1.0", "static and dynamic-ui are best",
     [](VariantNumbers& t) { set_random(t, at("dynamic", 1), 0.3); }},
    {"another is lower", "static-ui at p = 0.7",
     [](VariantNumbers& t) { set_random(t, at("non-hier", 0.5), 0.3); }},
    {"another is as low", "static-ui at p = 0.7",
     [](VariantNumbers& t) {
       set_random(t, at("static-ui", 0.7), 0.3), set_random(t, at("static-ui", 0.5), 0.3);
     },
     std::nullopt},
    {"without the loss as good as with it", "Without the attention loss",
     [](VariantNumbers& t) {
       set_random(t, at("static-ui", 0), 0.8), set_random(t, at("static-ui", 0.7, false), 0.6),
           set_random(t, at("static-ui", 0.7), 0.6);
     },
     std::nullopt},
    {"without the loss as bad as without distractions", "Without the attention loss",
     [](VariantNumbers& t) {
       set_random(t, at("static-ui", 0), 0.8), set_random(t, at("static-ui", 0.7, false), 0.8),
           set_random(t, at("static-ui", 0.7), 0.6);
     },
     std::nullopt},
    {"middle as begin", "DAS ratios rise",
     [](VariantNumbers& t) { copy_ratio(t, 5, 4), copy_ratio(t, 8, 7); }, std::nullopt},
    {"end as middle", "DAS ratios rise",
     [](VariantNumbers& t) { copy_ratio(t, 6, 5), copy_ratio(t, 9, 8); }, std::nullopt},
    {"not at p = 0", "Static structures look more",
     [](VariantNumbers& t) {
       t.set(at("static", 0), kHistoryAs, 1.2), t.set(at("static-ui", 0), kHistoryAs, 1.2);
     }},
    {"not at p = 1", "Static structures look more",
     [](VariantNumbers& t) {
       t.set(at("static", 1), kHistoryAs, 1.2), t.set(at("static-ui", 1), kHistoryAs, 1.2);
     }},
    {"one phrase set above the first utterance", "Phrases at the beginning",
     [](VariantNumbers& t) {
       for (size_t v = 0; v < 5; ++v) t.set(v, key_of(7, "as_distraction"), 2);
     }},
    {"one more above the last utterance", "Phrases at the end",
     [](VariantNumbers& t) { t.set(0, key_of(9, "as_distraction"), 2); }},
    {"without the loss lower in one middle", "In the middle, models trained",
     [](VariantNumbers& t) { t.set(at("static-ui", 0.5, false), das(8), 0.3); }},
    {"without distractions lower in the other", "In the middle, models trained",
     [](VariantNumbers& t) { t.set(at("static", 0), das(5), 0.3); }},
    {"static-ui is best at 1.0", "In the middle, static-ui",
     [](VariantNumbers& t) { t.set(at("static-ui", 1), das(5), 0.3); }},
    {"the loss turns away from the query at 1.0", "The attention loss turns",
     [](VariantNumbers& t) { t.set(at("static-ui", 1), kHistoryAs, 1.2); }},
    {"two structures expect distractions", "A model trained at p = 1.0",
     [](VariantNumbers& t) {
       for (size_t v = 0; v < kVariants; ++v) t.set(v, key_of(3, "perplexity"), 60);
       t.set(at("static", 1), key_of(3, "perplexity"), 40);
       t.set(at("static-ui", 1), key_of(3, "perplexity"), 40);
     }},
};

// What is as good as another is undecided, not false.
TEST(Claims, NeedEachHalfOfTheirRule) {
  for (const Spoiled& spoiled : kSpoiled) {
    VariantNumbers table = of_paper();
    spoiled.spoil(table);
    int found = 0;
    for (const Claim& claim : check({table}).claims) {
      if (!claim.text.starts_with(spoiled.claim)) continue;
      ++found;
      EXPECT_EQ(claim.ours[0].holds, spoiled.holds) << claim.text << ": " << spoiled.what;
    }
    EXPECT_EQ(found, 1) << spoiled.claim;
  }
}

TEST(Claims, SayWhenNumbersAreMissing) {
  for (const Claim& claim : check({VariantNumbers()}).claims) {
    EXPECT_FALSE(claim.ours[0].holds);
    EXPECT_EQ(claim.ours[0].figure, "");
  }
}

// ---- by each kind of ratio

// A model whose ratio of means falls and whose mean of ratios rises: the claim holds by one only.
TEST(Claims, AreComputedForEachKindOfRatio) {
  Results results = made_up_results();
  for (RunResult& run : results.runs) {
    for (size_t s = 1; s < kSets; ++s) {
      const double p = all_variants()[run.run.variant].insert_prob;
      run.numbers.set(key_of(s, "das_ratio"), 0.9 - 0.2 * p);
      run.numbers.set(key_of(s, "mean_das_ratio"), 0.9 + 0.2 * p);
      run.numbers.set(key_of(s, "median_das_ratio"), 0.9);
    }
  }
  const Claims claims = check_claims(mean_numbers(results));
  const Claim& drop = claims.claims.at(1);
  ASSERT_TRUE(drop.text.starts_with("For most structures"));
  ASSERT_EQ(drop.ours.size(), std::size(kRatioKinds));
  EXPECT_EQ(drop.ours[0].holds, std::optional(true));
  EXPECT_EQ(drop.ours[1].holds, std::optional(false));
  EXPECT_EQ(drop.ours[2].holds, std::optional(false));
  EXPECT_EQ(drop.ours[0].figure, "5 of 5 structures; median change -13.3 %");
  EXPECT_EQ(drop.ours[1].figure, "0 of 5 structures; median change 13.3 %");

  const TempDir dir;
  save_claims(dir.path("tables"), claims, "A note.");
  const auto json = nlohmann::json::parse(dir.read("tables/claims.json"));
  ASSERT_EQ(json.size(), claims.claims.size());
  EXPECT_EQ(json[1]["ratio of means"]["holds"], true);
  EXPECT_EQ(json[1]["mean of ratios"]["figure"], drop.ours[1].figure);
  EXPECT_EQ(json[1]["median of ratios"]["holds"], false);
  EXPECT_EQ(json[1]["paper"]["holds"], true);
  const std::string text = dir.read("tables/claims.md");
  EXPECT_NE(text.find("| **holds**: 5 of 5 structures; median change -13.3 % | does not hold: 0 of "
                      "5 structures; median change 13.3 % |"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace heed
