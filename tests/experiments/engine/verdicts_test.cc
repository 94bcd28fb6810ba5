// When a claim holds: intervals over items and seeds, over seeds alone, and printed numbers.
#include "experiments/engine/report/verdicts.h"

#include <gtest/gtest.h>

#include <regex>

namespace heed {
namespace {

enum Variant : size_t { kLow, kHigh, kMiddle };

// Three variants of two seeds on 40 items, each of which is its cluster: "right" is 1 on the first
// so many items of each variant and seed, "score" has no items.
struct Made {
  int right[3][2] = {{10, 12}, {30, 32}, {12, 10}};
  double score[3][2] = {{1, 1.1}, {2, 2.1}, {1.9, 4}};
  size_t seeds = 2;
  bool low_of_seeds = true;

  Findings findings() const {
    Results results;
    results.variants = {{"low", "", ""}, {"high", "", ""}, {"middle", "", ""}};
    results.variants[kLow].of_seeds = low_of_seeds;
    for (int i = 0; i < 40; ++i) results.clusters.push_back(i);
    for (size_t v = 0; v < 3; ++v) {
      for (size_t s = 0; s < (results.variants[v].of_seeds ? seeds : 1); ++s) {
        RunResult run;
        run.run = {v, s + 1, results.variants[v].name + "-seed" + std::to_string(s + 1)};
        Series items(40, 0.0);
        for (int i = 0; i < right[v][s]; ++i) items[i] = 1.0;
        run.numbers.set("right", right[v][s] / 40.0);
        run.numbers.set_series("items", items);
        run.numbers.set("score", score[v][s]);
        results.runs.push_back(run);
      }
    }
    Inference inference(
        results, {{.key = "right", .top = "items", .bottom = "items", .mean = true}},
        {{"right"}, [](size_t v) { return v == 0 ? std::nullopt : std::optional<size_t>(0); }});
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
  // Where one number has items and the other has none, too.
  EXPECT_TRUE(ours({{kLow, "score", kLow, "right"}}).figure.ends_with(" by 2 seeds"));
}

TEST(Verdicts, OfOneSeedAreOpen) {
  Made one;
  one.seeds = 1;
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).holds, std::nullopt);
  EXPECT_EQ(ours({{kHigh, "right", kLow}}, one).figure, "0.750 against 0.250 (one seed)");
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
  EXPECT_EQ(verdict({{kHigh, "f1", kLow}}).figure, "0.701 against 0.700");
  EXPECT_EQ(verdict({{kLow, "f1", kHigh, "", 0.9}}).figure, "0.700 against 0.90 x 0.701");
  EXPECT_EQ(verdict({{kHigh, "recall", kLow}}).figure, "");
}

}  // namespace
}  // namespace heed
