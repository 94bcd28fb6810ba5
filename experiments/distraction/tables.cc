#include "experiments/distraction/tables.h"

#include "experiments/distraction/paper.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Best = Column::Best;

// ---- the notes
// "dialogues", or with --examples all "examples" of them

// "dialogues", or with --examples all "examples" of them
std::string unit_of(const Results& results) {
  return results.setting("examples") == "all" ? "examples" : "dialogues";
}

// "830 test dialogues, 1 seed. "
std::string of_dialogues(const Results& results) {
  return std::to_string(results.items()) + " test " + unit_of(results) + ", " +
         std::to_string(results.seeds()) + (results.seeds() == 1 ? " seed" : " seeds") + ". ";
}

std::string of_intervals(const Results& results) {
  return intervals_text(results, "conversations");
}

// ---- columns

// A number of a test set's summary.
struct SummaryNumber {
  const char *key, *name;
  int digits;
  bool percent;
  Best best;
};
const SummaryNumber kPerplexity = {"perplexity", "perplexity", 1, false, Best::kLowest};
const SummaryNumber kDas = {"das_ratio", "DAS ratio", 2, false, Best::kLowest};
const SummaryNumber kDistraction = {"as_distraction", "AS distr. %", 1, true, Best::kLowest};
const SummaryNumber kHistory = {"as_history", "AS history %", 1, true, Best::kNone};
const SummaryNumber kFirst = {"as_first", "AS first %", 1, true, Best::kNone};
const SummaryNumber kLast = {"as_last", "AS last %", 1, true, Best::kNone};

// The other definitions of the DAS ratio stand beside it.
std::vector<Column::Other> other_ratios(size_t set) {
  return {{"mean_of_ratios", key_of(set, "mean_das_ratio")},
          {"median_of_ratios", key_of(set, "median_das_ratio")}};
}

Column column(size_t set, const SummaryNumber& number, const std::string& group,
              const std::string& name) {
  Column c{group, name, key_of(set, number.key), number.digits, number.percent, number.best};
  if (number.key == kDas.key) c.others = other_ratios(set);
  return c;
}

// The measurements of the set at `place` among the three of a kind, whose phrases stand at the
// beginning, in the middle or at the end.
std::vector<SummaryNumber> numbers_of(const std::string& kind, size_t place) {
  std::vector<SummaryNumber> numbers = {kDas, kDistraction, kHistory};
  if (kind != "random" && place == 0) numbers.push_back(kFirst);
  if (kind != "random" && place == 2) numbers.push_back(kLast);
  return numbers;
}

// ---- the tables of the paper

Table table3(const Results& results, const Inference& inference) {
  Table table{.id = "table3",
              .title = "Table 3: DAS ratios of the 23 variants",
              .note = of_dialogues(results) + of_intervals(results) +
                      "Perplexity and mean attention score (AS) of the history on the "
                      "original test set, DAS ratio on the nine distracting ones. 100 % is "
                      "an average utterance. DAS ratio: mean AS of the distractions over "
                      "mean AS of the history; lower is better.",
              .columns = {column(0, kPerplexity, "original test set", "perplexity"),
                          column(0, kHistory, "original test set", "AS history %")}};
  for (size_t s = 1; s < kSets; ++s) {
    table.columns.push_back(column(s, kDas, "DAS ratio, " + kind_of(s), place_of(s)));
  }
  add_variants(table, results, inference);
  return table;
}

// Tables 4, 5 and 6: three sets starting at `first`.
Table table_of_kind(const Results& results, const Inference& inference, const std::string& id,
                    size_t first) {
  const std::string kind = kind_of(first);
  Table table{
      .id = id, .title = "Table " + id.substr(5) + ": " + kind + " distractions", .note = ""};
  table.note = of_dialogues(results) + of_intervals(results);
  if (kind == "random") {
    table.note +=
        "Two utterances of the training dialogues, each inserted with probability p at a random "
        "place of the history.";
  } else {
    table.note += "The " + kind +
                  " phrases together at the begin, in the middle or at the end of the "
                  "history; first and last: AS of the first and of the last original "
                  "utterance of the history, which the phrases stand before or behind.";
  }
  for (size_t s = first; s < first + 3; ++s) {
    const std::string group = (kind == "random" ? "random, " : "") + place_of(s);
    for (const SummaryNumber& n : numbers_of(kind, s - first)) {
      table.columns.push_back(column(s, n, group, n.name));
    }
  }
  add_variants(table, results, inference);
  return table;
}

// ---- the tables that the paper does not have

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
    for (const RatioKind& kind : kRatioKinds) {
      table.columns.push_back({kind_of(first), kind.short_name,
                               "test_sets." + kind_of(first) + ":*." + kind.key, 2, false,
                               Best::kLowest});
    }
  }
  add_variants(table, results, Inference(results, {}));
  return table;
}

