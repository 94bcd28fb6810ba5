// Scores of judgements with known answers.
#include <gtest/gtest.h>

#include "experiments/adversarial/experiment.h"

namespace heed {
namespace {

// p(real) of so many passages: the first `as_real` of them are judged real.
Series judged(size_t as_real, size_t all) {
  Series p;
  for (size_t i = 0; i < all; ++i) p.push_back(i < as_real ? 0.9 : 0.1);
  return p;
}

// One run of a variant on corpus 0, which the first `own` items are of.
RunResult run_of(size_t variant, const std::string& name, uint64_t seed, const Series& real,
                 const Series& fake, const std::vector<std::string>& judges) {
  RunResult run;
  run.run = {variant, seed, name + "-seed" + std::to_string(seed)};
  for (const std::string& judge : judges) {
    run.numbers.set_series(judged_key(judge, kRandomSet, true), real);
    run.numbers.set_series(judged_key(judge, kRandomSet, false), fake);
  }
  return run;
}

AdversarialResults results_of(const std::vector<RunResult>& runs, size_t items,
                              bool reliability = false) {
  AdversarialResults results;
  results.corpora = {"a"};
  results.judges = judge_variants(results.corpora, reliability);
  results.variants = variant_names(results.judges);
  results.runs = runs;
  for (size_t i = 0; i < items; ++i) {
    results.clusters.push_back(static_cast<int>(i));
    results.corpus_of.push_back(0);
  }
  return results;
}

// The discriminator on SubTle, Table 1 (derived.confusion of the paper's numbers).
TEST(ScoredRows, ThePapersCounts) {
  const AdversarialResults results =
      results_of({run_of(0, "a", 1, judged(103, 150), judged(32, 150), {kDiscriminator})}, 150);
  const ScoredRows rows(results);
  ASSERT_EQ(rows.all().size(), 1u);
  const ScoredRow& row = rows.all()[0];
  EXPECT_EQ(row.items, 300);
  const double expected[] = {0.7367, 0.763, 0.6867, 0.7228, 0.7152, 0.7867, 0.7492};
  for (size_t s = 0; s < kScoreCount; ++s) {
    ASSERT_TRUE(row.scores[s]) << kScoreNames[s];
    EXPECT_NEAR(row.scores[s]->value, expected[s], 5e-5) << kScoreNames[s];
    EXPECT_LT(row.scores[s]->interval.low, row.scores[s]->value);
    EXPECT_GT(row.scores[s]->interval.high, row.scores[s]->value);
  }
  EXPECT_FALSE(row.p_value);  // one seed does not say what another training would give
  // P(0.9 beside 0.1) + P(equal) / 2
  EXPECT_NEAR(row.auc->mean, (103. * 118 + (103. * 32 + 47. * 118) / 2) / (150. * 150), 1e-12);
  EXPECT_FALSE(row.below);
}

TEST(ScoredRows, OnlyPassagesWithBothResponsesOfTheCorpusCount) {
  Series real = judged(3, 4), fake = judged(1, 4);
  fake[3].reset();  // nothing could stand there
  AdversarialResults results = results_of({run_of(0, "a", 1, real, fake, {kDiscriminator})}, 4);
  results.corpus_of[2] = 1;
  const ScoredRow row = ScoredRows(results).all().at(0);
  EXPECT_EQ(row.items, 4);  // passages 0 and 1
  EXPECT_NEAR(row.scores[0]->value, 0.75, 1e-12);
}

TEST(ScoredRows, WhereNothingCouldStandThereIsNoNumber) {
  const AdversarialResults results =
      results_of({run_of(0, "a", 1, judged(3, 4), Series(4), {kDiscriminator})}, 4);
  const ScoredRows rows(results);
  EXPECT_EQ(rows.all().at(0).items, 0);
  EXPECT_FALSE(rows.all()[0].scores[0]);
  EXPECT_FALSE(rows.all()[0].p_value);
  EXPECT_EQ(adversarial_tables({results, rows}).at(0).id, "table1");
}

TEST(ScoredRows, MeansOverSeedsAndControlsBelow) {
  const Series real = judged(8, 10), fake = judged(2, 10), chance = judged(5, 10);
  AdversarialResults results =
      results_of({run_of(0, "a", 1, real, fake, {kDiscriminator, "length"}),
                  run_of(0, "a", 2, judged(10, 10), judged(0, 10), {kDiscriminator, "length"}),
                  run_of(1, "a-response-only", 1, chance, chance, {kDiscriminator})},
                 10);
  const ScoredRows rows(results);
  ASSERT_EQ(rows.all().size(), 3u);
  const ScoredRow& whole = rows.all()[0];
  EXPECT_NEAR(whole.scores[0]->value, 0.9, 1e-12);
  EXPECT_NEAR(*whole.accuracy->deviation, 0.2 / std::sqrt(2.), 1e-12);
  EXPECT_EQ(rows.all()[1].judge, "length");
  EXPECT_NEAR(rows.all()[1].below->value, 0, 1e-12);
  const ScoredRow& control = rows.all()[2];
  EXPECT_EQ(judge_label(results, control), "response-only");
  ASSERT_TRUE(control.below);
  EXPECT_NEAR(control.below->value, 0.4, 1e-12);
  EXPECT_EQ(rows.discriminator(0, kRandomSet, false), &whole);
  EXPECT_EQ(rows.discriminator(0, kRandomSet, true), nullptr);
}

// 18 of 20 right where all should be, and 12 of 20 where half should.
TEST(Reliability, IsHowFarFromTheIdeal) {
  const AdversarialResults results =
      results_of({run_of(2, "a-real-and-real", 1, judged(7, 10), judged(5, 10), {kDiscriminator}),
                  run_of(3, "a-shuffled-words", 1, judged(9, 10), judged(1, 10), {kDiscriminator})},
                 10, true);
  ASSERT_EQ(results.judges.size(), 4u);  // of one corpus there is no other one
  const ScoredRows rows(results);
  // they are no discriminators, alone or together
  for (const bool together : {false, true})
    EXPECT_EQ(rows.discriminator(0, kRandomSet, together), nullptr);
  const auto tables = adversarial_tables({results, rows});
  for (const Row& row : table_of(tables, "table1").rows) EXPECT_TRUE(row.reference) << row.label;
  const Table& table = table_of(tables, "reliability");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].label, "real-and-real");
  EXPECT_NEAR(*table.rows[0].cells[3].value, 0.1, 1e-12);
  EXPECT_EQ(*table.rows[1].cells[2].value, 1);
  EXPECT_NEAR(*table.rows[1].cells[3].value, 0.1, 1e-12);
  EXPECT_NEAR(*table.rows[2].cells[3].value, 0.1, 1e-12);
}

