// The paper's numbers, and the claims that are computed from them: known answers.
#include <gtest/gtest.h>

#include <map>

#include "dialog/discriminate/confusion.h"
#include "experiments/adversarial/making_json.h"
#include "experiments/adversarial/results.h"

namespace heed {
namespace {

const VariantNumbers& paper() {
  return adversarial_paper().numbers;
}

TEST(AdversarialPaper, HasBothTables) {
  for (const std::string table : {"random", "generated"}) {
    for (size_t c = 0; c < 3; ++c) {
      for (const std::string judge : {".discriminator.", ".humans."}) {
        for (const char* score : kScoreNames)
          EXPECT_TRUE(paper().get(c, table + judge + score)) << table << c << score;
        EXPECT_TRUE(paper().get(c, table + judge + "pi"));
      }
    }
  }
  EXPECT_EQ(paper().get(kSubTle, "random.discriminator.fake.recall"), 0.787);
  EXPECT_EQ(paper().get(kMovieTriples, "generated.humans.real.recall"), 0.733);
  EXPECT_TRUE(paper().is_doubtful(kSwitchboard, "random.humans.real.recall"));
}

// The ten, as the specification reads them: all hold but the one about generated responses, which
// Switchboard does not show.
TEST(AdversarialPaper, TheClaimsOfItsOwnNumbers) {
  const auto& rules = adversarial_claim_rules();
  ASSERT_EQ(rules.size(), 10u);
  size_t undecided = 0;
  for (const ClaimRule& rule : rules) {
    const ClaimResult result = rule.check(paper());
    EXPECT_FALSE(result.figure.empty()) << rule.claim;
    if (!result.holds) {
      ++undecided;
      EXPECT_NE(rule.claim.find("above chance on generated"), std::string::npos) << rule.claim;
      EXPECT_NE(result.figure.find("2 of 3 above chance"), std::string::npos) << result.figure;
    } else {
      EXPECT_TRUE(*result.holds) << rule.claim << ": " << result.figure;
    }
  }
  EXPECT_EQ(undecided, 1u);
}

TEST(AdversarialPaper, ClaimsWithoutNumbersSayNothing) {
  for (const ClaimRule& rule : adversarial_claim_rules()) {
    const ClaimResult result = rule.check({});
    EXPECT_FALSE(result.holds) << rule.claim;
    EXPECT_TRUE(result.figure.empty()) << rule.claim;
  }
}

TEST(AdversarialPaper, ClaimsThatFail) {
  VariantNumbers ours;
  ours.set(0, "cosine.p", 0.01);
  ours.set(0, "cosine.higher", 0);
  ours.set(0, "attention.judged_real", 0.6);
  ours.set(0, "attention.judged_fake", 0.5);
  ours.set(0, "generated.discriminator.accuracy", 0.49);
  ours.set(0, "generated.discriminator.p", 0.6);
  size_t fail = 0;
  for (const ClaimRule& rule : adversarial_claim_rules()) {
    const ClaimResult result = rule.check(ours);
    if (result.figure.empty()) continue;
    EXPECT_EQ(result.holds, false) << rule.claim;
    ++fail;
  }
  EXPECT_EQ(fail, 3u);
}

// Our accuracies on generated responses, by the ends of their intervals.
TEST(AdversarialPaper, IntervalsDecide) {
  const ClaimRule& rule = adversarial_claim_rules()[8];
  const auto holds = [&](double low, double high) {
    VariantNumbers ours;
    ours.set(0, "generated.discriminator.accuracy", (low + high) / 2);
    ours.set(0, "generated.discriminator.low", low);
    ours.set(0, "generated.discriminator.high", high);
    return rule.check(ours).holds;
  };
  EXPECT_EQ(holds(0.51, 0.6), true);
  EXPECT_EQ(holds(0.45, 0.6), std::nullopt);
  EXPECT_EQ(holds(0.4, 0.49), false);
}

// Numbers that would hold but for one of them.
TEST(AdversarialPaper, EachPartOfAClaimCounts) {
  using Numbers = std::map<std::string, std::vector<double>>;
  const auto says = [](size_t rule, const Numbers& numbers) {
    VariantNumbers ours;
    for (const auto& [key, of_corpora] : numbers) {
      for (size_t c = 0; c < of_corpora.size(); ++c) ours.set(c, key, of_corpora[c]);
    }
    return adversarial_claim_rules()[rule].check(ours).holds;
  };
  std::vector<double> accuracy(3, 0.7);
  accuracy[kSubTle] = 0.65;
  EXPECT_EQ(says(1, {{"random.humans.accuracy", accuracy}}), true);
  accuracy[kSwitchboard] = 0.6;
  EXPECT_EQ(says(1, {{"random.humans.accuracy", accuracy}}), false);

  Numbers people = {{"real.f1", {0.7}}, {"real.recall", {0.8}}, {"real.precision", {0.6}},
                    {"fake.f1", {0.6}}, {"fake.recall", {0.5}}, {"fake.precision", {0.7}}};
  const auto accommodate = [&](const char* key, double value) {
    Numbers of_people;
    for (const auto& [name, of_corpora] : people) of_people["random.humans." + name] = of_corpora;
    of_people[std::string("random.humans.") + key] = {value};
    return says(2, of_people);
  };
  EXPECT_EQ(accommodate("real.recall", 0.8), true);
  EXPECT_EQ(accommodate("real.recall", 0.5), false);
  EXPECT_EQ(accommodate("fake.recall", 0.8), false);
  EXPECT_EQ(accommodate("fake.f1", 0.75), false);

  // As people within 0.05, but near 0 on Switchboard.
  const auto agrees = [&](size_t corpus, double pi) {
    std::vector<double> its(3, 0.22);
    its[kSwitchboard] = 0.05;
    its[corpus] = pi;
    return says(
        4, {{"random.discriminator.pi", its}, {"random.humans.pi", std::vector<double>(3, 0.2)}});
  };
  EXPECT_EQ(agrees(kSwitchboard, 0.05), true);
  EXPECT_EQ(agrees(kSwitchboard, 0.2), false);
  EXPECT_EQ(agrees(kSubTle, 0.26), false);
  EXPECT_EQ(agrees(kMovieTriples, 0.14), false);

  EXPECT_EQ(says(5, {{"cosine.p", {0.01, 0.04}}, {"cosine.higher", {1, 1}}}), true);
  EXPECT_EQ(says(5, {{"cosine.p", {0.01, 0.5}}, {"cosine.higher", {1, 1}}}), std::nullopt);
  EXPECT_EQ(says(5, {{"cosine.p", {0.01, 0.5}}, {"cosine.higher", {1, 0}}}), std::nullopt);
  const auto fake_mass = [&](double low, double high) {
    return says(6, {{"attention.judged_real", {0.9}},
                    {"attention.judged_fake", {(low + high) / 2}},
                    {"attention.judged_fake.low", {low}},
                    {"attention.judged_fake.high", {high}}});
  };
  EXPECT_EQ(fake_mass(0.45, 0.55), true);
  EXPECT_EQ(fake_mass(0.45, 0.7), std::nullopt);
  EXPECT_EQ(fake_mass(0.65, 0.8), false);
  EXPECT_EQ(fake_mass(0.2, 0.35), false);

  std::vector<double> pi(3, -0.1);
  const std::vector<double> of_people(3, 0.2);
  EXPECT_EQ(says(9, {{"generated.humans.pi", of_people}, {"generated.discriminator.pi", pi}}),
            true);
  pi[kSwitchboard] = 0.1;
  EXPECT_EQ(says(9, {{"generated.humans.pi", of_people}, {"generated.discriminator.pi", pi}}),
            false);
}

TEST(JudgeVariants, EachCorpusAndAllTogether) {
  const auto one = judge_variants({"a"}, false), two = judge_variants({"a", "b"}, false);
  ASSERT_EQ(one.size(), 2u);
  ASSERT_EQ(two.size(), 6u);
  const char* names[] = {"a",        "a-response-only",       "b", "b-response-only",
                         "together", "together-response-only"};
  for (size_t v = 0; v < two.size(); ++v) {
    EXPECT_EQ(two[v].name.name, names[v]);
    EXPECT_EQ(two[v].response_only, v % 2 == 1);
    EXPECT_EQ(two[v].together, v >= 4);
    EXPECT_EQ(two[v].corpora.size(), v >= 4 ? 2u : 1u);
  }
}

TEST(NamedFolders, NamesAreThoseOfTheFolders) {
  const auto folders = named_folders("--data", "x/a,b/");
  ASSERT_EQ(folders.size(), 2u);
  EXPECT_EQ(folders[0].name, "a");
  EXPECT_EQ(folders[1].name, "b");
  EXPECT_EQ(folders[1].path, "b/");
  EXPECT_TRUE(named_folders("--generators", "").empty());
  for (const char* wrong : {"x/a,y/a", "a,,b", "together", "x/random", "a*b", "a b", "/"}) {
    EXPECT_THROW(named_folders("--data", wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace heed
