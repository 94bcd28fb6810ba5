// Tables and claims of several corpora, seeds and kinds of discriminators, and of what is missing.
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/adversarial/experiment.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr size_t kItems = 20;  // a conversation each, half of them of the second corpus

// p(real) of the items of these corpora; of each corpus the first `as_real` are judged real.
Series judged_in(size_t as_real, bool first = true, bool second = true) {
  Series p(kItems);
  for (size_t i = 0; i < kItems; ++i) {
    if (i < kItems / 2 ? first : second) p[i] = i % (kItems / 2) < as_real ? 0.9 : 0.1;
  }
  return p;
}

// Of corpora a and b: discriminators of each (variants 0 and 2) and of both together (4).
AdversarialResults two_corpora(const std::vector<std::string>& generators,
                               bool reliability = false) {
  AdversarialResults results;
  results.corpora = {"a", "b"};
  results.generators = generators;
  results.judges = judge_variants(results.corpora, reliability);
  results.variants = variant_names(results.judges);
  for (size_t i = 0; i < kItems; ++i) {
    results.clusters.push_back(static_cast<int>(i));
    results.corpus_of.push_back(i < kItems / 2 ? 0 : 1);
  }
  return results;
}

// A run that tells 9 of 10 real responses, and all but `pass` of the generated ones.
RunResult& add_run(AdversarialResults& results, size_t variant, uint64_t seed, size_t pass = 0) {
  RunResult& run = results.runs.emplace_back();
  run.run = {variant, seed, results.variants[variant].name + "-seed" + std::to_string(seed)};
  const bool first = variant != 2, second = variant != 0;
  for (const std::string& set : results.sets()) {
    run.numbers.set_series(judged_key(kDiscriminator, set, true), judged_in(9, first, second));
    run.numbers.set_series(judged_key(kDiscriminator, set, false), judged_in(pass, first, second));
  }
  return run;
}

Table table_in(const std::string& id, const AdversarialResults& results) {
  return table_of(adversarial_tables({results}), id);
}

// One scenario has no mean.
TEST(AdversarialTables, AMeanIsOfSeveral) {
  AdversarialResults results = two_corpora({}, true);
  add_run(results, 6, 1);
  EXPECT_EQ(table_in("reliability", results).rows.size(), 2u);  // of both corpora
  add_run(results, 7, 1);
  const Table table = table_in("reliability", results);
  ASSERT_EQ(table.rows.size(), 6u);
  EXPECT_EQ(table.rows[2].label, "mean");
}

// A discriminator that takes all for fake has numbers of one class only.
TEST(AdversarialTables, LooksAreOfTheClassesThatThereAre) {
  AdversarialResults results = two_corpora({});
  RunResult& run = add_run(results, 0, 1);
  run.numbers.set(looks_key("a", "judged_fake.attention.response"), 0.5);
  run.numbers.set(looks_key("a", "judged_fake.tokens.response"), 0.3);
  run.numbers.set(looks_key("a", "judged_fake.tokens.context"), 0.7);
  const Table table = table_in("looks", results);
  ASSERT_EQ(table.rows.size(), 1u);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    std::optional<double> expected;
    if (column.group == "judged fake" && column.name == "attention") expected = 0.5;
    if (column.group == "judged fake" && column.name == "tokens") expected = 0.3;
    EXPECT_EQ(table.rows[0].cells[c].value, expected) << column.group << " " << column.name;
  }
}

TEST(AdversarialTables, AGeneratorPassesInEachCorpus) {
  AdversarialResults results = two_corpora({"g"});
  add_run(results, 0, 1, 2);
  add_run(results, 2, 1, 7);
  const Table table = table_in("generators", results);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells.back().value, 0.2);
  EXPECT_EQ(table.rows[1].cells.back().value, 0.7);
}

// From 0.5 on; and of halves, each has whole conversations, here of two passages.
TEST(AdversarialTables, ASharePassesFromAHalfOn) {
  AdversarialResults results = two_corpora({"g"});
  for (size_t i = 0; i < kItems; ++i) results.clusters[i] = static_cast<int>(i / 2);
  RunResult& run = add_run(results, 0, 1);
  Series p(kItems);
  for (size_t i = 0; i < kItems / 2; ++i) p[i] = i / 2 % 2 == 0 ? 0.55 : 0.45;
  p[0] = 0.5;
  run.numbers.set_series(judged_key(kDiscriminator, "g", false), p);
  EXPECT_EQ(passing_share(results, run, 0, "g"), 0.6);
  EXPECT_EQ(passing_share(results, run, 0, "g", 0), 1);
  EXPECT_EQ(passing_share(results, run, 0, "g", 1), 0);
}

// Of two seeds: only the accuracy has a deviation, of 19 and 14 of 20.
TEST(AdversarialTables, TheAccuracyHasItsDeviation) {
  AdversarialResults results = two_corpora({});
  add_run(results, 0, 1, 0);
  add_run(results, 0, 2, 5);
  const Row row = table_in("table1", results).rows.at(0);
  EXPECT_NEAR(row.cells[1].value.value(), (0.95 + 0.7) / 2, 1e-12);
  EXPECT_NEAR(row.cells[1].deviation.value(), 0.25 / std::sqrt(2.0), 1e-12);
  for (size_t c = 2; c <= kScoreCount; ++c) EXPECT_FALSE(row.cells[c].deviation) << c;
}

