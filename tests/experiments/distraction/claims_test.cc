// The paper's claims as rules: each holds for the paper's own numbers, and fails for others.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "experiments/distraction/paper.h"
#include "tests/experiments/distraction/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

const MainTable& of_paper() {
  return paper_table().table;
}

TEST(Claims, HoldForThePapersOwnNumbers) {
  for (const Claim& claim : check_claims({of_paper()})) {
    EXPECT_EQ(claim.ours[0].holds, std::optional(true))
        << claim.text << " " << claim.ours[0].figure;
    EXPECT_EQ(claim.ours[0].figure, claim.paper.figure);
    EXPECT_FALSE(claim.paper.figure.empty());
  }
}

// Each claim can fail: models that are all alike, and ones that are the other way around.
TEST(Claims, DoNotHoldForOtherNumbers) {
  MainTable alike(23), reversed = of_paper();
  for (VariantNumbers& v : alike) {
    v.perplexity = 44, v.history_as = 1;
    v.das_ratio.fill(1.0);
  }
  for (VariantNumbers& v : reversed) {
    v.perplexity = 100 * *v.history_as, v.history_as = 1 - *v.history_as;
    for (auto& ratio : v.das_ratio) {
      if (ratio) ratio = 2 - *ratio;
    }
  }
  size_t i = 0;
  for (const Claim& claim : check_claims({alike, reversed})) {
    const bool perplexities = i++ == 0;
    EXPECT_EQ(claim.ours[0].holds, std::optional(perplexities)) << claim.text;
    EXPECT_EQ(claim.ours[1].holds, std::optional(false)) << claim.text;
  }
}

// ---- each half of each rule

VariantNumbers& at(MainTable& t, std::string_view structure, double p, bool loss = true) {
  return t[*find_variant(structure, p, loss)];
}

void set_random(VariantNumbers& v, double ratio) {
  for (size_t s = 0; s < 3; ++s) v.das_ratio[s] = ratio;
}

struct Spoiled {
  const char *what, *claim;  // the claim's beginning
  std::function<void(MainTable&)> spoil;
};

// Numbers of all structures on the random sets, as the paper finds them: ratios at p = 0, 0.5, ...
void set_all(MainTable& t, double p, double ratio) {
  for (const Structure& s : paper_structures()) set_random(at(t, s.name, p), ratio);
}