// How often distractions win, regardless of how much attention a dialogue's history gets.
Table shares_table(const Results& results) {
  Table table{
      .id = "shares",
      .title = "Distractions against the history, dialogue by dialogue",
      .note = of_dialogues(results) +
              "D > H: the share of the dialogues whose distractions get more attention than "
              "their history, in %. D / (D + H): the mean of that; 0.5 is even. Neither can "
              "be moved far by single dialogues, as a ratio of means or of single ones can."};
  for (size_t s = 1; s < kSets; ++s) {
    const std::string group = kind_of(s) + ", " + place_of(s);
    table.columns.push_back({group, "D > H %", key_of(s, kDasAbove), 0, true, Best::kLowest});
    table.columns.push_back(
        {group, "D / (D + H)", key_of(s, kDasBounded), 3, false, Best::kLowest});
  }
  add_variants(table, results, Inference(results, {}));
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
              " bootstrap resamples of conversations and seeds; of one seed they say what chance "
              "in the test dialogues can do, not what another training would give. " +
              p_values_text(inference)};
  for (size_t s = 1; s < kSets; ++s) {
    table.columns.push_back({kind_of(s), place_of(s), key_of(s, "das_ratio"), 3, false, Best::kNone,
                             true, other_ratios(s)});
  }
  add_changes(table, results, inference);
  return table;
}

Table quality_table(const DistractionResults& results) {
  Table table{
      .id = "quality",
      .title = "Quality of generated responses",
      .note = of_dialogues(results) +
              "Greedy responses without <unk>. BLEU: corpus BLEU-4 against the human "
              "response as far as --max-response keeps it, 0 to 100; distinct-n: different n-grams "
              "a word; length in words.",
      .columns = {{"", "BLEU", "responses.bleu", 2, true, Best::kHighest},
                  {"", "distinct-1", "responses.distinct_1", 4, false, Best::kHighest},
                  {"", "distinct-2", "responses.distinct_2", 4, false, Best::kHighest},
                  {"", "length", "responses.mean_length", 1, false}}};
  add_variants(table, results, Inference(results, {}));
  Row human{"", "human responses", {}, {"samples.json"}, true};
  human.cells = {{},
                 {.value = results.human.distinct_1},
                 {.value = results.human.distinct_2},
                 {.value = results.human.mean_length}};
  table.rows.push_back(std::move(human));
  return table;
}

// ---- the paper's tables beside ours

constexpr char kPaper[] =
    "The paper's models have 4 layers of 512 and a vocabulary of 25,000, and were trained on 0.48 "
    "million dialogues and tested on 10 thousand. – cannot be read in the scan of the paper that "
    "the numbers were taken from, ? is a doubtful reading. ";

Table beside3(const Results& results) {
  Table table{.id = "paper3",
              .title = "The paper's Table 3 beside ours",
              .note = std::string(kPaper) +
                      "Perplexities of different vocabularies and tokenizers cannot be "
                      "compared."};
  std::vector<Beside> pairs = {{"perplexity", key_of(0, "perplexity"), 1},
                               {"AS history %", key_of(0, "as_history"), 1, true}};
  for (size_t s = 1; s < kSets; ++s) pairs.push_back({set_name(s), key_of(s, "das_ratio")});
  add_beside(table, results, paper_numbers(), pairs, "table3");
  return table;
}

// Three sets starting at `first`.
Table beside_of_kind(const Results& results, Table table, const std::string& ours, size_t first) {
  std::vector<Beside> pairs;
  for (size_t s = first; s < first + 3; ++s) {
    for (const SummaryNumber& n : numbers_of(kind_of(s), s - first)) {
      pairs.push_back({place_of(s) + ", " + n.name, key_of(s, n.key), n.digits, n.percent});
    }
  }
  add_beside(table, results, paper_numbers(), pairs, ours);
  return table;
}

}  // namespace

std::vector<Table> all_tables(const DistractionResults& results, const Inference& inference) {
  return {table3(results, inference),
          table_of_kind(results, inference, "table4", 1),
          table_of_kind(results, inference, "table5", 4),
          table_of_kind(results, inference, "table6", 7),
          ratios_table(results),
          shares_table(results),
          changes_table(results, inference),
          quality_table(results),
          trainings_table(results, "valid_perplexity", "perplexity"),
          beside3(results),
          beside_of_kind(results,
                         {.id = "paper4",
                          .title = "The paper's Table 4 beside ours: random distractions",
                          .note = kPaper},
                         "table4", 1),
          beside_of_kind(results,
                         {.id = "paper6",
                          .title = "The paper's Table 6 beside ours: rare distractions",
                          .note = std::string(kPaper) +
                                  "Its Table 5, of the frequent ones, is not in the scan."},
                         "table6", 7)};
}

}  // namespace heed
