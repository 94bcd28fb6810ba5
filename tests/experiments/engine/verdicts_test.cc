// When a claim holds: intervals over items and seeds, over seeds alone, and printed numbers.
#include "experiments/engine/report/verdicts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

enum Variant : size_t { kLow, kHigh, kMiddle };

// Three variants of two seeds on 40 items, each of which is its cluster: "right" is 1 on the first
// so many items of each variant and seed, "score" has no items.
struct Made {
  int right[3][2] = {{10, 12}, {30, 32}, {12, 10}};
  double score[3][2] = {{1, 1.1}, {2, 2.1}, {1.9, 4}};
  size_t seeds = 2;
  bool low_of_seeds = true, one_cluster = false;
  std::vector<std::string> keys = {"right"};  // numbers that are all the same

  Findings findings() const {
    Results results;
    results.variants = {{"low", "", ""}, {"high", "", ""}, {"middle", "", ""}};
    results.variants[kLow].of_seeds = low_of_seeds;
    for (int i = 0; i < 40; ++i) results.clusters.push_back(one_cluster ? 0 : i);
    for (size_t v = 0; v < 3; ++v) {
      for (size_t s = 0; s < (results.variants[v].of_seeds ? seeds : 1); ++s) {
        RunResult run;
        run.run = {v, s + 1, results.variants[v].name + "-seed" + std::to_string(s + 1)};
        Series items(40, 0.0);
        for (int i = 0; i < right[v][s]; ++i) items[i] = 1.0;
        for (const std::string& key : keys) run.numbers.set(key, right[v][s] / 40.0);
        run.numbers.set_series("items", items);
        run.numbers.set("power", std::exp(right[v][s] / 40.0));
        run.numbers.set_series("ones", Series(40, 1.0));
        run.numbers.set("score", score[v][s]);
        results.runs.push_back(run);
      }
    }
    std::vector<Measure> measures = {
        {.key = "power", .top = "items", .bottom = "ones", .exponential = true}};
    for (const std::string& key : keys) {
      measures.push_back({.key = key, .top = "items", .bottom = "items", .mean = true});
    }
    Inference inference(
        results, measures,
        {keys, [](size_t v) { return v == 0 ? std::nullopt : std::optional<size_t>(0); }});
    return {std::move(results), std::move(inference)};
  }
};

ClaimResult ours(const AboveClaim& claim, const Made& made = {}) {
  return decide(std::vector<AboveClaim>{claim}, {}, made.findings()).claims.at(0).ours.at(0);
}
ClaimResult ours(std::vector<Above> parts, const Made& made = {}) {
  return ours(AboveClaim{"", "", std::move(parts)}, made);
}

TEST(Verdicts, OfItemsAreThoseOfThePairedInterval) {
  const Findings found = Made().findings();
  const ClaimResult above = ours({{kHigh, "right", kLow}});
  EXPECT_EQ(above.holds, std::optional(true));
  const Interval interval = found.inference.change("right", kHigh)->interval;
  char text[64];
  std::snprintf(text, sizeof text, "0.775 against 0.275, +0.500 [%.3f, %.3f]", interval.low,
                interval.high);
  EXPECT_EQ(above.figure, text);
  EXPECT_EQ(ours({{kLow, "right", kHigh}}).holds, std::optional(false));
  // The same mean of other seeds.
  EXPECT_EQ(ours({{kMiddle, "right", kLow}}).holds, std::nullopt);
}

TEST(Verdicts, AskForAMultipleAndMore) {
  EXPECT_EQ(ours({{kHigh, "right", kLow, "", 1, 0.2}}).holds, std::optional(true));
  EXPECT_EQ(ours({{kHigh, "right", kLow, "", 1, 0.5}}).holds, std::nullopt);
  EXPECT_EQ(ours({{kHigh, "right", kLow, "", 1, 0.8}}).holds, std::optional(false));
  EXPECT_EQ(ours({{kHigh, "right", kLow, "", 1.2}}).holds, std::optional(true));
  EXPECT_EQ(ours({{kHigh, "right", kLow, "", 8}}).holds, std::optional(false));
  const ClaimResult alone = ours({{.variant = kHigh, .key = "right", .by = 0.5}});
  EXPECT_EQ(alone.holds, std::optional(true));
  EXPECT_TRUE(alone.figure.starts_with("0.775 [0.6")) << alone.figure;
  EXPECT_TRUE(alone.figure.ends_with("] against 0.500")) << alone.figure;
  const ClaimResult asked = ours({{kHigh, "right", kLow, "", 1, -0.2}});
  EXPECT_TRUE(asked.figure.starts_with("0.775 against 0.275, +0.500 [0.3")) << asked.figure;
  EXPECT_TRUE(asked.figure.ends_with("], asked is -0.200")) << asked.figure;
  const ClaimResult multiple = ours({{kHigh, "right", kLow, "", 1.2}});
  EXPECT_TRUE(multiple.figure.starts_with("0.775 against 1.20 x 0.275, +0.445 ["))
      << multiple.figure;
  EXPECT_EQ(ours({{.variant = kHigh, .key = "right", .by = 0.95}}).holds, std::optional(false));
}

