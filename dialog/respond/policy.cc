#include "dialog/respond/policy.h"

#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "base/error.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/settings.h"
#include "tensor/random.h"
#include "train/setting_rules.h"

namespace heed {

uint64_t draw_seed(uint64_t seed, const char* purpose, uint64_t number) {
  Rng rng(seed, purpose, number);
  const uint64_t high = rng.next(), low = rng.next();
  return (high << 32) | low;
}

DrawnResponses draw_responses(Responder& model, const std::vector<Example>& examples,
                              int64_t max_length, uint64_t seed) {
  const DecodeOptions options{.method = DecodeOptions::Method::kSample,
                              .max_length = max_length,
                              .any_token = true,
                              .top_k = 0,
                              .seed = seed};
  DrawnResponses drawn{examples, {}};
  const std::vector<Decoding> responses = decode(model, pointers(examples), options);
  for (size_t i = 0; i < responses.size(); ++i) {
    drawn.examples[i].response = responses[i].tokens;
    drawn.finished.push_back(responses[i].finished);
  }
  return drawn;
}

std::vector<double> advantages(const std::vector<double>& rewards) {
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const double others = static_cast<double>(rewards.size()) - 1;
  std::vector<double> result;
  for (const double r : rewards) result.push_back(others > 0 ? r - (sum - r) / others : r);
  return result;
}

namespace {

// Of each row of the packed responses the weight of its response.
std::vector<double> weights_of_rows(const Batch& batch, const DrawnResponses& drawn,
                                    const std::vector<double>& weights) {
  const Packing& packing = batch.response.packing;
  std::vector<double> result(static_cast<size_t>(packing.rows()));
  for (int64_t b = 0; b < batch.size; ++b) {
    const auto i = static_cast<size_t>(batch.order[b]);
    const int64_t steps = packing.length(b);
    for (int64_t t = 0; t < steps; ++t) {
      const bool was_drawn = t + 1 < steps || drawn.finished[i];
      result[packing.row(t, b)] = was_drawn ? weights[i] : 0;
    }
  }
  return result;
}

}  // namespace

Var weighted_nll(Responder& model, const DrawnResponses& drawn, const std::vector<double>& weights,
                 const DropoutMode& drop) {
  if (drawn.size() == 0 || weights.size() != drawn.size()) {
    throw UsageError("policy: expected a weight for each of one or more responses, got " +
                     std::to_string(weights.size()) + " for " + std::to_string(drawn.size()));
  }
  const Var any = parameters(model)[0].var;
  Batch batch = make_batch(pointers(drawn.examples), model.parts(), any.device());
  batch.response.weights =
      Tensor::from(weights_of_rows(batch, drawn, weights), Shape{batch.response.packing.rows()})
          .to(any.value().dtype())
          .to(any.device());
  return model.teach(batch, drop).nll_total / static_cast<double>(batch.size);
}

void PolicySettings::check() const {
  check_values("", *this, [](auto& policy, auto& v) { visit_policy(policy, v); });
}

Task policy_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                 const PolicySettings& policy, Reward reward) {
  policy.check();
  Task task = respond_task(model, settings, data);
  const auto taught = task.loss;
  task.loss = [&model, &data, taught, policy, reward](const std::vector<int64_t>& indices,
                                                      const StepKey& key) {
    const std::vector<Example> examples = chosen(data.train, indices);
    const uint64_t seed = draw_seed(key.seed, "policy", key.number());
    const DrawnResponses drawn = draw_responses(model, examples, policy.max_length, seed);
    const std::vector<double> rewards = reward(drawn.examples);
    Loss loss = taught(indices, key);
    loss.total =
        weighted_nll(model, drawn, advantages(rewards)) + policy.teacher_forcing * loss.total;
    for (const Example& e : drawn.examples) loss.tokens += example_tokens(e);
    loss.counts["reward"] = std::accumulate(rewards.begin(), rewards.end(), 0.0);
    loss.counts["drawn"] = static_cast<double>(rewards.size());
    return loss;
  };
  task.measure = [of_taught = task.measure](const Counts& counts) {
    Metrics metrics = of_taught(counts);
    metrics.push_back({kTrainReward, counts.at("reward") / counts.at("drawn"), true});
    return metrics;
  };
  return task;
}

}  // namespace heed
