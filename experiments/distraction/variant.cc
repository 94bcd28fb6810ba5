#include "experiments/distraction/variant.h"

#include <cmath>
#include <cstdio>

namespace heed {

const std::vector<Structure>& paper_structures() {
  static const std::vector<Structure> kFive = {
      Structure::parse("non-hier"), Structure::parse("static"), Structure::parse("static-ui"),
      Structure::parse("dynamic"), Structure::parse("dynamic-ui")};
  return kFive;
}

std::string Variant::probability() const {
  char text[32];
  std::snprintf(text, sizeof text, insert_prob == 1 ? "%.1f" : "%g", insert_prob);
  return text;
}

std::string Variant::name() const {
  return std::string(structure.name) + "-p" + probability() + (attention_loss ? "" : "-no-loss");
}

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> variants = [] {
    std::vector<Variant> all;
    for (const double p : {0.0, 0.5, 0.7, 1.0}) {
      for (const Structure& structure : paper_structures()) all.push_back({structure, p, true});
      if (p > 0) all.push_back({Structure::parse("static-ui"), p, false});
    }
    return all;
  }();
  return variants;
}

std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss) {
  const std::vector<Variant>& all = all_variants();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].structure.name == structure && all[i].insert_prob == insert_prob &&
        all[i].attention_loss == attention_loss) {
      return i;
    }
  }
  return std::nullopt;
}

const std::vector<VariantName>& variant_names() {
  static const std::vector<VariantName> names = [] {
    std::vector<VariantName> all;
    for (const Variant& v : all_variants()) {
      all.push_back(
          {v.name(), "p = " + v.probability(),
           std::string(v.structure.name) + (v.attention_loss ? "" : ", no attention loss")});
    }
    return all;
  }();
  return names;
}

std::optional<size_t> baseline_of(size_t variant) {
  const auto baseline = find_variant(all_variants()[variant].structure.name, 0, true);
  return baseline == variant ? std::nullopt : baseline;
}

}  // namespace heed