TEST(Reliability, OfSeveralCorporaIsOfAllTogether) {
  const auto variants = judge_variants({"a", "b"}, true);
  ASSERT_EQ(variants.size(), 9u);
  EXPECT_EQ(variants[6].name.name, "together-real-and-real");
  EXPECT_EQ(variants[8].name.name, "together-other-corpus");
  EXPECT_EQ(variants[8].corpora.size(), 2u);
  EXPECT_EQ(judge_variants({"a", "b"}, false).size(), 6u);
}

// Generators that look less at distractions pass more often here.
TEST(DasTables, CorrelationOverGenerators) {
  RunResult run = run_of(0, "a", 1, judged(10, 10), judged(0, 10), {kDiscriminator});
  AdversarialResults results = results_of({}, 10);
  for (size_t g = 0; g < 4; ++g) {
    const std::string name = "model" + std::to_string(g) + (g < 2 ? "" : "-seed1");
    results.generators.push_back(name);
    run.numbers.set(generator_key("a", name, "das_ratio"), 0.6 + 0.1 * static_cast<double>(g));
    run.numbers.set_series(judged_key(kDiscriminator, name, true), judged(10, 10));
    run.numbers.set_series(judged_key(kDiscriminator, name, false), judged(8 - 2 * g, 10));
  }
  results.runs = {run};
  EXPECT_EQ(generators_table(results).rows.size(), 4u);
  const Row row = correlations_table(results).rows.at(0);
  EXPECT_EQ(row.cells[0].value, 4);
  EXPECT_NEAR(*row.cells[2].value, -1, 1e-12);
  EXPECT_NE(das_figure(results).find("passes 0.800"), std::string::npos);
  // seeds of one training are one generator
  results.generators[3] = "model2-seed2";
  results.runs[0].numbers.set(generator_key("a", "model2-seed2", "das_ratio"), 0.9);
  for (const bool real : {true, false}) {
    results.runs[0].numbers.set_series(judged_key(kDiscriminator, "model2-seed2", real),
                                       judged(real ? 10 : 2, 10));
  }
  EXPECT_EQ(correlations_table(results).rows.at(0).cells[0].value, 3);
}

