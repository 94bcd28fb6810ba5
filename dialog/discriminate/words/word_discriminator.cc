#include "dialog/discriminate/words/word_discriminator.h"

#include <cmath>

#include "autograd/discrete.h"
#include "autograd/ops.h"
#include "dialog/text/vocabulary.h"
#include "tensor/random_tensor.h"

namespace heed::words {
namespace {

constexpr double kNever = -1e30;  // ln of the probability of what is no word

// 1 for <pad>, <sos>, <eos> and <eou>, i32 (V).
Tensor no_words(int64_t vocabulary, Device device) {
  std::vector<int32_t> mask(vocabulary);
  for (const int token : {kPad, kSos, kEos, kEou}) mask[token] = 1;
  return Tensor::from(mask, device);
}

// The rows of the batch's responses that are words: all but the last of each.
struct WordRows {
  Packing packing;
  Tensor rows, tokens;  // i32 (N)
};
WordRows word_rows(const Batch& batch) {
  const Packing& all = batch.response.packing;
  std::vector<int32_t> lengths, rows, tokens;
  for (int64_t b = 0; b < all.batch() && all.length(b) > 1; ++b) {
    lengths.push_back(static_cast<int32_t>(all.length(b) - 1));
  }
  if (lengths.empty()) throw DataError("discriminator: none of the responses has a word");
  const std::vector<int32_t> targets = batch.response.targets.to_ints();
  const Packing packing(lengths);
  for (int64_t t = 0; t < packing.steps(); ++t) {
    for (int64_t b = 0; b < packing.batch_size(t); ++b) {
      rows.push_back(static_cast<int32_t>(all.row(t, b)));
      tokens.push_back(targets[rows.back()]);
    }
  }
  const Device device = batch.response.targets.device();
  return {packing, Tensor::from(rows, device), Tensor::from(tokens, device)};
}

}  // namespace

WordDiscriminator::WordDiscriminator(const ModelConfig& c)
    : gru_(c.embedding_size, c.hidden_size, {.layers = c.num_layers, .bidirectional = true}),
      output_(2 * c.hidden_size, 1) {}

void WordDiscriminator::visit(Visitor& v) {
  v("gru", gru_);
  v("output", output_);
}

Var WordDiscriminator::operator()(const Packing& packing, const Var& embedded,
                                  const GruState& context) const {
  GruState start{{}, {}, 2};
  for (const Var& of_layer : context.h) start.h.insert(start.h.end(), {of_layer, of_layer});
  return output_(gru_(packing, embedded, start).y);
}

Var log_score(const Packing& packing, const Var& logits) {
  return -reshape(segment_mean(softplus(-logits), packing), {packing.batch()});
}

Var fake_words(const HredResponder& generator, const Var& logits, Fake fake, const Tensor& noise) {
  const Var& e = generator.embedding().weight;
  const int64_t vocabulary = e.shape()[0];
  Var x = masked_fill(logits, no_words(vocabulary, e.device()), kNever);
  if (fake == Fake::kSoft) return matmul(softmax(x), e);
  x = x + noise;
  const Tensor drawn = argmax(x, -1);
  if (fake == Fake::kDrawn) return gather_rows(e, drawn);
  return matmul(straight_through(softmax(x), one_hot(drawn, vocabulary, e.dtype())), e);
}

Shown show(const HredResponder& generator, const Batch& batch, Fake fake, const DropoutMode& drop,
           const MakeNoise& make_noise) {
  const WordRows said = word_rows(batch);
  const Var& e = generator.embedding().weight;
  const Var hidden = generator.unroll(batch, generator.encode(batch, drop), drop).hidden;
  const Var logits = generator.output().logits(gather_rows(hidden, said.rows));
  Tensor noise;
  if (fake != Fake::kSoft) noise = make_noise(logits.shape());
  return {said.packing, gather_rows(e, said.tokens), fake_words(generator, logits, fake, noise),
          generator.read_dialogues(batch, drop).first(said.packing.batch())};
}

MakeNoise gumbel_noise(const HredResponder& generator, RandomKey key) {
  const Var& e = generator.embedding().weight;
  return [key, type = e.dtype(), device = e.device()](const Shape& shape) {
    return gumbel(shape, key, type, device);
  };
}

double Told::right() const {
  const std::vector<double> of_real = real.value().to_vector(), of_fake = fake.value().to_vector();
  const double half = std::log(0.5);
  double count = 0;
  for (size_t b = 0; b < of_real.size(); ++b) count += (of_real[b] > half) + (of_fake[b] < half);
  return count;
}

Told tell(const WordDiscriminator& discriminator, const Shown& shown) {
  const Packing& packing = shown.packing;
  const Var fake = discriminator(packing, shown.fake, shown.context);
  return {log_score(packing, discriminator(packing, shown.real, shown.context)),
          log_score(packing, fake), log_score(packing, -fake)};
}

// ln(1 - D) = ln(-(e^(ln D) - 1)): accurate where D is near 0 and near 1.
Var loss_of(const Told& told, bool by_word) {
  return -mean(told.real) - mean(by_word ? told.not_fake : log(-expm1(told.fake)));
}

std::vector<double> log_scores(const HredResponder& generator,
                               const WordDiscriminator& discriminator, const Batch& batch,
                               const std::vector<Answer>& answers) {
  const NoGrad guard;
  const Device device = generator.embedding().weight.device();
  std::vector<double> scores(answers.size(), kWorst);
  std::vector<std::vector<int32_t>> tokens;
  std::vector<int32_t> dialogues;
  std::vector<size_t> places;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].tokens.empty()) continue;
    tokens.push_back(answers[i].tokens);
    dialogues.push_back(answers[i].dialogue);
    places.push_back(i);
  }
  if (tokens.empty()) return scores;
  const Packed packed = pack(tokens, device);
  const GruState context =
      generator.read_dialogues(batch).gather(Tensor::from(packed.sorted(dialogues), device));
  const Var embedded = gather_rows(generator.embedding().weight, packed.rows.value());
  const Var logits = discriminator(packed.packing, embedded, context);
  const auto found = packed.restored(log_score(packed.packing, logits)).value().to_vector();
  for (size_t i = 0; i < places.size(); ++i) scores[places[i]] = found[i];
  return scores;
}

}  // namespace heed::words
