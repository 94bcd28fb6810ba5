// Why does SGD neglect attention even while the words improve, and why does Adam not?
//
//   build/release/examples/attention_gradients --steps 300 --optimizer sgd
//
// Trains a small static-ui model, then takes the gradients of the two parts of its loss, words and
// attention, apart. For each parameter p (rms: root of the mean square over its elements):
//   |p|              rms of the parameter
//   words, attention rms of the mean gradient of each part, over 20 batches
//   share            attention / words
//   SGD, Adam        what the attention loss alone would do to p in 1,000 steps, in parts of |p|:
//                      SGD    rate x min(1, max_norm / norm) x attention
//                      Adam   rate x rms over elements of (attention / sqrt(mean square of the
//                      gradient))
// docs/why-attention-moves-late.md reads the numbers.
#include <numeric>

#include "examples/dialogue_task.h"
#include "examples/static_ui.h"

using namespace heed;
using namespace examples;

namespace {

constexpr int kBatches = 20;
constexpr double kSgdRate = 1, kMaxNorm = 5, kAdamRate = 0.003, kEps = 1e-8;

using Vec = std::vector<double>;

double rms(const Vec& values) {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// Sums over batches, element by element, for one parameter.
struct Sums {
  Vec words, attention, squares;  // the gradients of both parts, and the square of their sum
};

// The gradient of each parameter; zeros where nothing reaches it.
std::vector<Vec> gradients(StaticUi& model, const Var& loss) {
  zero_grad(model);
  loss.backward();
  std::vector<Vec> result;
  for (const NamedParameter& p : parameters(model)) {
    const Tensor gradient = p.var.grad();
    result.push_back(gradient.defined() ? gradient.to_vector() : Vec(p.var.value().numel()));
  }
  zero_grad(model);
  return result;
}

struct Measured {
  std::vector<Sums> sums;  // of each parameter
  double norm = 0;         // mean norm of the whole gradient
};

Measured measure(StaticUi& model, const DialogueTask& task) {
  Measured m;
  std::vector<int64_t> ids(kBatch);
  for (int b = 0; b < kBatches; ++b) {
    std::iota(ids.begin(), ids.end(), b * kBatch);
    const std::vector<Example> examples = distract(task, ids, /*epoch=*/1000 + b);
    std::vector<const Example*> part;
    for (const Example& example : examples) part.push_back(&example);
    const Batch batch = make_batch(part, StaticUi::kParts);
    const auto words = gradients(model, training_loss(batch, model(batch), 0));
    const auto all = gradients(model, training_loss(batch, model(batch), 1));
    m.sums.resize(words.size());
    double squares = 0;
    for (size_t p = 0; p < words.size(); ++p) {
      Sums& s = m.sums[p];
      s.words.resize(words[p].size()), s.attention.resize(words[p].size());
      s.squares.resize(words[p].size());
      for (size_t i = 0; i < words[p].size(); ++i) {
        s.words[i] += words[p][i] / kBatches;
        s.attention[i] += (all[p][i] - words[p][i]) / kBatches;
        s.squares[i] += all[p][i] * all[p][i] / kBatches;
        squares += all[p][i] * all[p][i];
      }
    }
    m.norm += std::sqrt(squares) / kBatches;
  }
  return m;
}

void print(StaticUi& model, const DialogueTask& task) {
  const Measured m = measure(model, task);
  const auto all = parameters(model);
  std::printf("norm of the gradient %.1f, clipped to %.0f\n", m.norm, kMaxNorm);
  std::printf("%-30s %8s %9s %9s %8s %8s %8s\n", "parameter", "|p|", "words", "attention", "share",
              "SGD", "Adam");
  for (size_t p = 0; p < all.size(); ++p) {
    const Sums& s = m.sums[p];
    Vec steps;  // of Adam, for a rate of 1
    for (size_t i = 0; i < s.attention.size(); ++i) {
      steps.push_back(s.attention[i] / (std::sqrt(s.squares[i]) + kEps));
    }
    const double size = rms(all[p].var.value().to_vector()), attention = rms(s.attention);
    const double sgd = kSgdRate * std::min(1.0, kMaxNorm / m.norm) * attention;
    std::printf("%-30s %8.4f %9.2e %9.2e %7.2f%% %7.1f%% %7.0f%%\n", all[p].name.c_str(), size,
                rms(s.words), attention, 100 * attention / rms(s.words), 100 * 1000 * sgd / size,
                100 * 1000 * kAdamRate * rms(steps) / size);
  }
}

void run(const Options& options) {
  const DialogueTask task =
      load_task(options.text("data"), static_cast<size_t>(options.number("dialogues")));
  StaticUi model(task.vocabulary.size(), kWidth, kSeed);
  print(model, task);
  train(model, task, make_stepping(model, options.text("optimizer")), options.number("steps"),
        /*lambda=*/1);
  print(model, task);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv,
                               {{"data", HEED_SOURCE_DIR "/data/ubuntu-sample"},
                                {"dialogues", "2000"},
                                {"steps", "300"},
                                {"optimizer", "sgd"}},
                               run);
}
