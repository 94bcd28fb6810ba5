// Finds the answer to a question in a passage, given the k questions and answers before (Ohsugi,
// Saito, Nishida, Asano & Tomita, "A simple but effective method to incorporate multi-turn context
// with BERT for conversational machine comprehension", NLP4ConvAI 2019, Eqs. 2 to 9).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dialog/pretrained/states.h"
#include "nn/gru.h"
#include "nn/layers.h"

namespace heed::comprehend {

using Ids = std::vector<int32_t>;

struct Config {
  int64_t turns = 2;                      // k
  bool questions = true, answers = true;  // whether those of the turns before are read
  bool other_turns = false;               // a control: they are another passage's, see read_all()
  bool kinds = false;                     // Eq. 8: predicts yes, no, unanswerable or a span
  bool frozen = false;                    // the encoder is not trained
  int64_t width = 384;                    // cells per direction of the two GRUs, d in the paper
  int64_t window = 384;                   // pieces of the passage that one pass reads
  int64_t longest_query = 64;             // the first pieces of a question, and of an answer
  double dropout = 0.1;

  int64_t parts() const { return 1 + turns * ((questions ? 1 : 0) + (answers ? 1 : 0)); }
  void check() const;  // throws UsageError
};

// The input for a question: the pieces of its passage, and queries: the question, the questions
// before it (latest first), the answers before it. An empty query is missing: zeros.
struct Asked {
  const Ids* passage;
  std::vector<Ids> queries;
};

class SpanReader : public Module {
 public:
  // `special`: the ids of [CLS] and [SEP].
  SpanReader(const Config& config, pretrained::Bert bert, std::pair<int32_t, int32_t> special);

  // For each question and each piece of its passage, and for the position after the last piece,
  // which stands for no answer: logits (N), question after question in the order `of` (indices into
  // `asked`); and logits of the kinds of answers, (N, 4), or nothing.
  struct Logits {
    Var start, end, kinds;
    Segments segments;
    std::vector<int32_t> of;
  };
  Logits operator()(const std::vector<Asked>& asked, const DropoutMode& drop = {}) const;
  // The encoder's states for the questions: see StateReader::keep().
  bool read_ahead(const std::vector<Asked>& asked) const { return encoder_.keep(texts_of(asked)); }
  void visit(Visitor& v) override;

  const Config& config() const { return config_; }
  void share(std::shared_ptr<pretrained::StateCache> cache) { encoder_.share(std::move(cache)); }

 private:
  void add_texts(const Ids& passage, const Ids& query,
                 std::vector<pretrained::Pieces>& texts) const;
  std::vector<pretrained::Pieces> texts_of(const std::vector<Asked>& asked) const;

  Config config_;
  std::pair<int32_t, int32_t> special_;
  pretrained::StateReader encoder_;
  Gru gru1_, gru2_;
  Linear start_, end_, kind_;
};

// The target of a question: pieces of its passage, T for no answer, and its kind.
struct Target {
  int32_t begin, end;
  int32_t kind;
};
// Eq. 9, the mean over the questions: -(ln p_start + ln p_end), plus the cross entropy of the kind
// at the end of the answer if the model predicts kinds.
Var span_loss(const SpanReader::Logits& logits, const std::vector<Target>& targets);

// The span begin <= end < n with the largest start_begin + end_end, in one pass over n.
struct BestSpan {
  int32_t begin, end;
  double score;
};
BestSpan best_span(std::span<const double> start, std::span<const double> end);

}  // namespace heed::comprehend
