#include "dialog/parts/batch.h"

#include "dialog/parts/by_length.h"

namespace heed {
namespace {

void check(const Example& example, size_t conditions) {
  if (example.conditions.size() != conditions) {
    throw DataError("example " + example.id + ": " + std::to_string(example.conditions.size()) +
                    " conditions beside examples with " + std::to_string(conditions));
  }
  if (example.context.empty()) throw DataError("example " + example.id + ": no context");
  for (const auto& utterance : example.context) {
    if (utterance.empty()) throw DataError("example " + example.id + ": an empty utterance");
  }
  if (example.distraction.size() != example.context.size()) {
    throw DataError("example " + example.id + ": " + std::to_string(example.context.size()) +
                    " utterances, but flags of distractions for " +
                    std::to_string(example.distraction.size()));
  }
}

std::vector<ConditionBatch> pack_conditions(const ExamplePointers& examples, Device device) {
  std::vector<ConditionBatch> conditions(examples[0]->conditions.size());
  for (size_t kind = 0; kind < conditions.size(); ++kind) {
    std::vector<int32_t> ids, lengths;
    for (const Example* e : examples) {
      const std::vector<int32_t>& own = e->conditions[kind];
      ids.insert(ids.end(), own.begin(), own.end());
      lengths.push_back(static_cast<int32_t>(own.size()));
    }
    conditions[kind] = {Tensor::from(ids, device), Segments(lengths, device)};
  }
  return conditions;
}

}  // namespace

int64_t example_tokens(const Example& example) {
  int64_t count = static_cast<int64_t>(example.response.size()) + 1;
  for (const auto& utterance : example.context) count += static_cast<int64_t>(utterance.size()) + 1;
  return count;
}

ExamplePointers pointers(const std::vector<Example>& examples) {
  ExamplePointers result;
  for (const Example& example : examples) result.push_back(&example);
  return result;
}

Batch make_batch(const ExamplePointers& examples, const BatchParts& parts, Device device) {
  if (examples.empty()) throw DataError("batch: no examples");
  Batch batch;
  batch.size = static_cast<int64_t>(examples.size());
  for (const Example* example : examples) {
    check(*example, examples[0]->conditions.size());
    batch.token_count += example_tokens(*example);
  }
  batch.order = descending(batch.size, [&](int64_t i) { return examples[i]->response.size(); });
  ExamplePointers in_order;
  for (int64_t i : batch.order) in_order.push_back(examples[i]);
  batch.context = pack_contexts(in_order, device);
  batch.memory = lay_out_memory(in_order, batch.context, parts.memory, device);
  batch.response = pack_responses(in_order, device);
  if (parts.utterances) {
    batch.utterances = pack_utterances(in_order, WhichUtterances::kAll, device);
  }
  if (parts.queries) batch.queries = pack_utterances(in_order, WhichUtterances::kLast, device);
  if (parts.sequences) batch.sequences = pack_sequences(in_order, device);
  batch.conditions = pack_conditions(in_order, device);
  return batch;
}

std::vector<SomeExamples> batches_by_length(const std::vector<Example>& examples,
                                            int64_t batch_size) {
  std::vector<SomeExamples> batches;
  for (std::vector<int64_t>& positions :
       batches_by_length(std::ssize(examples), batch_size,
                         [&](int64_t i) { return example_tokens(examples[i]); })) {
    SomeExamples& batch = batches.emplace_back();
    for (const int64_t i : positions) batch.examples.push_back(&examples[i]);
    batch.positions = std::move(positions);
  }
  return batches;
}

}  // namespace heed
