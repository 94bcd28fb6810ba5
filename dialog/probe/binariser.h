// Labels as numbers, and the prediction that needs no input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"
#include "dialog/probe/metrics.h"

namespace heed::probe {

// The labels that the training part has, sorted. One that occurs elsewhere only is ignored, and so
// no miss (as scikit-learn's MultiLabelBinarizer does).
class Binariser {
 public:
  explicit Binariser(const LabelSets& train);
  const std::vector<std::string>& names() const { return names_; }
  int64_t size() const { return static_cast<int64_t>(names_.size()); }

  std::vector<LabelIds> operator()(const LabelSets& sets) const;
  // How many different labels of these sets are not among the names.
  int64_t count_unseen(const LabelSets& sets) const;

 private:
  int32_t find(const std::string& label) const;  // -1: not there

  std::vector<std::string> names_;
};

// How many of the examples have each of `size` labels.
std::vector<int64_t> count_labels(const std::vector<LabelIds>& examples, int64_t size);
// The constant prediction: labels that more than half of the training examples have.
LabelIds majority_labels(const std::vector<LabelIds>& train, int64_t size);

}  // namespace heed::probe
