// Responses that a model writes itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// An answer to the dialogue of this number, in batch order; tokens without <eos>.
struct Answer {
  int32_t dialogue = 0;
  std::vector<int32_t> tokens = {};
};
// Of each the score: the higher, the better it answers.
using Judge = std::function<std::vector<double>(const Batch& batch, const std::vector<Answer>&)>;

// How the next token is chosen. <pad>, <sos> and <eou> never are, <unk> only if allowed: a response
// holds none of the first three, and <unk> says nothing to a reader. Probabilities stay the model's
// own, over the whole vocabulary, so that log_prob is what score() measures for the same response.
struct DecodeOptions {
  enum class Method {
    kGreedy,  // the most probable token
    kSample,  // one of the top_k most probable tokens, p_i ~ exp(log p_i / temperature)
    kBeam     // the best of beam_size hypotheses that are extended side by side
  };
  Method method = Method::kGreedy;
  int64_t max_length = 50;  // tokens, <eos> not counted: longer responses are cut off
  bool allow_unk = false;
  bool any_token = false;  // <pad>, <sos> and <eou> too: of kSample the model's own distribution

  int64_t top_k = 20;      // of kSample; 0: all tokens
  double temperature = 1;  // of kSample; towards 0: greedy
  uint64_t seed = 1;       // of kSample

  int64_t beam_size = 5;  // of kBeam
  // Hypotheses of n tokens (<eos> counted) are ranked by log p / n^length_penalty: 0 ranks by
  // probability, which favours short responses, 1 by the mean over the tokens.
  double length_penalty = 0;

  // The best of so many answers, each greedy with noise of its own, of a model that learned with
  // noise (ModelConfig::noise); 0: without noise. `judge` says which is the best, or log p without
  // one; kRandom takes the first.
  int64_t best_of = 0;
  enum class Rank { kJudge, kLogProb, kRandom } rank = Rank::kLogProb;
  Judge judge = {};
  double noise_variance = 0;  // 0: 7 for noise of utterances, 9 for that of words, as in the paper

  // What is wanted of the responses, as "emotion=positive", instead of what is known of the
  // examples (Example::conditions).
  std::vector<std::string> wanted = {};

  // Throws UsageError for numbers out of range.
  void check() const;
};

struct Decoding {
  std::vector<int32_t> tokens;  // without <eos>
  // Ended by <eos>. One of max_length tokens is cut off, as nobody looked whether <eos> would
  // follow; it competes in a beam with those that ended, and may be the best one.
  bool finished = false;
  double log_prob = 0;  // of the tokens, and of <eos> if finished
  // For each predicted token (<eos> too) the attention on each utterance of the context, sum 1;
  // non-hier: summed over the utterance's tokens. Of a model without attention each is empty.
  std::vector<std::vector<double>> attention;
  std::vector<double> even;  // what even attention would be (even_attention())

  // Attention scores (Eq. 7) of the utterances: mean attention over the steps / even attention;
  // none of a model without attention.
  std::vector<double> as_scores() const;
};

// A response to each of the contexts, in their order; the examples' own responses are not looked
// at. All are decoded as one batch, and what has ended costs nothing any more. Results do not
// depend on what else is in the batch: random numbers are keyed by (seed, id of the example).
//
// The beam of a dialogue is its beam_size best hypotheses, ended ones included. It always keeps
// the greedy one, so that beam search never finds anything worse than greedy decoding (which plain
// beam search can). It stops when no hypothesis can overtake the best one that has ended.
std::vector<Decoding> decode(Responder& model, const std::vector<const Example*>& examples,
                             const DecodeOptions& options = {});
// The same with all that a beam keeps of each context, best first: an N-best list of up to
// beam_size different responses. With the other methods a list of one.
std::vector<std::vector<Decoding>> decode_lists(Responder& model,
                                                const std::vector<const Example*>& examples,
                                                const DecodeOptions& options);

}  // namespace heed
