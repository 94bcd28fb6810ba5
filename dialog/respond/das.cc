#include "dialog/respond/das.h"

#include <algorithm>
#include <cmath>
#include <numbers>
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

// How many of the `rows` memory rows of a dialogue belong to utterance k: the utterance itself is
// one, or its tokens are, of which <eou> is the last.
int64_t rows_of(const Example& example, size_t k, int64_t rows) {
  const bool one_each = rows == static_cast<int64_t>(example.context.size());
  return one_each ? 1 : static_cast<int64_t>(example.context[k].size()) + 1;
}

// Eq. 7 for each utterance of the batch's dialogue b: see DialogueScore::as_scores.
std::vector<double> attention_scores(const AttentionTrace& trace,
                                     const std::vector<double>& weights, const Batch& batch,
                                     int64_t b, const Example& example) {
  const int64_t steps = batch.response.packing.length(b), rows = batch.memory.segments.length(b);
  const std::vector<int> utterance = utterance_of_row(example, rows);
  std::vector<double> scores(example.context.size());
  for (int64_t t = 0; t < steps; ++t) {
    const double* w = weights.data() + trace.at(b, t);
    for (int64_t j = 0; j < rows; ++j) scores[utterance[j]] += w[j];
  }
  const std::vector<double> even = even_attention(example, rows);
  for (size_t k = 0; k < scores.size(); ++k) scores[k] /= static_cast<double>(steps) * even[k];
  return scores;
}

}  // namespace

std::vector<int> utterance_of_row(const Example& example, int64_t rows) {
  std::vector<int> result;
  for (size_t k = 0; k < example.context.size(); ++k) {
    result.insert(result.end(), rows_of(example, k, rows), static_cast<int>(k));
  }
  return result;
}

std::vector<double> per_utterance(const double* weights, int64_t rows, const Example& example) {
  std::vector<double> result(example.context.size(), 0.0);
  const std::vector<int> utterance = utterance_of_row(example, rows);
  for (int64_t j = 0; j < rows; ++j) result[utterance[j]] += weights[j];
  return result;
}

std::vector<double> even_attention(const Example& example, int64_t rows) {
  std::vector<double> shares;
  for (size_t k = 0; k < example.context.size(); ++k) {
    shares.push_back(static_cast<double>(rows_of(example, k, rows)) / static_cast<double>(rows));
  }
  return shares;
}

DialogueMeans dialogue_means(const std::vector<double>& as_scores,
                             const std::vector<char>& distraction) {
  if (as_scores.empty()) return {};
  Mean distractions, history;
  for (size_t k = 0; k + 1 < distraction.size(); ++k) {
    (distraction[k] ? distractions : history).add(as_scores[k]);
  }
  return {distractions.value(), history.value()};
}

std::optional<double> das_ratio(const DialogueMeans& means) {
  if (!means.distraction || !means.history || *means.history == 0) return std::nullopt;
  return *means.distraction / *means.history;
}

std::vector<DialogueScore> score_output(const Taught& taught, const Batch& batch,
                                        const std::vector<const Example*>& examples,
                                        bool with_attention) {
  const std::vector<double> nll = taught.nll.to_vector();
  const bool attends = !taught.attention.empty();
  std::vector<double> weights;
  if (attends) weights = taught.attention.weights().value().to_vector();

  std::vector<DialogueScore> scores(batch.size);
  for (int64_t b = 0; b < batch.size; ++b) {
    const Example& example = *examples[batch.order[b]];
    DialogueScore& s = scores[batch.order[b]];
    s.id = example.id;
    s.distraction = example.distraction;
    s.characters = example.characters;
    const int64_t steps = batch.response.packing.length(b), first = batch.memory.segments.begin(b),
                  count = batch.memory.segments.length(b);
    for (int64_t t = 0; t < steps; ++t) s.nll.push_back(nll[batch.response.packing.row(t, b)]);
    if (!attends) continue;
    s.as_scores = attention_scores(taught.attention, weights, batch, b, example);
    for (int64_t t = 0; t < steps; ++t) {
      const double* w = weights.data() + taught.attention.at(b, t);
      double squares = 0;
      for (int64_t j = 0; j < count; ++j) {
        squares += batch.memory.distraction[first + j] * w[j] * w[j];
      }
      s.attention_loss.push_back(squares / static_cast<double>(count));
      if (with_attention) {
        s.attention.emplace_back(w, w + count);
      }
    }
    s.das_ratio = das_ratio(dialogue_means(s.as_scores, s.distraction));
  }
  for (const HeadTrace& head : taught.heads) {
    const std::vector<double> of_head = head.attention.weights().value().to_vector();
    for (int64_t b = 0; b < batch.size; ++b) {
      DialogueScore& s = scores[batch.order[b]];
      const std::vector<double> as_scores =
          attention_scores(head.attention, of_head, batch, b, *examples[batch.order[b]]);
      s.heads.push_back({head.layer, head.head, dialogue_means(as_scores, s.distraction)});
    }
  }
  return scores;
}

