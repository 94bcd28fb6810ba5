#include "dialog/rewrite/rewriter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/discrete.h"
#include "dialog/parts/by_length.h"

namespace heed::rewrite {
namespace {

// The text with the best candidate in each gap, or with null as the turn has it.
void fill(const GapExample& e, Rewrite& rewrite) {
  std::vector<Gap> gaps;
  for (Filled& f : rewrite.gaps) {
    f.gap.piece.clear();
    if (f.best.empty() || f.above_null <= 0) continue;
    f.gap.piece = e.text(e.candidates[f.best[0]]);
    gaps.push_back(f.gap);
  }
  rewrite.text = filled(e.turn, gaps);
}

Filled ranked(const Gap& gap, const std::vector<double>& f, int32_t begin, int32_t null) {
  std::vector<size_t> order(null - begin);
  std::iota(order.begin(), order.end(), 0);
  const size_t kept = std::min(kBest, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept), order.end(),
                    [&](size_t a, size_t b) {
                      return f[begin + a] > f[begin + b] || (f[begin + a] == f[begin + b] && a < b);
                    });
  order.resize(kept);
  Filled filled{.gap = gap, .best = order};
  if (order.empty()) return filled;
  filled.above_null = f[begin + order[0]] - f[null];
  return filled;
}

// Adds softmax(f) of a gap's candidates to the units where they end, one of `gaps`.
void add_look(const GapExample& e, const double* f, size_t gaps, std::vector<double>& look) {
  const size_t n = e.candidates.size();
  if (n == 0) return;
  look.resize(e.read.size());
  const double highest = *std::max_element(f, f + n);
  double sum = 0;
  for (size_t c = 0; c < n; ++c) sum += std::exp(f[c] - highest);
  for (size_t c = 0; c < n; ++c) {
    look[e.candidates[c].end - 1] += std::exp(f[c] - highest) / sum / static_cast<double>(gaps);
  }
}

void rewrite_batch(const GapModel& model, const GapBatch& batch, bool given,
                   const std::vector<Rewrite*>& results) {
  const GapModel::States states = model.read(batch);
  const std::vector<int32_t> labels = argmax(model.label_logits(states, batch), -1).to_ints();
  std::vector<Asked> asked;
  auto at = labels.begin();
  for (size_t b = 0; b < batch.size(); ++b) {
    const auto end = at + std::ssize(batch[b]->turn) + 2;
    results[b]->labels.assign(at, end);
    at = end;
    for (const Gap& gap : given ? batch[b]->gaps : gaps_of(results[b]->labels)) {
      asked.push_back({b, gap});
    }
  }
  if (!asked.empty()) {
    const GapModel::Scores scores = model.score(states, batch, asked);
    const std::vector<double> f = scores.f.value().to_vector();
    for (size_t k = 0; k < asked.size(); ++k) {
      results[asked[k].example]->gaps.push_back(
          ranked(asked[k].gap, f, scores.begin[k], scores.begin[k + 1] - 1));
      const auto gaps = std::count_if(asked.begin(), asked.end(), [&](const Asked& a) {
        return a.example == asked[k].example;
      });
      add_look(*batch[asked[k].example], &f[scores.begin[k]], gaps,
               results[asked[k].example]->look);
    }
  }
  for (size_t b = 0; b < batch.size(); ++b) fill(*batch[b], *results[b]);
}

}  // namespace

std::vector<Rewrite> rewrite(const GapModel& model, const std::vector<GapExample>& examples,
                             bool given, int64_t batch_size, const OnValidation& progress) {
  const NoGrad guard;
  std::vector<Rewrite> results(examples.size());
  int64_t done = 0;
  for (const std::vector<int64_t>& batch : batches_by_length(
           std::ssize(examples), batch_size, [&](int64_t i) { return examples[i].ids.size(); })) {
    GapBatch some;
    std::vector<Rewrite*> of;
    for (const int64_t i : batch) {
      some.push_back(&examples[i]);
      of.push_back(&results[i]);
    }
    rewrite_batch(model, some, given, of);
    done += std::ssize(batch);
    if (progress) progress(done, std::ssize(examples));
  }
  return results;
}

