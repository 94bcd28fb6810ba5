#include "labs/07-attention/loss.h"

// What the two distractions of one dialogue get, in times of what even attention would give, while
// a model learns with and without the loss.
LAB_FIGURE() {
  constexpr int64_t kSteps = 2 * Small::kSteps, kEvery = 100;
  const Topics topics(seed(), Small::kDialogues);
  Rng rng(seed(), "figure");
  const std::vector<Example> one = {insert_random(topics.examples[0], topics.pool, 1, rng)};
  std::vector<double> x, even;
  std::map<std::string, std::vector<double>> lines;
  for (const double lambda : {0.0, Small::kWeightOfTheLoss}) {
    LstmResponder model(small_config("dynamic", Topics::kVocabulary, Small::kWidth), seed());
    const Batch batch = make_batch(pointers(one), model.parts());
    std::vector<double>& line = lines[lambda > 0 ? "with the loss" : "without it"];
    const auto look = [&] { line.push_back(what_distractions_get(model, batch)); };
    look();
    train_a_little(model, topics, 1, lambda, kSteps, seed(), [&](int64_t step) {
      if (step % kEvery == 0) look();
    });
  }
  for (int64_t step = 0; step <= kSteps; step += kEvery) {
    x.push_back(static_cast<double>(step));
    even.push_back(1);
  }
  lines["even attention"] = even;
  print_curves("What the two distractions of one dialogue get", "steps of training",
               "times even attention", x, lines);
}
