// The discriminator (Bruni and Fernández 2017, section 4): is the response of a passage the real
// one? For its T tokens w_1 .. w_T, u_1 <eou> u_2 <eou> <sos> r <eou>:
//
//   x_t = E w_t                                                        Eq. 1     (E)
//   fwd_t = LSTM(x_t), t = 1..T;  bwd_t = LSTM(x_t), t = T..1          Eqs. 2, 3 (H) each
//   h_t = [fwd_t; bwd_t]                                               Eq. 3     (2H)
//   u_t = tanh(W_w h_t + b_w)                                          Eq. 4     (2H)
//   a_t = exp(u_t . u_w) / sum_s exp(u_s . u_w);  v = sum_t a_t h_t    Eq. 5
//   p(real) = sigmoid(W_c v + b_c)                                     Eq. 6
//
// Dropout applies to the input and the output of the LSTM. A pretrained encoder may compute the h_t
// instead (dialog/pretrained/words.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/passage.h"
#include "dialog/parts/memory.h"
#include "dialog/pretrained/words.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "train/task.h"

namespace heed::discriminate {

struct Config {
  pretrained::Choice words = {};  // states of a pretrained encoder have 2 hidden_size numbers
  int64_t vocab_size = 25005, embedding_size = 500, hidden_size = 500;
  double dropout = 0.3;
  bool response_only = false;  // it gets no context: a control
  PassageOptions passages = {};

  void check() const;  // throws UsageError
  Reads reads() const { return response_only ? Reads::kResponse : Reads::kAll; }
  bool pretrained() const { return words.pretrained(); }
};
// Before a model of these sizes is made; without a pretrained encoder.
double parameter_count(const Config& config);

// The bound of the initial parameters: 0.1 sqrt(500 / hidden_size), which is the paper's 0.1 at its
// 500 cells. A sum over H inputs then has the same size at any width; with 0.1 a narrow model
// begins with outputs so near 0 that it stays at chance.
double init_bound(int64_t hidden_size);

// Sequences packed for the LSTM, and the positions of their tokens in it.
struct SequenceBatch {
  ContextBatch packed;
  Memory tokens;  // sequence after sequence, in the order given: the packed row of each token
};
// Packs results of sequence_of(); each must have a token.
SequenceBatch pack_sequences(const std::vector<Example>& sequences, Device device = {});

class Discriminator : public Module {
 public:
  // Blank, to be loaded; `words` if the encoder is pretrained.
  explicit Discriminator(const Config& config, std::optional<pretrained::Words> words = {});
  // With initial weights: of all but a pretrained encoder uniform in [-b, b), b = init_bound().
  Discriminator(const Config& config, uint64_t seed, std::optional<pretrained::Words> words = {});

  struct Output {
    Var logits;     // (B): p(real) = sigmoid(logit)
    Var attention;  // (M): a_t, sequence after sequence
    Var last;       // (B, 2H): [fwd_T; bwd_1]; for a pretrained encoder the state of [CLS]
  };
  Output operator()(const SequenceBatch& batch, const DropoutMode& drop = {}) const;
  void visit(Visitor& v) override;
  Discriminator like() const;
  const Config& config() const { return config_; }
  Device device() const { return project_.weight.device(); }

 private:
  struct States {
    Var h, last;
  };
  States read(const SequenceBatch& batch, const DropoutMode& drop) const;

  Config config_;
  std::vector<pretrained::Words> words_;  // one, or
  std::vector<Embedding> embedding_;      // one of
  std::vector<Lstm> lstm_;                // both
  Linear project_;                        // W_w, b_w
  Linear query_;                          // u_w as one row
  Linear output_;                         // W_c, b_c
};

// What it says of a passage.
struct Verdict {
  double p_real = 0.5;
  double loss = 0;                     // -ln p of the truth, in nats
  std::vector<double> attention = {};  // a_t of the tokens of sequence_of(); their sum is 1
};

// For all passages, in order; the same for any batch size. Throws UsageError for one below 1.
std::vector<Verdict> verdicts_on(const Discriminator& model, const std::vector<Passage>& passages,
                                 int64_t batch_size, const OnValidation& progress = {});
std::vector<double> p_real_of(const std::vector<Verdict>& verdicts);

}  // namespace heed::discriminate