std::vector<DialogueScore> score(Responder& model, const std::vector<Example>& examples,
                                 int64_t batch_size,
                                 const std::function<void(const ScoreProgress&)>& progress,
                                 bool with_attention) {
  const NoGrad guard;
  const Device device = parameters(model)[0].var.device();
  std::vector<DialogueScore> scores(examples.size());
  ScoreProgress done{0, 0};
  for (const auto& [positions, part] : batches_by_length(examples, batch_size)) {
    const Batch batch = make_batch(part, model.parts(), device);
    std::vector<DialogueScore> results =
        score_output(model.teach(batch), batch, part, with_attention);
    for (size_t k = 0; k < positions.size(); ++k) scores[positions[k]] = std::move(results[k]);
    done.examples += static_cast<int64_t>(positions.size());
    done.tokens += batch.token_count;
    if (progress) progress(done);
  }
  return scores;
}

namespace {

// Attention scores of a history's original utterances.
std::vector<double> original_scores(const DialogueScore& s) {
  std::vector<double> originals;
  for (size_t k = 0; k + 1 < s.as_scores.size(); ++k) {
    if (!s.distraction[k]) originals.push_back(s.as_scores[k]);
  }
  return originals;
}

// Means over the histories of dialogues: of all original utterances, the first and the last one.
struct HistoryMeans {
  Mean mean, first, last;
  void add(const DialogueScore& s, double its_mean) {
    const std::vector<double> originals = original_scores(s);
    mean.add(its_mean);
    first.add(originals.front());
    last.add(originals.back());
  }
};

// What compares D with H in single dialogues, of those that have both.
struct Comparisons {
  Mean above, bounded, long_d, long_h;
  std::vector<double> ratios;  // D / H where it is defined
  void add(const DialogueScore& s, double d, double h) {
    above.add(d > h);
    if (d + h > 0) bounded.add(d / (d + h));
    if (s.das_ratio) ratios.push_back(*s.das_ratio);
    if (original_scores(s).size() < 2) return;
    long_d.add(d);
    long_h.add(h);
  }
  void put_into(ScoreSummary& summary) && {
    summary.das_above = above.value();
    summary.das_bounded = bounded.value();
    summary.das_ratio_long = das_ratio({long_d.value(), long_h.value()});
    Mean mean;
    for (const double ratio : ratios) mean.add(ratio);
    summary.mean_das_ratio = mean.value();
    summary.median_das_ratio = median(std::move(ratios));
  }
};

// The i-th head of all dialogues, which are of one model: as summarize() for the mean over heads.
HeadSummary head_summary(const std::vector<DialogueScore>& scores, size_t i) {
  Mean distractions, of_all, of_distracted;
  for (const DialogueScore& s : scores) {
    const DialogueMeans& means = s.heads[i].means;
    if (!means.history) continue;
    of_all.add(*means.history);
    if (!means.distraction) continue;
    distractions.add(*means.distraction);
    of_distracted.add(*means.history);
  }
  const DialogueMeans means = {distractions.value(),
                               (distractions.count > 0 ? of_distracted : of_all).value()};
  return {scores[0].heads[i].layer, scores[0].heads[i].head, das_ratio(means), means.distraction,
          means.history};
}

}  // namespace

ScoreSummary summarize(const std::vector<DialogueScore>& scores) {
  ScoreSummary summary;
  double nll = 0, unknown = 0;
  Mean distractions;
  HistoryMeans of_all, of_distracted;
  Comparisons comparisons;
  for (const DialogueScore& s : scores) {
    ++summary.dialogues;
    summary.tokens += static_cast<int64_t>(s.nll.size());
    summary.characters += s.characters.all;
    unknown += static_cast<double>(s.characters.unknown);
    nll += std::accumulate(s.nll.begin(), s.nll.end(), 0.0);
    // Of a model without attention, too, which has no scores.
    const DialogueMeans kinds =
        dialogue_means(std::vector<double>(s.distraction.size()), s.distraction);
    summary.distracted += kinds.distraction && kinds.history;
    const DialogueMeans means = dialogue_means(s.as_scores, s.distraction);
    if (!means.history) continue;
    of_all.add(s, *means.history);
    if (!means.distraction) continue;
    distractions.add(*means.distraction);
    of_distracted.add(s, *means.history);
    comparisons.add(s, *means.distraction, *means.history);
  }
  const HistoryMeans& history = distractions.count > 0 ? of_distracted : of_all;
  summary.perplexity = std::exp(nll / static_cast<double>(std::max<int64_t>(summary.tokens, 1)));
  if (summary.characters > 0) {
    const auto characters = static_cast<double>(summary.characters);
    summary.bits_per_character = nll / (std::numbers::ln2 * characters);
    summary.unknown_characters = unknown / characters;
  }
  summary.as_distraction = distractions.value();
  summary.as_history = history.mean.value();
  summary.as_first = history.first.value();
  summary.as_last = history.last.value();
  summary.das_ratio = das_ratio({summary.as_distraction, summary.as_history});
  std::move(comparisons).put_into(summary);
  for (size_t i = 0; !scores.empty() && i < scores[0].heads.size(); ++i) {
    summary.heads.push_back(head_summary(scores, i));
  }
  return summary;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  for (const double value : values) {
    if (std::isnan(value)) return value;  // cannot be sorted
  }
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace heed