// Differences of 1 and 1: no seed says otherwise. Of 0.9 and 2.9, 1.9 -+ 12.71 of its error.
TEST(Verdicts, WithoutItemsTheSeedsDecide) {
  const ClaimResult sure = ours({{kHigh, "score", kLow}});
  EXPECT_EQ(sure.holds, std::optional(true));
  EXPECT_EQ(sure.figure, "2.050 against 1.050, +1.000 [1.000, 1.000] by 2 seeds");
  const ClaimResult open = ours({{kMiddle, "score", kLow}});
  EXPECT_EQ(open.holds, std::nullopt);
  EXPECT_EQ(open.figure, "2.950 against 1.050, +1.900 [-10.806, 14.606] by 2 seeds");
  EXPECT_EQ(ours({{kHigh, "score", kLow, "", 1, 0.5}}).holds, std::optional(true));
  EXPECT_EQ(ours({{kHigh, "score", kLow, "", 1, 1.5}}).holds, std::optional(false));
  // One of two tries: 25.45 times the error.
  EXPECT_EQ(ours({"", "", {{kLow, "score", kLow}}, {kMiddle, kMiddle}}).figure,
            "2.950 against 1.050, +1.900 [-23.552, 27.352] by 2 seeds; the best of 2");
  // Where one number has items and the other has none, too.
  EXPECT_TRUE(ours({{kLow, "score", kLow, "right"}}).figure.ends_with(" by 2 seeds"));
}

TEST(Verdicts, OfOneSeedAreOpen) {
  Made one;
  one.seeds = 1;
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).holds, std::nullopt);
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).figure, "0.750 against 0.250 (one seed)");
}

// One conversation says nothing of others.
TEST(Verdicts, OfOneClusterAreOpen) {
  Made one;
  one.one_cluster = true;
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).holds, std::nullopt);
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).figure, "0.775 against 0.275");
}

// Its one run stands for every seed of the others, and chance in the items decides about it alone.
TEST(Verdicts, OfAVariantWithoutSeedsAreThoseOfItsOneRun) {
  Made made;
  made.low_of_seeds = false;
  const ClaimResult against = ours({{kHigh, "right", kLow}}, made);
  EXPECT_EQ(against.holds, std::optional(true));
  EXPECT_TRUE(against.figure.starts_with("0.775 against 0.250, +0.525 [")) << against.figure;
  const ClaimResult turned = ours({{kLow, "right", kHigh}}, made);
  EXPECT_EQ(turned.holds, std::optional(false));
  EXPECT_TRUE(turned.figure.starts_with("0.250 against 0.775, -0.525 [")) << turned.figure;
  const ClaimResult alone = ours({{.variant = kLow, .key = "right", .by = 0.1}}, made);
  EXPECT_EQ(alone.holds, std::optional(true));
  EXPECT_TRUE(alone.figure.starts_with("0.250 [0.1")) << alone.figure;
  EXPECT_EQ(ours({{.variant = kLow, .key = "right", .by = 0.25}}, made).holds, std::nullopt);
  EXPECT_EQ(ours({{.variant = kLow, .key = "score", .by = 0.5}}, made).holds, std::nullopt);
  made.seeds = 1;
  EXPECT_TRUE(ours({{kHigh, "right", kLow}}, made).figure.ends_with("(one seed)"));
  EXPECT_TRUE(ours({{kLow, "right", kHigh}}, made).figure.ends_with("(one seed)"));
  made.seeds = 2;
  EXPECT_NE(made.findings().inference.corrected_p("right", kHigh), std::nullopt);
}

