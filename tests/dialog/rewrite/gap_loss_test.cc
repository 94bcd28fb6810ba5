// The loss of a model of gaps and its choices, computed again by plain loops from its outputs.
#include "dialog/rewrite/loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "dialog/data/formats/corpora.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "nn/init.h"
#include "tests/dropout_masks.h"

namespace heed::rewrite {
namespace {

using Vec = std::vector<double>;

Vocabulary some_letters() {
  TokenCounts counts;
  for (char c = 'a'; c <= 'h'; ++c) counts[std::string(1, c)] = 200 - c;
  return Vocabulary::build(counts);
}

// Two gaps of which one is filled, none, one that nothing fills, and one with one candidate.
std::vector<GapExample> four_examples() {
  std::vector<Dialogue> dialogues;
  for (const auto& [first, second, turn, full] : {std::tuple("a b c", "d e", "f g", "f b c g z"),
                                                  {"c c", "d", "a b", "a b"},
                                                  {"h", "a", "b d", "b z d"},
                                                  {"e", "e", "it is", "e is"}}) {
    Dialogue& d = dialogues.emplace_back(Dialogue{"d", {{"", first}, {"", second}, {"", turn}}});
    d.turns.back().notes.edit().labels[kRewritten] = {full};
  }
  return gap_examples("", dialogues, {.max_span = 3}, some_letters(), /*labelled=*/true);
}

GapModel random_model(double dropout = 0) {
  const Config config{.vocab_size = some_letters().size(),
                      .embedding_size = 5,
                      .hidden_size = 4,
                      .dropout = dropout,
                      .bounds = {.max_span = 3}};
  GapModel model(config);
  init(model, 4);
  convert(model, DType::f64);
  return model;
}

GapBatch pointers_to(const std::vector<GapExample>& examples) {
  GapBatch batch;
  for (const GapExample& e : examples) batch.push_back(&e);
  return batch;
}

double labels_by_hand(const Vec& logits, const std::vector<GapExample>& examples) {
  double all = 0;
  size_t row = 0;
  for (const GapExample& e : examples) {
    const std::vector<int32_t> labels = labels_of(e.gaps, e.turn.size());
    for (const int32_t label : labels) {
      const double* y = &logits[kLabels * row++];
      double sum = std::exp(y[0]);
      for (int i = 1; i < kLabels; ++i) sum += std::exp(y[i]);
      all += (std::log(sum) - y[label]) / static_cast<double>(labels.size());
    }
  }
  return all;
}

double rank_by_hand(const Vec& f, const std::vector<GapExample>& examples, double margin,
                    size_t hardest) {
  double all = 0;
  size_t begin = 0;
  for (const GapExample& e : examples) {
    for (const Gap& gap : e.gaps) {
      const size_t n = e.candidates.size();
      const double null = f[begin + n];
      const auto answer = e.answer(gap);
      Vec others;
      for (size_t c = 0; c < n; ++c) {
        if (c != answer) others.push_back(f[begin + c]);
      }
      std::sort(others.rbegin(), others.rend());
      if (hardest > 0 && hardest < others.size()) others.resize(hardest);
      const auto over = [&](double above, double below) {
        return std::max(0.0, margin + below - above);
      };
      for (const double other : others) {
        const double both = over(null, other) + (answer ? over(f[begin + *answer], other) : 0);
        all += both / static_cast<double>(others.size());
      }
      if (answer) all += over(f[begin + *answer], null);
      begin += n + 1;
    }
  }
  EXPECT_EQ(begin, f.size());
  return all;
}

TEST(GapLoss, IsThatOfPlainLoops) {
  const GapModel model = random_model();
  const std::vector<GapExample> examples = four_examples();
  ASSERT_EQ(examples[0].gaps.size(), 2u);
  ASSERT_EQ(examples[3].candidates.size(), 1u);
  double squares = 0;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "embedding.weight") continue;
    for (const double x : p.var.value().to_vector()) squares += x * x;
  }
  std::set<double> ranks;
  for (const double margin : {0.01, 0.5, 3.0}) {
    for (const size_t hardest : {0, 1, 3, 100}) {
      for (const char* learn : {"both", "detect", "rank"}) {
        const LossSettings s{.learn = learn,
                             .label_weight = 0.7,
                             .size_weight = 0.3,
                             .margin = margin,
                             .hardest = static_cast<int64_t>(hardest)};
        const JointLoss loss = joint_loss(model, pointers_to(examples), s);
        const double labels = labels_by_hand(loss.logits.value().to_vector(), examples),
                     rank = rank_by_hand(loss.scores->f.value().to_vector(), examples, margin,
                                         hardest);
        EXPECT_NEAR(loss.labels, labels, 1e-9);
        EXPECT_NEAR(loss.rank, rank, 1e-9) << margin << ", " << hardest;
        EXPECT_NEAR(loss.total.item(),
                    ((s.detects() ? 0.7 * labels : 0) + (s.ranks() ? rank : 0)) / 4 +
                        0.3 * std::sqrt(squares),
                    1e-9)
            << learn;
        ranks.insert(rank);
      }
    }
  }
  EXPECT_EQ(ranks.size(), 3 * 3u);  // 0 and 100 are all candidates
}