Rules::Rules(const std::vector<GapExample>& training) {
  std::map<int64_t, int64_t> lengths;
  for (const GapExample& e : training) {
    for (const Gap& gap : e.gaps) {
      if (gap.piece.empty()) continue;
      ++counts_[gap.piece];
      ++lengths[std::ssize(gap.piece)];
    }
  }
  int64_t most = 0;
  for (const auto& [length, count] : lengths) {
    if (count > most) most = count, length_ = length;
  }
}

std::vector<Rewrite> Rules::rewrite(Rule rule, const std::vector<GapExample>& examples) const {
  std::vector<Rewrite> results;
  for (const GapExample& e : examples) {
    std::vector<size_t> order;
    for (size_t c = 0; c < e.candidates.size() && rule != Rule::kCopy; ++c) {
      const Candidate& span = e.candidates[c];
      if (rule == Rule::kFrequent || span.end - span.begin == length_) order.push_back(c);
    }
    if (rule == Rule::kFrequent) {
      std::vector<int64_t> count;
      for (const Candidate& c : e.candidates) {
        const auto found = counts_.find(e.text(c));
        count.push_back(found == counts_.end() ? 0 : found->second);
      }
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return count[a] > count[b]; });
    }
    order.resize(std::min(order.size(), kBest));
    Rewrite& result = results.emplace_back();
    for (const Gap& gap : e.gaps) result.gaps.push_back({gap, order, 1});
    fill(e, result);
  }
  return results;
}

std::vector<Outcome> outcomes(const std::vector<GapExample>& examples,
                              const std::vector<Rewrite>& found,
                              const std::vector<Rewrite>& given) {
  std::vector<Outcome> all(examples.size());
  for (size_t i = 0; i < examples.size(); ++i) {
    const GapExample& e = examples[i];
    Outcome& o = all[i];
    const std::vector<int32_t> real = labels_of(e.gaps, e.turn.size());
    for (size_t t = 0; t < real.size(); ++t) {
      ++o.of_label[real[t]].right;
      if (found[i].labels.empty()) continue;  // of a rule
      ++o.of_label[found[i].labels[t]].decided;
      if (found[i].labels[t] == real[t]) ++o.of_label[real[t]].hits;
    }
    o.exact = found[i].text == e.rewritten;
    for (size_t g = 0; g < e.gaps.size(); ++g) {
      ++o.gaps;
      const auto answer = e.answer(e.gaps[g]);
      if (!answer) continue;
      ++o.answered;
      const std::vector<size_t>& best = given[i].gaps[g].best;
      const auto rank = std::find(best.begin(), best.end(), *answer) - best.begin();
      if (rank == std::ssize(best)) continue;
      for (auto k = static_cast<size_t>(rank); k < kBest; ++k) ++o.among[k];
    }
  }
  return all;
}

Measured measured(const std::vector<GapExample>& examples, const std::vector<Rewrite>& found,
                  const std::vector<Rewrite>& given) {
  Measured m;
  int64_t gaps = 0, answered = 0, exact = 0, among[kBest] = {};
  for (const Outcome& o : outcomes(examples, found, given)) {
    m.border += o.of_label[kBorder];
    m.pronoun += o.of_label[kPronoun];
    gaps += o.gaps, answered += o.answered, exact += o.exact;
    for (size_t k = 0; k < kBest; ++k) among[k] += o.among[k];
  }
  std::vector<Tokens> texts, references;
  for (size_t i = 0; i < examples.size(); ++i) {
    texts.push_back(found[i].text);
    references.push_back(examples[i].rewritten);
  }
  m.both = m.border;
  m.both += m.pronoun;
  m.exact = share_of(exact, std::ssize(examples));
  m.bleu = corpus_bleu(texts, references);
  m.answered = share_of(answered, gaps);
  for (size_t k = 0; k < kBest; ++k) m.at[k] = share_of(among[k], answered);
  return m;
}

}  // namespace heed::rewrite
