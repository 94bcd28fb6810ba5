#include "dialog/rewrite/loss.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "dialog/rewrite/settings.h"
#include "nn/losses.h"
#include "train/setting_rules.h"

namespace heed::rewrite {
namespace {

// Rows of F, of which each first one is to exceed the second by the margin; and what that weighs.
struct Pairs {
  std::vector<int32_t> above, below;
  std::vector<double> weights;
  void add(int32_t a, int32_t b, double weight) {
    above.push_back(a);
    below.push_back(b);
    weights.push_back(weight);
  }
};

// The n candidates of the highest score but the answer; in all of them where n is 0.
std::vector<int32_t> hardest(const std::vector<double>& f, int32_t begin, int32_t end,
                             int32_t answer, int64_t n) {
  std::vector<int32_t> rows;
  for (int32_t row = begin; row < end; ++row) {
    if (row != answer) rows.push_back(row);
  }
  if (n > 0 && n < std::ssize(rows)) {
    const auto higher = [&](int32_t a, int32_t b) {
      return std::pair(-f[a], a) < std::pair(-f[b], b);
    };
    std::nth_element(rows.begin(), rows.begin() + n, rows.end(), higher);
    rows.resize(n);
  }
  return rows;
}

Pairs pairs_of(const JointLoss& loss, const GapBatch& batch, const LossSettings& settings) {
  const GapModel::Scores& scores = *loss.scores;
  const std::vector<double> f = scores.f.value().to_vector();
  Pairs pairs;
  for (size_t k = 0; k < loss.asked.size(); ++k) {
    const int32_t begin = scores.begin[k], null = scores.begin[k + 1] - 1;
    const auto found = batch[loss.asked[k].example]->answer(loss.asked[k].gap);
    const int32_t answer = found ? begin + static_cast<int32_t>(*found) : -1;
    const auto negatives = hardest(f, begin, null, answer, settings.hardest);
    const double weight = 1 / static_cast<double>(negatives.size());
    for (const int32_t row : negatives) {
      if (found) pairs.add(answer, row, weight);
      pairs.add(null, row, weight);
    }
    if (found) pairs.add(answer, null, 1);
  }
  return pairs;
}

Var size_of(const GapModel& model) {
  Var squares;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "embedding.weight" || p.name.starts_with("encoder.")) continue;
    const Var of = sum(square(p.var));
    squares = squares.defined() ? squares + of : of;
  }
  return sqrt(squares);
}

}  // namespace

void LossSettings::check() const {
  check_values("gaps", *this, [](auto& loss, auto& v) { visit_loss(loss, v); });
}

JointLoss joint_loss(const GapModel& model, const GapBatch& batch, const LossSettings& settings,
                     const DropoutMode& drop) {
  const GapModel::States states = model.read(batch, drop);
  const auto n = static_cast<double>(batch.size());
  const auto as_var = [&](const std::vector<double>& values, Shape shape) {
    return Var(Tensor::from(values, shape).to(states.h.value().dtype()).to(model.device()));
  };
  JointLoss loss{.logits = model.label_logits(states, batch)};
  std::vector<int32_t> targets;
  std::vector<double> weights;
  for (size_t b = 0; b < batch.size(); ++b) {
    const std::vector<int32_t> labels = labels_of(batch[b]->gaps, batch[b]->turn.size());
    targets.insert(targets.end(), labels.begin(), labels.end());
    weights.insert(weights.end(), labels.size(), 1 / static_cast<double>(labels.size()));
    for (const Gap& gap : batch[b]->gaps) loss.asked.push_back({b, gap});
  }
  const Var nll = cross_entropy(loss.logits, Tensor::from(targets, model.device()));
  const Var labels = sum(nll * as_var(weights, nll.shape()));
  loss.labels = labels.value().item();
  if (!loss.asked.empty()) loss.scores = model.score(states, batch, loss.asked);

  loss.total = settings.size_weight * size_of(model);
  if (settings.detects()) loss.total = loss.total + labels * (settings.label_weight / n);
  const Pairs pairs = loss.scores ? pairs_of(loss, batch, settings) : Pairs{};
  if (pairs.weights.empty()) return loss;
  const auto f = [&](const std::vector<int32_t>& rows) {
    return gather_rows(loss.scores->f, Tensor::from(rows, model.device()));
  };
  const Var hinge = margin_ranking(f(pairs.above), f(pairs.below), settings.margin);
  const Var rank = sum(hinge * as_var(pairs.weights, hinge.shape()));
  loss.rank = rank.value().item();
  if (settings.ranks()) loss.total = loss.total + rank / n;
  return loss;
}

}  // namespace heed::rewrite