TEST(Verdicts, OfPartsAreThoseOfAll) {
  const Above yes = {kHigh, "right", kLow}, no = {kLow, "right", kHigh},
              open = {kMiddle, "right", kLow}, missing = {kHigh, "other", kLow};
  EXPECT_EQ(ours({yes, yes}).holds, std::optional(true));
  EXPECT_EQ(ours({yes, open}).holds, std::nullopt);
  EXPECT_EQ(ours({open, yes}).holds, std::nullopt);
  EXPECT_EQ(ours({no, open}).holds, std::optional(false));
  EXPECT_EQ(ours({open, no, yes}).holds, std::optional(false));
  EXPECT_NE(ours({yes, no}).figure.find("; 0.275 against 0.775"), std::string::npos);
  EXPECT_EQ(ours({yes, missing}).figure, "");
  EXPECT_EQ(ours({yes, missing}).holds, std::nullopt);
}

// The least value of the draws and the greatest stand around the value: e^0.775 less e^0.275.
TEST(Verdicts, OfExponentialsAreThoseOfTheExponentials) {
  const std::string figure = ours({{kHigh, "power", kLow}}).figure;
  std::smatch ends;
  ASSERT_TRUE(std::regex_match(
      figure, ends, std::regex(R"(2\.171 against 1\.317, \+0\.854 \[([0-9.]+), ([0-9.]+)\])")))
      << figure;
  EXPECT_GT(std::stod(ends[1]), 0.35);
  EXPECT_LT(std::stod(ends[1]), 0.8);
  EXPECT_GT(std::stod(ends[2]), 0.9);
}

// Where no draw of a change is beyond 0, more are drawn, until the smallest of all p-values could
// be a thousandth: of 7 numbers and 2 variants 14 in all, 2 x 14 x 1000 draws, of 10,000 each time.
TEST(Inference, SmallPValuesAreSharpened) {
  Made made;
  made.right[kLow][0] = 2, made.right[kLow][1] = 3;
  made.right[kHigh][0] = 39, made.right[kHigh][1] = 38;
  made.right[kMiddle][0] = 3, made.right[kMiddle][1] = 2;
  for (int k = 1; k < 7; ++k) made.keys.push_back("right" + std::to_string(k));
  const Findings found = made.findings();
  EXPECT_EQ(found.inference.comparisons(), 14u);
  EXPECT_DOUBLE_EQ(found.inference.corrected_p("right3", kHigh).value(), 14 * 2 / 30001.0);
  EXPECT_EQ(found.inference.corrected_p("right3", kMiddle).value(), 1);
}

// One is enough; and where several are tried the intervals are wider.
TEST(Verdicts, OfOneOfSeveral) {
  const std::vector<Above> parts = {{kLow, "right", kLow}};
  const ClaimResult found = ours({"", "", parts, {kMiddle, kHigh}});
  EXPECT_EQ(found.holds, std::optional(true));
  EXPECT_TRUE(found.figure.starts_with("0.775 against 0.275")) << found.figure;
  EXPECT_TRUE(found.figure.ends_with("; the best of 2"));
  EXPECT_EQ(ours({"", "", parts, {kMiddle, kMiddle}}).holds, std::nullopt);
  const std::vector<Above> below = {{kLow, "right", kHigh}};
  EXPECT_EQ(ours({"", "", below, {kLow, kMiddle}}).holds, std::optional(false));
  EXPECT_EQ(ours({"", "", below, {kLow, kHigh}}).holds, std::nullopt);  // one is open: itself
  Made sure;  // what is not far below is surely below; what is far below may be above
  sure.score[kHigh][0] = sure.score[kHigh][1] = 2;
  sure.score[kMiddle][0] = 0.5, sure.score[kMiddle][1] = 1.5;
  const ClaimResult two =
      ours({"", "", {{.variant = kLow, .key = "score", .by = 3}}, {kHigh, kMiddle}}, sure);
  EXPECT_TRUE(two.figure.starts_with("2.000 ")) << two.figure;
  EXPECT_EQ(two.holds, std::nullopt);
  // One that is sure is better than one that is higher and open.
  const ClaimResult first = ours({"", "", {{kLow, "score", kLow}}, {kMiddle, kHigh}});
  EXPECT_TRUE(first.figure.starts_with("2.050 against 1.050")) << first.figure;
  EXPECT_EQ(first.holds, std::optional(true));
  const auto width = [&](size_t tried) {
    const std::string text = ours({"", "", parts, std::vector<size_t>(tried, kHigh)}).figure;
    std::smatch ends;
    EXPECT_TRUE(std::regex_search(text, ends, std::regex("\\[(-?[0-9.]+), (-?[0-9.]+)\\]")))
        << text;
    return std::stod(ends[2]) - std::stod(ends[1]);
  };
  EXPECT_GT(width(10), 1.2 * width(1));
}

