// Four papers on models that write responses (NLP4ConvAI 2019): hredgan (Olabiyi et al.), thred
// (Dziri et al.), keywords (Takayama & Arase), expressive (Chikai et al.). What they share, how
// runs are trained and measured, stands in experiment.cc and evaluation.cc; a paper is a
// description, in papers.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/words/hredgan.h"
#include "dialog/respond/decode.h"
#include "experiments/responders.h"

namespace heed::generators {

struct Variant {
  VariantName name;
  const char* structure;
  void (*edit)(TrainSettings&) = [](TrainSettings&) {};
  std::optional<words::Settings> players = {};  // with a discriminator of words
  bool has_mmi = false;                         // beams are also re-ranked by MMI
};

struct Paper {
  const char *name, *what, *more, *only;  // of the row
  const char* report;                     // JSON, as described() reads it
  std::vector<Variant> variants;          // the first one is the baseline of all changes
  void (*prepare)(TrainSettings&);        // of all variants
  DecodeOptions decode = {};              // of the models' own answers
  bool exchanges = false;                 // whether it is measured what an exchanged utterance does
  bool has_distances = false;             // of answers from the context
  bool has_labels = false;                // of sentiments; needs a lexicon
  bool has_noise = false;                 // variants choose the best of several answers
  bool has_mmi = false;                   // some variants have it
};
const std::vector<Paper>& papers();
Showing<> showing(const Paper& paper);
Experiment experiment_of(const Paper& paper);

// ---- how runs are made

struct Settings {
  const Paper* paper = nullptr;
  std::string data = {}, lexicon = {}, distance = {}, dull = {};
  size_t limit = 0, test_limit = 500;  // dialogues; 0: all
  int pieces = 1, epochs = 5;
  int64_t hidden = 64, vocabulary = 5000;
  std::string examples = "last";
  int best_of = 16;
};
using Data = ResponseData;

}  // namespace heed::generators
