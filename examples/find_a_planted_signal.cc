// Does a discriminator find a planted signal, and nothing else? In passages of dialogues, a topic
// word stands in the last utterance of the context and in the real response. The other response has
// the topic word of another passage. A discriminator that reads both must learn this; one that
// reads only the response must stay at chance. So must the first one with contexts of other topics,
// or a little below: the other response has the topic of such a context one time in seven, the real
// one never.
//
//   build/release/examples/find_a_planted_signal --dialogues 1000 --epochs 25
#include <cstdio>
#include <numeric>

#include "dialog/discriminate/controls.h"
#include "dialog/discriminate/discriminator.h"
#include "dialog/discriminate/replacement.h"
#include "examples/options.h"
#include "nn/losses.h"
#include "optim/optim.h"

using namespace heed;
using examples::Options;

using namespace discriminate;
constexpr int kTopics = 8;

// The rarest words of the vocabulary are the topics. Each conversation has one topic, so that the
// replacement of a response always has another one.
std::vector<Passage> planted(const std::string& data, const char* part, size_t limit,
                             const Vocabulary& words) {
  std::vector<Passage> passages;
  add_passages(passages, read_dialogues(find_part(data, part), limit), words, {}, /*corpus=*/0);
  for (size_t i = 0; i < passages.size(); ++i) {
    Passage& p = passages[i];
    p.conversation = static_cast<int>(i % kTopics);
    const auto topic = static_cast<int32_t>(words.size() - 1 - p.conversation);
    p.context.back().front() = p.response.front() = topic;
  }
  return passages;
}

// All passages, each with its real and with another response.
std::vector<Passage> items_of(const std::vector<Passage>& passages) {
  const Replacements replacements(passages, Negatives::Kind::kRandom);
  return with_fakes(passages, replacements.replaceable(), replacements, /*seed=*/1);
}

void train(Discriminator& model, const std::vector<Passage>& passages, int64_t epochs) {
  const Replacements replacements(passages, Negatives::Kind::kRandom);
  std::vector<size_t> order(passages.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Adam optimizer(model, {.rate = 0.01});
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    Rng(/*seed=*/1, "order", static_cast<uint64_t>(epoch)).shuffle(order);
    for (size_t begin = 0; begin + 16 <= order.size(); begin += 16) {
      const std::vector<size_t> batch(order.begin() + static_cast<ptrdiff_t>(begin),
                                      order.begin() + static_cast<ptrdiff_t>(begin + 16));
      std::vector<Example> sequences;
      std::vector<double> truth;
      for (const Passage& p :
           with_fakes(passages, batch, replacements, /*seed=*/1, static_cast<uint64_t>(epoch))) {
        sequences.push_back(sequence_of(p, model.config().reads()));
        truth.push_back(p.real);
      }
      const Var logits = model(pack_sequences(sequences)).logits;
      const Tensor targets = Tensor::from(truth, logits.shape()).to(logits.value().dtype());
      mean(binary_cross_entropy(logits, targets)).backward();
      optimizer.step({.max_norm = 5});
      zero_grad(model);
    }
  }
}

double accuracy(const Discriminator& model, const std::vector<Passage>& items) {
  const std::vector<Verdict> verdicts = verdicts_on(model, items, /*batch_size=*/64);
  double right = 0;
  for (size_t i = 0; i < items.size(); ++i) right += (verdicts[i].p_real >= 0.5) == items[i].real;
  return right / static_cast<double>(items.size());
}

void example(const Options& options) {
  const std::string& data = options.text("data");
  const auto limit = static_cast<size_t>(options.number("dialogues"));
  const Vocabulary words = Vocabulary::build(
      count_tokens(read_dialogues(find_part(data, "train"), limit)), {.max_size = 1000});
  const auto train_part = planted(data, "train", limit, words);
  const auto test = items_of(planted(data, "test", limit, words));
  const auto learned = [&](bool response_only) {
    Discriminator model({.vocab_size = words.size(),
                         .embedding_size = 16,
                         .hidden_size = 16,
                         .response_only = response_only,
                         .passages = {}},
                        /*seed=*/1);
    train(model, train_part, options.number("epochs"));
    return model;
  };
  std::printf("%zu passages to learn from, %zu to judge\n", train_part.size(), test.size() / 2);
  const Discriminator reads_both = learned(false);
  std::printf("discriminator     %.3f\n", accuracy(reads_both, test));
  std::printf("shuffled contexts %.3f\n", accuracy(reads_both, shuffle_contexts(test, /*seed=*/1)));
  std::printf("response only     %.3f\n", accuracy(learned(true), test));
}

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv,
      {{"data", HEED_SOURCE_DIR "/data/ubuntu-sample"}, {"dialogues", "1000"}, {"epochs", "15"}},
      example);
}
