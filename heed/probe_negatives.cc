// heed probe negatives: a text classifier, measured with plausible negatives.
#include <algorithm>

#include "dialog/probe/nex_cv.h"
#include "dialog/probe/representations.h"
#include "dialog/system.h"
#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/encode.h"
#include "heed/progress.h"

namespace heed {
namespace {

constexpr int64_t kBagWidth = 384;  // for the random projection of the words
constexpr int64_t kBatch = 64;      // changes no result

struct ProbeNegativesOptions : CommandOptions {
  std::string data, model, label = "intent", none = "oos", json;
  std::vector<std::string> small = {"none", "share:0.15", "below:5"};
  std::vector<double> thresholds = {0.5};
  probe::CrossValidation how;
};

Tensor vectors_of(const ProbeNegativesOptions& o, const std::vector<std::string>& texts,
                  Device device) {
  if (o.model.empty()) return probe::bag_of_words(texts, kBagWidth, o.common->seed);
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

Json result_json(const probe::Tested& tested, const std::vector<NegativesRow>& rows,
                 const probe::ClassTexts& texts) {
  const std::vector<int64_t> counts = texts.counts();
  int64_t examples = 0;
  for (const int32_t k : tested.small) examples += counts[k];
  Json json = {{"small", rows[0].name}, {"classes", tested.small.size()},
               {"examples", examples},  {"tested", rows[0].tested},
               {"none", rows[0].none},  {"auc", to_json(rows[0].auc)},
               {"large", Json::array()}};
  const size_t large = texts.names.size() - tested.small.size();
  for (size_t k = 0; large <= 10 && k < texts.names.size(); ++k) {
    if (!std::binary_search(tested.small.begin(), tested.small.end(), static_cast<int32_t>(k))) {
      json["large"].push_back(texts.names[k]);
    }
  }
  for (const NegativesRow& row : rows) json["thresholds"].push_back(to_json(row));
  return json;
}

// By the names of the rules, and "real".
std::vector<std::pair<std::string, probe::Tested>> test(const ProbeNegativesOptions& o,
                                                        const Tensor& x,
                                                        const probe::ClassTexts& texts) {
  Progress progress;
  std::vector<std::pair<std::string, probe::Tested>> all;
  for (const std::string& name : o.small) {
    const auto show = [&](int repetition) {
      progress.show((o.model.empty() ? "bag of words" : o.model) + ", " + name + ": " +
                    std::to_string(repetition) + " of " + counted(o.how.repetitions, "repetition"));
    };
    try {
      all.emplace_back(name,
                       probe::cross_validate(x, texts, probe::parse_small_rule(name), o.how, show));
    } catch (const DataError& e) {
      throw DataError(o.data + ": --small " + name + ": " + e.what());
    }
  }
  if (texts.texts.size() > texts.train) {
    all.emplace_back("real", probe::test_on_real(x, texts, o.how.standardise));
  }
  return all;
}

void run(ProbeNegativesOptions& o) {
  o.how.seed = o.common->seed;
  const Device device = start(*o.common);
  const JsonOutput output(o.json);
  const probe::ClassTexts texts = probe::read_class_texts(o.data, o.label, o.none);
  const Tensor x = vectors_of(o, texts.texts, device);
  note(o.data + ": " + counted(texts.train, "text") + " of " + std::to_string(texts.names.size()) +
       " classes to learn from" +
       (texts.left_out > 0
            ? "; " + counted(texts.left_out, "turn") + " without one label " + o.label + " left out"
            : "") +
       (texts.unknown > 0 ? "; " + counted(texts.unknown, "text") +
                                " of the test part left out, of classes that training lacks"
                          : ""));
  std::vector<NegativesRow> all;
  Json results = Json::array();
  for (const auto& [name, tested] : test(o, x, texts)) {
    const auto rows = measure_negatives(name, tested, o.thresholds, o.common->seed);
    results.push_back(result_json(tested, rows, texts));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  if (!output.to_stdout()) print_text(negatives_table(all, results_width()));
  if (!output.wanted()) return;
  output.write(o, {{"inputs",
                    {{"data", o.data},
                     {"model", o.model.empty() ? Json() : Json(o.model)},
                     {"label", o.label},
                     {"texts", texts.train},
                     {"unknown", texts.unknown},
                     {"classes", texts.names.size()},
                     {"numbers", x.shape()[1]}}},
                   {"test_share", o.how.test_share},
                   {"repetitions", o.how.repetitions},
                   {"standardise", o.how.standardise},
                   {"results", results}});
}

}  // namespace

void add_probe_negatives(CLI::App& probe) {
  const auto [c, o] = declare<ProbeNegativesOptions>(
      probe, "negatives",
      "Measure a text classifier, with small classes as questions that no class answers (nex-cv)",
      "Trains a linear classifier on the vectors of texts; its confidence is the softmax (nex-cv, "
      "Kuksenok & Martyniv 2019). Some small classes go to the test part whole; for their texts, "
      "withholding the answer is right: TO. T: right and confident; FCO: right but withheld; FO: "
      "wrong and withheld; F: the rest. Percent, with 95 % intervals over classes. If the data "
      "has real texts of no class, the row real measures the classifier of the whole train part "
      "on them and on the test part. docs/probes.md explains more.\n"
      "Example:\n"
      "  heed prepare intents --in data_full.json --out data/clinc150 --min-turns 1 --split "
      "published\n"
      "  heed probe negatives --data data/clinc150 --threshold 0.2,0.5,0.8",
      {.seed = "Seed of the divisions and of the bag of words"}, run);
  c.alias("nex-cv");
  c.add_option("--data", o.data, "Dialogues: a data directory, or a file; with labels of turns")
      ->required();
  c.add_option("--model", o.model,
               "Directory of a run or a model (one that encodes); if not given: a random "
               "projection of the words");
  option(c, "--label", o.label,
         "The label whose values are the classes; each turn has one of them");
  option(c, "--out-of-scope", o.none,
         "The value of the label for real texts of no class, which are only tested");
  option(c, "--small", o.small,
         "Which classes are small, several with commas: none; below:K, those of fewer than K "
         "texts; share:P, the rarest until they hold the share P of the texts")
      ->delimiter(',')
      ->default_str("none,share:0.15,below:5")
      ->check([](const std::string& rule) -> std::string {
        try {
          probe::parse_small_rule(rule);
          return "";
        } catch (const UsageError& error) {
          return error.what();
        }
      });
  option(c, "--test-share", o.how.test_share,
         "Share of the texts of a large class, and of the small classes, that is tested",
         number(0.01, 0.99));
  option(c, "--repetitions", o.how.repetitions, "Number of random divisions",
         whole_number(1, 1000));
  option(c, "--threshold", o.thresholds,
         "Confidence at which a guess counts as an answer; several with commas", number(0, 1))
      ->delimiter(',')
      ->default_str("0.5");
  c.add_flag(
      "--standardise", o.how.standardise,
      "Scale each dimension to mean 0 and variance 1 on the training part, that of each division");
  add_json(c, o.json);
}

}  // namespace heed
