// Decoding: responses that a model writes itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// An answer to the dialogue with this number, in batch order; tokens without <eos>.
struct Answer {
  int32_t dialogue = 0;
  std::vector<int32_t> tokens = {};
};
// The score of each answer: the higher, the better.
using Judge = std::function<std::vector<double>(const Batch& batch, const std::vector<Answer>&)>;

// How the next token is chosen. <pad>, <sos> and <eou> are never chosen, <unk> only if allowed: no
// response has the first three, and <unk> means nothing to a reader. Probabilities stay the model's
// own, over the whole vocabulary, so that log_prob equals the score() of the same response.
struct DecodeOptions {
  enum class Method {
    kGreedy,  // the most probable token
    kSample,  // one of the top_k most probable tokens, p_i ~ exp(log p_i / temperature)
    kBeam     // the best of beam_size hypotheses, which are extended in parallel
  };
  Method method = Method::kGreedy;
  int64_t max_length = 50;  // tokens without <eos>: longer responses are truncated
  bool allow_unk = false;
  bool any_token = false;  // also <pad>, <sos>, <eou>: kSample then has the model's distribution

  int64_t top_k = 20;      // of kSample; 0: all tokens
  double temperature = 1;  // of kSample; towards 0: greedy
  uint64_t seed = 1;       // of kSample

  int64_t beam_size = 5;  // of kBeam
  // Hypotheses of n tokens (including <eos>) are ranked by log p / n^length_penalty: 0 ranks by
  // probability, which favours short responses, 1 by the mean over the tokens.
  double length_penalty = 0;

  // The best of best_of answers, each decoded greedily with noise of its own, by a model trained
  // with noise (ModelConfig::noise); 0: without noise. Which is the best: by `judge`, which kJudge
  // needs, or by log p; kRandom takes the first.
  int64_t best_of = 0;
  enum class Rank { kJudge, kLogProb, kRandom } rank = Rank::kLogProb;
  Judge judge = {};
  // If not given: 7 for noise of utterances, 9 for noise of words, as in the paper.
  std::optional<double> noise_variance = {};

  // The desired conditions of the responses, such as "emotion=positive", instead of those of the
  // examples (Example::conditions).
  std::vector<std::string> wanted = {};

  // Throws UsageError for numbers out of range.
  void check() const;
};

struct Decoding {
  std::vector<int32_t> tokens;  // without <eos>
  // Ended by <eos>. A response of max_length tokens counts as truncated, since the next token is
  // not predicted; it competes in a beam with those that ended, and may be the best one.
  bool finished = false;
  double log_prob = 0;  // of the tokens, and of <eos> if finished
  // For each predicted token (including <eos>) the attention to each utterance of the context, sum
  // 1; non-hier: summed over the utterance's tokens. Empty lists for a model without attention.
  std::vector<std::vector<double>> attention;
  std::vector<double> even;  // uniform attention (even_attention())

  // Attention scores (Eq. 7) of the utterances: mean attention over the steps / uniform attention;
  // none for a model without attention.
  std::vector<double> as_scores() const;
};

// A response to each of the contexts, in their order; the examples' own responses are ignored. All
// are decoded as one batch, and ended responses cost nothing more. A result does not depend on the
// rest of the batch: random numbers are keyed by (seed, id of the example).
//
// The beam of a dialogue is its beam_size best hypotheses, including ended ones. It always keeps
// the greedy one, so that beam search never finds anything worse than greedy decoding (which plain
// beam search can). It stops when no hypothesis can overtake the best ended one.
std::vector<Decoding> decode(Responder& model, const std::vector<const Example*>& examples,
                             const DecodeOptions& options = {});
// The same with everything that a beam keeps for each context, best first: an n-best list of up to
// beam_size different responses. It stops when all of them have ended, or have max_length tokens.
// With the other methods it is a list of one.
std::vector<std::vector<Decoding>> decode_lists(Responder& model,
                                                const std::vector<const Example*>& examples,
                                                const DecodeOptions& options);

}  // namespace heed
