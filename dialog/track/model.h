// A state tracker (Trinh, Ross & Kelleher, Energy-Based Modelling for Dialogue State Tracking,
// 2019). A feature network reads one turn at a time. Its outputs feed softmax heads, one per slot,
// which are independent of each other, or an energy of all slots' values together, which is low if
// they fit the dialogue and each other. docs/tracking.md
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/pretrained/words.h"
#include "dialog/track/reader.h"
#include "nn/lstm.h"
#include "train/task.h"

namespace heed::track {

struct Config {
  std::string output = "heads";  // heads or energy
  std::string slots = {};        // the tracked slots: Slots::of()
  std::string machine = "acts";  // how the system's turns are read: acts, text or none
  int64_t vocab_size = 0, embedding_size = 300, hidden_size = 128;
  int64_t act_count = 0, act_size = 300;  // the number of acts, the width of their layers
  int64_t values = 0;                     // N
  int64_t energy_size = 64;               // columns of W_1
  int steps = 50;                         // T
  double inner_rate = 0.001;              // the initial eta_k
  bool independent = false;               // w_2 = 0: slots do not interact, logistic regression
  double dropout = 0.2;
  pretrained::Choice words = {};  // of the encoder's states `embedding_size` is the width

  void check() const;  // throws UsageError
};

// The turns of some conversations: row r is turn t of conversation b of the packing, the longest
// conversation first.
struct TurnBatch {
  Packing packing;
  std::vector<const UserTurn*> turns;             // of each row
  std::vector<std::pair<size_t, size_t>> places;  // of each row: conversation as given, turn
  Packed user, system;                            // the words of each row; system: if read
  Tensor acts;                                    // f64 (R, A): 1 where the system's turn has it
};
TurnBatch make_batch(const std::vector<const Conversation*>& conversations, const Config& config,
                     Device device);

// F_t = LSTM over turns of [BiLSTM over the user's words, last states; the system's turn], where
// the system's turn is tanh(FC(tanh(FC(acts)))), or the last states of a second BiLSTM.
class Features : public Module {
 public:
  Features(const Config& config, std::optional<pretrained::Words> words);
  Var operator()(const TurnBatch& batch, const DropoutMode& drop = {}) const;  // (R, H)
  void visit(Visitor& v) override;
  Device device() const { return words_.device(); }
  DType dtype() const { return words_.dtype(); }

 private:
  std::string machine_;
  pretrained::WordReader words_;
  std::vector<Lstm> readers_;  // of the user's words, of the system's
  std::vector<Linear> acts_;
  Lstm turns_;
};

// E(y) = sum_i y_i W_i . F + w_2 . tanh(W_1' y), and T steps of gradient descent from y = 0, which
// are ordinary ops, as the gradient has a closed form:
//   dE/dy = W F + W_1 (w_2 * (1 - tanh^2(W_1' y)))
//   y_0 = 0;  y_k = y_(k-1) - eta_k dE/dy,  eta_k = exp(theta_k),  k = 1 .. T
class Energy : public Module {
 public:
  explicit Energy(const Config& config);
  Var gradient(const Var& y, const Var& wf) const;  // dE/dy, wf = W F (R, N)
  std::vector<Var> steps(const Var& f) const;       // y_1 .. y_T, each (R, N)
  void visit(Visitor& v) override;

  Var w, w_1, w_2, theta;  // (N, H), (K, N) which is W_1', (K), (T); w_1, w_2: not if independent
};

// 1/T 1/(T - k + 1), the weight of step k = 1 .. T in the loss (Eq. 6).
double step_weight(int k, int steps);

class Tracker : public Module {
 public:
  // `words` as of pretrained::words_in().
  explicit Tracker(const Config& config, std::optional<pretrained::Words> words = {});
  void visit(Visitor& v) override;
  const Config& config() const { return config_; }
  Device device() const { return features_.device(); }
  DType dtype() const { return features_.dtype(); }

  struct Output {
    Var logits;  // (R, N): of heads, or y_T
    Var loss;    // a scalar: mean over turns, of sums over slots; undefined without `slots`
  };
  // The loss of heads is cross entropy, slot by slot; the loss of energies is
  //   sum_k step_weight(k) sum_i CE(sigmoid(y_ki), gold_i)
  Output operator()(const TurnBatch& batch, const Slots* slots = nullptr,
                    const DropoutMode& drop = {}) const;
  Var features(const TurnBatch& batch, const DropoutMode& drop = {}) const {
    return features_(batch, drop);
  }
  // p of each value (R, N): softmax within each slot, or sigmoid.
  Var probabilities(const Var& logits, const Slots& slots) const;

 private:
  Config config_;
  Features features_;
  std::vector<Linear> heads_;   // one, or none
  std::vector<Energy> energy_;  // none, or one
};

// A tracker's output after a turn.
struct Belief {
  State state;            // the most probable value of each slot
  State above_half;       // all values with a probability above one half
  std::vector<double> p;  // of the values of `state`
};
using Beliefs = std::vector<std::vector<Belief>>;  // of each conversation, of each turn
Beliefs track(const Tracker& model, const Slots& slots,
              const std::vector<Conversation>& conversations, int64_t batch_size,
              const OnValidation& progress = {});

}  // namespace heed::track
