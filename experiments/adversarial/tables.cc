#include <cmath>

#include "dialog/discriminate/task.h"
#include "experiments/adversarial/experiment.h"

namespace heed {
namespace {

// ---- tables 1 and 2

std::vector<Column> score_columns() {
  std::vector<Column> columns = {{"", "items", "judged", 0}, {"", "accuracy", "judged", 3}};
  for (const char* of : {"real", "fake"}) {
    for (const char* name : {"precision", "recall", "F1"})
      columns.push_back({of, name, "judged", 3});
  }
  columns.push_back({"", "AUC", "judged", 3});
  columns.push_back({.name = "p (chance)", .key = "judged", .digits = 4, .p_value = true});
  columns.push_back({"", "at threshold", "thresholds", 3});
  columns.push_back({.name = "discriminator minus it", .key = "judged", .digits = 3, .sign = true});
  return columns;
}

Row row_of(const AdversarialResults& results, const ScoredRow& scored, const std::string& group) {
  Row row{group, judge_label(results, scored), {}, variant_row(results, scored.variant).sources};
  row.cells.push_back({.value = static_cast<double>(scored.items)});
  for (const auto& score : scored.scores) row.cells.push_back(cell_of(score));
  if (scored.accuracy) row.cells[1].deviation = scored.accuracy->deviation;
  row.cells.push_back(cell_of(scored.auc));
  row.cells.back().interval = scored.auc_interval;
  row.cells.push_back({.value = scored.p_value});
  row.cells.push_back({.value = scored.at_threshold});
  row.cells.push_back(cell_of(scored.below));
  return row;
}

void add_paper(const std::string& set, Table& to) {
  const auto& [numbers, source] = adversarial_paper();
  for (size_t c = 0; c < std::size(kPaperCorpora); ++c) {
    for (const std::string judge : {"discriminator", "humans"}) {
      Row row{std::string("paper: ") + kPaperCorpora[c], judge, {{}}, {source}, true};
      for (const char* score : kScoreNames) {
        const std::string key = set + "." + judge + "." + score;
        row.cells.push_back(
            {.value = numbers.get(c, key), .doubtful = numbers.is_doubtful(c, key)});
      }
      row.cells.resize(to.columns.size());
      to.rows.push_back(std::move(row));
    }
  }
}

constexpr char kScoresNote[] =
    "Items: every passage stands there twice, with the response that was said (real) and with "
    "another one (fake); chance is 0.5. Several seeds: mean ± standard deviation. p: of \"the "
    "accuracy is 0.5\", by the same bootstrap, which draws conversations and seeds; none with one "
    "seed, which does not say what another training would give. At threshold: the accuracy at the "
    "threshold that is best in the corpus' validation part, since a classifier may be shifted on a "
    "corpus. Controls say what of the task needs no coherence: response-only reads no context; "
    "length and unigram are logistic regressions on numbers of words and on words of the response; "
    "shuffled-context is the discriminator itself with contexts of other conversations. Where the "
    "discriminator is no better than its controls, it does not judge coherence. ";

Table scores_table(const AdversarialFound& found, bool random) {
  const auto& [results, rows] = found;
  Table table{.id = random ? "table1" : "table2",
              .title = random ? "Table 1: random responses" : "Table 2: generated responses",
              .note = intervals_text(results, "conversations", ", of AUC Obuchowski's (1997)") +
                      kScoresNote,
              .rows_are = "judged by",
              .groups_are = random ? "corpus" : "corpus, generator",
              .columns = score_columns(),
              .intervals = true};
  if (!random) {
    table.note +=
        "The discriminators have seen no generated response. length and unigram are fitted to "
        "one half of the conversations and judge the other. Left out are responses of the same "
        "words as one before, of the words that were said, and of fewer or more tokens than a "
        "passage may have.";
  }
  for (const ScoredRow& row : rows.all()) {
    if ((row.set == kRandomSet) != random || row.scenario) continue;
    const std::string& corpus = results.corpora[row.corpus];
    table.rows.push_back(row_of(results, row, random ? corpus : corpus + ", " + row.set));
  }
  add_paper(random ? "random" : "generated", table);
  return table;
}

// ---- scenarios

constexpr char kReliabilityNote[] =
    "Can the classifiers be relied on? Each is trained and tested where the accuracy of a good one "
    "is known: 0.5 where both classes are real passages (real-and-real), 1 where the other class "
    "has the words of the response in another order (shuffled-words) or a response of another "
    "corpus (other-corpus). The error is |accuracy - ideal|; its mean over scenarios is what Li et "
    "al. (EMNLP 2017) call the reliability error of an evaluator. With a large error at 1 the "
    "classifier is too weak to find what is there; with one at 0.5 it has been told the answer.";

// Scenarios, each beside its ideal, and the mean error for each corpus.
Table reliability_table(const AdversarialFound& found) {
  const auto& [results, rows] = found;
  Table table{.id = "reliability",
              .title = "Reliability: where the right answer is known",
              .note = kReliabilityNote,
              .rows_are = "scenario",
              .columns = {{"", "items", "judged", 0},
                          {"", "accuracy", "judged", 3},
                          {"", "ideal", "", 1},
                          {"", "error", "judged", 3}},
              .intervals = true};
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    std::vector<double> errors;
    for (const ScoredRow& row : rows.all()) {
      if (row.corpus != c || !row.scenario || !row.scores[0]) continue;
      errors.push_back(std::fabs(row.scores[0]->value - row.scenario->ideal));
      table.rows.push_back({results.corpora[c],
                            row.scenario->name,
                            {{.value = static_cast<double>(row.items)},
                             cell_of(row.scores[0]),
                             {.value = row.scenario->ideal},
                             {.value = errors.back()}},
                            variant_row(results, row.variant).sources});
    }
    const auto mean = spread(errors);
    if (errors.size() > 1)
      table.rows.push_back({results.corpora[c], "mean", {{}, {}, {}, {.value = mean->mean}}});
  }
  return table;
}

// ---- attention of the discriminators, by class of passages

constexpr char kLooksNote[] =
    "Means over the passages of a class. Attention: the sum over the response; tokens: the share "
    "of the tokens that the response has, which is what even attention gives. Score: the attention "
    "on the response times the number of utterances, 1 is an average utterance. Cosine: of the "
    "final states of context and response, each read alone.";

Table looks_table(const AdversarialResults& results) {
  Table table{.id = "looks",
              .title = "Where the discriminators look",
              .note = kLooksNote,
              .rows_are = "discriminator"};
  std::vector<std::string> numbers;
  for (const auto& [key, group] : {std::pair("judged_real", "judged real"),
                                   {"judged_fake", "judged fake"},
                                   {"real", "real"},
                                   {"fake", "fake"}}) {
    for (const auto& [number, name] : {std::pair("attention.response", "attention"),
                                       {"tokens.response", "tokens"},
                                       {"response_score", "score"},
                                       {"cosine", "cosine"}}) {
      numbers.push_back(std::string(key) + "." + number);
      table.columns.push_back({group, name, looks_key("CORPUS", numbers.back()), 3});
    }
  }
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    for (size_t v = 0; v < results.judges.size(); ++v) {
      if (!results.judges[v].is_discriminator()) continue;
      Row row{results.corpora[c], results.variants[v].name, {}, variant_row(results, v).sources};
      for (const std::string& number : numbers)
        row.cells.push_back(cell_over_seeds(results, v, looks_key(results.corpora[c], number)));
      if (row.cells[0].value || row.cells[4].value) table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<Table> adversarial_tables(const AdversarialFound& found) {
  const AdversarialResults& results = found.results;
  std::vector<Table> tables = {scores_table(found, true)};
  if (!results.generators.empty()) tables.push_back(scores_table(found, false));
  tables.push_back(looks_table(results));
  if (!results.generators.empty()) {
    tables.push_back(generators_table(results));
    tables.push_back(agreement_table(results));
    tables.push_back(reliability_of_measures(results));
  }
  Table reliability = reliability_table(found);
  if (!reliability.rows.empty()) tables.push_back(std::move(reliability));
  tables.push_back(trainings_table(results, discriminate::kValidLoss, "loss", 4));
  return tables;
}

}  // namespace heed
