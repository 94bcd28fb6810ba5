// The models that are probed: the five of Parthasarathi, Pineau & Chandar (2020, section 3), what
// the authors' program has in place of one of them, and the five structures of Xing & Gulla.
#pragma once

#include <optional>
#include <vector>

#include "dialog/respond/structure.h"
#include "experiments/engine/runs/results.h"

namespace heed {

const std::vector<Structure>& probed_structures();
// The first places in probed_structures(): the paper's models, in the order of its tables.
namespace probed {
enum Place : size_t { kLstm, kLstmAttention, kHred, kBilstmAttention, kTransformer };
}  // namespace probed
constexpr size_t kPaperModels = 5, kRnnModels = 4;  // the latter are all but the transformer

// The models of a run that tables are made of. best: by the validation perplexity.
constexpr const char* kCheckpoints[] = {"untrained", "last", "best"};

// Behind the models: an encoder that others trained, with a row for each layer, from 0, the
// embeddings.
struct ProbedEncoder {
  std::string name;  // for tables
  int layers = 0;
};
// The names of all, and what tables call them.
std::vector<VariantName> probed_names(const std::optional<ProbedEncoder>& encoder = {});
// The layer of such a row; nothing of a model that is trained.
std::optional<int> probed_layer(size_t variant);

}  // namespace heed
