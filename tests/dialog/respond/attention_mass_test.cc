// The attention loss on the mass of each distraction, against plain loops over the weights.
#include <gtest/gtest.h>

#include "dialog/respond/loss.h"
#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

class AttentionMass : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<Responder> model() {
    auto m = make_responder(small_config(Structure::parse(GetParam())), 7);
    init_again_uniform(*m, -1, 1, 7);
    convert(*m, DType::f64);
    return m;
  }
};

// Contexts with two distractions beside each other, with one at the beginning, and with none.
std::vector<Example> examples() {
  std::vector<Example> all = random_examples(6, 4, /*distractions=*/false);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    Example& e = all[i];
    e.context.insert(e.context.begin(), i % 2 == 0 ? 2 : 1, {5, 6, 7});
    e.distraction.assign(e.context.size(), 0);
    e.distraction[0] = 1;
    if (i % 2 == 0) {
      e.distraction[1] = 1;
      e.context[1] = {8};
    }
  }
  return all;
}

// (1/q) sum over distractions of (the sum of their weights)^2, over all steps
double expected_mass(const Responder& model, const std::vector<Example>& examples) {
  double loss = 0;
  for (const Example& e : examples) {
    const Batch batch = make_batch({&e}, model.parts());
    const Taught taught = model.teach(batch);
    const bool of_tokens = model.parts().memory == MemoryOf::kTokens;
    for (size_t t = 0; t <= e.response.size(); ++t) {
      const auto w = weights_at(taught, batch, 0, static_cast<int64_t>(t));
      size_t row = 0;
      for (size_t k = 0; k < e.context.size(); ++k) {
        double mass = 0;
        const size_t rows = of_tokens ? e.context[k].size() + 1 : 1;
        for (size_t end = row + rows; row < end; ++row) mass += w[row];
        if (e.distraction[k]) loss += mass * mass / static_cast<double>(e.context.size());
      }
      EXPECT_EQ(row, w.size());
    }
  }
  return loss;
}

TEST_P(AttentionMass, IsTheSquaredShareOfEachDistraction) {
  const auto m = model();
  const std::vector<Example> all = examples();
  const Batch batch = make_batch(pointers(all), m->parts());
  const Taught taught = m->teach(batch);
  const double mass = attention_mass_loss(batch, taught).value().item();
  EXPECT_NEAR(mass, expected_mass(*m, all), 1e-12);
  const double rows = attention_loss(batch, taught).value().item();
  if (m->parts().memory == MemoryOf::kUtterances) {
    EXPECT_NEAR(mass, rows, 1e-12);
  } else {
    EXPECT_GT(mass, 2 * rows);  // of three words and more the squared sum, not the mean of squares
  }
  const double none = training_loss(batch, taught, 0).value().item();
  EXPECT_NEAR(training_loss(batch, taught, 2.5, AttentionLoss::kMass).value().item(),
              none + 2.5 * mass / static_cast<double>(all.size()), 1e-12);
}

TEST_P(AttentionMass, ReachesTheWeights) {
  const auto m = model();
  const std::vector<Example> all = examples();
  const Batch batch = make_batch(pointers(all), m->parts());
  const auto loss = [&] { return attention_mass_loss(batch, m->teach(batch)); };
  const double before = loss().value().item();
  Adam optimizer(*m, {.rate = 0.02});
  for (int step = 0; step < 100; ++step) {
    zero_grad(*m);
    loss().backward();
    optimizer.step();
  }
  EXPECT_LT(loss().value().item(), 0.5 * before);
}

INSTANTIATE_TEST_SUITE_P(Structures, AttentionMass,
                         testing::Values("static", "dynamic", "non-hier", "hred", "transformer",
                                         "bilstm-attention"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed
