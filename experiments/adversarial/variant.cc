#include "experiments/adversarial/variant.h"

namespace heed {

std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora) {
  std::vector<JudgeVariant> variants;
  const auto add = [&](const std::string& name, const std::vector<size_t>& of, bool together) {
    variants.push_back({name, of, together, false});
    variants.push_back({name + "-" + kResponseOnly, of, together, true});
  };
  std::vector<size_t> all;
  for (size_t c = 0; c < corpora.size(); ++c) {
    add(corpora[c], {c}, false);
    all.push_back(c);
  }
  if (all.size() > 1) add(kTogether, all, true);
  return variants;
}

std::vector<VariantName> judge_names(const std::vector<JudgeVariant>& variants) {
  std::vector<VariantName> names;
  for (const JudgeVariant& v : variants) {
    names.push_back({v.name, v.response_only ? "controls" : "discriminators", v.name});
  }
  return names;
}

}  // namespace heed
