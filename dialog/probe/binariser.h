// Labels as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"
#include "dialog/stats/metrics.h"

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

}  // namespace heed::probe
