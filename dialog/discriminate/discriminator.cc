#include "dialog/discriminate/discriminator.h"

#include <cmath>
#include <memory>

#include "base/error.h"
#include "dialog/discriminate/settings.h"
#include "dialog/parts/batch.h"
#include "nn/attention.h"
#include "nn/count.h"
#include "nn/init.h"
#include "train/setting_rules.h"

namespace heed::discriminate {

void Config::check() const {
  check_values("discriminator", *this,
               [](auto& config, auto& v) { visit_discriminator(config, v); });
  words.check("discriminator");
  passages.check();
}

double parameter_count(const Config& c) {
  return count_parameters(1, [&](int64_t) {
    Config without = c;
    without.words = {};
    return std::make_unique<Discriminator>(without);
  });
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

Discriminator::Discriminator(const Config& config, std::optional<pretrained::Words> words)
    : config_(config),
      project_(2 * config.hidden_size, 2 * config.hidden_size),
      query_(2 * config.hidden_size, 1, /*with_bias=*/false),
      output_(2 * config.hidden_size, 1) {
  check_internal(config.pretrained() == words.has_value(), "words are a pretrained encoder's");
  if (words) {
    check_internal(words->encoder.width() == 2 * config.hidden_size, "widths differ");
    words_.push_back(std::move(*words));
    return;
  }
  embedding_.emplace_back(config.vocab_size, config.embedding_size);
  lstm_.emplace_back(config.embedding_size, config.hidden_size, LstmOptions{.bidirectional = true});
}

Discriminator::Discriminator(const Config& config, uint64_t seed,
                             std::optional<pretrained::Words> words)
    : Discriminator(config, std::move(words)) {
  draw(*this, seed);
}

void draw(Discriminator& model, uint64_t seed) {
  const double bound = init_bound(model.config().hidden_size);
  init_uniform(model, -bound, bound, seed);
}

Discriminator Discriminator::like() const {
  if (words_.empty()) return Discriminator(config_);
  return Discriminator(config_, words_[0].like());
}

void Discriminator::visit(Visitor& v) {
  for (pretrained::Words& words : words_) v("encoder", words);
  for (Embedding& embedding : embedding_) v("embedding", embedding);
  for (Lstm& lstm : lstm_) v("lstm", lstm);
  v("attention", project_);
  v("attention.query", query_);
  v("output", output_);
}

Discriminator::States Discriminator::read(const SequenceBatch& batch,
                                          const DropoutMode& drop) const {
  const ContextBatch& packed = batch.packed;
  if (!words_.empty()) {
    const std::vector<int32_t> by_step = packed.tokens.to_ints();
    std::vector<int32_t> tokens;  // sequence after sequence
    for (const int32_t row : batch.tokens.rows.to_ints()) tokens.push_back(by_step[row]);
    const pretrained::Words::States states = words_[0](tokens, batch.tokens.segments);
    return {drop(states.words, "discriminator.output"), states.begin};
  }
  const Var x = drop(embedding_[0](packed.tokens), "discriminator.input");
  const Lstm::Output out = lstm_[0](packed.packing, x);
  const LstmState state = out.state.gather(packed.to_batch);
  return {gather_rows(drop(out.y, "discriminator.output"), batch.tokens.rows),
          concat({state.h[0], state.h[1]}, 1)};
}

Discriminator::Output Discriminator::operator()(const SequenceBatch& batch,
                                                const DropoutMode& drop) const {
  const Segments& segments = batch.tokens.segments;
  const auto [h, last] = read(batch, drop);  // (M, 2H)
  const Var scores = reshape(query_(tanh(project_(h))), {segments.total()});
  const Var weights = segment_softmax(scores, segments);
  const Var v = segment_context(weights, h, segments);
  return {reshape(output_(v), {segments.count()}), weights, last};
}

}  // namespace heed::discriminate