// On generated responses, of so many seeds; 9 of 10 real ones pass.
AdversarialResults on_generated(size_t seeds, size_t fakes_that_pass) {
  AdversarialResults results = results_of({}, 10);
  results.generators = {"g"};
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    RunResult run =
        run_of(0, "a", seed, judged(9, 10), judged(fakes_that_pass, 10), {kDiscriminator});
    run.numbers.set_series(judged_key(kDiscriminator, "g", true), judged(9, 10));
    run.numbers.set_series(judged_key(kDiscriminator, "g", false), judged(fakes_that_pass, 10));
    run.numbers.set("looks.a.judged_real.attention.response", seed == 1 ? 0.95 : 0.7);
    run.numbers.set("looks.a.judged_fake.attention.response", 0.5);
    results.runs.push_back(run);
  }
  return results;
}

// The claim whose text has this.
ClaimResult found_of(const AdversarialResults& results, const std::string& claim) {
  const Claims claims = check_adversarial_claims({results});
  for (const Claim& c : claims.claims) {
    if (c.text.find(claim) != std::string::npos) return c.ours.at(0);
  }
  ADD_FAILURE() << claim;
  return {};
}

// An interval of conversations and seeds decides, and nothing does where there is one seed.
TEST(AdversarialClaims, AreDecidedByIntervalsOverSeeds) {
  const std::string claim = "above chance on generated";
  EXPECT_EQ(found_of(on_generated(2, 0), claim).holds, true);
  EXPECT_EQ(found_of(on_generated(2, 8), claim).holds,
            std::nullopt);  // 0.55 of 10 conversations
  EXPECT_FALSE(found_of(on_generated(2, 8), claim).figure.empty());
  EXPECT_EQ(found_of(on_generated(1, 0), claim).holds, std::nullopt);
  EXPECT_FALSE(found_of(on_generated(1, 0), claim).figure.empty());
  const AdversarialResults two = on_generated(2, 0);
  const ScoredRows rows(two);
  ASSERT_TRUE(rows.all()[0].p_value);
  EXPECT_LT(*rows.all()[0].p_value, 0.001);
  const ScoredRows near_chance(on_generated(2, 8));
  EXPECT_GT(near_chance.all()[0].p_value.value(), 0.2);
}

// 0.9 within 0.1 with one of the seeds only.
TEST(AdversarialClaims, SeedsThatDoNotAgreeDecideNothing) {
  const AdversarialResults results = on_generated(2, 0);
  const VariantNumbers numbers = claim_numbers({results}, false);
  EXPECT_NEAR(numbers.get(0, "attention.judged_real").value(), 0.825, 1e-12);
  EXPECT_EQ(numbers.get(0, "attention.judged_real.low"), 0.7);
  for (const ClaimRule& rule : adversarial_claim_rules()) {
    if (rule.rule.find("mean mass") == std::string::npos) continue;
    const ClaimResult result = rule.check(numbers);
    EXPECT_EQ(result.holds, std::nullopt);
    EXPECT_EQ(result.figure, "0.825 and 0.500");
  }
}

}  // namespace
}  // namespace heed
