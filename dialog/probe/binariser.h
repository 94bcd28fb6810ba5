// Labels as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"
#include "dialog/stats/metrics.h"

namespace heed::probe {

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

}  // namespace heed::probe
