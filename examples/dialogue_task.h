// Shared by the programs of the five structures: the sample dialogues, training with distractions
// and the attention loss, and the DAS ratio. The programs differ only in their model, which maps a
// Batch to a Taught.
#pragma once

#include <cmath>
#include <cstdio>
#include <memory>

#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/loss.h"
#include "examples/options.h"
#include "nn/batches.h"
#include "nn/init.h"
#include "optim/optim.h"

namespace examples {

using namespace heed;

constexpr uint64_t kSeed = 1;
constexpr int64_t kWidth = 64, kBatch = 32;

struct DialogueTask {
  Vocabulary vocabulary;
  Pool pool;  // utterances of other dialogues: the distractions are drawn from them
  std::vector<Example> train;
  std::vector<Example> random, frequent;  // the test dialogues, with distractions of two kinds
};

// `dialogues` of the training part, for words, examples (every turn is a response) and
// distractions; and 400 of the test part, with two utterances of other dialogues at random places,
// and with two phrases that fit nowhere in the middle of the history.
inline DialogueTask load_task(const std::string& data, size_t dialogues) {
  if (dialogues < 5) throw UsageError("--dialogues: expected at least 5");
  const std::vector<Dialogue> train = read_dialogues(find_part(data, "train"), dialogues);
  const std::vector<Dialogue> test = read_dialogues(find_part(data, "test"), 400);
  const ExampleOptions last{.max_utterance_tokens = 20, .max_response_tokens = 20};
  ExampleOptions all = last;
  all.all_positions = true;
  DialogueTask task;
  task.vocabulary = Vocabulary::build(count_tokens(train), {.max_size = 2000});
  task.pool = make_pool(train, task.vocabulary, last.max_utterance_tokens);
  task.train = make_examples(train, task.vocabulary, all);
  const auto inserted = [&](const std::string& set) {
    return distracted(make_examples(test, task.vocabulary, last), parse_test_set(set), task.pool,
                      encode_phrases({}, task.vocabulary, last.max_utterance_tokens), kSeed);
  };
  task.random = inserted("random:1.0");
  task.frequent = inserted("frequent:middle");
  return task;
}

template <class Model> ScoreSummary evaluate(const Model& model, const std::vector<Example>& test) {
  const NoGrad guard;
  std::vector<DialogueScore> scores;
  for (size_t at = 0; at < test.size(); at += kBatch) {
    std::vector<const Example*> part;
    for (size_t i = at; i < std::min(test.size(), at + kBatch); ++i) part.push_back(&test[i]);
    const Batch batch = make_batch(part, Model::kParts);
    for (DialogueScore& s : score_output(model(batch), batch, part)) {
      scores.push_back(std::move(s));
    }
  }
  return summarize(scores);
}

// Perplexity and the DAS ratios: mean AS of the distractions / mean AS of the history.
template <class Model>
void print_scores(const Model& model, const DialogueTask& task, int64_t step) {
  const ScoreSummary random = evaluate(model, task.random);
  const ScoreSummary frequent = evaluate(model, task.frequent);
  std::printf("step %4ld  perplexity %7.1f  DAS ratio: random %.2f, frequent %.2f\n", long(step),
              random.perplexity, random.das_ratio.value_or(NAN), frequent.das_ratio.value_or(NAN));
}

// The examples of a batch, each with distractions that are drawn again in every epoch.
inline std::vector<Example> distract(const DialogueTask& task, const std::vector<int64_t>& ids,
                                     uint64_t epoch) {
  std::vector<Example> examples;
  for (int64_t i : ids) {
    Rng rng(kSeed, "distraction", epoch * task.train.size() + i);
    examples.push_back(insert_random(task.train[i], task.pool, /*p=*/0.7, rng));
  }
  return examples;
}

// How to step: an optimiser, and the norm that gradients are clipped to.
struct Stepping {
  std::unique_ptr<Optimizer> optimizer;
  double max_norm;
};
// SGD learns the words and neglects attention for a long time; Adam improves both
// (docs/why-attention-moves-late.md). The numbers are those of the preset `smoke`.
inline Stepping make_stepping(Module& model, const std::string& name) {
  if (name == "sgd") return {std::make_unique<Sgd>(model, Sgd::Options{.rate = 1}), 5};
  if (name != "adam") throw UsageError("--optimizer: expected sgd or adam, got '" + name + "'");
  const Adam::Options options{.rate = 0.01,
                              .weight_decay = 0.2,
                              .groups = {{.name = "lstm", .rate = 0.2, .weight_decay = 0.05},
                                         {.name = "combine", .rate = 0.2, .weight_decay = 0.05}}};
  return {std::make_unique<Adam>(model, options), 1};
}

template <class Model>
void train(Model& model, const DialogueTask& task, const Stepping& with, int64_t steps,
           double lambda) {
  std::vector<int64_t> lengths;
  for (const Example& example : task.train) lengths.push_back(example_tokens(example));
  const double rate = with.optimizer->rate;
  int64_t step = 0;
  for (uint64_t epoch = 0; step < steps; ++epoch) {
    const auto make = [&](const std::vector<int64_t>& ids) {  // while the previous step runs
      const std::vector<Example> examples = distract(task, ids, epoch);
      std::vector<const Example*> part;
      for (const Example& example : examples) part.push_back(&example);
      return make_batch(part, Model::kParts);
    };
    for (const Batch& batch : Prefetched(bucket_batches(lengths, kBatch, kSeed, epoch), make)) {
      if (step == steps) break;
      if (step++ % 200 == 0) print_scores(model, task, step - 1);
      with.optimizer->rate = rate * double(steps - step + 1) / double(steps);  // falls to 0
      training_loss(batch, model(batch), lambda).backward();
      with.optimizer->step({.max_norm = with.max_norm});
      zero_grad(model);
    }
  }
  print_scores(model, task, steps);
}

// The main() of the five programs. --attention-loss is the weight of the loss, lambda: 1 in the
// paper, more here, because training is short. A decoder that attends in every step needs more than
// one that attends once. If the memory holds tokens, each of them has so small a share that its
// square needs a hundred times as much. The experiment itself is `heed reproduce`.
template <class Model>
int run_dialogue_example(int argc, char** argv, const std::string& attention_loss) {
  const std::map<std::string, std::string> defaults = {
      {"data", HEED_SOURCE_DIR "/data/ubuntu-sample"},
      {"dialogues", "12000"},
      {"steps", "2400"},
      {"optimizer", "adam"},
      {"attention-loss", attention_loss}};
  return run_example(argc, argv, defaults, [](const Options& options) {
    const DialogueTask task =
        load_task(options.text("data"), static_cast<size_t>(options.number("dialogues")));
    Model model(task.vocabulary.size(), kWidth, kSeed);
    std::printf("%zu examples, %d words, %ld parameters\n", task.train.size(),
                task.vocabulary.size(), long(parameter_count(model)));
    train(model, task, make_stepping(model, options.text("optimizer")), options.number("steps"),
          double(options.number("attention-loss")));
  });
}

}  // namespace examples
