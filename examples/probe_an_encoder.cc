// What does an encoder know? This program compares two untrained encoders on dialogues: an LSTM
// over the words, and the mean of the words' vectors, which ignores their order. Which one tells
// better how far a conversation has progressed?
//
//   build/release/examples/probe_an_encoder --dialogues 300
#include <cstdio>

#include "autograd/ops.h"
#include "dialog/probe/probe.h"
#include "dialog/probe/unannotated.h"
#include "examples/options.h"
#include "nn/init.h"
#include "nn/lstm.h"

using namespace heed;
using examples::Options;

// The only requirement of a probe: a vector for each context.
class Encoder : public Module {
 public:
  Encoder(int64_t words, int64_t width) : table(words, width), lstm(width, width) {}
  void visit(Visitor& v) override {
    v("table", table);
    v("lstm", lstm);
  }
  Var last_state(const std::vector<int32_t>& words) const {  // (1, width)
    const Packing one({static_cast<int32_t>(words.size())});
    return lstm(one, table(Tensor::from(words))).state.top();
  }
  Var mean_of_words(const std::vector<int32_t>& words) const {
    return mean(table(Tensor::from(words)), 0, /*keepdim=*/true);
  }

  Embedding table;
  Lstm lstm;
};

using Encode = std::function<Var(const std::vector<int32_t>& words)>;

probe::Part represent(const std::vector<Example>& examples, const probe::LabelledExamples& labels,
                      const Encode& encode) {
  const NoGrad guard;
  std::vector<Var> rows;
  for (const Example& e : examples) {
    std::vector<int32_t> words;
    for (const auto& utterance : e.context) {
      words.insert(words.end(), utterance.begin(), utterance.end());
      words.push_back(kEou);
    }
    rows.push_back(encode(words));
  }
  return {concat(rows, 0).value(), labels};
}

void example(const Options& options) {
  const auto limit = static_cast<size_t>(options.number("dialogues"));
  const auto read = [&](const char* part) {
    return read_dialogues(find_part(options.text("data"), part), limit);
  };
  const std::vector<Dialogue> train_dialogues = read("train"), test_dialogues = read("test");
  const Vocabulary words = Vocabulary::build(count_tokens(train_dialogues));
  const ExampleOptions every_turn{.all_positions = true};
  const auto train = make_examples(train_dialogues, words, every_turn),
             test = make_examples(test_dialogues, words, every_turn);
  const probe::WordCounts mid_frequency = probe::mid_frequency_words(train);
  const auto train_labels = probe::unannotated_labels(train, words, mid_frequency),
             test_labels = probe::unannotated_labels(test, words, mid_frequency);

  Encoder encoder(words.size(), /*width=*/64);
  init(encoder, /*seed=*/1);
  const std::pair<const char*, Encode> encoders[] = {
      {"LSTM", [&](const auto& context) { return encoder.last_state(context); }},
      {"mean of words", [&](const auto& context) { return encoder.mean_of_words(context); }}};
  for (const auto& [name, encode] : encoders) {
    const probe::TaskResult result =
        probe::probe(represent(train, train_labels, encode), represent(test, test_labels, encode),
                     "UtteranceLoc", {.standardise = true});
    std::printf("%-14s F1 %.3f, accuracy %.3f (one of %ld labels)\n", name, result.f1,
                result.accuracy.value(), static_cast<long>(result.labels));
  }
}

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, {{"data", HEED_SOURCE_DIR "/data/ubuntu-sample"}, {"dialogues", "300"}}, example);
}
