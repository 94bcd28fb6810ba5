// A word-level discriminator (Olabiyi, Salimov, Khazane & Mueller, "Multi-turn dialogue response
// generation in an adversarial learning framework", NLP4ConvAI 2019, sections 3.2, 3.3) for a
// generator of dialog/respond/models/hred.h, whose E and cRNN it shares. For the words chi_1..chi_J
// of an answer and the states g_q of the context network:
//
//   p_j    = sigmoid(w . [fwd_j; bwd_j] + b),  fwd, bwd = a bidirectional GRU over E chi_j
//   D(chi) = (prod_j p_j)^(1/J) = exp(mean_j ln p_j)                              Eq. 12
//   L_D    = -ln D(real) - ln(1 - D(fake))                                         Eq. 5
//
// Layer l of the GRU starts, in both directions, from layer l of g_q. The words of the real
// response are real. Fake ones come from the generator's distribution in each step after the real
// words (teacher forcing), as Fake says:
//
//   kDrawn            a sampled word: chi_j = argmax_v (ln p_v + g_v), g = -ln(-ln u)
//   kSoft             no word, but the expected embedding: sum_v p_v E_v
//   kStraightThrough  the sampled word, with the gradient of softmax(ln p + g)
//
// The paper does not say whether <eos> is a word: here it is not, nor are <pad>, <sos> and <eou>.
// All fakes are at the J positions of real words, and sampled from words only; otherwise the last
// one would give everything away.
#pragma once

#include "dialog/respond/decode.h"
#include "dialog/respond/models/hred.h"
#include "nn/gru.h"

namespace heed::words {

enum class Fake { kDrawn, kSoft, kStraightThrough };

class WordDiscriminator : public Module {
 public:
  // With the sizes of the generator. Blank; init() of nn/init.h draws the weights.
  explicit WordDiscriminator(const ModelConfig& generator);
  // The logits of p_j, (N, 1), for E chi (N, E), packed, and g_q of each answer.
  Var operator()(const Packing& packing, const Var& embedded, const GruState& context) const;
  void visit(Visitor& v) override;

 private:
  Gru gru_;
  Linear output_;
};

// ln D of each answer (B), from the logits of its words.
Var log_score(const Packing& packing, const Var& logits);

// The discriminator's input from a batch: the first `packing.batch()` of its dialogues, as the
// responses of the others have no words.
struct Shown {
  Packing packing;
  Var real, fake;  // E chi, (N, E)
  GruState context;
};
// `noise` makes g, of shape (N, V), and is not called with kSoft. Throws DataError for a batch
// without a word.
using MakeNoise = std::function<Tensor(const Shape& shape)>;
Shown show(const HredResponder& generator, const Batch& batch, Fake fake, const DropoutMode& drop,
           const MakeNoise& noise);
// Gumbel numbers g of a stream, with the generator's element type and device.
MakeNoise gumbel_noise(const HredResponder& generator, RandomKey key);
// Only the fakes, for the generator's logits (N, V).
Var fake_words(const HredResponder& generator, const Var& logits, Fake fake, const Tensor& noise);

struct Told {
  Var real, fake;  // ln D of each answer (B)
  Var not_fake;    // mean_j ln(1 - p_j) of the fakes (B)

  // How many of the 2 B are classified correctly: D(real) > 1/2, D(fake) < 1/2.
  double right() const;
  int64_t shown() const { return 2 * real.shape().numel(); }
};
Told tell(const WordDiscriminator& discriminator, const Shown& shown);
// L_D, the mean over the answers. `by_word`: with mean_j ln(1 - p_j) instead of ln(1 - D).
Var loss_of(const Told& told, bool by_word = false);

// ln D of each, kWorst for one without a word. The batch is read once.
constexpr double kWorst = -1e30;
std::vector<double> log_scores(const HredResponder& generator,
                               const WordDiscriminator& discriminator, const Batch& batch,
                               const std::vector<Answer>& answers);

}  // namespace heed::words
