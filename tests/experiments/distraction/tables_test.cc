// Tables and what they are made of.
#include <algorithm>
#include <cmath>

#include "experiments/distraction/experiment.h"
#include "experiments/distraction/results.h"
#include "tests/experiments/distraction/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// What is computed of made-up results, once for all tests.
struct Computed {
  explicit Computed(Results of)
      : results(std::move(of)),
        inference(infer(results)),
        tables(all_tables({{results, inference}, made_up_samples()})) {}
  const Results results;
  const Inference inference;
  const std::vector<Table> tables;
};

const Computed& of_one_seed() {
  static const Computed kComputed(made_up_results());
  return kComputed;
}

// Of two structures three seeds, of the others one.
const Computed& of_three_seeds() {
  static const Computed kComputed(made_up_results(3, {"static-ui", "dynamic"}));
  return kComputed;
}

size_t seeds_of(size_t variant) {
  const std::string_view structure = all_variants()[variant].structure.name;
  return structure == "static-ui" || structure == "dynamic" ? 3 : 1;
}

// ---- the tables of an experiment

void expect_interval(const Cell& cell, const std::optional<Estimate>& estimate) {
  ASSERT_TRUE(cell.interval && estimate);
  EXPECT_EQ(cell.interval->low, estimate->interval.low);
  EXPECT_EQ(cell.interval->high, estimate->interval.high);
  EXPECT_LT(cell.interval->low, *cell.value);
  EXPECT_GT(cell.interval->high, *cell.value);
}

TEST(Tables, OfAnExperiment) {
  const auto& [results, inference, tables] = of_three_seeds();
  ASSERT_EQ(tables.size(), 12u);
  const Table& main = table_of(tables, "table3");
  ASSERT_EQ(main.rows.size(), 23u);
  ASSERT_EQ(main.columns.size(), 11u);
  for (size_t v = 0; v < 23; ++v) EXPECT_EQ(main.rows[v].sources.size(), seeds_of(v)) << v;
  EXPECT_TRUE(
      main.note.find(
          "40 test dialogues, 3 seeds. 95 % intervals over 20 conversations, the largest of 2") !=
      main.note.npos)
      << main.note;
  // mean and spread over the three seeds
  const size_t v = *find_variant("dynamic", 0.7, true);
  std::vector<double> ratios, means, medians;
  for (const RunResult* run : results.of(v)) {
    ratios.push_back(*run->numbers.value(key_of(2, "das_ratio")));
    means.push_back(*run->numbers.value(key_of(2, "mean_das_ratio")));
    medians.push_back(*run->numbers.value(key_of(2, "median_das_ratio")));
  }
  const Cell& cell = main.rows[v].cells[3];
  EXPECT_EQ(main.columns[3].key, "test_sets.random:0.7.das_ratio");
  EXPECT_DOUBLE_EQ(*cell.value, (ratios[0] + ratios[1] + ratios[2]) / 3);
  EXPECT_DOUBLE_EQ(*cell.deviation, *spread(ratios)->deviation);
  EXPECT_FALSE(main.rows[*find_variant("static", 0.7, true)].cells[3].deviation);  // of one seed
  EXPECT_DOUBLE_EQ(cell.others.at(0).value(), spread(means)->mean);
  EXPECT_DOUBLE_EQ(cell.others.at(1).value(), spread(medians)->mean);
  // begin has the first utterance, end the last one
  EXPECT_EQ(table_of(tables, "table4").columns.size(), 9u);
  EXPECT_EQ(table_of(tables, "table5").columns.size(), 11u);
  EXPECT_EQ(table_of(tables, "table6").columns[3].key, "test_sets.rare:begin.as_first");
  EXPECT_EQ(table_of(tables, "table6").columns[10].key, "test_sets.rare:end.as_last");
}

// Each number has its own interval, not that of another set or of another measure.
TEST(Tables, IntervalsAreThoseOfTheirNumbers) {
  const auto& [results, inference, tables] = of_three_seeds();
  const Table &main = table_of(tables, "table3"), &random = table_of(tables, "table4"),
              &rare = table_of(tables, "table6");
  for (size_t v = 0; v < all_variants().size(); ++v) {
    expect_interval(main.rows[v].cells[0], inference.value(key_of(0, "perplexity"), v));
    expect_interval(main.rows[v].cells[1], inference.value(key_of(0, "as_history"), v));
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      expect_interval(main.rows[v].cells[2 + s], inference.value(key_of(s + 1, "das_ratio"), v));
    }
    for (size_t s = 0; s < 3; ++s) {
      expect_interval(random.rows[v].cells[3 * s], inference.value(key_of(s + 1, "das_ratio"), v));
      expect_interval(random.rows[v].cells[3 * s + 1],
                      inference.value(key_of(s + 1, "as_distraction"), v));
      expect_interval(random.rows[v].cells[3 * s + 2],
                      inference.value(key_of(s + 1, "as_history"), v));
    }
    expect_interval(rare.rows[v].cells[9], inference.value(key_of(9, "as_history"), v));
    EXPECT_FALSE(rare.rows[v].cells[3].interval);  // of the first utterance there is none
  }
  EXPECT_NE(inference.value(key_of(1, "das_ratio"), 0)->interval.low,
            inference.value(key_of(2, "das_ratio"), 0)->interval.low);
}

