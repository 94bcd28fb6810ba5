// Where a model looks: attention scores and the DAS ratio (Xing & Gulla 2022, Eqs. 7-9). What is
// measured otherwise than the equations say, and why: docs/paper.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// What each utterance of the context gets where attention is even over `rows` memory rows: one row
// an utterance, or one a token, of which <eou> is the last. Sum 1.
std::vector<double> even_attention(const Example& example, int64_t rows);

// For each of a dialogue's `rows` memory rows the utterance that it belongs to.
std::vector<int> utterance_of_row(const Example& example, int64_t rows);

// D and H of a dialogue: the mean attention score of its distractions and that of the original
// utterances of its history. The query, last, is in neither. Nothing where there is none of a kind,
// or no scores, as of a model without attention.
struct DialogueMeans {
  std::optional<double> distraction, history;
};
DialogueMeans dialogue_means(const std::vector<double>& as_scores,
                             const std::vector<char>& distraction);

// D / H, what Eq. 8 takes the mean of. Nothing where D or H is missing or H is 0.
std::optional<double> das_ratio(const DialogueMeans& means);

// D and H by the attention of one head of one layer, see HeadTrace.
struct HeadMeans {
  int layer, head;
  DialogueMeans means;
};

// All that is measured on one dialogue.
struct DialogueScore {
  std::string id;
  std::vector<double> nll;             // for each predicted token, <eos> last
  std::vector<double> attention_loss;  // Eq. 9 for each step
  // Eq. 7 for each utterance, meaned over steps: q x its weight; for non-hier m x the mean weight
  // of its tokens, <eou> included. Attention that is even gives 1 to every utterance. A model
  // without attention has no scores and no attention loss.
  std::vector<double> as_scores;
  std::vector<char> distraction;
  std::optional<double> das_ratio;      // D / H
  Example::Characters characters = {};  // of the response
  std::vector<HeadMeans> heads = {};    // of models with several
  // On request, for each step the weight of each memory row: of the utterances, or for non-hier of
  // the tokens, each utterance with its <eou>.
  std::vector<std::vector<double>> attention;
};

// The scores of a batch's dialogues, in the order of its examples, from what a model put out for
// it. The attention memory may hold utterances (one row each) or tokens.
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

// A test set by the attention of one head of one layer: its own column in tables.
struct HeadSummary {
  int layer, head;
  std::optional<double> das_ratio, as_distraction, as_history;  // as those of ScoreSummary
};

// The numbers of a test set. The attention scores are means over dialogues, all over the same ones:
// those with both a distraction and an original utterance in their history; where there is none, as
// in the original test set, those with a history.
struct ScoreSummary {
  int64_t dialogues = 0, tokens = 0;
  int64_t distracted = 0;  // dialogues with both D and H
  double perplexity = 0;   // exp(sum of nll / tokens)
  // sum of nll / (ln 2 x characters), which can be compared between vocabularies (Graves,
  // "Generating sequences with recurrent neural networks", 2013). The responses' characters are
  // those of Example::Characters, the same for any vocabulary. A word that is <unk> costs no more
  // than its being unknown: where there are such words, it is a lower bound.
  std::optional<double> bits_per_character;  // none without a character
  double unknown_characters = 0;             // the share of characters in words that are <unk>
  int64_t characters = 0;
  std::optional<double> das_ratio;         // mean D / mean H: what the paper's tables print
  std::optional<double> mean_das_ratio;    // mean of D / H where H is not 0: Eq. 8 as it is written
  std::optional<double> median_das_ratio;  // of the same
  // Two that no single dialogue can move far: the share of the dialogues with D > H, and the mean
  // of D / (D + H) where that is defined. Even attention has 0.5.
  std::optional<double> das_above, das_bounded;
  // das_ratio over the dialogues with two original utterances or more in their history: with one,
  // the middle of the history is its beginning.
  std::optional<double> das_ratio_long;
  std::optional<double> as_distraction;  // mean D
  std::optional<double> as_history;      // mean H
  std::optional<double> as_first;        // mean AS of the history's first original utterance
  std::optional<double> as_last;         // and of its last one
  std::vector<HeadSummary> heads = {};   // of models with several; in no kept result
  std::optional<double> accuracy = {};   // see evaluate(); on request
};
ScoreSummary summarize(const std::vector<DialogueScore>& scores);

// Of an even number of values the mean of the middle two; NaN if one of them is NaN.
std::optional<double> median(std::vector<double> values);

}  // namespace heed
