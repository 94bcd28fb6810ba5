// The models that are probed: the five of Parthasarathi, Pineau & Chandar (2020, section 3), what
// the authors' program has in place of one of them, and the five structures of Xing & Gulla.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dialog/respond/structure.h"
#include "experiments/engine/runs/results.h"

namespace heed {

constexpr size_t kPaperModels = 5;  // the first ones, in the order of the paper's tables

const std::vector<Structure>& probed_structures();
// The place in probed_structures(). Throws InternalError if there is none of that name.
size_t probed_variant(std::string_view structure);
// lstm, lstm-attention, hred, bilstm-attention: what the paper calls RNN models.
const std::vector<size_t>& rnn_variants();

// Behind them: an encoder that others trained, with a row for each layer, from 0, the embeddings.
struct ProbedEncoder {
  std::string name;  // for tables
  int layers = 0;
};
// The names of all, and what tables call them.
std::vector<VariantName> probed_names(const std::optional<ProbedEncoder>& encoder = {});
// The layer of such a row; nothing of a model that is trained.
std::optional<int> probed_layer(size_t variant);

}  // namespace heed
