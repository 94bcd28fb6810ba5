#include "dialog/discriminate/discriminator.h"

#include <algorithm>
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
namespace {

// ln(1 + e^x)
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

}  // namespace

void Config::check() const {
  check_values("discriminator", *this, kVisitModelConfig);
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
  } else {
    embedding_.emplace_back(config.vocab_size, config.embedding_size);
    lstm_.emplace_back(config.embedding_size, config.hidden_size,
                       LstmOptions{.bidirectional = true});
  }
  const double bound = init_bound(config.hidden_size);
  for (const NamedParameter& p : parameters(*this)) p.var.cell()->law = uniform_law(-bound, bound);
}

Discriminator::Discriminator(const Config& config, uint64_t seed,
                             std::optional<pretrained::Words> words)
    : Discriminator(config, std::move(words)) {
  init(*this, seed);
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

std::vector<Verdict> verdicts_on(const Discriminator& model, const std::vector<Passage>& passages,
                                 int64_t batch_size, const OnValidation& progress) {
  const NoGrad no_grad;
  std::vector<Example> sequences;
  for (const Passage& p : passages) sequences.push_back(sequence_of(p, model.config().reads()));
  const Device device = model.device();
  std::vector<Verdict> verdicts(passages.size());
  int64_t done = 0;
  for (const auto& [places, part] : batches_by_length(sequences, batch_size)) {
    std::vector<Example> chosen;
    for (const Example* e : part) chosen.push_back(*e);
    const SequenceBatch batch = pack_sequences(chosen, device);
    const Discriminator::Output out = model(batch);
    const std::vector<double> logits = out.logits.value().to_vector(),
                              attention = out.attention.value().to_vector();
    for (size_t b = 0; b < places.size(); ++b) {
      const auto s = static_cast<int64_t>(b);
      const double x = logits[b];
      Verdict& v = verdicts[places[b]];
      v.p_real = 1 / (1 + std::exp(-x));
      v.loss = softplus(passages[places[b]].real ? -x : x);
      v.attention.assign(attention.begin() + batch.tokens.segments.begin(s),
                         attention.begin() + batch.tokens.segments.end(s));
    }
    done += static_cast<int64_t>(places.size());
    if (progress) progress(done, std::ssize(passages));
  }
  return verdicts;
}

std::vector<double> p_real_of(const std::vector<Verdict>& verdicts) {
  std::vector<double> p;
  for (const Verdict& v : verdicts) p.push_back(v.p_real);
  return p;
}

}  // namespace heed::discriminate
