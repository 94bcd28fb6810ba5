// What is measured of every run.
#pragma once

#include "experiments/generators/paper.h"
#include "experiments/making_json.h"

namespace heed::generators {

using Run = Subject<Settings, Data>;

// evaluation.json: the numbers of each run, which may be null, and the series that some of them are
// made of.
//
// Of each way to answer (own: Paper::decode; best_d, best_logp, random: of so many with noise)
// those of text_measures(), and pmi_coherence: "own.bleu_2".
constexpr const char* kWays[] = {"own", "best_d", "best_logp", "random"};
std::vector<std::string> measured_values();
// Means over the examples, whose series is called NAME_items.
std::vector<std::string> measured_items();
// Fills it from a run that is trained.
void evaluate(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);

// What runs of older versions lack, each in a file of its own. Their means over the examples:
std::vector<std::string> added_items();
// distances.json: how far the model's own answers are from the context (SS, with an encoder), and
// how much they repeat one utterance of the training part (REI).
void measure_distances(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);
// told.json: the model is asked for each value of both its conditions, and a classifier says which
// value an answer has: "sentiment.negative.neutral" is the share of those asked for negative that
// it takes for neutral, "sentiment.all" the share of all that it takes for what was asked for,
// "sentiment.people" the mean over the values of the share of people's responses that it tells
// right. Its words are those of the responses of the training part, each value as often.
void measure_told(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);

constexpr int64_t kBatch = 32;  // changes no result
constexpr uint64_t kTestSeed = 1;

}  // namespace heed::generators