// A printed ratio is the quotient of the numbers printed beside it.
TEST(Tables, RatiosAreQuotientsOfTheirColumns) {
  const auto& tables = of_one_seed().tables;
  for (const char* id : {"table4", "table5", "table6"}) {
    const Table& table = table_of(tables, id);
    int found = 0;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].key.ends_with(".das_ratio")) continue;
      ++found;
      for (const Row& row : table.rows) {
        EXPECT_DOUBLE_EQ(*row.cells[c].value, *row.cells[c + 1].value / *row.cells[c + 2].value);
      }
    }
    EXPECT_EQ(found, 3) << id;
  }
}

TEST(Tables, ThreeWaysToTakeTheRatio) {
  const Table& table = table_of(of_three_seeds().tables, "ratios");
  ASSERT_EQ(table.columns.size(), 9u);
  EXPECT_EQ(table.columns[4].key, "test_sets.frequent:*.mean_das_ratio");
  for (size_t v = 0; v < 23; ++v) {
    const auto runs = of_three_seeds().results.of(v);
    ASSERT_EQ(runs.size(), seeds_of(v));
    double sums[3] = {};
    for (const RunResult* run : runs) {
      for (size_t s = 4; s < 7; ++s) {
        for (size_t k = 0; k < 3; ++k) {
          sums[k] += *run->numbers.value(key_of(s, kRatioKinds[k].key));
        }
      }
    }
    const auto numbers = 3 * static_cast<double>(runs.size());
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(*table.rows[v].cells[3 + k].value, sums[k] / numbers, 1e-12) << v;
    }
  }
}

// D and H of four dialogues, of which one has no history: 1 and 3, 2 and 1, 0 and 0.
TEST(Tables, SharesOfDialogues) {
  Results results = made_up_results(1);
  const size_t set = 8;  // rare:middle
  for (RunResult& run : results.runs) {
    run.numbers.set_series(key_of(set, "dialogues_as_distraction"), {1, 2, 0, 5});
    run.numbers.set_series(key_of(set, "dialogues_as_history"), {3, 1, 0, std::nullopt});
    add_shares(run.numbers);
  }
  const Table table = table_of(all_tables({{results, of_one_seed().inference}, {}}), "shares");
  ASSERT_EQ(table.columns.size(), 18u);
  EXPECT_EQ(table.columns[14].group, "rare, middle");
  EXPECT_DOUBLE_EQ(*table.rows[5].cells[14].value, 1.0 / 3);
  EXPECT_DOUBLE_EQ(*table.rows[5].cells[15].value, (0.25 + 2.0 / 3) / 2);
}

// ---- changes against the baseline

TEST(Changes, AreThoseOfTheSameSeedsOnTheSameDialogues) {
  const Table& changes = table_of(of_three_seeds().tables, "changes");
  ASSERT_EQ(changes.rows.size(), 18u);
  int of_three = 0;
  for (const Row& row : changes.rows) {
    const bool three = row.sources.size() == 6;
    of_three += three;
    EXPECT_TRUE(three || row.sources.size() == 2) << row.sources.size();
    for (const Cell& change : row.cells) {
      const double p = std::stod(row.group.substr(4));
      EXPECT_NEAR(*change.value, -0.3 * p, 0.06);
      EXPECT_NEAR(change.others.at(0).value(), -0.3 * p, 0.06);
      EXPECT_TRUE(change.others.at(1));
      EXPECT_EQ(change.p_value.has_value(), three);
      EXPECT_LT(change.p_value.value_or(0), 0.05);
      EXPECT_LT(change.interval->low, *change.value);
      EXPECT_GT(change.interval->high, *change.value);
    }
  }
  EXPECT_EQ(of_three, 9);
}

