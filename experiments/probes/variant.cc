#include "experiments/probes/variant.h"

namespace heed {

const std::vector<Structure>& probed_structures() {
  static const std::vector<Structure> kStructures = [] {
    std::vector<Structure> all;
    for (const char* name :
         {"lstm", "lstm-attention", "hred", "bilstm-attention", "transformer", "hred-stacked"}) {
      all.push_back(Structure::parse(name));
    }
    for (const Structure& s : structures(Family::kLstm)) all.push_back(s);
    return all;
  }();
  return kStructures;
}

std::vector<VariantName> probed_names(const std::optional<ProbedEncoder>& encoder) {
  std::vector<VariantName> names;
  for (const Structure& s : probed_structures()) {
    const std::string name(s.name);
    names.push_back({name, names.size() < kPaperModels ? "the paper's" : "others", name});
  }
  for (int layer = 0; encoder && layer <= encoder->layers; ++layer) {
    const std::string number = std::to_string(layer);
    names.push_back({"pretrained-layer" + number, encoder->name,
                     layer == 0 ? "embeddings" : "layer " + number, /*trained=*/false});
  }
  return names;
}

std::optional<int> probed_layer(size_t variant) {
  const size_t models = probed_structures().size();
  return variant < models ? std::nullopt : std::optional(static_cast<int>(variant - models));
}

}  // namespace heed
