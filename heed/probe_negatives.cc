// heed probe negatives: a text classifier, measured with plausible negatives.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "dialog/data/corpus.h"
#include "dialog/probe/nex_cv.h"
#include "dialog/probe/representations.h"
#include "dialog/system.h"
#include "dialog/text/text_table.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/stats/auc.h"
#include "heed/command.h"
#include "heed/encode.h"
#include "heed/progress.h"

namespace heed {
namespace {

constexpr int64_t kBagWidth = 384;  // of the words' random projection
constexpr int64_t kBatch = 64;      // changes no result

using probe::Guess, probe::kNoClass, probe::NexScores;

struct Options {
  CommonPtr common;
  std::string data, model, label = "intent", none = "oos", json;
  std::string small = "none,share:0.15,below:5", thresholds = "0.5";
  double test_share = 0.2;
  int repetitions = 10;
  bool standardise = false;
};

// Texts with a label each: those of the train part, then those of others, if there are any.
struct Texts {
  std::vector<std::string> texts, names;  // names: the classes of the train part, sorted
  std::vector<int32_t> labels;            // kNoClass: none of these
  size_t train = 0;                       // so many of them are of the train part, with a class
  size_t left_out = 0;                    // turns without exactly one label
};

void add_part(const Options& o, const std::string& path,
              std::vector<std::pair<std::string, std::string>>& found, size_t& left_out) {
  for (const Dialogue& dialogue :
       read_dialogues(path, {.limit = 0, .progress = {}, .notes = true})) {
    for (const Turn& turn : dialogue.turns) {
      const auto label = turn.notes->labels.find(o.label);
      if (label == turn.notes->labels.end() || label->second.size() != 1) {
        ++left_out;
      } else {
        found.emplace_back(turn.text, label->second[0]);
      }
    }
  }
}

// Real queries that belong to no class are those with the label --out-of-scope, of any part.
Texts read_texts(const Options& o) {
  Texts result;
  std::vector<std::pair<std::string, std::string>> train, test, others;
  add_part(o, find_dialogues(o.data, "train"), train, result.left_out);
  std::error_code ignored;
  if (std::filesystem::is_directory(o.data, ignored)) {
    add_part(o, find_part(o.data, "test"), test, result.left_out);
  }
  const auto is_none = [&](const auto& text) { return text.second == o.none; };
  std::copy_if(train.begin(), train.end(), std::back_inserter(others), is_none);
  std::copy_if(test.begin(), test.end(), std::back_inserter(others), is_none);
  std::erase_if(train, is_none);
  std::map<std::string, int32_t> classes;
  for (const auto& [text, label] : train) classes.emplace(label, 0);
  if (classes.size() < 2) {
    throw DataError(o.data + ": needs turns with two values of the label " + o.label + ", has " +
                    std::to_string(classes.size()));
  }
  for (auto& [name, number] : classes) {
    number = static_cast<int32_t>(result.names.size());
    result.names.push_back(name);
  }
  const auto add = [&](const std::string& text, int32_t label) {
    result.texts.push_back(text);
    result.labels.push_back(label);
  };
  for (const auto& [text, label] : train) add(text, classes.at(label));
  result.train = train.size();
  if (others.empty()) return result;
  for (const auto& [text, label] : test) {
    if (classes.contains(label)) add(text, classes.at(label));
  }
  for (const auto& [text, label] : others) add(text, kNoClass);
  return result;
}

// ---- vectors

Tensor bag_of_words(const Options& o, const std::vector<std::string>& texts) {
  std::map<std::string, int32_t> numbers;
  std::vector<Example> examples(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<int32_t>& utterance = examples[i].context.emplace_back();
    for (const std::string& word : tokenize(texts[i])) {
      utterance.push_back(
          numbers.emplace(word, static_cast<int32_t>(numbers.size())).first->second);
    }
  }
  return probe::bag_of_words(examples, kBagWidth, o.common->seed);
}

Tensor vectors_of(const Options& o, const std::vector<std::string>& texts, Device device) {
  if (o.model.empty()) return bag_of_words(o, texts);
  const LoadedSystem loaded = open_model(o.model, Capability::kEncode, device);
  std::vector<ContextEncoder::Text> read;
  for (const std::string& text : texts) {
    read.push_back(loaded.encoder->read(text));
    if (read.back().ids.empty()) throw DataError(o.data + ": a text without words: '" + text + "'");
  }
  Progress progress;
  return loaded.encoder->encode_texts(
      std::move(read),
      {.batch = kBatch, .progress = [&](int64_t done, int64_t) {
         progress.show(std::to_string(done) + " of " + counted(texts.size(), "text"));
       }});
}

// ---- measuring

// Tested texts, of all repetitions. Those of one class are not independent: they are a cluster.
struct Tested {
  std::string name;  // "share:0.15", or "real"
  std::vector<int32_t> small = {};
  size_t small_examples = 0, repetitions = 0;
  std::vector<int32_t> gold = {};
  std::vector<Guess> guesses = {};
  std::vector<int> clusters = {};
  std::vector<size_t> ends = {};  // of each repetition

