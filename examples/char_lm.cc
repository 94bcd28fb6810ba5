// A language model of characters: an LSTM reads the texts of the sample dialogues one byte at a
// time and predicts the next one. Prints its bits per character on texts that it has not seen (8
// for guessing, 0 for an oracle), and makes up a text.
//
//   build/release/examples/char_lm --steps 600
#include <cmath>
#include <cstdio>

#include "examples/options.h"
#include "examples/text.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "optim/optim.h"

using namespace heed;
using namespace examples;

struct CharModel : Module {
  explicit CharModel(int64_t width)
      : embedding(256, 32), lstm(32, width), output(width, 256, /*with_bias=*/false) {}
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  Embedding embedding;
  Lstm lstm;
  Linear output;
};

// `batch` pieces of the text of `length` characters each, time-major: row t * batch + b is
// character t of piece b. The target is the character after it.
struct Pieces {
  Packing packing;
  Tensor inputs, targets;  // i32 (length * batch)
};
Pieces draw_pieces(const std::string& text, int64_t batch, int64_t length, Rng& rng) {
  check_shape(static_cast<int64_t>(text.size()) > length + 1, "char_lm: the text is too short");
  std::vector<size_t> begin;
  for (int64_t b = 0; b < batch; ++b) begin.push_back(rng.below(text.size() - length - 1));
  std::vector<int32_t> inputs, targets;
  for (int64_t t = 0; t < length; ++t) {
    for (size_t at : begin) {
      inputs.push_back(static_cast<unsigned char>(text[at + t]));
      targets.push_back(static_cast<unsigned char>(text[at + t + 1]));
    }
  }
  return {Packing(std::vector<int32_t>(batch, static_cast<int32_t>(length))), Tensor::from(inputs),
          Tensor::from(targets)};
}

// The mean over all characters of -log2 p(next character).
Var bits_per_character(const CharModel& model, const Pieces& pieces) {
  const Var states = model.lstm(pieces.packing, model.embedding(pieces.inputs)).y;
  const Var nll = linear_cross_entropy(states, model.output.weight, pieces.targets).total;
  return nll / (static_cast<double>(pieces.packing.rows()) * std::log(2.0));
}

// Draws one character after the other: the model's output is its next input.
std::string make_up(const CharModel& model, int64_t length, double temperature, Rng& rng) {
  const NoGrad guard;
  std::string text = "\n";
  LstmState state;
  for (int64_t i = 0; i < length; ++i) {
    const Tensor last = Tensor::from(std::vector<int32_t>{static_cast<unsigned char>(text.back())});
    const Lstm::Output out = model.lstm(Packing::single_step(1), model.embedding(last), state);
    state = out.state;
    const Tensor p = softmax(model.output(out.y) / temperature).value();
    text += static_cast<char>(draw(p.to_vector(), rng));
  }
  return text.substr(1);
}

void example(const Options& options) {
  const std::string train = read_texts(options.text("data"), "train", 2'000'000);
  const std::string valid = read_texts(options.text("data"), "valid", 200'000);
  CharModel model(/*width=*/128);
  init(model, /*seed=*/1);
  Adam optimizer(model, {.rate = 4e-3});
  Rng rng(/*seed=*/1, "pieces"), valid_rng(/*seed=*/1, "valid");
  const Pieces unseen = draw_pieces(valid, 64, 128, valid_rng);
  const auto report = [&](long step) {
    const NoGrad guard;
    std::printf("step %4ld  bits per character %.3f\n", step,
                bits_per_character(model, unseen).value().item());
  };
  for (int64_t step = 0; step < options.number("steps"); ++step) {
    if (step % 200 == 0) report(step);
    bits_per_character(model, draw_pieces(train, /*batch=*/32, /*length=*/50, rng)).backward();
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
