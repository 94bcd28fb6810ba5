// The task of a ranker: its validation, what it draws, and what it counts.
#include <gtest/gtest.h>

#include <numeric>

#include "autograd/ops.h"
#include "dialog/retrieve/task.h"
#include "nn/init.h"
#include "tensor/random.h"

namespace heed::retrieve {
namespace {

// Texts of two to five words, of twenty.
std::vector<TextPair> drawn_pairs(size_t count) {
  Rng rng(1);
  const auto text = [&] {
    Tokens words(2 + rng.below(4));
    for (int32_t& word : words) word = static_cast<int32_t>(kSpecialTokens + rng.below(20));
    words.push_back(kEou);
    return words;
  };
  std::vector<TextPair> pairs;
  for (size_t i = 0; i < count; ++i) pairs.push_back({text(), text(), std::to_string(i)});
  return pairs;
}

struct SmallTask {
  Settings settings = Runs::preset("smoke");
  TrainData data;
  DualEncoder model;

  explicit SmallTask(size_t train, size_t valid)
      : data{.vocabulary = {}, .train = drawn_pairs(train), .valid = drawn_pairs(valid)},
        model([&] {
          settings.model.vocab_size = kSpecialTokens + 20;
          settings.model.embedding_size = settings.model.hidden_size = 16;
          settings.model.dropout = 0;
          return settings.model;
        }()) {
    init(model, 1);
  }
  Task task() { return ranker_task(model, settings, data); }
};

// Of more than 2000 examples every place i n / 2000, rounded down. A list has 100 responses, those
// that stand n / 100 apart; what is left over has no list. Equal scores share their ranks.
TEST(RankerTask, TheValidationIsOfListsByStride) {
  for (const size_t all : {60, 250, 4130}) {
    SmallTask small(2, all);
    const size_t measured = std::min<size_t>(all, 2000), size = std::min<size_t>(all, 100),
                 lists = measured / size;
    std::vector<Tokens> contexts, responses;
    for (size_t i = 0; i < size * lists; ++i) {
      const TextPair& pair = small.data.valid[i * all / measured];
      contexts.push_back(pair.context), responses.push_back(pair.response);
    }
    const NoGrad guard;
    const std::vector<double> c = small.model.contexts(contexts).value().to_vector(),
                              r = small.model.responses(responses).value().to_vector();
    const auto width = std::ssize(c) / std::ssize(contexts);
    const auto score = [&](size_t i, size_t k) {
      const auto row = c.begin() + static_cast<ptrdiff_t>(i) * width;
      return std::inner_product(row, row + width, r.begin() + static_cast<ptrdiff_t>(k) * width,
                                0.0);
    };
    double first = 0, reciprocal = 0;
    for (size_t i = 0; i < size * lists; ++i) {
      const double own = score(i, i);
      int above = 0, equal = 0;
      for (size_t k = i % lists; k < size * lists; k += lists) {
        const double other = score(i, k);
        above += other > own;
        equal += other == own;
      }
      first += above == 0 ? 1.0 / equal : 0;
      for (int rank = above + 1; rank <= above + equal; ++rank) reciprocal += 1.0 / rank / equal;
    }
    const Metrics metrics = small.task().validate([](int64_t, int64_t) {});
    const auto count = static_cast<double>(size * lists);
    EXPECT_NEAR(value_of(metrics, kValidFirst), first / count, 1e-9) << all;
    EXPECT_NEAR(value_of(metrics, kValidReciprocal), reciprocal / count, 1e-9) << all;
  }
}

// Any training response may be drawn, the last one, too.
TEST(RankerTask, SharedNegativesAreOfAllTrainingResponses) {
  SmallTask small(4, 2);
  small.settings.negatives = "shared:60";
  const auto loss = [&] { return small.task().loss({1}, {}).nll; };
  const double before = loss();
  EXPECT_EQ(loss(), before);
  for (const size_t other : {0, 2, 3}) {
    Tokens& response = small.data.train[other].response;
    const Tokens said = response;
    response = {said[0], said[0], said[0], kEou};
    EXPECT_NE(loss(), before) << other;
    response = said;
  }
}

// What a batch costs, and what an error says of it: the tokens of both sides.
TEST(RankerTask, CountsTheTokensOfBothSides) {
  SmallTask small(3, 2);
  small.data.train = {{{7, 8, 9, kEou}, {7, kEou}},
                      {{7, kEou}, {7, 8, 9, 7, kEou}},
                      {{7, 8, kEou, 9, 8, kEou}, {9, 8, kEou}}};
  const Task task = small.task();
  EXPECT_EQ(task.sizes, (std::vector<int64_t>{6, 7, 9}));
  EXPECT_EQ(task.describe({0, 2}), "2 contexts and responses of 15 tokens");
  EXPECT_EQ(task.loss({1, 2}, {}).tokens, 16);
  small.settings.negatives = "shared:5";  // which are read, too
  const int64_t shared = small.task().loss({1, 2}, {}).tokens - 16;
  EXPECT_GE(shared, 5 * 2);
  EXPECT_LE(shared, 5 * 5);
}

}  // namespace
}  // namespace heed::retrieve