TEST(Verdicts, OfPrintedNumbersAreTheNumbers) {
  VariantNumbers printed;
  printed.set(kLow, "f1", 0.7);
  printed.set(kHigh, "f1", 0.701);
  printed.set(kMiddle, "f1", 0.7);
  const auto verdict = [&](std::vector<Above> parts) {
    return decide(AboveClaim{"", "", std::move(parts)}, printed);
  };
  EXPECT_EQ(verdict({{kHigh, "f1", kLow}}).holds, std::optional(true));
  EXPECT_EQ(verdict({{kLow, "f1", kHigh}}).holds, std::optional(false));
  EXPECT_EQ(verdict({{kLow, "f1", kMiddle}}).holds, std::nullopt);
  EXPECT_EQ(verdict({{kHigh, "f1", kLow, "", 1, 0.0005}}).holds, std::optional(true));
  EXPECT_EQ(verdict({{kHigh, "f1", kLow, "", 1, 0.002}}).holds, std::optional(false));
  EXPECT_EQ(verdict({{kLow, "f1", kHigh, "", 1, -0.002}}).holds, std::optional(true));
  EXPECT_EQ(verdict({{kHigh, "f1", kLow}}).figure, "0.701 against 0.700");
  EXPECT_EQ(verdict({{kLow, "f1", kHigh, "", 0.9}}).figure, "0.700 against 0.90 x 0.701");
  EXPECT_EQ(verdict({{kHigh, "recall", kLow}}).figure, "");
  printed.set(kLow, "log", -7);
  printed.set(kHigh, "log", -0.0625);
  EXPECT_EQ(verdict({{kLow, "log", kHigh}}).figure, "-7.000 against -0.0625");
}

// One of those without numbers could hold.
TEST(Verdicts, OfOneOfSeveralAreOpenWhileSomeAreMissing) {
  VariantNumbers printed;
  printed.set(kLow, "f1", 0.7);
  const auto verdict = [&](double by) {
    return decide(
        AboveClaim{"", "", {{.variant = kLow, .key = "f1", .by = by}}, {kLow, kHigh, kMiddle}},
        printed);
  };
  EXPECT_EQ(verdict(0.5).holds, std::optional(true));
  EXPECT_EQ(verdict(0.8).holds, std::nullopt);
  EXPECT_EQ(verdict(0.8).figure, "0.700 against 0.800");
  printed.set(kHigh, "f1", 0.6);
  EXPECT_EQ(verdict(0.8).figure, "0.700 against 0.800; the best of 2");
  printed.set(kMiddle, "f1", 0.6);
  EXPECT_EQ(verdict(0.8).holds, std::optional(false));
}

// The figure is that of the way whose lowest part is the highest.
TEST(Verdicts, AWayIsAsGoodAsItsLowestPart) {
  VariantNumbers printed;
  printed.set(kLow, "recall", 0.51);
  printed.set(kLow, "f1", 0.9);
  printed.set(kHigh, "recall", 0.6);
  printed.set(kHigh, "f1", 0.625);
  const std::vector<Above> parts = {{.variant = kLow, .key = "recall", .by = 0.5},
                                    {.variant = kLow, .key = "f1", .by = 0.5}};
  for (const std::vector<Above>& order : {parts, {parts[1], parts[0]}}) {
    const std::string figure = decide(AboveClaim{"", "", order, {kLow, kHigh}}, printed).figure;
    EXPECT_TRUE(figure.find("0.625") != figure.npos && figure.find("0.900") == figure.npos)
        << figure;
  }
}

// ---- tables of the same runs

std::vector<double> values_of(const Row& row) {
  std::vector<double> values;
  for (const Cell& cell : row.cells) values.push_back(cell.value.value_or(NAN));
  return values;
}

