// A model's responses to many contexts, and their quality.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/parts/encoder.h"
#include "dialog/respond/das.h"
#include "dialog/respond/decode.h"
#include "dialog/text/measures.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// The responses to all examples as words, in order, even if the model writes pieces; they do not
// depend on the batch size.
// `progress`, if given, is called after each batch with the number of examples and tokens (read and
// written) so far. Throws UsageError for a batch size below 1.
using RespondProgress = ScoreProgress;
std::vector<Tokens> respond(Responder& model, const std::vector<Example>& examples,
                            const Vocabulary& vocabulary, const DecodeOptions& options,
                            int64_t batch_size,
                            const std::function<void(const RespondProgress&)>& progress = {});
// N-best lists: the result of decode_lists() for each example, best first, with ln P(response |
// context) of each. Empty responses are left out if there are others.
struct Offered {
  std::vector<Tokens> responses;
  std::vector<double> log_p;
};
std::vector<Offered> respond_lists(
    Responder& model, const std::vector<Example>& examples, const Vocabulary& vocabulary,
    const DecodeOptions& options, int64_t batch_size,
    const std::function<void(const RespondProgress&)>& progress = {});
// Like respond(), but with teacher forcing: the most probable words after those of the human
// response, see taught_choices().
std::vector<Tokens> respond_taught(
    Responder& model, const std::vector<Example>& examples, const Vocabulary& vocabulary,
    bool allow_unk, int64_t batch_size,
    const std::function<void(const RespondProgress&)>& progress = {});

// The human responses of examples made with the vocabulary, with all their words.
std::vector<Tokens> human_responses(const std::vector<Example>& examples,
                                    const Vocabulary& vocabulary);

// A line {"id": "...", "response": "..."} for each example.
std::string responses_text(const std::vector<Example>& examples,
                           const std::vector<Tokens>& responses);

// Drops generated responses before a person or a program is asked whether people said them: empty
// ones always; if requested also those with <unk>, those with the words of the human response, and
// those with the words of an earlier one that stayed. Each is counted under the first of these
// reasons that applies.
class ResponseSieve {
 public:
  struct Rules {
    bool unknown = false, repeated = false, as_people = false;
  };
  struct Counts {
    int64_t empty = 0, unknown = 0, repeated = 0, as_people = 0;
    // "left out: 1 empty, 20 repeated, 3 with <unk>, 0 equal to the human one"
    std::string text() const;
  };
  explicit ResponseSieve(const Rules& rules) : rules_(rules) {}
  // Whether the response stays; `human` is the text of the human response.
  bool passes(const Tokens& response, const std::string& human);
  const Counts& left_out() const { return counts_; }

 private:
  Rules rules_;
  Counts counts_;
  std::set<std::string> seen_;
};

// The quality of generated responses; human ones have no BLEU.
struct ResponseQuality {
  std::optional<double> bleu;
  double distinct_1 = 0, distinct_2 = 0;
  double mean_length = 0;  // words
  int64_t dialogues = 0;
};
// Throws UsageError if the numbers of responses and references differ, or there are none.
ResponseQuality measure_responses(const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references);

// vector_extrema() of dialog/text/measures.h by the model's own embeddings: those of its decoder,
// or its single table. Different models have different embeddings, so that their numbers cannot be
// compared. Nothing for a model without such a table.
std::optional<double> extrema_own(const Responder& model, const Vocabulary& vocabulary,
                                  const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references);

// SS (dull_penalty() of dialog/text/measures.h) of each example: P (1 - cos), with the encoder's
// vectors of a response and of the utterance `back` positions before the last one of its context.
// Examples with a shorter context are left out.
std::vector<double> distances(const ContextEncoder& encoder, const std::vector<Example>& examples,
                              const std::vector<Tokens>& responses, const Vocabulary& vocabulary,
                              size_t back, const std::vector<Tokens>& dull);
// What REI (the same header) compares responses with: every utterance.
Echoes echoes_of(const std::vector<Dialogue>& dialogues);

}  // namespace heed
