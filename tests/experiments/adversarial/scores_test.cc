// Scores of judgements with known answers.
#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_FALSE(claim_numbers({results, rows}, false).get(0, "random.discriminator.accuracy"));
}

// One conversation says nothing of others.
TEST(ScoredRows, OfOneConversationAreNoSurerThanChance) {
  AdversarialResults results =
      results_of({run_of(0, "a", 1, judged(9, 10), judged(1, 10), {kDiscriminator}),
                  run_of(0, "a", 2, judged(8, 10), judged(2, 10), {kDiscriminator})},
                 10);
  EXPECT_LT(ScoredRows(results).all().at(0).p_value.value(), 0.001);
  results.clusters.assign(10, 0);
  EXPECT_EQ(ScoredRows(results).all().at(0).p_value, 1);
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

// Of seeds that judge everything alike the draws are widened beyond what a share can be.
TEST(ScoredRows, IntervalsOfSharesEndAtZeroAndOne) {
  const Series all = judged(10, 10), none = judged(0, 10);
  const ScoredRow row = ScoredRows(results_of({run_of(0, "a", 1, all, all, {kDiscriminator}),
                                               run_of(0, "a", 2, none, none, {kDiscriminator})},
                                              10))
                            .all()
                            .at(0);
  EXPECT_NEAR(row.scores[0]->interval.low, 0.5, 1e-12);
  const size_t recall = 2;
  EXPECT_EQ(std::string(kScoreNames[recall]), "real.recall");
  EXPECT_NEAR(row.scores[recall]->value, 0.5, 1e-12);
  EXPECT_EQ(row.scores[recall]->interval.low, 0);
  EXPECT_EQ(row.scores[recall]->interval.high, 1);
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

// A generator of a structure: its DAS ratio, of how many of 10 items it passes, and the same of
// both halves of the conversations.
struct Planted {
  std::string name, structure;
  double das_ratio;
  size_t passes;
  double greedy_different = 1;
};
AdversarialResults planted(const std::vector<Planted>& generators) {
  RunResult run = run_of(0, "a", 1, judged(10, 10), judged(0, 10), {kDiscriminator});
  AdversarialResults results = results_of({}, 10);
  for (const Planted& g : generators) {
    results.generators.push_back(g.name);
    const auto key = [&](const char* of) { return generator_key("a", g.name, of); };
    run.numbers.set_text(key("structure"), g.structure);
    run.numbers.set(key("das_ratio"), g.das_ratio);
    run.numbers.set(key("greedy_different"), g.greedy_different);
    run.numbers.set_series(key("halves.das_ratio"), {g.das_ratio, 1 - g.das_ratio});
    run.numbers.set_series(judged_key(kDiscriminator, g.name, true), judged(10, 10));
    run.numbers.set_series(judged_key(kDiscriminator, g.name, false), judged(g.passes, 10));
  }
  results.runs = {run};
  return results;
}
Table table_of(const std::string& id, const AdversarialResults& results) {
  return table_of(adversarial_tables({results}), id);
}
constexpr size_t kPairs = 0, kTrainings = 1, kAtMost = 2, kAll = 3, kNotCollapsed = 5, kWithin = 7;

// Generators that look less at distractions pass more often here.
TEST(Agreement, IsACorrelationOverTrainings) {
  const AdversarialResults results = planted({{"model0", "s", 0.6, 8},
                                              {"model1", "s", 0.7, 6},
                                              {"model2-seed1", "s", 0.8, 4},
                                              {"model3-seed1", "s", 0.9, 2}});
  const Table generators = table_of("generators", results);
  ASSERT_EQ(generators.rows.size(), 4u);
  std::vector<std::string> there;  // columns with numbers
  for (size_t c = 0; c < generators.columns.size(); ++c) {
    if (generators.rows[0].cells[c].value) there.push_back(generators.columns[c].name);
  }
  EXPECT_EQ(there, (std::vector<std::string>{"greedy_different", "das_ratio", "pass"}));
  const Table table = table_of("agreement", results);
  ASSERT_EQ(table.rows.size(), 1u);  // of two measures
  const Row& row = table.rows[0];
  EXPECT_EQ(row.label, "DAS ratio, passes (a)");
  EXPECT_EQ(row.cells[kPairs].value, 4);
  EXPECT_EQ(row.cells[kTrainings].value, 4);
  EXPECT_FALSE(row.cells[kAtMost].value);  // no training has two seeds
  for (const size_t at : {kAll, kAll + 1, kNotCollapsed, kWithin, kWithin + 1}) {
    EXPECT_NEAR(*row.cells[at].value, -1, 1e-12) << at;
  }
  EXPECT_NE(das_figure(results).find("passes 0.800"), std::string::npos);
  // seeds of one training are one
  const auto seeds = planted({{"model0", "s", 0.6, 8},
                              {"model1", "s", 0.7, 6},
                              {"model2-seed1", "s", 0.8, 4},
                              {"model2-seed2", "s", 0.9, 2}});
  EXPECT_EQ(table_of("agreement", seeds).rows.at(0).cells[kPairs].value, 4);
  EXPECT_EQ(table_of("agreement", seeds).rows.at(0).cells[kTrainings].value, 3);
  // and have one mark in the figure, whose axis is that of their shares
  const std::string figure = das_figure(seeds);
  EXPECT_NE(figure.find("model2<"), std::string::npos) << figure;
  EXPECT_EQ(figure.find("model2-seed1<"), std::string::npos);
  EXPECT_EQ(figure.find(">1.0<"), std::string::npos);
}

// Two structures, within each of which the order is the opposite of that of all; the generators of
// the third are of one training; and one answers everything alike.
TEST(Agreement, WithinStructuresAndWithoutCollapsedOnes) {
  const auto row = table_of("agreement", planted({{"a0", "s", 0.50, 1},
                                                  {"a1", "s", 0.51, 2},
                                                  {"b0", "t", 0.90, 7},
                                                  {"b1", "t", 0.91, 8},
                                                  {"c-seed1", "u", 0.1, 9},
                                                  {"c-seed2", "u", 0.2, 3}}))
                       .rows.at(0);
  EXPECT_NEAR(*row.cells[kWithin + 1].value, 1, 1e-9);
  EXPECT_LT(*row.cells[kAll].value, 0.5);
  const auto collapsed = table_of("agreement", planted({{"a", "s", 0.5, 1},
                                                        {"b", "s", 0.6, 2},
                                                        {"c", "s", 0.7, 3},
                                                        {"d", "s", 0.1, 9, 0.04},
                                                        {"e", "s", 0.8, 4, 0.06}}))
                             .rows.at(0);
  EXPECT_LT(*collapsed.cells[kAll].value, 1 - 1e-6);
  EXPECT_NEAR(*collapsed.cells[kNotCollapsed].value, 1, 1e-12);
  const auto kept = table_of("agreement", planted({{"a", "s", 0.5, 1},
                                                   {"b", "s", 0.6, 2},
                                                   {"c", "s", 0.7, 3},
                                                   {"d", "s", 0.1, 9, 0.06}}))
                        .rows.at(0);
  EXPECT_LT(*kept.cells[kNotCollapsed].value, 1 - 1e-6);
}

// Halves of opposite orders; and seeds, whose intraclass correlation is computed here by hand.
TEST(Agreement, ReliabilityOfMeasures) {
  const AdversarialResults results = planted({{"a-seed1", "s", 0.1, 1},
                                              {"a-seed2", "s", 0.2, 2},
                                              {"b-seed1", "s", 0.5, 5},
                                              {"b-seed2", "s", 0.4, 4},
                                              {"c-seed1", "s", 0.8, 8},
                                              {"c-seed2", "s", 0.9, 9}});
  const Table table = table_of("reliability-of-measures", results);
  ASSERT_EQ(table.rows.size(), 2u);
  const Row &das = table.rows[0], &passes = table.rows[1];
  EXPECT_EQ(das.label, "DAS ratio");
  EXPECT_EQ(das.cells[0].value, 6);
  EXPECT_EQ(das.cells[1].value, 0.1);
  EXPECT_EQ(das.cells[2].value, 0.9);
  EXPECT_NEAR(*das.cells[3].value, -1, 1e-12);  // of x and 1 - x
  // sum of products of deviations from 29/60, over both orders, over the sum of squares
  const double mean = 29.0 / 60, x[] = {0.1, 0.2, 0.5, 0.4, 0.8, 0.9};
  double products = 0, squares = 0;
  for (int i = 0; i < 6; ++i) {
    products += (x[i] - mean) * (x[i ^ 1] - mean);
    squares += (x[i] - mean) * (x[i] - mean);
  }
  EXPECT_NEAR(*das.cells[4].value, products / squares, 1e-12);
  EXPECT_NEAR(*passes.cells[4].value, products / squares, 1e-12);
  // of two measures the root of the product of theirs, which are the same here
  EXPECT_NEAR(*table_of("agreement", results).rows.at(0).cells[kAtMost].value, products / squares,
              1e-12);
  // the first ones of 10 pass; conversations are the numbers of the items
  const double even[] = {1, 1, 3, 2, 4, 5}, odd[] = {0, 1, 2, 2, 4, 4};
  double eo = 0, ee = 0, oo = 0;
  for (int i = 0; i < 6; ++i) {
    const double e = even[i] - 16.0 / 6, o = odd[i] - 13.0 / 6;
    eo += e * o, ee += e * e, oo += o * o;
  }
  const double r = eo / std::sqrt(ee * oo);
  EXPECT_NEAR(*passes.cells[3].value, 2 * r / (1 + r), 1e-12);
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

// As where the discriminator of the second corpus is not finished.
TEST(AdversarialClaims, CorporaBehindOneWithoutNumbersCount) {
  VariantNumbers numbers;
  for (const size_t corpus : {0, 2}) {
    numbers.set(corpus, "cosine.p", 0.01);
    numbers.set(corpus, "cosine.higher", corpus == 0);
    numbers.set(corpus, "attention.judged_real", corpus == 0 ? 0.9 : 0.2);
    numbers.set(corpus, "attention.judged_fake", 0.5);
  }
  size_t rules = 0;
  for (const ClaimRule& rule : adversarial_claim_rules()) {
    const bool looks = rule.claim.find("higher cosine") != std::string::npos ||
                       rule.claim.find("90 %") != std::string::npos;
    if (!looks) continue;
    ++rules;
    EXPECT_EQ(rule.check(numbers).holds, false) << rule.claim;
  }
  EXPECT_EQ(rules, 2u);
}

}  // namespace
}  // namespace heed
