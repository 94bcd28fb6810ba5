#include "dialog/probe/binariser.h"

#include <algorithm>
#include <set>

namespace heed::probe {

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

}  // namespace heed::probe
