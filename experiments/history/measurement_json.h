// What a run of the experiment measures: losses of responses, or ranks, after each change of their
// contexts.
#pragma once

#include <map>

#include "dialog/respond/settings.h"
#include "dialog/retrieve/candidates.h"
#include "experiments/history/history.h"
#include "experiments/responders_json.h"

namespace heed::history {

struct Settings {
  std::string data;
  std::vector<std::string> systems = {"non-hier", "static-ui", "dynamic", "hred", "transformer"};
  std::map<std::string, TrainSettings> train;  // of each system that is trained
  TrainSettings any;                           // of all of them
  size_t limit = 0, test_limit = 0;  // dialogues of each part and of the test part; 0: all
};

struct Data {
  TrainData train;                   // only if a system is trained
  std::vector<Dialogue> pool, test;  // training dialogues from which distractions are drawn
  std::string test_path;
  std::vector<retrieve::Pair> pairs;  // responses of the test part, with their contexts
  std::vector<int> conversations;     // of each
  uint32_t train_checksum = 0;

  void share(const Neighbours& neighbours) { train.share(neighbours); }
};

using Run = Subject<Settings, Data>;

// evaluation.json: perplexity or reciprocal rank with the whole context, what each change of it
// adds to the loss of each response, and the DAS ratio of random:1.0.
void measure_run(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);
// turns.json: of the last N turns the share of lists in which a ranker puts the right response
// first, "recall", and of N >= 2 a model's DAS ratio of random:1.0, "das".
void measure_turns(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);

}  // namespace heed::history
