// POSNet (Yang et al. 2019) with a bidirectional LSTM as its reader: it labels the positions of a
// turn's gaps and ranks their possible fillings, with one reader for both. For the units w_1 .. w_T
// of context and turn:
//
//   x_t = E w_t + P d_t                    d_t: units up to the end, at most kFarthest   (E)
//                                          E w_t may be a state of a pretrained encoder
//   h_t = [LSTM(x_1 .. x_t); LSTM(x_T .. x_t)]                                           (2H)
//   y_t = W h_t + b                        a label of t (gaps.h), for the turn and its borders
//   g   = W_l h_l + W_r h_r                a gap with the neighbours l and r, or a pronoun l .. r
//   F(c, g) = v . tanh(W_b h_i + W_e h_j + L_(j - i) + b + g)      the candidate i .. j
//   F(0, g) = v . tanh(n + g)              the null candidate: nothing here fills it
//
// Dropout applies to x and h. The paper has words with parts of speech, and five gated convolutions
// over them.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/pretrained/words.h"
#include "dialog/rewrite/example.h"
#include "nn/layers.h"
#include "nn/lstm.h"

namespace heed::rewrite {

struct Config {
  int64_t vocab_size = 25005, embedding_size = 128, hidden_size = 128;  // hidden: per direction
  double dropout = 0.2;
  bool positions = true;          // P
  pretrained::Choice words = {};  // of the encoder's states `embedding_size` is the width
  Bounds bounds = {};             // of its examples

  void check() const;  // throws UsageError
};

constexpr int64_t kFarthest = 127;

// Gaps whose candidates should be ranked, of the example with this number in a batch.
struct Asked {
  size_t example;
  Gap gap;
};
using GapBatch = std::vector<const GapExample*>;

class GapModel : public Module {
 public:
  // Blank, to be loaded or drawn by init(); `words` as of pretrained::words_in().
  explicit GapModel(const Config& config, std::optional<pretrained::Words> words = {});

  // States, sequence after sequence: row begin[i] + t is h_(t + 1) of the i-th given one; and the
  // last states of both directions of each.
  struct States {
    Var h = {};     // (M, 2H)
    Var last = {};  // (B, 2H)
    std::vector<int32_t> begin = {};
  };
  States read(const std::vector<std::vector<int32_t>>& sequences,
              const DropoutMode& drop = {}) const;
  States read(const GapBatch& batch, const DropoutMode& drop = {}) const;
  // (sum over the batch of the units of a turn + 2, kLabels), turn after turn.
  Var label_logits(const States& states, const GapBatch& batch) const;
  // For each gap k the scores of its example's candidates, then that of null: [begin[k], begin[k +
  // 1]); begin ends with their number.
  struct Scores {
    Var f = {};  // (P, 1)
    std::vector<int32_t> begin = {};
  };
  Scores score(const States& states, const GapBatch& batch, const std::vector<Asked>& asked) const;

  void visit(Visitor& v) override;
  GapModel like() const { return GapModel(config_, words_.like_words()); }
  const Config& config() const { return config_; }
  Device device() const { return words_.device(); }

 private:
  Config config_;
  pretrained::WordReader words_;
  std::vector<Embedding> positions_;  // P: one or none
  Lstm lstm_;
  Linear labels_, begin_, end_, left_, right_, score_;
  Embedding lengths_;  // L
  Var null_;           // n (1, H)
};

}  // namespace heed::rewrite
