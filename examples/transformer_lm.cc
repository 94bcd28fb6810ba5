// A language model of characters like char_lm.cc, with a Transformer in place of the LSTM: every
// character looks back at those before it. Prints its bits per character on texts that it has not
// seen (8 for guessing, 0 for an oracle), and makes up a text.
//
//   build/release/examples/transformer_lm --steps 600
#include <cmath>
#include <cstdio>
#include <numeric>

#include "examples/options.h"
#include "examples/text.h"
#include "nn/init.h"
#include "nn/transformer.h"
#include "optim/optim.h"

using namespace heed;
using namespace examples;

constexpr int64_t kWindow = 64;  // the model sees at most this many characters

struct TransformerModel : Module {
  TransformerModel(int64_t width, int64_t layer_count)
      : embedding(256, width), norm(width), output(width, 256, /*with_bias=*/false) {
    for (int64_t i = 0; i < layer_count; ++i) layers.emplace_back(width, TransformerOptions{4});
  }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("layers", layers);
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
  // The keys and values of each layer, for the characters of one piece that were read already.
  struct Cache {
    std::vector<MultiHeadAttention::Memory> layers;
    int32_t size = 0;
  };
  // The same for the next characters of a piece, i32 (n) -> (n, width). They look back at what is
  // in the cache, and are added to it. Without gradients.
  Var read(const Tensor& characters, Cache& cache) const {
    const NoGrad guard;
    const auto n = static_cast<int32_t>(characters.numel());
    std::vector<int32_t> at(n);
    std::iota(at.begin(), at.end(), cache.size);
    cache.size += n;
    cache.layers.resize(layers.size());
    const AttentionPairs pairs(Segments({n}), Segments({cache.size}), /*causal=*/true);
    Var x = embedding(characters) + sinusoidal_positions(at, embedding.weight.shape()[1]);
    for (size_t i = 0; i < layers.size(); ++i) {
      const TransformerEncoderLayer& layer = layers[i];
      const Var seen = layer.norm1(x);
      MultiHeadAttention::Memory& memory = cache.layers[i];
      const MultiHeadAttention::Memory added = layer.attention.read(seen);
      memory.keys = memory.keys.defined() ? concat({memory.keys, added.keys}, 0) : added.keys;
      memory.values =
          memory.values.defined() ? concat({memory.values, added.values}, 0) : added.values;
      x = x + layer.attention(seen, memory, pairs).context;
      x = x + layer.feed_forward(layer.norm2(x));
    }
    return norm(x);
  }

  Embedding embedding;
  std::vector<TransformerEncoderLayer> layers;
  LayerNorm norm;
  Linear output;
};

// `count` consecutive pieces of the text. The target is the character after each.
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

// The largest difference between the states of a piece read at once and read one character after
// the other.
double cache_error(const TransformerModel& model, const Tensor& piece) {
  const NoGrad guard;
  const auto n = static_cast<int32_t>(piece.numel());
  TransformerModel::Cache cache;
  std::vector<Var> states;
  for (int32_t i = 0; i < n; ++i) states.push_back(model.read(piece.rows(i, i + 1), cache));
  const Var difference = abs(concat(states, 0) - model(piece, Segments({n})));
  return max(difference, {0, 1}).value().item();
}

// Draws one character after the other. Each step reads only the new one; when the window is full,
// the model starts again with its last half.
std::string make_up(const TransformerModel& model, int64_t length, double temperature, Rng& rng) {
  const NoGrad guard;
  std::string text = "\n";
  TransformerModel::Cache cache;
  for (int64_t i = 0; i < length; ++i) {
    size_t news = 1;
    if (cache.size == kWindow) cache = {}, news = kWindow / 2;
    std::vector<int32_t> characters;
    for (size_t at = text.size() - news; at < text.size(); ++at) {
      characters.push_back(static_cast<unsigned char>(text[at]));
    }
    const Var states = model.read(Tensor::from(characters), cache);
    const int64_t n = std::ssize(characters);
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
  std::printf("the cache changes states by at most %.0e\n",
              cache_error(model, unseen.inputs.rows(0, kWindow)));
  std::printf("---\n%s\n", make_up(model, 300, /*temperature=*/0.7, rng).c_str());
}

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, {{"steps", "600"}, {"data", HEED_SOURCE_DIR "/data/ubuntu-sample"}}, example);
}