// Of what is read and of the states, each with a mask of its own, which the key of the step draws.
TEST(GapLoss, DropoutFallsOnInputsAndStates) {
  const GapModel model = random_model(0.5);
  const std::vector<GapExample> examples = four_examples();
  size_t units = 0;
  for (const GapExample& e : examples) units += e.ids.size();
  const auto masks = [&](uint64_t step) {
    return dropout_masks(sum(model.read(pointers_to(examples), DropoutMode(0.5, 1, step)).h));
  };
  const auto first = masks(1);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ((std::set<size_t>{first[0].size(), first[1].size()}),
            (std::set<size_t>{units * 5, units * 8}));
  EXPECT_EQ(masks(1), first);
  EXPECT_NE(masks(2), first);
}

// A model of the smoke preset, and what it learns from.
struct SmokeGaps {
  explicit SmokeGaps(double dropout, int64_t batch = 32) {
    settings.model.dropout = dropout;
    settings.loop.batch_size = batch;
    settings.model.vocab_size = some_letters().size();
    data.vocabulary = some_letters();
    data.train = data.valid = four_examples();
    gaps.emplace(LoadedGaps{GapModel(settings.model), data.vocabulary});
    init(gaps->model, 3);
  }
  Task task() { return Own::task(*gaps, settings, data); }

  Settings settings = Runs::preset("smoke");
  TrainData data;
  std::optional<LoadedGaps> gaps;
};

// The dropout of a step is that of its number, also through the task.
TEST(GapLoss, EachStepDropsOtherUnits) {
  SmokeGaps learning(0.5);
  const Task task = learning.task();
  const auto loss = [&](int64_t step) {
    return task.loss({0, 1, 2, 3}, {.seed = 1, .epoch = 1, .step = step}).nll;
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

// Where all scores are the same the nearest candidates come first, and nothing is filled: the turn
// stays as it is unless something is better than nothing.
TEST(GapLoss, EqualScoresFillNothing) {
  GapModel model = random_model();
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "score.weight") p.var.set_value(Tensor::zeros(p.var.shape(), DType::f64));
  }
  const std::vector<GapExample> examples = four_examples();
  const std::vector<Rewrite> found = rewrite(model, examples, /*given=*/true, 2);
  for (size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(found[i].text, examples[i].turn) << i;
    ASSERT_EQ(found[i].gaps.size(), examples[i].gaps.size());
    for (const Filled& f : found[i].gaps) {
      std::vector<size_t> first = {0, 1, 2};
      first.resize(std::min<size_t>(3, examples[i].candidates.size()));
      EXPECT_EQ(f.best, first) << i;
      EXPECT_EQ(f.above_null, 0);
      EXPECT_EQ(f.gap.piece, Tokens{});
    }
  }
}

// Validation reads the turns three times, for the loss, the model's own gaps and the given ones.
TEST(GapLoss, ValidationTellsHowFarItIs) {
  SmokeGaps learning(0, /*batch=*/3);
  std::vector<std::pair<int64_t, int64_t>> told;
  learning.task().validate([&](int64_t done, int64_t of) { told.emplace_back(done, of); });
  ASSERT_EQ(told.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(told[i].second, 12);
    EXPECT_EQ(told[i].first % 4 == 0, i % 2 == 1) << i;
    EXPECT_GT(told[i].first, i > 0 ? told[i - 1].first : 0) << i;
  }
  EXPECT_EQ(told.back().first, 12);
}

}  // namespace
}  // namespace heed::rewrite
