#include "dialog/respond/evaluate.h"
#include "labs/07-attention/dialogues.h"
#include "labs/08-where-it-looks/summary.h"

// The DAS ratio of small models on dialogues that they have not seen, over the probability of
// distractions in training, with and without the attention loss.
LAB_FIGURE() {
  const Topics training(seed(), Small::kDialogues), other(seed() + 1, 100);
  const std::vector<Example> test =
      distracted(other.examples, parse_test_set("random:1.0"), other.pool, {}, seed());
  const std::vector<double> p = {0, 0.5, 0.7, 1};
  std::map<std::string, std::vector<double>> lines;
  const auto measure = [&](double probability, double lambda) {
    LstmResponder model(small_config("dynamic", Topics::kVocabulary, Small::kWidth), seed());
    train_a_little(model, training, probability, lambda, Small::kSteps, seed());
    return ratio_with_interval(score(model, test, 16), seed());
  };
  const auto add = [&](const std::string& name, const Interval95& ratio) {
    lines[name].push_back(ratio.value);
    lines[name + ", low"].push_back(ratio.low);
    lines[name + ", high"].push_back(ratio.high);
  };
  for (const double probability : p) {
    const Interval95 with = measure(probability, Small::kWeightOfTheLoss);
    add("with the loss", with);
    add("without it", probability == 0 ? with : measure(probability, 0));
  }
  print_curves(
      "DAS ratio on random:1.0, 95 % intervals over dialogues, seed " + std::to_string(seed()),
      "probability of a distraction in training", "DAS ratio", p, lines);
}
