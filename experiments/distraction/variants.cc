#include "experiments/distraction/variants.h"

#include <algorithm>

namespace heed {

const std::vector<Structure>& paper_structures() {
  static const std::vector<Structure> kFive = {
      Structure::parse("non-hier"), Structure::parse("static"), Structure::parse("static-ui"),
      Structure::parse("dynamic"), Structure::parse("dynamic-ui")};
  return kFive;
}

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> kVariants = [] {
    std::vector<Variant> all;
    for (const std::string p : {"0", "0.5", "0.7", "1.0"}) {
      const auto add = [&](const Structure& structure, bool loss) {
        const std::string name(structure.name);
        all.push_back({{name + "-p" + p + (loss ? "" : "-no-loss"), "p = " + p,
                        name + (loss ? "" : ", no attention loss")},
                       structure,
                       std::stod(p),
                       loss});
      };
      for (const Structure& structure : paper_structures()) add(structure, true);
      if (p != "0") add(Structure::parse("static-ui"), false);
    }
    return all;
  }();
  return kVariants;
}

std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss) {
  const std::vector<Variant>& all = all_variants();
  const auto found = std::ranges::find_if(all, [&](const Variant& v) {
    return v.structure.name == structure && v.insert_prob == insert_prob &&
           v.attention_loss == attention_loss;
  });
  return found == all.end() ? std::nullopt : std::optional<size_t>(found - all.begin());
}

std::optional<size_t> baseline_of(size_t variant) {
  const auto baseline = find_variant(all_variants()[variant].structure.name, 0, true);
  return baseline == variant ? std::nullopt : baseline;
}

// ---- test sets

std::string set_name(size_t set) {
  return set == 0 ? "none" : std::string(kTestSets.at(set - 1));
}

std::string kind_of(size_t set) {
  const std::string name = set_name(set);
  return name.substr(0, name.find(':'));
}

std::string place_of(size_t set) {
  const std::string name = set_name(set), rest = name.substr(name.find(':') + 1);
  return kind_of(set) == "random" ? "p = " + rest : rest;
}

std::string key_of(size_t set, const std::string& number) {
  return "test_sets." + set_name(set) + "." + number;
}

}  // namespace heed
