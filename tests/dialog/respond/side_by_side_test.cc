// What stands side by side: the heads of attention, and the directions of an encoder.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

// The attention of the model is the mean of its last layer's heads, each of which has its own.
TEST(SideBySide, HeadsHaveTheirOwnAttention) {
  const auto model = drawn_model("transformer");
  int64_t compared = 0;
  for (const DialogueScore& s : score(*model, random_examples(6, 5), 4)) {
    const auto whole = dialogue_means(s.as_scores, s.distraction).history;
    if (!whole) continue;
    ASSERT_GT(s.heads.size(), 2u);
    std::set<double> different;
    double sum = 0, heads = 0;
    for (const HeadMeans& head : s.heads) {
      different.insert(head.means.history.value());
      if (head.layer == s.heads.back().layer) sum += *head.means.history, ++heads;
    }
    EXPECT_EQ(different.size(), s.heads.size()) << s.id;
    EXPECT_NEAR(sum / heads, *whole, 1e-6) << s.id;
    ++compared;
  }
  EXPECT_GT(compared, 1);
}

// Without what reads backwards the second half of every state is 0.
TEST(SideBySide, TheForwardDirectionStandsFirst) {
  ModelConfig config = small_config(Structure::parse("non-hier"));
  config.bidirectional = true;
  const auto model = make_responder(config, 7);
  for (const auto& parameter : parameters(*model)) {
    if (parameter.name.find("_reverse") == std::string::npos) continue;
    parameter.var.set_value(Tensor::zeros(parameter.var.shape(), parameter.var.dtype(), Device()));
  }
  const std::vector<Example> examples = random_examples(3, 5);
  const Batch batch = make_batch(pointers(examples), model->parts(), Device());
  const Tensor states = model->representation(batch, Pooling::kMean).value();
  const int64_t width = states.shape()[1];
  for (int64_t b = 0; b < states.shape()[0]; ++b) {
    for (int64_t j = 0; j < width; ++j) {
      EXPECT_EQ(states(b, j) == 0, j >= width / 2) << b << " " << j;
    }
  }
}

}  // namespace
}  // namespace heed
