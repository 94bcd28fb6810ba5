// What the experiment on probes is made with, and the data that it is made on.
#pragma once

#include <string>
#include <vector>

#include "dialog/probe/labelled_parts.h"
#include "dialog/probe/probe.h"
#include "dialog/respond/task.h"
#include "dialog/text/overlap.h"
#include "experiments/probes/variant.h"

namespace heed {

// A way to probe: each F1 is measured by each.
struct ProbeReading {
  std::string name;  // "raw"
  Pooling pooling;   // of the representation
  bool standardise;  // each dimension
  probe::ProbeOptions::Kind kind;
};
// raw: logistic regression on the sum over layers or positions, as in the paper; standardised: on
// their mean, each dimension to mean 0 and variance 1, so that no encoder gains by its length; mlp:
// one hidden layer, on the sum.
const std::vector<ProbeReading>& readings();
// "raw,mlp" -> two of them, in the order of readings(). Throws UsageError.
std::vector<ProbeReading> parse_readings(const std::string& names);

struct ProbesSettings {
  std::string data;                  // directory
  std::vector<TrainSettings> train;  // of each variant, but for the seed
  size_t limit = 0, test_limit = 0;  // dialogues of each part, of the test part; 0: all
  std::vector<ProbeReading> readings;
  std::string reading_names = "raw,standardised";  // what they are parsed from
  int max_iterations = 1000;                       // of a probe's solver
  int responses = 200;                             // test examples that models respond to, for BLEU
  int64_t max_response = 50;                       // words of a response
  // Dialogues of the valid part that every kept epoch responds to, so that those that write best
  // are probed too; 0: none. In no probes.json: a folder without them can have them later.
  size_t choose = 0;
  std::string judge;  // the pretrained encoder that chooses too (judged.json); empty: none
  // An encoder that others trained, which gets rows of its own; empty: none. In no probes.json
  // either.
  std::string pretrained;
  std::optional<ProbedEncoder> encoder = {};  // what it is
};

struct ProbesData {
  TrainData train;
  // With these the first rank measures; the others need not have them.
  probe::LabelledPart fit, test;  // what probes are trained and measured on
  std::vector<std::string> tasks;
  std::vector<int> dialogues;      // of each example of `test` its dialogue, from 0
  std::vector<Example> spoken;     // those of `test` that models respond to
  std::vector<Tokens> references;  // the human responses to them, as words
  std::vector<Dialogue> valid;     // those of ProbesSettings::choose

  // Has what the first rank of the machine trains on.
  void share(const Neighbours& neighbours) { train.share(neighbours); }
};

// Reads train, valid and test of the data directory. Throws DataError where train and test do not
// have labels of the same tasks.
ProbesData load_probes_data(const ProbesSettings& settings);

}  // namespace heed
