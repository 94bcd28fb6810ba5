// What is measured of every run.
#pragma once

#include <functional>

#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/responses.h"
#include "dialog/text/lexicon.h"
#include "dialog/text/ppmi.h"
#include "experiments/generators/paper.h"
#include "experiments/making_json.h"

namespace heed::generators {

using Run = Subject<Settings, Data>;
// Trains or resumes it; returns what the loop returns.
bool train_run(const Run& run, const TrainHooks& hooks);

// evaluation.json: the numbers of each run, which may be null, and the series that some of them are
// made of.
//
// Of each way to answer (own: Paper::decode; best_d, best_logp, random: of so many with noise)
// those of text_measures(), and pmi_coherence, counted in the dialogues of the training part:
// "own.bleu_2".
constexpr const char* kWays[] = {"own", "best_d", "best_logp", "random"};
std::vector<std::string> measured_values();
// Means over the examples, whose series is called NAME_items.
std::vector<std::string> measured_items();
// The inputs that the measurements of all ways to answer share.
struct Measuring {
  Measuring(const Run& run, const Vocabulary& vocabulary);
  // Under names with this prefix, "own.".
  void put_way(nlohmann::ordered_json& json, const std::string& prefix,
               const std::vector<Tokens>& texts) const;

  const Data& data;
  const Vocabulary& vocabulary;
  const Ppmi ppmi;
};
// Fills it from a run that is trained.
void evaluate(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);

// Parts of it. For each of the three sentiments, for which the answers are asked: the share of
// sentiment words among all their words, and the share of answers that have it by the lexicon.
constexpr const char* kSentiments[] = {"negative", "neutral", "positive"};
using AnswersTo = std::function<std::vector<Tokens>(const std::string& sentiment)>;
void put_control(nlohmann::ordered_json& json, const Lexicon& lexicon, const AnswersTo& answers);
// Of decode.best_of answers to each example the best by decode.judge, the best by log p, and a
// random one.
struct BestAnswers {
  std::vector<Tokens> by_judge, by_log_prob, random;
};
BestAnswers best_answers(Responder& model, const std::vector<Example>& examples,
                         const Vocabulary& vocabulary, const DecodeOptions& decode);

// What runs of older versions lack, each in a file of its own. Their means over the examples:
std::vector<std::string> added_items();
// distances.json: how far the model's own answers are from the context (SS, with an encoder), and
// how much they repeat one utterance of the training part (REI).
void measure_distances(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);
// told.json: the model is asked for each value of both its conditions, and a classifier says which
// value an answer has: "sentiment.negative.neutral" is the share of those asked for negative that
// it takes for neutral, "sentiment.all" the share of all that it takes for what was asked for,
// "sentiment.people" the mean over the values of the share of people's responses that it tells
// right. Its words are those of the responses of the training part, each value as often. Nothing of
// a condition of which that part has a single value.
void measure_told(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);
// mmi.json, of variants with it: as the "own" answers, the best of beams of ten by MMI-bidi
// (dialog/parts/nbest.h), half ln P(R | C) + half ln P(Q | R). The second is of a Seq2Seq, the
// first variant, that learns the pairs reversed: once a seed, in the folder reversed-seedN.
void measure_mmi(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json);

// Parts of it. The pairs the other way round: each response, if it has words, is what is said, and
// the last utterance before it the response.
PackedList<Example> reversed(const PackedList<Example>& examples);
// The best of each list of responses to a query.
std::vector<Tokens> best_by_mmi(const std::vector<Offered>& lists,
                                const std::vector<Tokens>& queries, const Ranker& of_reversed);

}  // namespace heed::generators
