// Where a model looks: attention scores and the DAS ratio (Xing & Gulla 2022, Eqs. 7-9).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dialog/model.h"

namespace heed {

// Eq. 8 for one dialogue: mean attention score of the distractions over the mean of the original
// utterances of the history. The query, last, is in neither. Nothing where one of the two is empty
// or the history gets no attention at all.
std::optional<double> das_ratio(const std::vector<double>& as_scores,
                                const std::vector<char>& distraction);

// All that is measured on one dialogue.
struct DialogueScore {
  std::string id;
  std::vector<double> nll;             // for each predicted token, <eos> last
  std::vector<double> attention_loss;  // Eq. 9 for each step
  // Eq. 7 for each utterance k: q x mean over steps of the attention that falls on it (non-hier:
  // summed over its tokens). An average utterance scores 1.
  std::vector<double> as_scores;
  std::vector<char> distraction;
  std::optional<double> das_ratio;
};

// The scores of a batch's dialogues, in the order of its examples, from what a model put out for
// it. The attention memory may hold utterances (one row each) or tokens.
std::vector<DialogueScore> score_output(const DialogModel::Output& output, const Batch& batch,
                                        const std::vector<const Example*>& examples);

// Scores all examples in batches of similar length; the results are in the order of the examples
// and do not depend on the batch size. `progress`, if given, is called after each batch with the
// number of examples and tokens done.
struct ScoreProgress {
  int64_t examples, tokens;
};
std::vector<DialogueScore> score(DialogModel& model, const std::vector<Example>& examples,
                                 int64_t batch_size,
                                 const std::function<void(const ScoreProgress&)>& progress = {});

// Means over a test set; the attention scores over all dialogues that have what they are taken of.
struct ScoreSummary {
  int64_t dialogues = 0, tokens = 0, distracted = 0;  // distracted: those with a DAS ratio
  double perplexity = 0;                              // exp(sum of nll / tokens)
  std::optional<double> das_ratio;                    // mean over the distracted dialogues
  std::optional<double> as_distraction;               // mean AS of all distractions of the set
  std::optional<double> as_history;  // mean AS of the original utterances of all histories
  std::optional<double> as_first;    // mean AS of the first utterance
  std::optional<double> as_last;     // mean AS of the last utterance of the history
};
ScoreSummary summarize(const std::vector<DialogueScore>& scores);

}  // namespace heed
