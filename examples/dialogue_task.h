// What the programs of the five structures share: the sample dialogues, training with distractions
// and the attention loss, and the DAS ratio. They differ in their model only, which maps a Batch to
// a DialogModel::Output.
#pragma once

#include <cmath>
#include <cstdio>
#include <memory>

#include "dialog/attention_loss.h"
#include "dialog/das.h"
#include "dialog/evaluate.h"
#include "examples/options.h"
#include "nn/init.h"
#include "optim/optim.h"

namespace heed {

constexpr uint64_t kSeed = 1;
constexpr int64_t kWidth = 64, kBatch = 16;

struct DialogueTask {
  Vocabulary vocabulary;
  Pool pool;  // utterances of other dialogues: the distractions are drawn from them
  std::vector<Example> train, test;
};

// `dialogues` of the training part, for words, examples and distractions; and a fifth as many of
// the test part, each with two random distractions in it.
inline DialogueTask load_task(const std::string& data, size_t dialogues) {
  if (dialogues < 5) throw UsageError("--dialogues: expected at least 5");
  const std::vector<Dialogue> train = read_dialogues(find_part(data, "train"), dialogues);
  const std::vector<Dialogue> test = read_dialogues(find_part(data, "test"), dialogues / 5);
  const ExampleOptions bounds{.max_utterance_tokens = 20, .max_response_tokens = 20};
  DialogueTask task;
  task.vocabulary = Vocabulary::build(count_tokens(train), {.max_size = 2000});
  task.pool = make_pool(train, task.vocabulary, bounds.max_utterance_tokens);
  task.train = make_examples(train, task.vocabulary, bounds);
  task.test = distracted(make_examples(test, task.vocabulary, bounds), parse_test_set("random:1.0"),
                         task.pool, {}, kSeed);
  return task;
}

// Perplexity and DAS ratio (mean AS of the distractions / mean AS of the history) of the test set.
template <class Model>
void print_scores(const Model& model, const DialogueTask& task, int64_t step) {
  const NoGrad guard;
  std::vector<DialogueScore> scores;
  for (size_t at = 0; at < task.test.size(); at += kBatch) {
    std::vector<const Example*> part;
    for (size_t i = at; i < std::min(task.test.size(), at + kBatch); ++i) {
      part.push_back(&task.test[i]);
    }
    const Batch batch = make_batch(part, Model::kMemoryOfUtterances);
    for (DialogueScore& s : score_output(model(batch), batch, part)) {
      scores.push_back(std::move(s));
    }
  }
  const ScoreSummary summary = summarize(scores);
  std::printf("step %4ld  perplexity %7.1f  DAS ratio %.3f\n", long(step), summary.perplexity,
              summary.as_distraction.value_or(NAN) / summary.as_history.value_or(NAN));
}

// The examples of a batch, each with distractions that are drawn anew in every epoch.
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
// SGD learns the words and leaves attention even for a long time; Adam moves both
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
  int64_t step = 0;
  for (uint64_t epoch = 0; step < steps; ++epoch) {
    for (const std::vector<int64_t>& ids : bucket_batches(lengths, kBatch, kSeed, epoch)) {
      if (step == steps) break;
      if (step++ % 100 == 0) print_scores(model, task, step - 1);
      const std::vector<Example> examples = distract(task, ids, epoch);
      std::vector<const Example*> part;
      for (const Example& example : examples) part.push_back(&example);
      const Batch batch = make_batch(part, Model::kMemoryOfUtterances);
      training_loss(batch, model(batch), lambda).backward();
      with.optimizer->step(clip_grad_norm(parameters(model), with.max_norm).scale);
      zero_grad(model);
    }
  }
  print_scores(model, task, steps);
}

// What main() of the five programs does. --attention-loss is its weight, lambda: 1 in the paper,
// more here, where training is short. With 600 steps the DAS ratio of static-ui falls to 0.80; the
// other structures take longer. The experiment itself is `heed reproduce`.
template <class Model> int run_dialogue_example(int argc, char** argv) {
  const std::map<std::string, std::string> defaults = {
      {"data", HEED_SOURCE_DIR "/data/ubuntu-sample"},
      {"dialogues", "2000"},
      {"steps", "600"},
      {"optimizer", "adam"},
      {"attention-loss", "20"}};
  return run_example(argc, argv, defaults, [](const Options& options) {
    const DialogueTask task =
        load_task(options.text("data"), static_cast<size_t>(options.number("dialogues")));
    Model model(task.vocabulary.size(), kWidth, kSeed);
    std::printf("%zu dialogues, %d words, %ld parameters\n", task.train.size(),
                task.vocabulary.size(), long(parameter_count(model)));
    train(model, task, make_stepping(model, options.text("optimizer")), options.number("steps"),
          double(options.number("attention-loss")));
  });
}

}  // namespace heed