  void add(int32_t label, const Guess& guess, int cluster) {
    gold.push_back(label);
    guesses.push_back(guess);
    clusters.push_back(cluster);
  }
};

Tested cross_validate(const Options& o, const Texts& texts, const Tensor& x,
                      const std::string& rule, const std::string& encoder) {
  const auto classes = static_cast<int64_t>(texts.names.size());
  const std::vector<int32_t> labels(
      texts.labels.begin(), texts.labels.begin() + static_cast<std::ptrdiff_t>(texts.train));
  std::vector<int64_t> counts(texts.names.size());
  for (const int32_t label : labels) ++counts[label];
  Tested tested{rule, probe::small_classes(counts, probe::parse_small_rule(rule))};
  for (const int32_t k : tested.small) tested.small_examples += static_cast<size_t>(counts[k]);
  Progress progress;
  for (int r = 0; r < o.repetitions; ++r) {
    progress.show(encoder + ", " + rule + ": " + std::to_string(r + 1) + " of " +
                  counted(static_cast<size_t>(o.repetitions), "repetition"));
    const probe::Division parts =
        probe::divide(labels, counts, tested.small, o.test_share, o.common->seed, r);
    const std::vector<Guess> guesses =
        probe::classify(x, labels, parts.train, parts.test, classes, o.standardise);
    for (size_t i = 0; i < guesses.size(); ++i) {
      const int32_t label = labels[parts.test[i]];
      const bool is_none =
          std::binary_search(parts.negatives.begin(), parts.negatives.end(), label);
      tested.add(is_none ? kNoClass : label, guesses[i], label);
    }
    tested.ends.push_back(tested.gold.size());
  }
  return tested;
}

// The classifier of the whole train part, on texts of the test part and real ones of no class.
Tested on_real(const Options& o, const Texts& texts, const Tensor& x) {
  std::vector<size_t> train, test;
  for (size_t i = 0; i < texts.texts.size(); ++i) (i < texts.train ? train : test).push_back(i);
  auto classes = static_cast<int>(texts.names.size());
  const std::vector<Guess> guesses =
      probe::classify(x, texts.labels, train, test, classes, o.standardise);
  Tested tested{"real"};
  for (size_t i = 0; i < test.size(); ++i) {
    const int32_t label = texts.labels[test[i]];
    tested.add(label, guesses[i], label == kNoClass ? classes++ : label);
  }
  tested.ends.push_back(test.size());
  return tested;
}

struct Row {
  double threshold;
  NexScores mean;  // counts are sums
  std::optional<Estimate> accuracy, none_withheld, known_right;
};

Row measure(const Tested& tested, double threshold, uint64_t seed) {
  Row row{threshold, {}, {}, {}, {}};
  Series right, all, withheld, none, known_right, known;
  for (size_t i = 0; i < tested.gold.size(); ++i) {
    const probe::Outcome is = probe::outcome(tested.gold[i], tested.guesses[i], threshold);
    const bool is_none = tested.gold[i] == kNoClass;
    right.push_back(is == probe::kRight || is == probe::kRightNone);
    all.push_back(1);
    withheld.push_back(is == probe::kRightNone);
    none.push_back(is_none);
    known_right.push_back(is == probe::kRight);
    known.push_back(!is_none);
  }
  const auto resampled =
      bootstrap({quotient(right, all, tested.clusters), quotient(withheld, none, tested.clusters),
                 quotient(known_right, known, tested.clusters)},
                seed);
  row.accuracy = estimate(resampled[0]);
  row.none_withheld = estimate(resampled[1]);
  row.known_right = estimate(resampled[2]);
  row.mean = probe::nex_scores(tested.gold, tested.guesses, threshold);
  // F1 is no sum over texts: the mean of the repetitions
  row.mean.f1_macro = row.mean.f1_weighted = 0;
  for (size_t r = 0, begin = 0; r < tested.ends.size(); begin = tested.ends[r++]) {
    const auto cut = [&](const auto& list) {
      return std::vector(list.begin() + static_cast<std::ptrdiff_t>(begin),
                         list.begin() + static_cast<std::ptrdiff_t>(tested.ends[r]));
    };
    const NexScores one = probe::nex_scores(cut(tested.gold), cut(tested.guesses), threshold);
    row.mean.f1_macro += one.f1_macro / static_cast<double>(tested.ends.size());
    row.mean.f1_weighted += one.f1_weighted / static_cast<double>(tested.ends.size());
  }
  return row;
}

// How well confidence tells texts of a class from those of none.
std::optional<Estimate> auc(const Tested& tested) {
  ScoredItems items;
  for (size_t i = 0; i < tested.gold.size(); ++i) {
    items.add(tested.gold[i] != kNoClass, tested.guesses[i].confidence, tested.clusters[i]);
  }
  return items.negative.empty() ? std::nullopt : clustered_auc({items});
}

// ---- results

constexpr const char* kOutcomeNames[] = {"T", "TO", "FCO", "FO", "F"};

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Tested& tested, const std::vector<Row>& rows, const Texts& texts) {
  Json json = {{"small", tested.name},
               {"classes", tested.small.size()},
               {"examples", tested.small_examples},
               {"tested", tested.gold.size()},
               {"none", std::count(tested.gold.begin(), tested.gold.end(), kNoClass)},
               {"auc", to_json(auc(tested))}};
  json["large"] = Json::array();
  const size_t large = texts.names.size() - tested.small.size();
  for (size_t k = 0; large <= 10 && k < texts.names.size(); ++k) {
    if (!std::binary_search(tested.small.begin(), tested.small.end(), static_cast<int32_t>(k))) {
      json["large"].push_back(texts.names[k]);
    }
  }
  for (const Row& row : rows) {
    Json counts;
    for (int i = 0; i < probe::kOutcomes; ++i) counts[kOutcomeNames[i]] = row.mean.counts[i];
    json["thresholds"].push_back({{"threshold", row.threshold},
                                  {"outcomes", counts},
                                  {"accuracy", to_json(row.accuracy)},
                                  {"known_right", to_json(row.known_right)},
                                  {"none_withheld", to_json(row.none_withheld)},
                                  {"f1_macro", row.mean.f1_macro},
                                  {"f1_weighted", row.mean.f1_weighted},
                                  {"withheld_wrong", optional_json(row.mean.withheld_wrong)},
                                  {"withheld_right", optional_json(row.mean.withheld_right)}});
  }
  return json;
}

void add_lines(std::vector<std::vector<std::string>>& columns, const Tested& tested,
               const std::vector<Row>& rows) {
  const auto percent = [](const std::optional<double>& share) {
    return share ? decimal(100 * *share, 1) : "-";
  };
  const auto interval = [](std::optional<Estimate> e) {
    if (e)
      e = Estimate{100 * e->value, e->clusters, {100 * e->interval.low, 100 * e->interval.high}};
    return interval_text(e, 1);
  };
  for (const Row& row : rows) {
    size_t c = 0;
    const auto add = [&](const std::string& cell) { columns[c++].push_back(cell); };
    add(tested.name);
    add(decimal(row.threshold, 2));
    add(interval(row.accuracy));
    add(interval(row.known_right));
    add(interval(row.none_withheld));
    for (const int64_t count : row.mean.counts) {
      add(percent(static_cast<double>(count) / static_cast<double>(tested.gold.size())));
    }
    add(percent(row.mean.f1_macro));
    add(percent(row.mean.f1_weighted));
    add(percent(row.mean.withheld_wrong));
    add(percent(row.mean.withheld_right));
    add(interval(auc(tested)));
  }
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

std::vector<double> thresholds_of(const Options& o) {
  std::vector<double> thresholds;
  for (const std::string& word : words_of(o.thresholds)) {
    std::istringstream in(word);
    double threshold = -1;
    if (!(in >> threshold) || !in.eof() || !(threshold >= 0 && threshold <= 1)) {
      throw UsageError("--threshold: expected numbers from 0 to 1, got '" + word + "'");
    }
    thresholds.push_back(threshold);
  }
  if (thresholds.empty()) throw UsageError("--threshold: names no number");
  return thresholds;
}

void run(const Options& o) {
  const std::vector<double> thresholds = thresholds_of(o);
  const std::vector<std::string> rules = words_of(o.small);
  for (const std::string& rule : rules) {
    try {
      probe::parse_small_rule(rule);
    } catch (const UsageError& error) {
      throw UsageError("--small: " + std::string(error.what()));
    }
  }
  const Device device = start(*o.common);
  const JsonOutput output(o.json);
  const Texts texts = read_texts(o);
  const Tensor x = vectors_of(o, texts.texts, device);
  const std::string encoder = o.model.empty() ? "bag of words" : o.model;
  note(o.data + ": " + counted(texts.train, "text") + " of " + std::to_string(texts.names.size()) +
       " classes to learn from" +
       (texts.left_out > 0
            ? "; " + counted(texts.left_out, "turn") + " without one label " + o.label + " left out"
            : ""));
  std::vector<std::vector<std::string>> columns;
  for (const char* title :
       {"small", "threshold", "right", "of a class", "of none", "T", "TO", "FCO", "FO", "F",
        "F1 macro", "weighted", "withheld: wrong", "right", "AUC"}) {
    columns.push_back({title});
  }
  Json results = Json::array();
  const auto show = [&](const Tested& tested) {
    std::vector<Row> rows;
    for (const double t : thresholds) rows.push_back(measure(tested, t, o.common->seed));
    add_lines(columns, tested, rows);
    results.push_back(to_json(tested, rows, texts));
  };
  for (const std::string& rule : rules) show(cross_validate(o, texts, x, rule, encoder));
  if (texts.texts.size() > texts.train) show(on_real(o, texts, x));
  if (!output.to_stdout()) std::fputs(text_table(columns, results_width()).c_str(), stdout);
  if (!output.wanted()) return;
  output.write({{"heed", provenance("probe negatives", *o.common)},
                {"inputs",
                 {{"data", o.data},
                  {"model", o.model.empty() ? Json() : Json(o.model)},
                  {"label", o.label},
                  {"texts", texts.train},
                  {"classes", texts.names.size()},
                  {"numbers", x.shape()[1]}}},
                {"test_share", o.test_share},
                {"repetitions", o.repetitions},
                {"standardise", o.standardise},
                {"results", results}});
}

}  // namespace

void add_probe_negatives(CLI::App& probe) {
  const auto [c, o] = declare<Options>(
      probe, "negatives",
      "Measure a classifier of texts, with small classes as questions that none of them answers",
      "Trains a linear classifier on the vectors of texts, with its confidence a softmax (nex-cv, "
      "Kuksenok & Martyniv 2019). Of the small classes some go to the test part whole, where "
      "withholding the answer is right: TO. T: right and sure; FCO: right, but withheld; FO: "
      "wrong, withheld; F: the rest. Percent, with 95 % intervals over classes. Where the data "
      "has real texts of no class, the row real has the classifier of the whole train part on "
      "them and the test part. docs/probes.md says more.\n"
      "Example:\n"
      "  heed prepare intents --in data_full.json --out data/clinc150 --min-turns 1 --split "
      "published\n"
      "  heed probe negatives --data data/clinc150 --threshold 0.2,0.5,0.8",
      {.seed = "Seed of the divisions and of the bag of words"}, run);
  c.add_option("--data", o.data, "Dialogues: a data directory, or a file; with labels of turns")
      ->required();
  c.add_option("--model", o.model,
               "Directory of a run or a model, one that encodes; without it the words through a "
               "random projection");
  option(c, "--label", o.label, "The label whose values are the classes; a turn has one of them");
  option(c, "--out-of-scope", o.none,
         "The value of it that says that none of the classes is right: real ones, only tested");
  option(c, "--small", o.small,
         "Which classes are small, several with commas: none; below:K, those of fewer than K "
         "texts; share:P, the rarest until they hold the share P of the texts");
  option(c, "--test-share", o.test_share,
         "Share of the texts of a large class, and of the small classes, that is tested",
         number(0.01, 0.99));
  option(c, "--repetitions", o.repetitions, "Divisions, each drawn anew", whole_number(1, 1000));
  option(c, "--threshold", o.thresholds,
         "Confidence from which on a guess is an answer, several with commas");
  c.add_flag("--standardise", o.standardise,
             "Each dimension to mean 0 and variance 1 on the training part: that of each division");
  c.add_option("--json", o.json, "Write the results to this file, - for standard output");
}

}  // namespace heed
