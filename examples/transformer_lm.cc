// A language model of characters like char_lm.cc, with a Transformer in place of the LSTM: every
// character looks back at those before it. Prints its bits per character on texts that it has not
// seen (8 for guessing, 0 for an oracle), and makes up a text.
//
//   build/release/examples/transformer_lm --steps 600
#include <cmath>
#include <cstdio>

#include "examples/options.h"
#include "examples/text.h"
#include "nn/init.h"
#include "nn/transformer.h"
#include "optim/optim.h"

using namespace heed;
using namespace examples;

constexpr int64_t kWindow = 64;  // the model sees so many characters at most

struct TransformerModel : Module {
  TransformerModel(int64_t width, int64_t layer_count)
      : embedding(256, width), norm(width), output(width, 256, /*with_bias=*/false) {
    for (int64_t i = 0; i < layer_count; ++i) layers.emplace_back(width, TransformerOptions{4});
  }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    for (size_t i = 0; i < layers.size(); ++i) v("layers." + std::to_string(i), layers[i]);
    v("norm", norm);
    v("output", output);
  }
  // Pieces of text one after the other, i32 (N) -> what is known at each character, (N, width)
  Var operator()(const Tensor& characters, const Segments& pieces) const {
    const AttentionPairs pairs(pieces, pieces, /*causal=*/true);
    const int64_t width = embedding.weight.shape()[1];
    Var x = embedding(characters) + sinusoidal_positions(positions(pieces), width);
    for (const TransformerEncoderLayer& layer : layers) x = layer(x, pairs).y;
    return norm(x);
  }

  Embedding embedding;
  std::vector<TransformerEncoderLayer> layers;
  LayerNorm norm;
  Linear output;
};

// `count` pieces of the text, one after the other. What is to be predicted is the character after
// each.
struct Pieces {
  Segments segments;
  Tensor inputs, targets;  // i32 (count * kWindow)
};
Pieces draw_pieces(const std::string& text, int64_t count, Rng& rng) {
  check_shape(text.size() > kWindow + 1, "transformer_lm: the text is too short");
  std::vector<int32_t> inputs, targets;
  for (int64_t i = 0; i < count; ++i) {
    const size_t begin = rng.below(text.size() - kWindow - 1);
    for (size_t at = begin; at < begin + kWindow; ++at) {
      inputs.push_back(static_cast<unsigned char>(text[at]));
      targets.push_back(static_cast<unsigned char>(text[at + 1]));
    }
  }
  return {Segments(std::vector<int32_t>(count, kWindow)), Tensor::from(inputs),
          Tensor::from(targets)};
}

// The mean over all characters of -log2 p(next character).
Var bits_per_character(const TransformerModel& model, const Pieces& pieces) {
  const Var states = model(pieces.inputs, pieces.segments);
  const Var nll = linear_cross_entropy(states, model.output.weight, pieces.targets).total;
  return nll / (static_cast<double>(pieces.segments.total()) * std::log(2.0));
}

// Draws one character after the other: the model reads the last ones and predicts the next.
std::string make_up(const TransformerModel& model, int64_t length, double temperature, Rng& rng) {
  const NoGrad guard;
  std::string text = "\n";
  for (int64_t i = 0; i < length; ++i) {
    const std::string seen = text.substr(text.size() - std::min<size_t>(text.size(), kWindow));
    std::vector<int32_t> characters;
    for (const char c : seen) characters.push_back(static_cast<unsigned char>(c));
    const auto n = static_cast<int32_t>(characters.size());
    const Var states = model(Tensor::from(characters), Segments({n}));
    const Tensor p = softmax(model.output(rows(states, n - 1, n)) / temperature).value();
    text += static_cast<char>(draw(p.to_vector(), rng));
  }
  return text.substr(1);
}

void example(const Options& options) {
  const std::string train = read_texts(options.text("data"), "train", 2'000'000);
  const std::string valid = read_texts(options.text("data"), "valid", 200'000);
  TransformerModel model(/*width=*/128, /*layer_count=*/2);
  init(model, /*seed=*/1);
  Adam optimizer(model, {.rate = 4e-3});
  Rng rng(/*seed=*/1, "pieces"), valid_rng(/*seed=*/1, "valid");
  const Pieces unseen = draw_pieces(valid, 128, valid_rng);
  const auto report = [&](long step) {
    const NoGrad guard;
    std::printf("step %4ld  bits per character %.3f\n", step,
                bits_per_character(model, unseen).value().item());
    std::fflush(stdout);
  };
  for (int64_t step = 0; step < options.number("steps"); ++step) {
    if (step % 200 == 0) report(step);
    bits_per_character(model, draw_pieces(train, /*count=*/32, rng)).backward();
    optimizer.step({.max_norm = 1});
    zero_grad(model);
  }
  report(options.number("steps"));
  std::printf("---\n%s\n", make_up(model, 300, /*temperature=*/0.7, rng).c_str());
}

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, {{"steps", "600"}, {"data", HEED_SOURCE_DIR "/data/ubuntu-sample"}}, example);
}
