#include "dialog/discriminate/discriminator.h"

#include <cmath>
#include <memory>

#include "base/error.h"
#include "dialog/parts/batch.h"
#include "nn/attention.h"
#include "nn/count.h"
#include "nn/init.h"

namespace heed::discriminate {

void Config::check() const {
  constexpr int64_t kMaxSize = 1 << 24;
  const auto size = [](const char* what, int64_t value) {
    if (value > 0 && value <= kMaxSize) return;
    throw UsageError("discriminator: " + std::string(what) + ": expected 1 to " +
                     std::to_string(kMaxSize) + ", got " + std::to_string(value));
  };
  size("vocab_size", vocab_size);
  size("embedding_size", embedding_size);
  size("hidden_size", hidden_size);
  if (!(dropout >= 0 && dropout < 1)) {
    throw UsageError("discriminator: dropout: expected 0 to below 1, got " +
                     std::to_string(dropout));
  }
  passages.check();
}

double parameter_count(const Config& c) {
  return count_parameters(1, [&](int64_t) { return std::make_unique<Discriminator>(c); });
}

double init_bound(int64_t hidden_size) {
  constexpr double kPaperBound = 0.1, kPaperSize = 500;
  return kPaperBound * std::sqrt(kPaperSize / static_cast<double>(hidden_size));
}

SequenceBatch pack_sequences(const std::vector<Example>& sequences, Device device) {
  const ExamplePointers all = pointers(sequences);
  SequenceBatch batch{pack_contexts(all, device), {}};
  batch.tokens = lay_out_memory(all, batch.packed, MemoryOf::kTokens, device);
  return batch;
}

Discriminator::Discriminator(const Config& config)
    : config_(config),
      embedding_(config.vocab_size, config.embedding_size),
      lstm_(config.embedding_size, config.hidden_size, {.bidirectional = true}),
      project_(2 * config.hidden_size, 2 * config.hidden_size),
      query_(2 * config.hidden_size, 1, /*with_bias=*/false),
      output_(2 * config.hidden_size, 1) {}

Discriminator::Discriminator(const Config& config, uint64_t seed) : Discriminator(config) {
  const double bound = init_bound(config.hidden_size);
  init_uniform(*this, -bound, bound, seed);
}

void Discriminator::visit(Visitor& v) {
  v("embedding", embedding_);
  v("lstm", lstm_);
  v("attention", project_);
  v("attention.query", query_);
  v("output", output_);
}

Discriminator::Output Discriminator::operator()(const SequenceBatch& batch,
                                                const DropoutMode& drop) const {
  const ContextBatch& packed = batch.packed;
  const Segments& segments = batch.tokens.segments;
  const Var x = drop(embedding_(packed.tokens), "discriminator.input");
  const Lstm::Output out = lstm_(packed.packing, x);
  const Var h = gather_rows(drop(out.y, "discriminator.output"), batch.tokens.rows);  // (M, 2H)
  const Var scores = reshape(query_(tanh(project_(h))), {segments.total()});
  const Var weights = segment_softmax(scores, segments);
  const Var v = segment_context(weights, h, segments);
  const LstmState state = out.state.gather(packed.to_batch);
  return {reshape(output_(v), {segments.count()}), weights, concat({state.h[0], state.h[1]}, 1)};
}

}  // namespace heed::discriminate
