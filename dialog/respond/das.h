// Where a model looks: attention scores and the DAS ratio (Xing & Gulla 2022, Eqs. 7-9).
// docs/paper.md lists the deviations from the equations, with reasons.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// The share of each utterance of the context if attention is uniform over `rows` memory rows: one
// row per utterance, or one per token, the last of which is <eou>. They sum to 1.
std::vector<double> even_attention(const Example& example, int64_t rows);

// The utterance of each of a dialogue's `rows` memory rows.
std::vector<int> utterance_of_row(const Example& example, int64_t rows);
// Weights on these rows -> on its utterances.
std::vector<double> per_utterance(const double* weights, int64_t rows, const Example& example);

// D and H of a dialogue: the mean attention score of its distractions and that of the original
// utterances of its history. The query, which is last, is in neither. Nothing if there is none of a
// kind, or if there are no scores because the model has no attention.
struct DialogueMeans {
  std::optional<double> distraction, history;
};
DialogueMeans dialogue_means(const std::vector<double>& as_scores,
                             const std::vector<char>& distraction);

// D / H, of which Eq. 8 is the mean. Nothing if D or H is missing or H is 0.
std::optional<double> das_ratio(const DialogueMeans& means);

// D and H by the attention of one head of one layer, see HeadTrace.
struct HeadMeans {
  int layer, head;
  DialogueMeans means;
};

// All measurements of one dialogue.
struct DialogueScore {
  std::string id;
  std::vector<double> nll;             // for each predicted token, <eos> last
  std::vector<double> attention_loss;  // Eq. 9 for each step
  // Eq. 7 for each utterance, averaged over steps: q x its weight; for non-hier m x the mean weight
  // of its tokens, including <eou>. Uniform attention gives 1 to every utterance. A model without
  // attention has neither scores nor an attention loss.
  std::vector<double> as_scores;
  std::vector<char> distraction;
  std::optional<double> das_ratio;      // D / H
  Example::Characters characters = {};  // of the response
  std::vector<HeadMeans> heads = {};    // of models with several
  // If requested, for each step the weight of each memory row: of the utterances, or for non-hier
  // of the tokens, each utterance with its <eou>.
  std::vector<std::vector<double>> attention;
};

// The scores of a batch's dialogues, in the order of its examples, from a model's output for it.
// The attention memory may hold utterances (one row each) or tokens.
std::vector<DialogueScore> score_output(const Taught& taught, const Batch& batch,
                                        const std::vector<const Example*>& examples,
                                        bool with_attention = false);

// Scores all examples in batches of similar length; the results are in the order of the examples
// and do not depend on the batch size. `progress`, if given, is called after each batch with the
// number of examples and tokens done.
struct ScoreProgress {
  int64_t examples, tokens;
};
std::vector<DialogueScore> score(Responder& model, const std::vector<Example>& examples,
                                 int64_t batch_size,
                                 const std::function<void(const ScoreProgress&)>& progress = {},
                                 bool with_attention = false);

// The numbers of a test set by the attention of one head of one layer: its own column in tables.
struct HeadSummary {
  int layer, head;
  std::optional<double> das_ratio, as_distraction, as_history;  // like those of ScoreSummary
};

// The numbers of a test set. All attention scores are means over the same dialogues: those with
// both a distraction and an original utterance in their history; if there are none, as in the
// original test set, those with a history.
struct ScoreSummary {
  int64_t dialogues = 0, tokens = 0;
  int64_t distracted = 0;  // dialogues with both D and H
  double perplexity = 0;   // exp(sum of nll / tokens)
  // sum of nll / (ln 2 x characters), which can be compared between vocabularies (Graves,
  // "Generating sequences with recurrent neural networks", 2013). The responses' characters are
  // those of Example::Characters, the same for any vocabulary. The spelling of an <unk> costs
  // nothing, so with such words the value is a lower bound.
  std::optional<double> bits_per_character;  // none without a character
  double unknown_characters = 0;             // the share of characters in words that are <unk>
  int64_t characters = 0;
  std::optional<double> das_ratio;         // mean D / mean H: as in the paper's tables
  std::optional<double> mean_das_ratio;    // mean of D / H where H is not 0: Eq. 8 as written
  std::optional<double> median_das_ratio;  // of the same
  // Two numbers that no single dialogue can move far: the share of dialogues with D > H, and the
  // mean of D / (D + H) where it is defined, which is 0.5 for uniform attention.
  std::optional<double> das_above, das_bounded;
  // das_ratio over the dialogues with at least two original utterances in their history: with one,
  // the middle of the history is its beginning.
  std::optional<double> das_ratio_long;
  std::optional<double> as_distraction;  // mean D
  std::optional<double> as_history;      // mean H
  std::optional<double> as_first;        // mean AS of the history's first original utterance
  std::optional<double> as_last;         // and of its last one
  std::vector<HeadSummary> heads = {};   // of models with several; not in kept results
  std::optional<double> accuracy = {};   // see evaluate(); if requested
};
ScoreSummary summarize(const std::vector<DialogueScore>& scores);

// For an even number of values the mean of the middle two; NaN if a value is NaN.
std::optional<double> median(std::vector<double> values);

}  // namespace heed
