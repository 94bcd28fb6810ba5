// A model that responds as a ranker of responses.
#include <gtest/gtest.h>

#include <numeric>

#include "dialog/respond/encoder.h"
#include "dialog/text/vocabulary.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

// The score is ln p of all tokens and of <eos>, in whatever batches.
TEST(ResponseRanker, ScoresByLogP) {
  const Vocabulary words = Vocabulary::build({{"aa", 3}, {"bb", 2}, {"cc", 1}});
  ModelConfig config = small_config(Structure::parse("static-ui"));
  config.vocab_size = words.size();
  LstmResponder model(config, 3);
  init_again_uniform(model, -1.5, 1.5, 3);
  convert(model, DType::f64);
  const std::vector<std::string> texts = {"bb aa cc", "cc", "aa aa aa aa"};
  const ResponseRanker r(model, words, {.max_turns = 2, .max_response_tokens = 1, .speaker = "x"});
  const auto log_p = [&](const std::vector<std::string>& context, const std::string& said) {
    Example e;
    for (const std::string& text : context) e.context.push_back(encode_utterance(text, words));
    e.distraction.assign(context.size(), 0);
    e.response = encode_utterance(said, words);
    const DialogueScore alone = score(model, {e}, 1)[0];
    return -std::accumulate(alone.nll.begin(), alone.nll.end(), 0.0);
  };
  for (const int64_t batch : {1, 8}) {
    const auto scores =
        r.score(texts, {{{"gone", "aa cc", "bb"}, {2, 0}}, {{"cc"}, {1, 0}}}, batch).of_queries;
    ASSERT_EQ(scores.size(), 2u);
    EXPECT_NEAR(scores[0][0], log_p({"aa cc", "bb"}, texts[2]), 1e-10);
    EXPECT_NEAR(scores[0][1], log_p({"aa cc", "bb"}, texts[0]), 1e-10);
    EXPECT_NEAR(scores[1][0], log_p({"cc"}, texts[1]), 1e-10);
  }
}

}  // namespace
}  // namespace heed
