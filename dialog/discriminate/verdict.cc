#include "dialog/discriminate/verdict.h"

#include <algorithm>
#include <cmath>

#include "dialog/parts/batch.h"

namespace heed::discriminate {
namespace {

// ln(1 + e^x)
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

}  // namespace

std::vector<Verdict> verdicts_on(const Discriminator& model, const std::vector<Passage>& passages,
                                 int64_t batch_size, const VerdictProgress& progress) {
  const NoGrad no_grad;
  std::vector<Example> sequences;
  for (const Passage& p : passages) sequences.push_back(sequence_of(p, model.config().reads()));
  const Device device = model.device();
  std::vector<Verdict> verdicts(passages.size());
  int64_t done = 0;
  for (const std::vector<int64_t>& places : batches_by_length(sequences, batch_size)) {
    std::vector<Example> chosen;
    for (const int64_t i : places) chosen.push_back(sequences[i]);
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
    if (progress) progress(done);
  }
  return verdicts;
}

}  // namespace heed::discriminate