// Beside a change stand those of the other measures of its column.
TEST(Changes, OfOtherMeasuresAreTheirOwn) {
  const auto& [results, inference, tables] = of_three_seeds();
  const Table& changes = table_of(tables, "changes");
  size_t place = 0, others = 0;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const auto baseline = baseline_of(v);
    if (!baseline) continue;
    const Row& row = changes.rows.at(place++);
    const auto pairs = paired_runs(results, v, *baseline);
    for (size_t c = 0; c < changes.columns.size(); ++c) {
      for (size_t k = 0; k < changes.columns[c].others.size(); ++k) {
        const std::string& key = changes.columns[c].others[k].key;
        double sum = 0;
        for (const auto& [run, its] : pairs) {
          sum += *run->numbers.value(key) - *its->numbers.value(key);
        }
        EXPECT_NEAR(row.cells[c].others.at(k).value(), sum / static_cast<double>(pairs.size()),
                    1e-12);
        ++others;
      }
    }
  }
  EXPECT_EQ(place, changes.rows.size());
  EXPECT_GT(others, 100u);
}

// Of seeds that only one of the two has, none counts.
TEST(Changes, LeaveOutUnpairedSeeds) {
  const Results all = made_up_results(3, {"static"});
  Results some = all;
  const size_t v = *find_variant("static", 0.5, true), base = *find_variant("static", 0, true);
  std::erase_if(some.runs, [&](const RunResult& r) {
    return (r.run.variant == v && r.run.seed == 1) || (r.run.variant == base && r.run.seed == 3);
  });
  const auto pairs = paired_runs(some, v, base);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first->run.seed, 2u);
  EXPECT_EQ(pairs[0].second->run.seed, 2u);
  EXPECT_EQ(paired_runs(all, v, base).size(), 3u);
  EXPECT_FALSE(baseline_of(base));
  const std::string key = key_of(4, "das_ratio");
  const double expected =
      *pairs[0].first->numbers.value(key) - *pairs[0].second->numbers.value(key);
  const Inference inference = infer(some);
  EXPECT_NEAR(inference.change(key, v)->value, expected, 1e-12);
  const Table changes = table_of(all_tables({{some, inference}, {}}), "changes");
  for (const Row& row : changes.rows) {
    if (row.label != "static" || row.group != "p = 0.5") continue;
    EXPECT_NEAR(*row.cells[3].value, expected, 1e-12);
  }
}

// Two seeds of static at p = 0.7 and its baseline, one of all others: nine comparisons.
Results of_nine_comparisons() {
  Results results = made_up_results(2, {"static"});
  std::erase_if(results.runs, [](const RunResult& r) {
    const double p = all_variants()[r.run.variant].insert_prob;
    return r.run.seed == 2 && p != 0.7 && p != 0;
  });
  return results;
}

// One seed has none; of the others Holm's factor is 9 at most, for the nine test sets: in 10,000
// draws the smallest corrected p-value would be 0.0018. No draw of any is beyond 0, so that 20,000
// are drawn, of which each p-value is 2 / 20,001, and corrected 9 times that.
TEST(Changes, AreCorrectedForAllOfThem) {
  const Inference inference = infer(of_nine_comparisons());
  const size_t v = *find_variant("static", 0.7, true);
  EXPECT_EQ(inference.comparisons(), 9u);
  for (size_t other = 0; other < all_variants().size(); ++other) {
    for (size_t s = 1; s < kSets; ++s) {
      const auto& change = inference.change(key_of(s, "das_ratio"), other);
      EXPECT_EQ(change.has_value(), all_variants()[other].insert_prob > 0);
      const auto corrected = inference.corrected_p(key_of(s, "das_ratio"), other);
      EXPECT_EQ(corrected.has_value(), other == v);
      EXPECT_DOUBLE_EQ(corrected.value_or(1), other == v ? 9 * 2.0 / 20001 : 1) << s;
    }
  }
  static_assert(9 * 2.0 / 20001 <= kSmallestP && 9 * 2.0 / 10001 > kSmallestP);
}

