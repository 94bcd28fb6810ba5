#include "dialog/das.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {
namespace {

// A mean that knows whether there was anything to take it of.
struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) { sum += value, ++count; }
  std::optional<double> value() const {
    return count ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
};

// For each of the `rows` memory rows of a dialogue the utterance it belongs to: the row is the
// utterance itself, or one of its tokens, of which <eou> is the last.
std::vector<int> utterance_of_row(const Example& example, int64_t rows) {
  const size_t utterances = example.context.size();
  std::vector<int> result;
  for (size_t k = 0; k < utterances; ++k) {
    const bool one_each = rows == static_cast<int64_t>(utterances);
    result.insert(result.end(), one_each ? 1 : example.context[k].size() + 1, static_cast<int>(k));
  }
  return result;
}

}  // namespace

std::optional<double> das_ratio(const std::vector<double>& as_scores,
                                const std::vector<char>& distraction) {
  Mean distractions, history;
  for (size_t k = 0; k + 1 < distraction.size(); ++k) {
    (distraction[k] ? distractions : history).add(as_scores[k]);
  }
  if (!distractions.value() || !(history.value().value_or(0) > 0)) return std::nullopt;
  return *distractions.value() / *history.value();
}

std::vector<DialogueScore> score_output(const DialogModel::Output& output, const Batch& batch,
                                        const std::vector<const Example*>& examples) {
  const std::vector<double> nll = output.nll.to_vector();
  std::vector<std::vector<double>> weights;
  for (const Var& w : output.weights) weights.push_back(w.value().to_vector());

  std::vector<DialogueScore> scores(batch.size);
  for (int64_t b = 0; b < batch.size; ++b) {
    const Example& example = *examples[batch.order[b]];
    DialogueScore& s = scores[batch.order[b]];
    s.id = example.id;
    s.distraction = example.distraction;
    s.as_scores.resize(example.context.size());
    const int64_t steps = batch.decoder.length(b), first = batch.memory.begin(b),
                  count = batch.memory.length(b);
    const std::vector<int> utterance = utterance_of_row(example, count);
    for (int64_t t = 0; t < steps; ++t) {
      const std::vector<double>& w = weights[output.same_weights ? 0 : t];
      double squares = 0;
      for (int64_t j = 0; j < count; ++j) {
        const double weight = w[first + j];
        s.as_scores[utterance[j]] += weight;
        squares += batch.distraction[first + j] * weight * weight;
      }
      s.attention_loss.push_back(squares / static_cast<double>(count));
      s.nll.push_back(nll[batch.decoder.row(t, b)]);
    }
    const double q = static_cast<double>(example.context.size());
    for (double& as : s.as_scores) as *= q / static_cast<double>(steps);
    s.das_ratio = das_ratio(s.as_scores, s.distraction);
  }
  return scores;
}

std::vector<DialogueScore> score(DialogModel& model, const std::vector<Example>& examples,
                                 int64_t batch_size,
                                 const std::function<void(const ScoreProgress&)>& progress) {
  if (batch_size < 1) {
    throw UsageError("batch: expected at least 1, got " + std::to_string(batch_size));
  }
  const NoGrad guard;
  const Device device = parameters(model)[0].var.device();
  std::vector<int64_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return example_tokens(examples[a]) > example_tokens(examples[b]);
  });
  std::vector<DialogueScore> scores(examples.size());
  ScoreProgress done{0, 0};
  for (size_t at = 0; at < order.size(); at += batch_size) {
    std::vector<const Example*> part;
    const size_t end = std::min(order.size(), at + static_cast<size_t>(batch_size));
    for (size_t i = at; i < end; ++i) part.push_back(&examples[order[i]]);
    const Batch batch = make_batch(part, model.config().structure.hierarchical, device);
    std::vector<DialogueScore> results = score_output(model(batch), batch, part);
    for (size_t i = at; i < end; ++i) scores[order[i]] = std::move(results[i - at]);
    done = {static_cast<int64_t>(end), done.tokens + batch.token_count};
    if (progress) progress(done);
  }
  return scores;
}

ScoreSummary summarize(const std::vector<DialogueScore>& scores) {
  ScoreSummary summary;
  double nll = 0;
  Mean das, distraction, history, first, last;
  for (const DialogueScore& s : scores) {
    ++summary.dialogues;
    summary.tokens += static_cast<int64_t>(s.nll.size());
    nll += std::accumulate(s.nll.begin(), s.nll.end(), 0.0);
    if (s.das_ratio) das.add(*s.das_ratio);
    for (size_t k = 0; k + 1 < s.as_scores.size(); ++k) {
      (s.distraction[k] ? distraction : history).add(s.as_scores[k]);
    }
    if (s.as_scores.size() > 1) {
      first.add(s.as_scores.front());
      last.add(s.as_scores[s.as_scores.size() - 2]);
    }
  }
  summary.distracted = das.count;
  summary.perplexity = std::exp(nll / static_cast<double>(std::max<int64_t>(summary.tokens, 1)));
  summary.das_ratio = das.value();
  summary.as_distraction = distraction.value();
  summary.as_history = history.value();
  summary.as_first = first.value();
  summary.as_last = last.value();
  return summary;
}

}  // namespace heed