TEST(VariantTables, ChangesAreMeansOverPairsOfRuns) {
  const Findings found = Made().findings();
  Table table{
      .id = "changes",
      .title = "T",
      .note = "",
      .columns = {{"", "r", "right", 3, false, Column::Best::kNone, false, {{"other", "score"}}}}};
  add_changes(table, found.results, found.inference);
  ASSERT_EQ(table.rows.size(), 2u);  // of what is compared
  const Cell& high = table.rows[0].cells[0];
  EXPECT_NEAR(high.value.value(), 0.5, 1e-12);
  EXPECT_NEAR(high.others.at(0).value(), 1, 1e-12);
  EXPECT_EQ(high.p_value, found.inference.corrected_p("right", kHigh));
  EXPECT_EQ(high.interval->low, found.inference.change("right", kHigh)->interval.low);
  EXPECT_EQ(intervals_text(found.results, "conversations") + p_values_text(found.inference),
            "95 % intervals over 40 conversations, the largest of 1. p-values, of several seeds "
            "only, after Holm's correction for all 2 comparisons.");
  Findings some = Made().findings();  // one run of four lacks the other number
  some.results.runs[2].numbers.set("score", std::nullopt);
  table.rows.clear();
  add_changes(table, some.results, some.inference);
  EXPECT_FALSE(table.rows[0].cells[0].others.at(0));
  EXPECT_TRUE(table.rows[0].cells[0].value && table.rows[1].cells[0].others.at(0));
  Made one;
  one.seeds = 1;
  EXPECT_EQ(p_values_text(one.findings().inference),
            "No p-values: one seed does not say what another training would give.");
}

TEST(VariantTables, OfTrainings) {
  Findings found = Made().findings();
  RunResult& run = found.results.runs[3];  // of kHigh, its second seed
  for (const auto& [key, value] : std::map<std::string, double>{
           {"epochs", 5}, {"best_epoch", 3}, {"parameters", 2.5e6}, {"valid_f1", 0.75}}) {
    run.numbers.set(key, value);
  }
  run.times = {.epochs = {60, 30}, .evaluation = 45};
  found.results.runs[0].made_with = "heed 1";
  const Table table = trainings_table(found.results, "valid_f1", "F1", 3, true);
  ASSERT_EQ(table.rows.size(), 6u);
  EXPECT_EQ(table.rows[3].label, "high-seed2");
  EXPECT_EQ(values_of(table.rows[3]), (std::vector<double>{2, 5, 3, 0.75, 2.5, 1.5, 0.75}));
  EXPECT_TRUE(table.note.starts_with("The best epoch is the one with the highest validation F1;"));
  EXPECT_TRUE(table.note.ends_with("(: 5 runs; heed 1: 1 run).")) << table.note;
  found.results.runs[0].made_with = "";
  EXPECT_EQ(mixed_programs(found.results), "");
  EXPECT_TRUE(trainings_table(found.results, "valid_f1", "loss", 3)
                  .note.starts_with("The best epoch is the one with the lowest validation loss;"));
}

// As of two commands with a --seed each: two runs of what has no seeds are not twice as many pairs.
TEST(Results, OneRunOfAVariantWithoutSeedsIsPaired) {
  Results results = Made().findings().results;
  results.variants[kLow].of_seeds = false;
  const auto seeds = [&](size_t variant, size_t baseline) {
    std::vector<std::pair<uint64_t, uint64_t>> found;
    for (const auto& [run, base] : paired_runs(results, variant, baseline)) {
      found.emplace_back(run->run.seed, base->run.seed);
    }
    return found;
  };
  using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(seeds(kHigh, kLow), (Pairs{{1, 1}, {2, 1}}));
  EXPECT_EQ(seeds(kLow, kHigh), (Pairs{{1, 1}, {1, 2}}));
  EXPECT_EQ(seeds(kLow, kLow), (Pairs{{1, 1}}));
  EXPECT_EQ(seeds(kHigh, kMiddle), (Pairs{{1, 1}, {2, 2}}));
}

// Of a variant whose runs all have the number.
TEST(Results, MeansAreOverTheRunsOfAVariant) {
  Results results = Made().findings().results;
  results.runs[1].numbers.set("some", 0.5);  // of one run of two
  results.runs[5].numbers.set("right", std::nullopt);
  const VariantNumbers means = mean_numbers(results);
  EXPECT_NEAR(means.get(kHigh, "right").value(), 0.775, 1e-12);
  EXPECT_NEAR(means.get(kHigh, "score").value(), 2.05, 1e-12);
  EXPECT_EQ(means.get(kLow, "some"), std::nullopt);
  EXPECT_EQ(means.get(kMiddle, "right"), std::nullopt);
  results.runs.pop_back();  // the second seed of the last variant
  EXPECT_EQ(results.seeds(), 2);
}

}  // namespace
}  // namespace heed
