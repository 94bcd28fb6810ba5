// A probe: how well a simple classifier predicts a task's labels from a representation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"
#include "dialog/stats/metrics.h"
#include "tensor/tensor.h"

namespace heed::probe {

struct ProbeOptions {
  enum class Kind { kLogistic, kMlp };
  Kind kind = Kind::kLogistic;
  int max_iterations = 1000;  // of the solver; with kMlp epochs, at most its default
  bool standardise = false;   // each dimension to mean 0, variance 1 on the training part
  bool control = false;       // also the control task: control_labels()
  uint64_t seed = 1;          // of the control task, and of the MLP
};

// A part of a probe's data: x (n, d), f32 or f64, and the labels of each row.
struct Part {
  Tensor x;
  LabelledExamples examples;
};

// The labels of the training part, sorted. Labels that occur only elsewhere are ignored, so they do
// not count as misses (as in scikit-learn's MultiLabelBinarizer).
class Binariser {
 public:
  explicit Binariser(const LabelSets& train);
  const std::vector<std::string>& names() const { return names_; }
  int64_t size() const { return static_cast<int64_t>(names_.size()); }

  std::vector<LabelIds> operator()(const LabelSets& sets) const;
  // The number of different labels of these sets that are not among the names.
  int64_t count_unseen(const LabelSets& sets) const;

 private:
  int32_t find(const std::string& label) const;  // -1: not there

  std::vector<std::string> names_;
};

// Labels of a control task (Hewitt & Liang 2019): every key gets one of the label sets of `task`,
// drawn by their frequencies, as a function of (seed, key). There is nothing to learn but the keys
// themselves: a probe's score on them is memory, not meaning.
LabelSets control_labels(const LabelSets& task, const std::vector<std::string>& keys,
                         uint64_t seed);

// Throws DataError "WHOSE: 'x' is not finite in row 2, column 1 (from 0)" for features, f32 or f64
// (n, d), such as those of a model whose training diverged.
void check_finite(const std::string& whose, const Tensor& x);

struct TaskResult {
  int64_t labels = 0;        // of the training part
  int64_t unseen = 0;        // different labels of the test part that it does not have
  double f1 = 0, exact = 0;  // micro F1 and exact match on the test part, in [0, 1]
  double constant = 0;       // F1 of predicting the labels that most training examples have
  std::optional<double> accuracy = {};    // of the largest score, if every example has one label
  std::optional<double> control_f1 = {};  // of the control task
  int64_t unconverged = 0;                // labels (kMlp: 1 or 0)
  int iterations = 0;                     // of the label with most; epochs of kMlp
  std::vector<Tally> examples = {};       // of the test part, for intervals

  // f1 - control_f1 (Hewitt & Liang 2019); requires a control task.
  double selectivity() const { return f1 - control_f1.value(); }
};

// Trains on one part, measures on the other. Throws UsageError for an unknown task, DataError if
// the parts differ in width or are not finite.
TaskResult probe(const Part& train, const Part& test, const std::string& task,
                 const ProbeOptions& options = {});

}  // namespace heed::probe
