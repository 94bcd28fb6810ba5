// Four papers on models that write responses (NLP4ConvAI 2019): hredgan (Olabiyi et al.), thred
// (Dziri et al.), keywords (Takayama & Arase), expressive (Chikai et al.). What they share, how
// runs are trained and measured, stands in experiment.cc and evaluation.cc; a paper is a
// description, in a file of its own.
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
  const char *title, *footer, *claims_note;
  std::vector<Variant> variants;      // the first one is the baseline of all changes
  void (*prepare)(TrainSettings&);    // of all variants
  DecodeOptions decode = {};          // of the models' own answers
  bool exchanges = false;             // whether it is measured what an exchanged utterance does
  bool has_distances = false;         // of answers from the context
  bool has_labels = false;            // of sentiments; needs a lexicon
  bool has_noise = false;             // variants choose the best of several answers
  bool has_mmi = false;               // some variants have it
  std::vector<Table> tables;          // with a row for each variant; of the report
  std::vector<std::string> compared;  // numbers, with those of the baseline
  std::vector<AboveClaim> claims = {};
};

const Paper& hredgan();
const Paper& thred();
const Paper& keywords();
const Paper& expressive();
Experiment experiment_of(const Paper& paper);

// ---- what papers are put together from

using Best = Column::Best;
inline Column lowest(const char* group, const char* name, const std::string& key, int digits = 1) {
  return {group, name, key, digits, false, Best::kLowest};
}
inline Column highest(const char* group, const char* name, const std::string& key, int digits = 3) {
  return {group, name, key, digits, false, Best::kHighest};
}
inline Column plain(const char* group, const char* name, const std::string& key, int digits = 2) {
  return {group, name, key, digits};
}
inline Table table(const char* id, const char* title, const char* note,
                   std::vector<Column> columns) {
  return {.id = id, .title = title, .note = note, .columns = std::move(columns)};
}
// The measures that all papers have.
std::vector<Column> answers();
void bounds(TrainSettings& settings, int64_t turns, int64_t least = 3);

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
