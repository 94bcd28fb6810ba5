// A classifier of sentences, in 25 lines: pack, embed, LSTM in both directions, the mean over each
// sentence, linear, cross entropy. Sentences have any length and stand in any order; nothing is
// padded. The task: does a sentence hold more of the words 1 to 4 than of 5 to 8?
//
//   build/release/examples/sentence_classifier --steps 300
#include <cstdio>

#include "autograd/discrete.h"
#include "examples/options.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "optim/optim.h"

namespace {

namespace h = heed;

struct Classifier : h::Module {
  void visit(h::Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  h::Var operator()(const h::Packed& sentences) const {
    const h::Var words = embedding(sentences.rows);
    const h::Var states = lstm(sentences.packing, words).y;  // step by step
    return output(h::segment_mean(states, sentences.packing));
  }
  h::Embedding embedding{9, 8};
  h::Lstm lstm{8, 8, {.bidirectional = true}};
  h::Linear output{16, 2};
};

struct Sentences {
  std::vector<std::vector<int32_t>> words;
  std::vector<int32_t> classes;
};
Sentences draw(int64_t count, h::Rng& rng) {
  Sentences made;
  while (std::ssize(made.words) < count) {
    std::vector<int32_t> words(1 + rng.below(12));
    int balance = 0;
    for (int32_t& word : words) {
      word = 1 + static_cast<int32_t>(rng.below(8));
      balance += word <= 4 ? 1 : -1;
    }
    if (balance == 0) continue;
    made.words.push_back(words);
    made.classes.push_back(balance > 0);
  }
  return made;
}

void example(const examples::Options& options) {
  Classifier model;
  h::init(model, /*seed=*/1);
  h::Adam adam(model, {.rate = 0.01});
  h::Rng rng(/*seed=*/1);
  for (int64_t step = 0; step < options.number("steps"); ++step, h::zero_grad(model)) {
    const Sentences batch = draw(32, rng);
    const h::Packed sentences = h::pack(batch.words);
    const h::Tensor classes = h::Tensor::from(sentences.sorted(batch.classes));  // in their order
    h::mean(h::cross_entropy(model(sentences), classes)).backward();
    adam.step();
  }
  const Sentences test = draw(1000, rng);
  const h::Packed sentences = h::pack(test.words);
  const h::Tensor said = h::argmax(sentences.restored(model(sentences)), -1);  // in the given order
  int right = 0;
  for (size_t i = 0; i < test.classes.size(); ++i) right += said.to_ints()[i] == test.classes[i];
  std::printf("%d of 1000 sentences are right\n", right);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, {{"steps", "300"}}, example);
}
