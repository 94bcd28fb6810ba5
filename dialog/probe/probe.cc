#include "dialog/probe/probe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "dialog/probe/mlp.h"
#include "dialog/stats/logistic.h"
#include "dialog/stats/standardise.h"
#include "tensor/random.h"

namespace heed::probe {
namespace {

using Scores = std::function<Tensor(const Tensor& x)>;  // (m, d) -> f64 (m, K)

constexpr int64_t kBlock = 4096;  // examples whose scores exist at once

struct Predictions {
  std::vector<LabelIds> sets;  // scores above 0
  LabelIds best;               // the largest score
};
Predictions predict(const Tensor& x, const Scores& scores) {
  Predictions result;
  for (int64_t at = 0; at < x.shape()[0]; at += kBlock) {
    const int64_t end = std::min(x.shape()[0], at + kBlock);
    const Tensor block = scores(x.rows(at, end));
    const int64_t labels = block.shape()[1];
    for (int64_t i = 0; i < end - at; ++i) {
      const double* row = block.data<double>() + i * labels;
      LabelIds& set = result.sets.emplace_back();
      for (int64_t k = 0; k < labels; ++k) {
        if (row[k] > 0) set.push_back(static_cast<int32_t>(k));
      }
      result.best.push_back(static_cast<int32_t>(std::max_element(row, row + labels) - row));
    }
  }
  return result;
}

// A trained probe, and how it came about. Without a label there is nothing that an MLP could learn.
struct Trained {
  Scores scores;
  int64_t unconverged;
  int iterations;
};
Trained train_probe(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size,
                    const ProbeOptions& options) {
  if (options.kind == ProbeOptions::Kind::kMlp && size > 0) {
    MlpOptions mlp{.seed = options.seed};
    mlp.max_epochs = std::min(mlp.max_epochs, options.max_iterations);
    FittedMlp fitted = fit_mlp(x, labels, size, mlp);
    const std::shared_ptr<const Mlp> model = std::move(fitted.model);
    return {[model](const Tensor& rows) { return model->scores(rows); }, !fitted.converged,
            fitted.epochs};
  }
  const Logistic fitted =
      fit_logistic(x, labels, size, {.solver = {.max_iterations = options.max_iterations}});
  return {[fitted](const Tensor& rows) { return fitted.scores(rows); }, fitted.unconverged,
          fitted.iterations};
}

std::vector<Tally> compare_all(const std::vector<LabelIds>& predicted,
                               const std::vector<LabelIds>& truth) {
  std::vector<Tally> hits;
  for (size_t i = 0; i < truth.size(); ++i) hits.push_back(count_hits(predicted[i], truth[i]));
  return hits;
}

bool single_valued(const LabelSets& sets) {
  return std::all_of(sets.begin(), sets.end(),
                     [](const std::vector<std::string>& labels) { return labels.size() == 1; });
}

double share_of_right(const LabelIds& best, const std::vector<LabelIds>& truth) {
  double right = 0;
  for (size_t i = 0; i < truth.size(); ++i) right += truth[i] == LabelIds{best[i]};
  return right / static_cast<double>(truth.size());
}

TaskResult measure(const Tensor& train_x, const LabelSets& train_sets, const Tensor& test_x,
                   const LabelSets& test_sets, const ProbeOptions& options) {
  const Binariser binariser(train_sets);
  const std::vector<LabelIds> train = binariser(train_sets), test = binariser(test_sets);
  const Trained trained = train_probe(train_x, train, binariser.size(), options);
  const Predictions predicted = predict(test_x, trained.scores);
  TaskResult result{.labels = binariser.size(), .unseen = binariser.count_unseen(test_sets)};
  result.examples = compare_all(predicted.sets, test);
  result.f1 = micro_f1(result.examples);
  result.exact = exact_match(result.examples);
  const std::vector<LabelIds> constant(test.size(), majority_labels(train, binariser.size()));
  result.constant = micro_f1(compare_all(constant, test));
  if (single_valued(train_sets) && single_valued(test_sets)) {
    result.accuracy = share_of_right(predicted.best, test);
  }
  result.unconverged = trained.unconverged;
  result.iterations = trained.iterations;
  return result;
}

const LabelSets& labels_of(const Part& part, const std::string& task) {
  const auto found = part.examples.tasks.find(task);
  if (found != part.examples.tasks.end()) return found->second;
  throw UsageError("task: expected one of " +
                   joined(part.examples.tasks, ", ", [](const auto& of) { return of.first; }) +
                   ", got '" + task + "'");
}

template <class T> int64_t first_not_finite(const Tensor& x) {
  const T* const values = x.data<T>();
  return std::find_if_not(values, values + x.numel(), [](T v) { return std::isfinite(v); }) -
         values;
}

}  // namespace

Binariser::Binariser(const LabelSets& train) {
  std::set<std::string> all;
  for (const auto& labels : train) all.insert(labels.begin(), labels.end());
  names_.assign(all.begin(), all.end());
}

int32_t Binariser::find(const std::string& label) const {
  const auto at = std::lower_bound(names_.begin(), names_.end(), label);
  return at != names_.end() && *at == label ? static_cast<int32_t>(at - names_.begin()) : -1;
}

std::vector<LabelIds> Binariser::operator()(const LabelSets& sets) const {
  std::vector<LabelIds> ids(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const std::string& label : sets[i]) {
      if (const int32_t id = find(label); id >= 0) ids[i].push_back(id);
    }
  }
  return ids;
}

int64_t Binariser::count_unseen(const LabelSets& sets) const {
  std::set<std::string> unseen;
  for (const auto& labels : sets) {
    for (const std::string& label : labels) {
      if (find(label) < 0) unseen.insert(label);
    }
  }
  return static_cast<int64_t>(unseen.size());
}

LabelSets control_labels(const LabelSets& task, const std::vector<std::string>& keys,
                         uint64_t seed) {
  LabelSets drawn;
  for (const std::string& key : keys) {
    Rng rng(seed, "probe.control", purpose_id(key));
    drawn.push_back(task[rng.below(task.size())]);
  }
  return drawn;
}

void check_finite(const std::string& whose, const Tensor& x) {
  const int64_t bad =
      x.dtype() == DType::f64 ? first_not_finite<double>(x) : first_not_finite<float>(x);
  if (bad == x.numel()) return;
  const int64_t d = x.shape()[1];
  throw DataError(whose + ": 'x' is not finite in row " + std::to_string(bad / d) + ", column " +
                  std::to_string(bad % d) + " (from 0)");
}

TaskResult probe(const Part& train, const Part& test, const std::string& task,
                 const ProbeOptions& options) {
  const LabelSets &train_sets = labels_of(train, task), &test_sets = labels_of(test, task);
  if (train.x.shape()[1] != test.x.shape()[1]) {
    throw DataError("features: the training part has " + std::to_string(train.x.shape()[1]) +
                    " dimensions, the test part " + std::to_string(test.x.shape()[1]));
  }
  for (const Part* part : {&train, &test}) check_finite("features", part->x);
  Tensor train_x = train.x, test_x = test.x;
  if (options.standardise) {
    const Standardiser standardise(train.x);
    train_x = standardise(train.x);
    test_x = standardise(test.x);
  }
  TaskResult result = measure(train_x, train_sets, test_x, test_sets, options);
  if (options.control) {
    const auto control = [&](const Part& part) {
      return control_labels(train_sets, part.examples.keys, options.seed);
    };
    result.control_f1 = measure(train_x, control(train), test_x, control(test), options).f1;
  }
  return result;
}

}  // namespace heed::probe
