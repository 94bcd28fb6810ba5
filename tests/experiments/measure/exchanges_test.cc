// What an exchanged utterance does, on examples where there is one choice.
#include "experiments/measure/exchanges.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

const Pool kOne = std::vector<PoolUtterance>{{"other", {5, 9, 14}}};

double nll_of(Responder& model, const Example& example) {
  const std::vector<double> nll = score(model, {example}, 1)[0].nll;
  return std::accumulate(nll.begin(), nll.end(), 0.0);
}

// Of so many utterances each.
std::vector<Example> examples_of(size_t utterances) {
  std::vector<Example> examples = random_examples(5, 3, /*distractions=*/false);
  for (Example& e : examples) {
    e.context.resize(utterances, {7, 8});
    e.distraction.resize(utterances);
  }
  return examples;
}

// The history is one utterance, and the pool holds one.
TEST(Exchanges, AreWhatTheResponseLoses) {
  const std::vector<Example> examples = examples_of(2);
  const auto model = drawn_model("dynamic");
  const auto scores = score(*model, examples, 2);
  double sums[2] = {};
  for (const size_t k : {0, 1}) {
    const Exchanges e = exchange(*model, examples, scores, kOne,
                                 k == 1 ? Exchanged::kQuery : Exchanged::kHistory, 2);
    ASSERT_EQ(e.added.size(), examples.size());
    ASSERT_EQ(e.looks.size(), examples.size());
    for (size_t i = 0; i < examples.size(); ++i) {
      Example other = examples[i];
      other.context[k] = {5, 9, 14};
      EXPECT_NEAR(e.added[i], nll_of(*model, other) - nll_of(*model, examples[i]), 1e-12) << k;
      EXPECT_EQ(e.looks[i], scores[i].as_scores[k]) << k;
      sums[k] += e.added[i];
    }
  }
  EXPECT_GT(std::abs(sums[0] - sums[1]), 1e-3);
}

// Of four utterances each of the three before the query is drawn, and never the query.
TEST(Exchanges, OfHistoriesDrawAnUtterance) {
  const std::vector<Example> examples = examples_of(4);
  const auto model = drawn_model("dynamic");
  const auto scores = score(*model, examples, 5);
  std::set<size_t> places;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Exchanges e = exchange(*model, examples, scores, kOne, Exchanged::kHistory, 5, seed);
    for (size_t i = 0; i < examples.size(); ++i) {
      const auto& looks = scores[i].as_scores;
      const auto found = std::find(looks.begin(), looks.end(), e.looks[i]);
      places.insert(static_cast<size_t>(found - looks.begin()));
    }
  }
  EXPECT_EQ(places, (std::set<size_t>{0, 1, 2}));
}

// Which utterance, and by which one of the pool, is drawn by the seed.
TEST(Exchanges, AreDrawnByTheSeed) {
  const std::vector<Example> examples = examples_of(4);
  const auto model = drawn_model("dynamic");
  const auto scores = score(*model, examples, 5);
  const Pool two = std::vector<PoolUtterance>{{"other", {5, 9, 14}}, {"more", {6, 6, 6}}};
  const auto of = [&](Exchanged which, uint64_t seed) {
    return exchange(*model, examples, scores, two, which, 5, seed).added;
  };
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    EXPECT_EQ(of(which, 5), of(which, 5));
    EXPECT_NE(of(which, 5), of(which, 6));
  }
}

// A context of the query alone has no history: the query is exchanged. A model without attention
// has no looks.
TEST(Exchanges, OfOneUtteranceAreOfTheQuery) {
  const std::vector<Example> examples = examples_of(1);
  const auto model = drawn_model("lstm");
  const auto scores = score(*model, examples, 5);
  const Exchanges query = exchange(*model, examples, scores, kOne, Exchanged::kQuery, 5),
                  history = exchange(*model, examples, scores, kOne, Exchanged::kHistory, 5);
  EXPECT_EQ(query.added, history.added);
  EXPECT_NE(query.added[0], 0);
  EXPECT_TRUE(query.looks.empty());
}

}  // namespace
}  // namespace heed
