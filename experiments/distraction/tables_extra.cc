// The tables that the paper does not have: ways to take the DAS ratio, comparisons with the
// baselines, quality of responses, trainings.
#include "experiments/distraction/tables_parts.h"

namespace heed {
namespace {

struct Kind {
  const char *name, *key;
  SummaryNumber ratio;
};
const Kind kKinds[] = {{"ratio of means", "das_ratio", &ScoreSummary::das_ratio},
                       {"mean of ratios", "mean_das_ratio", &ScoreSummary::mean_das_ratio},
                       {"median", "median_das_ratio", &ScoreSummary::median_das_ratio}};

// Over the three sets from `first` on.
std::optional<double> mean_over_sets(const Evaluation& e, size_t first, SummaryNumber ratio) {
  double sum = 0;
  for (size_t s = first; s < first + 3; ++s) {
    const std::optional<double> value = e.sets[s].summary.*ratio;
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / 3;
}

// Mean over the pairs of runs of one seed of the change of a number; nothing if one has none.
std::optional<double> mean_change(const std::vector<RunPair>& pairs, size_t set,
                                  SummaryNumber ratio) {
  double sum = 0;
  for (const auto& [run, baseline] : pairs) {
    const auto ours = run->evaluation.sets[set].summary.*ratio,
               its = baseline->evaluation.sets[set].summary.*ratio;
    if (!ours || !its) return std::nullopt;
    sum += *ours - *its;
  }
  return pairs.empty() ? std::nullopt : std::optional(sum / static_cast<double>(pairs.size()));
}

}  // namespace

// The mean of ratios and the median beside the ratio of means, over the sets of each kind.
Table ratios_table(const Results& results) {
  Table table{
      .id = "ratios",
      .title = "Three ways to take the DAS ratio of a test set",
      .note = of_dialogues(results) +
              "Mean over the three sets of a kind. Ratio of means: mean AS of the distractions "
              "over mean AS of the history, as the paper's tables print it and all other "
              "tables here do. The other two are of the ratios of single dialogues. The mean "
              "(the paper's Eq. 8 as it is written) has a heavy tail: a dialogue whose "
              "history gets almost no attention can be anything."};
  for (size_t first = 1; first < kSets; first += 3) {
    for (const Kind& kind : kKinds) {
      table.columns.push_back({kind_of(first), kind.name,
                               "test_sets." + kind_of(first) + ":*." + kind.key, 2, false,
                               Column::Best::kLowest});
    }
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    Row row = variant_row(results, v);
    for (size_t first = 1; first < kSets; first += 3) {
      for (const Kind& kind : kKinds) {
        row.cells.push_back(cell_over_seeds(
            results, v, [&](const Evaluation& e) { return mean_over_sets(e, first, kind.ratio); }));
      }
    }
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  return table;
}

Table changes_table(const Results& results, const Inference& inference) {
  Table table{
      .id = "changes",
      .title = "Change of the DAS ratio against the baseline",
      .note = of_dialogues(results) + of_intervals(results) +
              "DAS ratio minus that of the same structure trained without distractions (p "
              "= 0) with the same seeds, on the same dialogues. Intervals: percentiles of " +
              std::to_string(kResamples) +
              " bootstrap resamples of conversations; p-values after Holm's correction "
              "for all " +
              std::to_string(inference.comparisons) +
              " comparisons. They say what chance in the test dialogues can do, not what "
              "another training would give: for that see the spread over seeds."};
  for (size_t s = 1; s < kSets; ++s) {
    table.columns.push_back({kind_of(s), place_of(s), "test_sets." + set_name(s) + ".das_ratio", 3,
                             false, Column::Best::kNone, true});
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    if (all_variants()[v].insert_prob == 0) continue;
    const std::vector<RunPair> pairs = paired_runs(results, v);
    Row row = variant_row(results, v);
    for (const RunPair& p : pairs) row.sources.push_back(source_of(*p.second));
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      Cell cell{.value = mean_change(pairs, s + 1, &ScoreSummary::das_ratio)};
      cell.mean_of_ratios = mean_change(pairs, s + 1, &ScoreSummary::mean_das_ratio);
      cell.median_of_ratios = mean_change(pairs, s + 1, &ScoreSummary::median_das_ratio);
      if (inference.change[v][s]) {
        cell.interval = inference.change[v][s]->interval;
        cell.p_value = inference.corrected[v][s];
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table quality_table(const Results& results) {
  Table table{
      .id = "quality",
      .title = "Quality of generated responses",
      .note = of_dialogues(results) +
              "Greedy responses without <unk>. BLEU: corpus BLEU-4 against the human "
              "response as far as --max-response keeps it, 0 to 100; distinct-n: different n-grams "
              "a word; length in words.",
      .columns = {{"", "BLEU", "responses.bleu", 2, true, Column::Best::kHighest},
                  {"", "distinct-1", "responses.distinct_1", 4, false, Column::Best::kHighest},
                  {"", "distinct-2", "responses.distinct_2", 4, false, Column::Best::kHighest},
                  {"", "length", "responses.mean_length", 1, false}}};
  for (size_t v = 0; v < all_variants().size(); ++v) {
    Row row = variant_row(results, v);
    const auto add = [&](auto get) {
      row.cells.push_back(cell_over_seeds(results, v, [&](const Evaluation& e) {
        return std::optional<double>(get(e.responses));
      }));
    };
    add([](const ResponseQuality& q) { return q.bleu.value_or(0); });
    add([](const ResponseQuality& q) { return q.distinct_1; });
    add([](const ResponseQuality& q) { return q.distinct_2; });
    add([](const ResponseQuality& q) { return q.mean_length; });
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  Row human{"", "human responses", {}, {"samples.json"}, true};
  human.cells = {{},
                 {.value = results.human.distinct_1},
                 {.value = results.human.distinct_2},
                 {.value = results.human.mean_length}};
  table.rows.push_back(std::move(human));
  return table;
}

Table trainings_table(const Results& results) {
  Table table{.id = "runs",
              .title = "The trainings",
              .note =
                  "The best epoch is the one with the lowest validation perplexity; its model "
                  "is the one that is tested. Minutes: of one worker, as measured; epochs that "
                  "were interrupted are not in them.",
              .rows_are = "run",
              .columns = {{"", "seed", "seed", 0, false},
                          {"", "epochs", "epochs", 0, false},
                          {"", "best epoch", "best_epoch", 0, false},
                          {"", "valid. perplexity", "valid_perplexity", 1, false},
                          {"", "million parameters", "parameters", 2, false},
                          {"", "training, minutes", "times.json", 1, false},
                          {"", "tests, minutes", "times.json", 1, false}}};
  for (const RunResult& run : results.runs) {
    const Evaluation& e = run.evaluation;
    double seconds = 0;
    for (double epoch : run.times.epochs) seconds += epoch;
    Row row{group_of(run.run.get()), run.run.name(), {}, {source_of(run)}};
    for (const double value :
         {static_cast<double>(run.run.seed), static_cast<double>(e.epochs),
          static_cast<double>(e.best_epoch), e.valid_perplexity,
          static_cast<double>(e.parameters) / 1e6, seconds / 60, run.times.evaluation / 60}) {
      row.cells.push_back({.value = value});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace heed
