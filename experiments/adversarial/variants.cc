#include "experiments/adversarial/variants.h"

#include <algorithm>

namespace heed {

bool JudgeVariant::judges(size_t corpus) const {
  return std::find(corpora.begin(), corpora.end(), corpus) != corpora.end();
}

std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora,
                                         bool reliability) {
  std::vector<JudgeVariant> variants;
  const auto add = [&](const std::string& name, const std::vector<size_t>& of, bool together) {
    const std::string alone = name + "-" + kResponseOnly;
    variants.push_back({{name, "discriminators", name}, of, together, false});
    variants.push_back({{alone, "controls", alone}, of, together, true});
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
    const std::string name = (several ? kTogether : corpora[0]) + "-" + scenario.name;
    variants.push_back({{name, "reliability", name}, all, several, false, &scenario});
  }
  return variants;
}

std::string judged_key(const std::string& judge, const std::string& set, bool real) {
  return "judged." + judge + "." + set + (real ? ".real" : ".fake");
}

std::string threshold_key(const std::string& corpus) {
  return "thresholds." + corpus;
}

std::string looks_key(const std::string& corpus, const std::string& number) {
  return "looks." + corpus + "." + number;
}

std::string generator_key(const std::string& corpus, const std::string& generator,
                          const std::string& number) {
  return "generators." + corpus + "." + generator + "." + number;
}

}  // namespace heed
