// A model's responses to many contexts, and how good they are.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/parts/encoder.h"
#include "dialog/respond/decode.h"
#include "dialog/text/measures.h"
#include "dialog/text/ppmi.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// The responses to all examples as words, in their order, also where the model writes pieces; they
// do not depend on the batch size.
// `progress`, if given, is called after each batch with the number of examples and tokens (read and
// written) so far. Throws UsageError for a batch size below 1.
struct RespondProgress {
  int64_t examples, tokens;
};
std::vector<Tokens> respond(Responder& model, const std::vector<Example>& examples,
                            const Vocabulary& vocabulary, const DecodeOptions& options,
                            int64_t batch_size,
                            const std::function<void(const RespondProgress&)>& progress = {});
// N-best lists: what decode_lists() keeps of each example, best first, with ln P(response |
// context) of each. Empty responses are left out where there are others.
struct Offered {
  std::vector<Tokens> responses;
  std::vector<double> log_p;
};
std::vector<Offered> respond_lists(
    Responder& model, const std::vector<Example>& examples, const Vocabulary& vocabulary,
    const DecodeOptions& options, int64_t batch_size,
    const std::function<void(const RespondProgress&)>& progress = {});
// The same as respond() of what the model finds most probable behind the words of the human
// response, see taught_choices().
std::vector<Tokens> respond_taught(
    Responder& model, const std::vector<Example>& examples, const Vocabulary& vocabulary,
    bool allow_unk, int64_t batch_size,
    const std::function<void(const RespondProgress&)>& progress = {});

// The human responses of examples that the vocabulary made, in all their words.
std::vector<Tokens> human_responses(const std::vector<Example>& examples,
                                    const Vocabulary& vocabulary);

// Which generated responses are left out before anybody, a person or a program, is asked whether
// people said them: empty ones always; as asked for those with <unk>, those of the same words as
// one before, and those of the same words as the human response. They are counted, each for the
// first of these reasons that it has.
class ResponseSieve {
 public:
  struct Rules {
    bool unknown = false, repeated = false, as_people = false;
  };
  struct Counts {
    int64_t empty = 0, unknown = 0, repeated = 0, as_people = 0;
  };
  explicit ResponseSieve(const Rules& rules) : rules_(rules) {}
  // Whether the response stays; `human` is the text of the one that people gave.
  bool passes(const Tokens& response, const std::string& human);
  const Counts& left_out() const { return counts_; }

 private:
  Rules rules_;
  Counts counts_;
  std::set<std::string> seen_;
};

// Of generated responses; for human ones there is no BLEU.
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
// or of all it reads where it has one table. Two models have different ones, so that their numbers
// cannot be compared. Nothing of a model without such a table.
std::optional<double> extrema_own(const Responder& model, const Vocabulary& vocabulary,
                                  const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references);

// Which words go with which in dialogues: those of each response and of the utterance before it;
// and Ppmi::coherence() of a response with all words of the context.
Ppmi count_ppmi(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary);
double coherence(const Ppmi& ppmi, const Example& example, const Tokens& response,
                 const Vocabulary& vocabulary);

// SS (dull_penalty() of dialog/text/measures.h) of each example: P (1 - cos), with the encoder's
// vectors of a response and of the utterance that stands `back` before the last one of its context.
// Examples whose context is not so long are left out.
std::vector<double> distances(const ContextEncoder& encoder, const std::vector<Example>& examples,
                              const std::vector<Tokens>& responses, const Vocabulary& vocabulary,
                              size_t back, const std::vector<Tokens>& dull);
// What REI (the same) compares responses with: every utterance.
Echoes echoes_of(const std::vector<Dialogue>& dialogues);

}  // namespace heed
