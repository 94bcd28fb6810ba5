#include "dialog/parts/batch.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;

// Three dialogues; by response they stand b, c, a in the batch, by context b, a, c in the encoder.
std::vector<Example> three() {
  return {{"a", "a", {{10}, {11, 12}}, {1, 0}, {13}},
          {"b", "b", {{20, 21, 22}, {23, 24, 25}}, {0, 0}, {26, 27, 28}},
          {"c", "c", {{30}, {31}}, {0, 0}, {32, 33}}};
}

// A batch taken apart again: what each LSTM, the attention and the loss see of each dialogue.
struct Seen {
  std::vector<Ints> context;             // tokens that the encoder reads
  std::vector<Ints> memory;              // the tokens at the memory's rows
  std::vector<std::vector<float>> mask;  // Eq. 9
  std::vector<Ints> utterances;          // what the integration LSTM reads, counted through
  std::vector<Ints> inputs, targets;
  Ints query;  // memory row
  bool operator==(const Seen&) const = default;
};

Seen take_apart(const Batch& batch) {
  Seen seen;
  const Ints tokens = batch.context.tokens.to_ints(), sequence = batch.context.to_batch.to_ints(),
             memory_rows = batch.memory.rows.to_ints(), queries = batch.memory.query_rows.to_ints(),
             integrated = batch.sequences.to_batch.to_ints(),
             integration_rows = batch.sequences.rows.to_ints(),
             inputs = batch.response.inputs.to_ints(), targets = batch.response.targets.to_ints();
  const auto unpack = [](const Packing& packing, const Ints& values, int64_t s) {
    Ints result;
    for (int64_t t = 0; t < packing.length(s); ++t) result.push_back(values[packing.row(t, s)]);
    return result;
  };
  for (int64_t b = 0; b < batch.size; ++b) {
    seen.context.push_back(unpack(batch.context.packing, tokens, sequence[b]));
    Ints memory;
    std::vector<float> mask;
    for (int64_t j = batch.memory.segments.begin(b); j < batch.memory.segments.end(b); ++j) {
      memory.push_back(tokens[memory_rows[j]]);
      mask.push_back(batch.memory.distraction[j]);
    }
    seen.memory.push_back(memory);
    seen.mask.push_back(mask);
    seen.query.push_back(queries[b]);
    seen.utterances.push_back(unpack(batch.sequences.packing, integration_rows, integrated[b]));
    seen.inputs.push_back(unpack(batch.response.packing, inputs, b));
    seen.targets.push_back(unpack(batch.response.packing, targets, b));
  }
  return seen;
}

// The same, straight from the examples.
Seen naive(const std::vector<Example>& examples, const std::vector<int64_t>& order,
           bool hierarchical) {
  Seen seen;
  int32_t row = 0, utterance_number = 0;
  for (int64_t i : order) {
    const Example& e = examples[i];
    Ints context, memory, rows;
    std::vector<float> mask;
    for (size_t k = 0; k < e.context.size(); ++k) {
      Ints utterance = e.context[k];
      utterance.push_back(kEou);
      context.insert(context.end(), utterance.begin(), utterance.end());
      const Ints looked_at = hierarchical ? Ints{kEou} : utterance;
      memory.insert(memory.end(), looked_at.begin(), looked_at.end());
      mask.insert(mask.end(), looked_at.size(), e.distraction[k] ? 1.0f : 0.0f);
    }
    for (size_t k = 0; k < e.context.size(); ++k) rows.push_back(utterance_number++);
    row += static_cast<int32_t>(memory.size());
    Ints inputs = e.response, targets = e.response;
    inputs.insert(inputs.begin(), kSos);
    targets.push_back(kEos);
    seen.context.push_back(context);
    seen.memory.push_back(memory);
    seen.mask.push_back(mask);
    seen.utterances.push_back(rows);
    seen.query.push_back(row - 1);
    seen.inputs.push_back(inputs);
    seen.targets.push_back(targets);
  }
  return seen;
}

