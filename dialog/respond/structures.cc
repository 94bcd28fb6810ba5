// The list of response models. A new one has a row here, and its case in make_responder().
#include "dialog/respond/structures.h"

#include "dialog/respond/lstm.h"
#include "dialog/text/vocabulary.h"

namespace heed {

const std::vector<Structure>& structures() {
  static const std::vector<Structure> kAll = {{"non-hier", Family::kLstm, false, false, false},
                                              {"static", Family::kLstm, true, true, false},
                                              {"static-ui", Family::kLstm, true, true, true},
                                              {"dynamic", Family::kLstm, true, false, false},
                                              {"dynamic-ui", Family::kLstm, true, false, true}};
  return kAll;
}

std::vector<Structure> structures(Family family) {
  std::vector<Structure> found;
  for (const Structure& s : structures()) {
    if (s.family == family) found.push_back(s);
  }
  return found;
}

std::string structure_names() {
  std::string names;
  for (const Structure& s : structures())
    names += (names.empty() ? "" : ", ") + std::string(s.name);
  return names;
}

Structure Structure::parse(std::string_view name) {
  for (const Structure& s : structures()) {
    if (s.name == name) return s;
  }
  throw UsageError("structure: expected one of " + structure_names() + ", got '" +
                   std::string(name) + "'");
}

void ModelConfig::check() const {
  const auto positive = [](const char* name, int64_t value) {
    if (value < 1 || value > kMaxModelSize) {
      throw UsageError(std::string(name) + ": expected 1 to " + std::to_string(kMaxModelSize) +
                       ", got " + std::to_string(value));
    }
  };
  positive("vocab_size", vocab_size);
  positive("hidden_size", hidden_size);
  positive("embedding_size", embedding_size);
  positive("num_layers", num_layers);
  if (vocab_size < kSpecialTokens + 1) {
    throw UsageError("vocab_size: needs room for a word besides the special tokens");
  }
  positive("heads", heads);
  if (structure.family == Family::kTransformer &&
      (hidden_size % heads != 0 || hidden_size % 2 != 0)) {
    throw UsageError("hidden_size: of a transformer it is even and a multiple of the " +
                     std::to_string(heads) + " heads, got " + std::to_string(hidden_size));
  }
  if (!(dropout >= 0 && dropout < 1)) {
    throw UsageError("dropout: expected a number in [0, 1), got " + std::to_string(dropout));
  }
}

std::unique_ptr<Responder> make_responder(const ModelConfig& config) {
  return std::make_unique<LstmResponder>(config);
}

std::unique_ptr<Responder> make_responder(const ModelConfig& config, uint64_t seed) {
  return std::make_unique<LstmResponder>(config, seed);
}

double parameter_count(const ModelConfig& c) {
  const double v = c.vocab_size, e = c.embedding_size, h = c.hidden_size, layers = c.num_layers;
  const double stack = 4 * h * (2 * h * (layers - 1) + h);
  const double side = v * e + 4 * h * e + stack;
  return 2 * side + 4 * h * h + (c.structure.integration ? stack + 4 * h * h : 0) + 2 * h * h +
         v * h;
}

}  // namespace heed
