#include "dialog/retrieve/map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dialog/retrieve/losses.h"
#include "nn/layers.h"
#include "optim/optim.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed::retrieve {
namespace {

// Of each pair the response's vector is the context's with its halves exchanged. Of 700 pairs 560
// are learned from, in three batches of which the last is smaller.
struct Exchanged {
  static constexpr int64_t kPairs = 700, kWidth = 8;
  Tensor x = Tensor::empty({kPairs, kWidth}), y = Tensor::empty({kPairs, kWidth});
  Exchanged() {
    Rng rng(1);
    for (int64_t i = 0; i < kPairs; ++i) {
      double squares = 0;
      for (int64_t k = 0; k < kWidth; ++k) {
        const double value = rng.uniform() - 0.5;
        x.data<float>()[i * kWidth + k] = static_cast<float>(value);
        squares += value * value;
      }
      for (int64_t k = 0; k < kWidth; ++k) {
        x.data<float>()[i * kWidth + k] /= static_cast<float>(std::sqrt(squares));
      }
      for (int64_t k = 0; k < kWidth; ++k) {
        y.data<float>()[i * kWidth + k] = x(i, (k + kWidth / 2) % kWidth);
      }
    }
  }
  // How often the right response has the highest score of the first 100.
  double first(const Tensor& map) const {
    double right = 0;
    for (int64_t i = 0; i < 100; ++i) {
      int64_t best = 0;
      double most = -1e9;
      for (int64_t j = 0; j < 100; ++j) {
        double score = 0;
        for (int64_t k = 0; k < kWidth; ++k) {
          double mapped = x(i, k);
          for (int64_t l = 0; l < kWidth; ++l) mapped += map(k, l) * x(i, l);
          score += mapped * y(j, k);
        }
        if (score > most) most = score, best = j;
      }
      right += best == i;
    }
    return right / 100;
  }
};

TEST(Map, LearnsWhatTheCosineDoesNotSee) {
  const Exchanged pairs;
  std::vector<int32_t> said(Exchanged::kPairs);
  for (int32_t i = 0; i < Exchanged::kPairs; ++i) said[i] = i;
  const Tensor map = learn_map(pairs.x, pairs.y, said, 1);
  EXPECT_LT(pairs.first(Tensor::zeros(map.shape())), 0.2);
  EXPECT_GT(pairs.first(map), 0.9);
}

// Where every response is the same text there is nothing to learn.
TEST(Map, EqualTextsAreNoNegatives) {
  const Exchanged pairs;
  const std::vector<int32_t> said(Exchanged::kPairs, 0);
  for (const double weight : learn_map(pairs.x, pairs.y, said, 1).to_vector()) {
    EXPECT_EQ(weight, 0);
  }
}

// Two must be held out, or nothing chooses an epoch.
TEST(Map, NeedsTenPairs) {
  const auto learn = [](int64_t n) {
    const Tensor x = Tensor::full({n, 2}, 0.5);
    (void)learn_map(x, x, std::vector<int32_t>(static_cast<size_t>(n)), 1);
  };
  EXPECT_EQ(error_of<DataError>([&] { learn(9); }),
            "map needs 10 training responses at least, so that two are held out; there are 9");
  learn(10);
}

// Pairs that are held back are equal vectors: what is learned of the others soon gets worse for
// them. Of all epochs the least loss on them is 3.25; ten epochs later, when training ends, it
// is 3.40.
TEST(Map, IsThatOfTheBestEpoch) {
  Exchanged pairs;
  std::vector<int32_t> said(Exchanged::kPairs), held;
  std::vector<std::vector<int32_t>> texts;
  for (int32_t i = 0; i < Exchanged::kPairs; ++i) said[i] = i;
  for (int32_t i = 4; i < Exchanged::kPairs; i += 5) {
    pairs.y[i].copy_from(pairs.x[i]);
    held.push_back(i), texts.push_back({i});
  }
  const Tensor rows = Tensor::from(held);
  const auto loss = [&](const Tensor& map) {
    const Var of(gather_rows(Var(pairs.x), rows));
    const Var scores = 20 * affine(of + affine(of, Var(map)), gather_rows(Var(pairs.y), rows));
    return mean(softmax_loss(scores, candidates_of(texts, std::ssize(texts), true, {}), 0.2))
        .value()
        .item();
  };
  EXPECT_LT(loss(learn_map(pairs.x, pairs.y, said, 1)), 3.32);
}

// The same training once more. Of 321 pairs 257 are learned from: in each epoch a batch of 256, and
// one pair is left over.
Tensor learned_once_more(const Exchanged& pairs, const std::vector<int32_t>& said, uint64_t seed) {
  using Places = std::vector<int32_t>;
  const auto loss_of = [&](const Linear& map, const Places& places) {
    const Tensor rows = Tensor::from(places);
    const Var x = gather_rows(Var(pairs.x), rows), y = gather_rows(Var(pairs.y), rows);
    std::vector<Places> texts;
    for (const int32_t i : places) texts.push_back({said[i]});
    const Candidates candidates = candidates_of(texts, std::ssize(places), true);
    return mean(softmax_loss(20 * affine(x + map(x), y), candidates, 0.2));
  };
  Places learned, held;
  for (int32_t i = 0; i < std::ssize(said); ++i) (i % 5 == 4 ? held : learned).push_back(i);
  EXPECT_EQ(learned.size(), 257u);
  constexpr int64_t kWidth = Exchanged::kWidth;
  Tensor best;
  double least = 1e9;
  for (const double rate : {0.03, 0.01, 0.003}) {
    Linear map(kWidth, kWidth, /*with_bias=*/false);
    map.weight.set_value(Tensor::zeros({kWidth, kWidth}));
    Adam adam(map, {.rate = rate});
    double own = 1e9;
    for (int epoch = 0, worse = 0; epoch < 100 && worse < 10; ++epoch) {
      Rng(seed, "retrieve.map", static_cast<uint64_t>(epoch)).shuffle(learned);
      zero_grad(map);
      loss_of(map, Places(learned.begin(), learned.begin() + 256)).backward();
      adam.step();
      const NoGrad guard;
      const double loss = loss_of(map, held).value().item();
      worse = loss < own ? 0 : worse + 1;
      own = std::min(own, loss);
      if (loss < least) least = loss, best = map.weight.value().clone();
    }
  }
  return best;
}

TEST(Map, IsLearnedAsTheHeaderSays) {
  Exchanged pairs;
  std::vector<int32_t> said;
  for (int32_t i = 0; i < 321; ++i) said.push_back(i % 160);  // texts of two pairs and more
  for (int32_t i = 4; i < 321; i += 15) pairs.y[i].copy_from(pairs.x[i]);
  for (const uint64_t seed : {1, 2}) {
    const Tensor once_more = learned_once_more(pairs, said, seed);
    heed::expect_near(learn_map(pairs.x, pairs.y, said, seed).to_vector(), once_more.to_vector(),
                      1e-5);
  }
}

// A context is (1, 0), a response (0, 1).
struct Axes : VectorRanker {
  Tensor contexts(const Contexts& contexts, int64_t, const OnTexts&, size_t* cut) const override {
    if (cut) *cut += 2;
    return rows(contexts.size(), 0);
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t, const OnTexts&,
                   size_t* cut) const override {
    if (cut) *cut += 1;
    ++read;
    return rows(texts.size(), 1);
  }
  static Tensor rows(size_t n, int64_t one) {
    const Tensor x = Tensor::zeros({static_cast<int64_t>(n), 2});
    for (size_t i = 0; i < n; ++i) x.data<float>()[2 * i + static_cast<size_t>(one)] = 1;
    return x;
  }
  mutable int read = 0;
};

// Remembers what it reads. The vectors have no part in which that is.
struct Reading : VectorRanker {
  Tensor contexts(const Contexts& contexts, int64_t, const OnTexts&, size_t*) const override {
    for (const std::vector<std::string>& turns : contexts) {
      EXPECT_EQ(turns.size(), 1u);
      of_contexts.push_back(turns.back());
    }
    return Tensor::zeros({std::ssize(contexts), 2});
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t, const OnTexts&,
                   size_t*) const override {
    of_responses.insert(of_responses.end(), texts.begin(), texts.end());
    return Tensor::zeros({std::ssize(texts), 2});
  }
  mutable std::vector<std::string> of_contexts, of_responses;
};

// Of 10,000 pairs and fewer all are read; of more every place i n / 10,000, rounded down.
TEST(Map, ReadsTenThousandPairsEvenlySpread) {
  for (const size_t n : {9999, 10000, 10001, 25000}) {
    std::vector<Dialogue> dialogues;
    std::vector<Pair> pairs;
    for (size_t i = 0; i < n; ++i) {
      const std::string number = std::to_string(i);
      dialogues.push_back({number, {{"", "q" + number}, {"", "r" + number}}});
    }
    pairs = make_pairs(dialogues, {.all_positions = true, .min_turns = 2}, true);
    ASSERT_EQ(pairs.size(), n);
    const Reading ranker;
    const MappedRanker mapped = learn_map(ranker, dialogues, pairs, 1);
    const size_t read = std::min<size_t>(n, 10000);
    ASSERT_EQ(ranker.of_contexts.size(), read) << n;
    ASSERT_EQ(ranker.of_responses.size(), read) << n;
    for (size_t i = 0; i < read; ++i) {  // 0, 2, 5, 7, 10, ... of 25,000
      const std::string number = std::to_string(n == 25000 ? i / 2 * 5 + i % 2 * 2 : i);
      ASSERT_EQ(ranker.of_contexts[i], "q" + number) << n << " " << i;
      ASSERT_EQ(ranker.of_responses[i], "r" + number) << n << " " << i;
    }
  }
}

TEST(Map, StandsBeforeARankerWhichReadsAPoolOnce) {
  const Axes axes;
  const MappedRanker mapped(axes, Tensor::of({{0, 0}, {3, 0}}));
  const std::vector<std::string> texts = {"a", "b"};
  for (int i = 0; i < 2; ++i) {
    const Ranker::Scores scores = mapped.score(texts, {{{"x"}, {1, 0}}}, 8, {});
    EXPECT_EQ(scores.of_queries, (std::vector<std::vector<double>>{{3, 3}}));
    EXPECT_EQ(scores.remark,
              "3 texts cut: of a context the last words or pieces are kept, of a response the "
              "first");
  }
  EXPECT_EQ(axes.read, 1);
  EXPECT_EQ(axes.score(texts, {{{"x"}, {0}}}, 8, {}).of_queries[0][0], 0);
}

}  // namespace
}  // namespace heed::retrieve