// Each passage is of a corpus that the folder names.
TEST(AdversarialTables, PassagesAreOfKnownCorpora) {
  const TempDir dir;
  dir.write("adversarial.json",
            R"({"format": 1, "settings": {}, "data": {"corpora": "a,b", "generators": ""}})");
  for (const auto& [corpora, fits] :
       {std::pair("[0, 1]", true), {"[0, 2]", false}, {"[-1, 0]", false}}) {
    dir.write("a-seed1/evaluation.json",
              R"({"best_epoch": 1, "epochs": 1, "valid_loss": 1, "parameters": 1,
                  "conversations": [0, 1], "judged": {"discriminator": {"random":
                  {"real": [1, 1], "fake": [0, 0]}}}, "corpora": )" +
                  std::string(corpora) + "}");
    const std::string error = error_of<DataError>(
        [&] { load_adversarial_results(dir.path(""), {.kind = "adversarial"}); });
    EXPECT_EQ(error == "no error", fits) << corpora << error;
  }
}

// Generators without attention have no DAS ratio.
TEST(AdversarialTables, MeasuresCountWhatHasThem) {
  AdversarialResults results = two_corpora({"g", "h", "i"});
  RunResult& run = add_run(results, 0, 1);
  run.numbers.set(generator_key("a", "g", "das_ratio"), 0.5);
  run.numbers.set(generator_key("a", "h", "das_ratio"), 0.75);
  run.numbers.set(generator_key("a", "i", "das_ratio"), std::nullopt);
  const Row row = table_in("reliability-of-measures", results).rows.at(0);
  EXPECT_EQ(row.label, "DAS ratio");
  EXPECT_EQ(row.cells[0].value, 2);
  EXPECT_EQ(row.cells[1].value, 0.5);
  EXPECT_EQ(row.cells[2].value, 0.75);
}

// Whose seeds contradict each other: there is no bound to what it can agree with.
TEST(AdversarialTables, AMeasureThatIsNotReliableHasNoBound) {
  struct Planted {
    const char* name;
    double das_ratio;
    size_t pass;
  };
  for (const bool reliable : {true, false}) {
    AdversarialResults results = two_corpora({});
    RunResult run = add_run(results, 0, 1);
    for (const Planted& g : {Planted{"x-seed1", 0.1, 1},
                             {"x-seed2", 0.2, reliable ? 3u : 9u},
                             {"y-seed1", 0.5, reliable ? 5u : 9u},
                             {"y-seed2", 0.4, reliable ? 4u : 1u},
                             {"z-seed1", 0.8, reliable ? 8u : 2u},
                             {"z-seed2", 0.9, reliable ? 9u : 8u}}) {
      results.generators.push_back(g.name);
      run.numbers.set(generator_key("a", g.name, "das_ratio"), g.das_ratio);
      run.numbers.set_series(judged_key(kDiscriminator, g.name, true), judged_in(9, true, false));
      run.numbers.set_series(judged_key(kDiscriminator, g.name, false),
                             judged_in(g.pass, true, false));
    }
    results.runs = {run};
    const auto bound = table_in("agreement", results).rows.at(0).cells[2].value;
    EXPECT_EQ(bound.has_value(), reliable);
    if (!bound) continue;
    // Of both measures; the intraclass correlation by its sums over both orders of two seeds.
    const auto reliability = [](const std::vector<double>& x) {
      double mean = 0, products = 0, squares = 0;
      for (const double one : x) mean += one / static_cast<double>(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        products += (x[i] - mean) * (x[i ^ 1] - mean);
        squares += (x[i] - mean) * (x[i] - mean);
      }
      return products / squares;
    };
    EXPECT_NEAR(*bound,
                std::sqrt(reliability({0.1, 0.2, 0.5, 0.4, 0.8, 0.9}) *
                          reliability({0.1, 0.3, 0.5, 0.4, 0.8, 0.9})),
                1e-9);
  }
}

// ---- claims

Claim above_chance(const AdversarialResults& results) {
  for (const Claim& claim : check_adversarial_claims({results}).claims) {
    if (claim.text.find("above chance on generated") != std::string::npos) return claim;
  }
  return {};
}

// Those of a corpus by their seeds, and those of all corpora by theirs.
TEST(AdversarialClaims, EachKindOfDiscriminatorsHasItsSeeds) {
  AdversarialResults results = two_corpora({"g"});
  add_run(results, 0, 1);
  add_run(results, 4, 1);
  add_run(results, 4, 2);
  const Claim claim = above_chance(results);
  ASSERT_EQ(claim.ours.size(), 2u);
  EXPECT_EQ(claim.ours[0].holds, std::nullopt);
  EXPECT_EQ(claim.ours[1].holds, true);
  std::erase_if(results.runs, [](const RunResult& run) { return run.run.variant == 4; });
  add_run(results, 0, 2);
  EXPECT_EQ(above_chance(results).ours.at(0).holds, true);
  add_run(results, 2, 1);  // of the other corpus one seed says too little
  EXPECT_EQ(above_chance(results).ours.at(0).holds, std::nullopt);
}

// The seed that says least, if they say the same; else none.
TEST(AdversarialClaims, APValueIsThatOfTheLeastSureSeed) {
  AdversarialResults results = two_corpora({});
  const std::string test = "cosine_judged_real_against_fake.";
  for (const auto& [seed, p] : {std::pair(1, 0.01), {2, 0.2}}) {
    RunResult& run = add_run(results, 0, static_cast<uint64_t>(seed));
    run.numbers.set(looks_key("a", test + "p"), p);
    run.numbers.set(looks_key("a", test + "first_is_larger"), 0.7);
  }
  EXPECT_EQ(claim_numbers({results}, false).get(0, "cosine.p"), 0.2);
  EXPECT_EQ(claim_numbers({results}, false).get(0, "cosine.higher"), 1);
  results.runs[0].numbers.set(looks_key("a", test + "first_is_larger"), 0.3);
  EXPECT_EQ(claim_numbers({results}, false).get(0, "cosine.p"), 1);
}

}  // namespace
}  // namespace heed