TEST(MakeBatch, EncoderPackingByHand) {
  const auto examples = three();
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  EXPECT_EQ(batch.size, 3);
  EXPECT_EQ(batch.order, (std::vector<int64_t>{1, 2, 0}));
  EXPECT_EQ(batch.token_count, (5 + 8 + 4) + (2 + 4 + 3));
  // step by step, longest context first: b (8), a (5), c (4)
  EXPECT_EQ(batch.context.tokens.to_ints(),
            (Ints{20, 10, 30, 21, 4, 4, 22, 11, 31, 4, 12, 4, 23, 4, 24, 25, 4}));
  EXPECT_EQ(batch.context.to_batch.to_ints(), (Ints{0, 2, 1}));
}

TEST(MakeBatch, MemoryByHand) {
  const auto examples = three();
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  EXPECT_EQ(batch.memory.segments.total(), 6);
  EXPECT_EQ(batch.memory.rows.to_ints(), (Ints{9, 16, 5, 11, 4, 13}));  // <eou>s of b, c, a
  EXPECT_EQ(batch.memory.query_rows.to_ints(), (Ints{1, 3, 5}));
  EXPECT_EQ(batch.memory.distraction, (std::vector<float>{0, 0, 0, 0, 1, 0}));
  EXPECT_TRUE(batch.memory.has_distraction());

  const Batch tokens = make_batch(pointers(examples), {.memory = MemoryOf::kTokens});
  EXPECT_EQ(tokens.memory.segments.total(), 17);
  EXPECT_EQ(tokens.memory.query_rows.to_ints(), (Ints{7, 11, 16}));
  EXPECT_EQ(tokens.memory.distraction,  // a's first utterance is one word and its <eou>
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}));
}

TEST(MakeBatch, DecoderByHand) {
  const auto examples = three();
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  EXPECT_EQ(batch.response.inputs.to_ints(), (Ints{2, 2, 2, 26, 32, 13, 27, 33, 28}));
  EXPECT_EQ(batch.response.targets.to_ints(), (Ints{26, 32, 13, 27, 33, 3, 28, 3, 3}));
  EXPECT_EQ(batch.response.dialogue_of_step.to_ints(), (Ints{0, 1, 2, 0, 1, 2, 0, 1, 0}));
}

TEST(MakeBatch, EveryDialogueIsWhole) {
  for (const bool hierarchical : {false, true}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const auto examples = random_examples(static_cast<int>(seed), seed);
      const Batch batch = make_batch(
          pointers(examples),
          BatchParts{.memory = hierarchical ? MemoryOf::kUtterances : MemoryOf::kTokens});
      EXPECT_TRUE(take_apart(batch) == naive(examples, batch.order, hierarchical)) << seed;
      EXPECT_EQ(batch.token_count, batch.context.packing.rows() + batch.response.packing.rows());
    }
  }
}

// Utterances as sequences of their own, all of them and the last ones; the tokens at token_rows are
// those of the segments.
TEST(MakeBatch, EveryUtteranceIsWhole) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto examples = random_examples(static_cast<int>(seed), seed);
    const Batch batch = make_batch(pointers(examples), {.utterances = true, .queries = true});
    for (const UtteranceBatch* u : {&batch.utterances, &batch.queries}) {
      std::vector<Ints> expected, found, of_tokens, expected_last, last;
      for (const int64_t i : batch.order) {
        const auto& context = examples[i].context;
        for (size_t k = u == &batch.queries ? context.size() - 1 : 0; k < context.size(); ++k) {
          expected.push_back(context[k]);
          expected.back().push_back(kEou);
        }
        expected_last.push_back(expected.back());
      }
      const Ints tokens = u->tokens.to_ints(), rows = u->token_rows.to_ints();
      const auto sequence = [&](int64_t s) {
        Ints words;
        for (int64_t t = 0; t < u->packing.length(s); ++t) {
          words.push_back(tokens[u->packing.row(t, s)]);
        }
        return words;
      };
      for (const int32_t s : u->to_memory.to_ints()) found.push_back(sequence(s));
      for (const int32_t s : u->last.to_ints()) last.push_back(sequence(s));
      for (int64_t s = 0; s < u->of_tokens.count(); ++s) {
        Ints& words = of_tokens.emplace_back();
        for (int64_t j = u->of_tokens.begin(s); j < u->of_tokens.end(s); ++j) {
          words.push_back(tokens[rows[j]]);
        }
      }
      EXPECT_EQ(found, expected) << seed;
      EXPECT_EQ(of_tokens, expected) << seed;
      EXPECT_EQ(last, expected_last) << seed;
    }
  }
}

