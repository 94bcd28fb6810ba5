// The tables of the experiment: those of the paper, in its layout, and some more.
#include "experiments/distraction/experiment.h"

namespace heed {
namespace {

using Best = Column::Best;

// ---- numbers of a test set, by their keys in it

const Column kPerplexity = {"", "perplexity", "perplexity", 1, false, Best::kLowest};
const Column kDas = {"", "DAS ratio", "das_ratio", 2, false, Best::kLowest};
const Column kDistraction = {"", "AS distr. %", "as_distraction", 1, true, Best::kLowest};
const Column kHistory = {"", "AS history %", "as_history", 1, true};
const Column kFirst = {"", "AS first %", "as_first", 1, true};
const Column kLast = {"", "AS last %", "as_last", 1, true};

// The column of a set. The other definitions of the DAS ratio stand beside it.
Column of_set(size_t set, Column column, const std::string& group) {
  if (column.key == kDas.key) {
    column.others = {{"mean_of_ratios", key_of(set, "mean_das_ratio")},
                     {"median_of_ratios", key_of(set, "median_das_ratio")}};
  }
  column.group = group;
  column.key = key_of(set, column.key);
  return column;
}

// After `columns` one for each distracting set, which its place names.
std::vector<Column> and_places(std::vector<Column> columns, Column column,
                               const std::string& before) {
  for (size_t s = 1; s < kSets; ++s) {
    column.name = place_of(s);
    columns.push_back(of_set(s, column, before + kind_of(s)));
  }
  return columns;
}

// Of the three sets of a kind starting at `first`: phrases stand at the beginning, in the middle or
// at the end.
std::vector<Column> of_kind(size_t first, const std::string& before) {
  std::vector<Column> columns;
  for (size_t s = first; s < first + 3; ++s) {
    std::vector<Column> numbers = {kDas, kDistraction, kHistory};
    if (place_of(s) == "begin") numbers.push_back(kFirst);
    if (place_of(s) == "end") numbers.push_back(kLast);
    for (const Column& c : numbers) columns.push_back(of_set(s, c, before + place_of(s)));
  }
  return columns;
}

// ---- notes

// "830 test dialogues, 1 seed. "; with --examples all "examples" of them
std::string of_dialogues(const Results& results) {
  const char* unit =
      results.setting("examples") == "all" ? " test examples, " : " test dialogues, ";
  return std::to_string(results.items()) + unit + std::to_string(results.seeds()) +
         (results.seeds() == 1 ? " seed. " : " seeds. ");
}

constexpr char kTable3[] =
    "Perplexity and mean attention score (AS) of the history on the original test set, DAS ratio "
    "on the nine distracting ones. 100 % is an average utterance. DAS ratio: mean AS of the "
    "distractions over mean AS of the history; lower is better.";
constexpr char kRandom[] =
    "Two utterances of the training dialogues, each inserted with probability p at a random place "
    "of the history.";
constexpr char kRatios[] =
    "Mean over the three sets of a kind. Ratio of means: mean AS of the distractions over mean AS "
    "of the history, as the paper's tables print it and all other tables here do. The other two "
    "are of the ratios of single dialogues. The mean (the paper's Eq. 8 as it is written) has a "
    "heavy tail: a dialogue whose history gets almost no attention can be anything.";
constexpr char kShares[] =
    "D > H: the share of the dialogues whose distractions get more attention than their history, "
    "in %. D / (D + H): the mean of that; 0.5 is even. Neither can be moved far by single "
    "dialogues, as a ratio of means or of single ones can.";
constexpr char kQuality[] =
    "Greedy responses without <unk>. BLEU: corpus BLEU-4 against the human response as far as "
    "--max-response keeps it, 0 to 100; distinct-n: different n-grams a word; length in words.";
constexpr char kPaper[] =
    "The paper's models have 4 layers of 512 and a vocabulary of 25,000, and were trained on 0.48 "
    "million dialogues and tested on 10 thousand. – cannot be read in the scan of the paper that "
    "the numbers were taken from, ? is a doubtful reading. ";

std::string of_phrases(const std::string& kind) {
  return "The " + kind +
         " phrases together at the begin, in the middle or at the end of the history; first and "
         "last: AS of the first and of the last original utterance of the history, which the "
         "phrases stand before or behind.";
}

std::string of_changes(const Inference& inference) {
  return "DAS ratio minus that of the same structure trained without distractions (p = 0) with the "
         "same seeds, on the same dialogues. Intervals: percentiles of " +
         std::to_string(kResamples) +
         " bootstrap resamples of conversations and seeds; of one seed they say what chance in the "
         "test dialogues can do, not what another training would give. " +
         p_values_text(inference);
}

// ---- tables that differ from others

// The mean of ratios and the median beside the ratio of means, over the sets of each kind.
std::vector<Column> ratio_columns() {
  std::vector<Column> columns;
  for (size_t first = 1; first < kSets; first += 3) {
    for (const RatioKind& kind : kRatioKinds) {
      columns.push_back({kind_of(first), kind.short_name,
                         "test_sets." + kind_of(first) + ":*." + kind.key, 2, false,
                         Best::kLowest});
    }
  }
  return columns;
}

// How often distractions win, regardless of how much attention a dialogue's history gets.
std::vector<Column> share_columns() {
  std::vector<Column> columns;
  for (size_t s = 1; s < kSets; ++s) {
    const std::string group = kind_of(s) + ", " + place_of(s);
    columns.push_back(of_set(s, {"", "D > H %", kDasAbove, 0, true, Best::kLowest}, group));
    columns.push_back(of_set(s, {"", "D / (D + H)", kDasBounded, 3, false, Best::kLowest}, group));
  }
  return columns;
}

// Table 3 names the sets in full.
std::vector<Column> paper_columns() {
  std::vector<Column> columns = {of_set(0, kPerplexity, ""), of_set(0, kHistory, "")};
  for (size_t s = 1; s < kSets; ++s) {
    columns.push_back(of_set(s, kDas, ""));
    columns.back().name = set_name(s);
  }
  return columns;
}

}  // namespace

std::vector<Table> all_tables(const DistractionResults& results, const Inference& inference) {
  const std::string dialogues = of_dialogues(results),
                    intervals = dialogues + intervals_text(results, "conversations");
  const auto table = [&](const std::string& id, const std::string& title, const std::string& note,
                         std::vector<Column> columns) {
    Table made{.id = id, .title = title, .note = note, .columns = std::move(columns)};
    add_variants(made, results, inference);
    return made;
  };
  const auto paper = [&](const std::string& number, const std::string& title,
                         const std::string& note, std::vector<Column> columns) {
    return beside({.id = "paper" + number,
                   .title = "The paper's Table " + number + " beside ours" + title,
                   .note = kPaper + note,
                   .columns = std::move(columns)},
                  results, paper_numbers(), "table" + number);
  };
  Table changes{
      .id = "changes",
      .title = "Change of the DAS ratio against the baseline",
      .note = intervals + of_changes(inference),
      .columns = and_places({}, {"", "", kDas.key, 3, false, Best::kNone, /*sign=*/true}, "")};
  add_changes(changes, results, inference);
  Table quality = table("quality", "Quality of generated responses", dialogues + kQuality,
                        {{"", "BLEU", "responses.bleu", 2, true, Best::kHighest},
                         {"", "distinct-1", "responses.distinct_1", 4, false, Best::kHighest},
                         {"", "distinct-2", "responses.distinct_2", 4, false, Best::kHighest},
                         {"", "length", "responses.mean_length", 1}});
  const ResponseQuality& human = results.human;
  quality.rows.push_back(
      {"",
       "human responses",
       {{}, {.value = human.distinct_1}, {.value = human.distinct_2}, {.value = human.mean_length}},
       {"samples.json"},
       true});
  return {
      table("table3", "Table 3: DAS ratios of the 23 variants", intervals + kTable3,
            and_places({of_set(0, kPerplexity, "original test set"),
                        of_set(0, kHistory, "original test set")},
                       kDas, "DAS ratio, ")),
      table("table4", "Table 4: random distractions", intervals + kRandom, of_kind(1, "random, ")),
      table("table5", "Table 5: frequent distractions", intervals + of_phrases("frequent"),
            of_kind(4, "")),
      table("table6", "Table 6: rare distractions", intervals + of_phrases("rare"), of_kind(7, "")),
      table("ratios", "Three ways to take the DAS ratio of a test set", dialogues + kRatios,
            ratio_columns()),
      table("shares", "Distractions against the history, dialogue by dialogue", dialogues + kShares,
            share_columns()),
      changes,
      quality,
      trainings_table(results, "valid_perplexity", "perplexity"),
      paper("3", "", "Perplexities of different vocabularies and tokenizers cannot be compared.",
            paper_columns()),
      paper("4", ": random distractions", "", of_kind(1, "")),
      paper("6", ": rare distractions", "Its Table 5, of the frequent ones, is not in the scan.",
            of_kind(7, ""))};
}

}  // namespace heed
