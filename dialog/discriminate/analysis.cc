#include "dialog/discriminate/analysis.h"

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "dialog/parts/encoder.h"

namespace heed::discriminate {

Mass attention_mass(const Passage& passage, Reads reads, const std::vector<double>& attention) {
  const Example sequence = sequence_of(passage, reads);
  Mass mass;
  size_t t = 0;
  for (size_t k = 0; k < sequence.context.size(); ++k) {
    const TokenIds& utterance = sequence.context[k];
    const bool is_response = reads != Reads::kContext && k + 1 == sequence.context.size();
    const size_t end = t + utterance.size();  // of its <eou>
    check_internal(end < attention.size(), "attention_mass: fewer weights than tokens");
    for (const size_t begin = t; t <= end; ++t) {
      const bool is_sos = is_response && t == begin;
      (is_sos ? mass.sos : is_response ? mass.response : mass.context) += attention[t];
    }
    mass.eou += attention[end];
  }
  check_internal(t == attention.size(), "attention_mass: more weights than tokens");
  return mass;
}

Mass token_shares(const Passage& passage, Reads reads) {
  size_t tokens = 0;
  for (const TokenIds& utterance : sequence_of(passage, reads).context)
    tokens += utterance.size() + 1;
  return attention_mass(passage, reads,
                        std::vector<double>(tokens, 1 / static_cast<double>(tokens)));
}

double response_score(const Passage& passage, Reads reads, const Mass& mass) {
  return static_cast<double>(sequence_of(passage, reads).context.size()) * mass.response;
}

std::optional<double> cosine(const std::vector<double>& x, const std::vector<double>& y) {
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const double scale = std::sqrt(dot(x, x) * dot(y, y));
  if (!(scale > 0)) return std::nullopt;
  return dot(x, y) / scale;
}

// [fwd_T; bwd_1] of a part of each passage.
static Tensor last_states(const Discriminator& model, const std::vector<Passage>& passages,
                          Reads part, int64_t batch_size) {
  std::vector<Example> sequences;
  for (const Passage& p : passages) sequences.push_back(sequence_of(p, part));
  return encode_in_batches(sequences, {.batch = batch_size}, [&](const ExamplePointers& batch) {
    std::vector<Example> chosen;
    for (const Example* sequence : batch) chosen.push_back(*sequence);
    return model(pack_sequences(chosen, model.device())).last;
  });
}

std::vector<std::optional<double>> context_cosines(const Discriminator& model,
                                                   const std::vector<Passage>& passages,
                                                   int64_t batch_size) {
  const Tensor x = last_states(model, passages, Reads::kContext, batch_size),
               y = last_states(model, passages, Reads::kResponse, batch_size);
  std::vector<std::optional<double>> result;
  for (int64_t i = 0; i < std::ssize(passages); ++i) {
    result.push_back(cosine(x[i].to_vector(), y[i].to_vector()));
  }
  return result;
}

}  // namespace heed::discriminate