TEST(MakeBatch, OrderIsByResponseAndStable) {
  auto examples = random_examples(40, 3);
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  for (int64_t b = 1; b < batch.size; ++b) {
    const auto size = [&](int64_t at) { return examples[batch.order[at]].response.size(); };
    EXPECT_GE(size(b - 1), size(b));
    EXPECT_TRUE(size(b - 1) > size(b) || batch.order[b - 1] < batch.order[b]);
  }
  EXPECT_EQ(std::set<int64_t>(batch.order.begin(), batch.order.end()).size(), 40u);
}

TEST(MakeBatch, NoDistractionIsSeen) {
  const auto examples = random_examples(5, 1, /*distractions=*/false);
  EXPECT_FALSE(
      make_batch(pointers(examples), {.memory = MemoryOf::kUtterances}).memory.has_distraction());
}

TEST(MakeBatch, AnEmptyResponsePredictsOnlyTheEnd) {
  auto examples = three();
  for (Example& e : examples) e.response.clear();
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  EXPECT_EQ(batch.response.inputs.to_ints(), (Ints{kSos, kSos, kSos}));
  EXPECT_EQ(batch.response.targets.to_ints(), (Ints{kEos, kEos, kEos}));
}

TEST(MakeBatch, HostileExamples) {
  const auto error = [](auto spoil) {
    auto examples = three();
    spoil(examples);
    return error_of<DataError>(
        [&] { make_batch(pointers(examples), {.memory = MemoryOf::kUtterances}); });
  };
  EXPECT_EQ(error([](auto& e) { e.clear(); }), "batch: no examples");
  EXPECT_EQ(error([](auto& e) { e[1].context.clear(); }), "example b: no context");
  EXPECT_EQ(error([](auto& e) { e[2].context[1].clear(); }), "example c: an empty utterance");
  const std::string flags = "example a: 2 utterances, but flags of distractions for ";
  EXPECT_EQ(error([](auto& e) { e[0].distraction = {1}; }), flags + "1");
  EXPECT_EQ(error([](auto& e) { e[0].distraction = {0, 0, 1}; }), flags + "3");
}

TEST(ExampleTokens, CountsTheClosingTokens) {
  EXPECT_EQ(example_tokens(three()[0]), 7);
  EXPECT_EQ(example_tokens(three()[1]), 12);
}

// In batch order: b, c, a.
TEST(MakeBatch, ConditionsStandDialogueAfterDialogue) {
  std::vector<Example> examples = three();
  EXPECT_TRUE(make_batch(pointers(examples), {}).conditions.empty());
  examples[0].conditions = {{1}, {7, 8}};
  examples[1].conditions = {{2}, {}};
  examples[2].conditions = {{3}, {9}};
  const Batch batch = make_batch(pointers(examples), {});
  ASSERT_EQ(batch.conditions.size(), 2u);
  EXPECT_EQ(batch.conditions[0].ids.to_ints(), (Ints{2, 3, 1}));
  EXPECT_EQ(batch.conditions[1].ids.to_ints(), (Ints{9, 7, 8}));
  EXPECT_EQ(batch.conditions[1].segments.length(0), 0);
  EXPECT_EQ(batch.conditions[1].segments.length(2), 2);
  examples[2].conditions.pop_back();
  EXPECT_EQ(error_of<DataError>([&] { make_batch(pointers(examples), {}); }),
            "example c: 1 conditions beside examples with 2");
}

}  // namespace
}  // namespace heed
