#include "dialog/respond/mediation.h"

#include "autograd/ops.h"

namespace heed {

using ReadContext = LstmResponder::ReadContext;

ReadContext without_distractions(const ReadContext& context, const Memory& memory) {
  std::vector<int32_t> kept, lengths, queries;
  for (int64_t b = 0; b < context.segments.count(); ++b) {
    const size_t before = kept.size();
    for (int64_t j = context.segments.begin(b); j < context.segments.end(b); ++j) {
      const bool in_query = memory.utterance[j] == memory.utterance[context.segments.end(b) - 1];
      if (memory.distraction[j] == 0 || in_query) kept.push_back(static_cast<int32_t>(j));
    }
    lengths.push_back(static_cast<int32_t>(kept.size() - before));
    queries.push_back(static_cast<int32_t>(kept.size()) - 1);
  }
  const Device device = context.memory.device();
  return {gather_rows(context.memory, Tensor::from(kept, device)), Segments(lengths, device),
          Tensor::from(queries, device), context.state};
}

namespace {

// For each dialogue of the batch the sum over its tokens, in batch order.
std::vector<double> nll_of(const Taught& taught, const Batch& batch) {
  const std::vector<double> nll = taught.nll.to_vector();
  const std::vector<int32_t> dialogue = batch.response.packing.sequence_ids();
  std::vector<double> sums(batch.size);
  for (size_t row = 0; row < nll.size(); ++row) sums[dialogue[row]] += nll[row];
  return sums;
}

std::array<ReadContext, kReadings.size()> readings(const LstmResponder& model,
                                                   const Batch& distracted, const Batch& clean) {
  const ReadContext all = model.read_context(distracted), without = model.read_context(clean);
  const ReadContext unseen = without_distractions(all, distracted.memory);
  ReadContext unread = all, both = unseen;
  unread.state = both.state = without.state;
  return {all, unseen, unread, both, without};
}

}  // namespace

std::vector<MediatedScore> mediate(LstmResponder& model, const std::vector<Example>& examples,
                                   const std::vector<Example>& clean, int64_t batch_size) {
  if (examples.size() != clean.size()) {
    throw UsageError("mediate: " + std::to_string(examples.size()) + " examples with and " +
                     std::to_string(clean.size()) + " without distractions");
  }
  for (size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].response != clean[i].response) {
      throw UsageError("mediate: example " + examples[i].id +
                       " has another response with than without distractions");
    }
  }
  const NoGrad guard;
  const Device device = parameters(model)[0].var.device();
  std::vector<MediatedScore> scores(examples.size());
  for (const auto& [positions, with] : batches_by_length(examples, batch_size)) {
    ExamplePointers without;
    for (const int64_t i : positions) without.push_back(&clean[i]);
    // Equal responses: both batches have the same order.
    const Batch batch = make_batch(with, model.parts(), device),
                other = make_batch(without, model.parts(), device);
    const auto read = readings(model, batch, other);
    for (size_t r = 0; r < read.size(); ++r) {
      const std::vector<double> nll = nll_of(model.teach(batch, model.start(read[r])), batch);
      for (int64_t b = 0; b < batch.size; ++b) scores[positions[batch.order[b]]].nll[r] = nll[b];
    }
  }
  return scores;
}

}  // namespace heed