// Changes of all sizes, from none to some that are clear but need no more draws: the smallest
// p-value counts nine times, the next one eight times and never less than the one before.
TEST(Changes, AreCorrectedStepByStep) {
  Results results = of_nine_comparisons();
  const size_t v = *find_variant("static", 0.7, true), base = *find_variant("static", 0, true);
  for (const auto& [run, baseline] : paired_runs(results, v, base)) {
    Rng rng(run->run.seed, "changes");
    for (size_t s = 1; s < kSets; ++s) {
      const std::string name = key_of(s, "dialogues_as_distraction");
      Series series = baseline->numbers.series(name);
      for (std::optional<double>& x : series) {
        const double noise = rng.uniform() - 0.5 + 0.018 * static_cast<double>(s);
        if (x) *x *= 1 + 0.2 * noise;
      }
      const Series history = baseline->numbers.series(key_of(s, "dialogues_as_history"));
      Numbers& numbers = results.runs[static_cast<size_t>(run - results.runs.data())].numbers;
      numbers.set_series(name, series);
      numbers.set_series(key_of(s, "dialogues_as_history"), history);
    }
  }
  const Inference inference = infer(results);
  std::vector<std::pair<double, double>> p_values;  // as they are, and corrected
  for (size_t s = 1; s < kSets; ++s) {
    const std::string key = key_of(s, "das_ratio");
    p_values.emplace_back(inference.change(key, v)->p_value, *inference.corrected_p(key, v));
  }
  std::sort(p_values.begin(), p_values.end());
  ASSERT_EQ(p_values.size(), 9u);
  EXPECT_GE(p_values[0].first, 0.002);  // of others more is drawn
  EXPECT_LT(9 * p_values[0].first, 0.1);
  EXPECT_GT(p_values[8].first, 0.2);
  double before = 0;
  for (size_t i = 0; i < 9; ++i) {
    before = std::max(before, std::min(1.0, static_cast<double>(9 - i) * p_values[i].first));
    EXPECT_DOUBLE_EQ(p_values[i].second, before) << i;
  }
}

// An overflow in one run must not take the tables of the others with it.
TEST(Tables, APerplexityThatIsNoNumberIsMissing) {
  Results results = made_up_results(2, {"non-hier"});
  Numbers& numbers = results.runs[0].numbers;  // as they are read: null in the file
  numbers.set(key_of(0, "perplexity"), std::nullopt);
  Series nll = numbers.series("nll");
  nll[3].reset();
  numbers.set_series("nll", nll);
  const Inference inference = infer(results);
  EXPECT_FALSE(inference.value(key_of(0, "perplexity"), 0));
  EXPECT_TRUE(inference.value(key_of(0, "perplexity"), 1));
  const Table main = table_of(all_tables({{results, inference}, {}}), "table3");
  EXPECT_FALSE(main.rows[0].cells[0].value);
  EXPECT_TRUE(main.rows[0].cells[1].value);
  EXPECT_TRUE(main.rows[1].cells[0].value);
  EXPECT_FALSE(mean_numbers(results).get(0, key_of(0, "perplexity")));
  EXPECT_EQ(to_csv(main).find("inf"), std::string::npos);
}

TEST(Tables, OfAnUnfinishedExperiment) {
  Results results = made_up_results();
  results.runs.erase(results.runs.begin());  // a baseline
  results.runs.resize(7);
  const auto tables = all_tables(found_of(results));
  const Table& main = table_of(tables, "table3");
  EXPECT_EQ(main.rows.size(), 23u);
  EXPECT_FALSE(main.rows[0].cells[0].value);
  EXPECT_TRUE(main.rows[1].cells[0].value);
  EXPECT_FALSE(table_of(tables, "changes").rows[0].cells[0].value);  // without its baseline
  EXPECT_TRUE(table_of(tables, "changes").rows[1].cells[0].value);
}

TEST(Tables, OfThePaperBesideOurs) {
  const auto& one = of_one_seed();
  const size_t v = *find_variant("static-ui", 0.7, true);
  const auto cell = [&](const char* id, const std::string& group, const std::string& name) {
    const Table& table = table_of(one.tables, id);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].group == group && table.columns[c].name == name) {
        return table.rows[v].cells[c].value.value_or(NAN);
      }
    }
    return std::nan("");
  };
  const auto ours = [&](size_t set, const char* number) {
    return one.results.of(v)[0]->numbers.value(key_of(set, number));
  };
  EXPECT_EQ(cell("paper3", "random:0.5", "paper"), 0.67);
  EXPECT_EQ(cell("paper3", "random:0.5", "ours"), ours(1, "das_ratio"));
  EXPECT_NEAR(cell("paper6", "begin, AS distr. %", "paper"), 0.209, 1e-12);
  EXPECT_NEAR(cell("paper6", "begin, AS first %", "paper"), 0.374, 1e-12);
  EXPECT_NEAR(cell("paper6", "end, AS last %", "paper"), 0.573, 1e-12);
  EXPECT_EQ(cell("paper6", "end, AS last %", "ours"), ours(9, "as_last"));
  EXPECT_EQ(cell("paper6", "middle, AS history %", "ours"), ours(8, "as_history"));
  EXPECT_EQ(cell("paper4", "p = 1.0, AS distr. %", "ours"), ours(3, "as_distraction"));
  EXPECT_EQ(table_of(one.tables, "paper4").columns.size(), 2u * 9);
  EXPECT_EQ(table_of(one.tables, "paper6").columns.size(), 2u * 11);
}

}  // namespace
}  // namespace heed