const std::vector<Spoiled> kSpoiled = {
    {"three of 23 too high", "Perplexities",
     [](MainTable& t) { t[3].perplexity = t[4].perplexity = t[5].perplexity = 80; }},
    {"three of 23 too low", "Perplexities",
     [](MainTable& t) { t[3].perplexity = t[4].perplexity = t[5].perplexity = 20; }},
    {"no drop at 0.5", "For most structures",
     [](MainTable& t) { set_all(t, 0, 0.8), set_all(t, 0.5, 0.81), set_all(t, 0.7, 0.7); }},
    {"no drop at 0.7", "For most structures",
     [](MainTable& t) { set_all(t, 0, 0.8), set_all(t, 0.5, 0.7), set_all(t, 0.7, 0.81); }},
    {"0.5 as good as 0.7", "p = 0.7 is generally",
     [](MainTable& t) { set_all(t, 0.5, 0.7), set_all(t, 0.7, 0.7), set_all(t, 1, 0.9); }},
    {"1.0 as good as 0.7", "p = 0.7 is generally",
     [](MainTable& t) { set_all(t, 0.5, 0.9), set_all(t, 0.7, 0.7), set_all(t, 1, 0.7); }},
    {"1.0 as good as 0.7", "p = 1.0 is worse",
     [](MainTable& t) { set_all(t, 0.7, 0.7), set_all(t, 1, 0.7); }},
    {"static best at 0.7", "static and dynamic-ui are best",
     [](MainTable& t) { set_random(at(t, "static", 0.7), 0.3); }},
    {"static best at 1.0", "static and dynamic-ui are best",
     [](MainTable& t) { set_random(at(t, "static", 1), 0.3); }},
    {"dynamic best at 0.5", "static and dynamic-ui are best",
     [](MainTable& t) { set_random(at(t, "dynamic", 0.5), 0.3); }},
    {"dynamic best at 1.0", "static and dynamic-ui are best",
     [](MainTable& t) { set_random(at(t, "dynamic", 1), 0.3); }},
    {"another is lower", "static-ui at p = 0.7",
     [](MainTable& t) { set_random(at(t, "non-hier", 0.5), 0.3); }},
    {"another is as low", "static-ui at p = 0.7",
     [](MainTable& t) {
       set_random(at(t, "static-ui", 0.7), 0.3), set_random(at(t, "static-ui", 0.5), 0.3);
     }},
    {"without the loss as good as with it", "Without the attention loss",
     [](MainTable& t) {
       set_random(at(t, "static-ui", 0), 0.8), set_random(at(t, "static-ui", 0.7, false), 0.6),
           set_random(at(t, "static-ui", 0.7), 0.6);
     }},
    {"without the loss as bad as without distractions", "Without the attention loss",
     [](MainTable& t) {
       set_random(at(t, "static-ui", 0), 0.8), set_random(at(t, "static-ui", 0.7, false), 0.8),
           set_random(at(t, "static-ui", 0.7), 0.6);
     }},
    {"middle as begin", "DAS ratios rise",
     [](MainTable& t) {
       for (VariantNumbers& v : t) v.das_ratio[4] = v.das_ratio[3], v.das_ratio[7] = v.das_ratio[6];
     }},
    {"end as middle", "DAS ratios rise",
     [](MainTable& t) {
       for (VariantNumbers& v : t) v.das_ratio[5] = v.das_ratio[4], v.das_ratio[8] = v.das_ratio[7];
     }},
    {"not at p = 0", "Static structures look more",
     [](MainTable& t) { at(t, "static", 0).history_as = at(t, "static-ui", 0).history_as = 1.2; }},
    {"not at p = 1", "Static structures look more",
     [](MainTable& t) { at(t, "static", 1).history_as = at(t, "static-ui", 1).history_as = 1.2; }},
};

TEST(Claims, NeedEachHalfOfTheirRule) {
  for (const Spoiled& spoiled : kSpoiled) {
    MainTable table = of_paper();
    spoiled.spoil(table);
    int found = 0;
    for (const Claim& claim : check_claims({table})) {
      if (!claim.text.starts_with(spoiled.claim)) continue;
      ++found;
      EXPECT_EQ(claim.ours[0].holds, std::optional(false)) << claim.text << ": " << spoiled.what;
    }
    EXPECT_EQ(found, 1) << spoiled.claim;
  }
}

TEST(Claims, SayWhenNumbersAreMissing) {
  for (const Claim& claim : check_claims({MainTable(23)})) EXPECT_FALSE(claim.ours[0].holds);
}

// ---- by each kind of ratio

// A model whose ratio of means falls and whose mean of ratios rises: the claim holds by one only.
TEST(Claims, AreComputedForEachKindOfRatio) {
  Results results = made_up_results();
  for (RunResult& run : results.runs) {
    for (SetResult& set : run.evaluation.sets) {
      const double p = run.run.get().insert_prob;
      set.summary.das_ratio = 0.9 - 0.2 * p;
      set.summary.mean_das_ratio = 0.9 + 0.2 * p;
      set.summary.median_das_ratio = 0.9;
    }
  }
  const auto claims = check_claims(results);
  const Claim& drop = claims.at(1);
  ASSERT_TRUE(drop.text.starts_with("For most structures"));
  ASSERT_EQ(drop.ours.size(), std::size(kClaimKinds));
  EXPECT_EQ(drop.ours[0].holds, std::optional(true));
  EXPECT_EQ(drop.ours[1].holds, std::optional(false));
  EXPECT_EQ(drop.ours[2].holds, std::optional(false));
  EXPECT_EQ(drop.ours[0].figure, "5 of 5 structures; median change -13.3 %");
  EXPECT_EQ(drop.ours[1].figure, "0 of 5 structures; median change 13.3 %");

  const TempDir dir;
  save_claims(dir.path("tables"), claims);
  const auto json = nlohmann::json::parse(dir.read("tables/claims.json"));
  ASSERT_EQ(json.size(), claims.size());
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
