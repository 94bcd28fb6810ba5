#include "experiments/adversarial/variant.h"

namespace heed {

std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora,
                                         bool reliability) {
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
  const bool several = all.size() > 1;
  if (several) add(kTogether, all, true);
  if (!reliability || all.empty()) return variants;
  for (const Scenario& scenario : kScenarios) {
    if (scenario.kind == discriminate::Negatives::Kind::kOtherCorpus && !several) continue;
    variants.push_back({(several ? std::string(kTogether) : corpora[0]) + "-" + scenario.name, all,
                        several, false, &scenario});
  }
  return variants;
}

std::vector<VariantName> judge_names(const std::vector<JudgeVariant>& variants) {
  std::vector<VariantName> names;
  for (const JudgeVariant& v : variants) {
    const char* group = v.scenario        ? "reliability"
                        : v.response_only ? "controls"
                                          : "discriminators";
    names.push_back({v.name, group, v.name});
  }
  return names;
}

}  // namespace heed
