// Four papers on models that write responses (NLP4ConvAI 2019): hredgan (Olabiyi et al.), thred
// (Dziri et al.), keywords (Takayama & Arase), expressive (Chikai et al.). What they share, how
// runs are trained and measured, stands in experiment.cc and evaluation.cc; a paper is a
// description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/words/hredgan.h"
#include "dialog/respond/decode.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/table.h"
#include "experiments/experiment.h"

namespace heed::generators {

struct Variant {
  VariantName name;
  const char* structure;
  void (*edit)(TrainSettings&) = [](TrainSettings&) {};
  std::optional<words::Settings> players = {};  // with a discriminator of words
};

// A table of the report, with a row for each variant.
struct PaperTable {
  std::string id, title, note;
  std::vector<Column> columns;
};

struct Paper {
  const char *name, *what, *more, *only;  // of the row
  const char *title, *footer, *claims_note;
  std::vector<Variant> variants;    // the first one is the baseline of all changes
  void (*prepare)(TrainSettings&);  // of all variants
  DecodeOptions decode = {};        // of the models' own answers
  bool exchanges = false;           // whether it is measured what an exchanged utterance does
  bool has_labels = false;          // of sentiments; needs a lexicon
  std::vector<PaperTable> tables;
  std::vector<std::string> compared;  // numbers, with those of the baseline
  std::vector<ClaimRule> claims = {};
  VariantNumbers numbers = {};  // the paper's own
};

// In this order.
enum : size_t { kHredgan, kThred, kKeywords, kExpressive, kPapers };
const Paper& paper(size_t number);

struct Settings {
  size_t paper = 0;
  std::string data, lexicon;
  size_t limit = 0, test_limit = 500;  // dialogues; 0: all
  int epochs = 5;
  int64_t hidden = 64, vocabulary = 5000;
  std::string examples = "last";
  int best_of = 16;
};
struct Data {
  TrainData train;
  std::vector<Example> test;
  std::vector<int> conversations;
  uint32_t test_fingerprint = 0;
  void share(const Neighbours& neighbours) { train.share(neighbours); }
};

Experiment hredgan_experiment();
Experiment thred_experiment();
Experiment keywords_experiment();
Experiment expressive_experiment();

}  // namespace heed::generators
