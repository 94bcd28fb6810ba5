// What is measured of the models of four papers, on cases that are counted by hand.
#include <gtest/gtest.h>

#include <map>

#include "dialog/parts/nbest.h"
#include "dialog/respond/structures.h"
#include "experiments/generators/evaluation_json.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed::generators {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Asked for negative: one of two is; for neutral: both; for positive: one says nothing, one the
// opposite.
TEST(Control, CountsTheAnswersThatAreAsAsked) {
  const Lexicon lexicon = {{"good", 2}, {"bad", -2}, {"so", 0.5}};
  OrderedJson json;
  put_control(json, lexicon, [](const std::string& wanted) -> std::vector<Tokens> {
    if (wanted == "negative") return {{"bad", "good", "bad"}, {"good"}};
    if (wanted == "neutral") return {{"so", "so"}, {"good", "bad"}};
    EXPECT_EQ(wanted, "positive");
    return {{"a", "b", "c"}, {"bad"}};
  });
  EXPECT_EQ(json["got"], OrderedJson({{"negative", 0.5}, {"neutral", 1}, {"positive", 0}}));
  EXPECT_EQ(json["sentiment_words"]["negative"], 4.0 / 4);
  EXPECT_EQ(json["sentiment_words"]["neutral"], 2.0 / 4);
  EXPECT_EQ(json["sentiment_words"]["positive"], 1.0 / 4);
  ASSERT_EQ(json["control_items"].size(), 2u);
  EXPECT_DOUBLE_EQ(json["control_items"][0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(json["control_items"][1], 1.0 / 3);
}

// A judge of lengths, of more examples than a batch holds.
TEST(BestAnswers, AreThoseOfTheJudgeAndOfTheProbability) {
  ModelConfig config = small_config(Structure::parse("hred-attention"));
  config.noise = Noise::kUtterance;
  const auto model = make_responder(config, 7);
  init_again_uniform(*model, -1, 1, 7);
  const std::vector<Example> examples = random_examples(kMeasuringBatch + 3, 5);
  std::vector<Dialogue> words(1);
  for (int i = kSpecialTokens; i < kTestVocabulary; ++i) {
    words[0].turns.push_back({"", "w" + std::to_string(i)});
  }
  const Vocabulary vocabulary = Vocabulary::build(count_tokens(words));
  DecodeOptions decode{.max_length = 6, .best_of = 5, .rank = DecodeOptions::Rank::kJudge};
  decode.judge = [](const Batch&, const std::vector<Answer>& answers) {
    std::vector<double> scores;
    for (const Answer& a : answers) scores.push_back(-static_cast<double>(a.tokens.size()));
    return scores;
  };
  const BestAnswers best = best_answers(*model, examples, vocabulary, decode);
  DecodeOptions as_drawn = decode;
  as_drawn.rank = DecodeOptions::Rank::kRandom;
  ASSERT_EQ(best.by_judge.size(), examples.size());
  size_t by_probability = 0, not_the_first = 0;
  std::vector<bool> always(5, true);  // whether the random one is the judge's n-th of each list
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto all = decode_lists(*model, {&examples[i]}, as_drawn)[0];
    ASSERT_EQ(all.size(), 5u);
    const Decoding *shortest = &all[0], *probable = &all[0];
    bool is_there = false;
    for (const Decoding& d : all) {
      if (d.tokens.size() < shortest->tokens.size()) shortest = &d;
      if (d.log_prob > probable->log_prob) probable = &d;
      is_there = is_there || vocabulary.words(d.tokens) == best.random[i];
    }
    EXPECT_EQ(best.by_judge[i], vocabulary.words(shortest->tokens)) << i;
    EXPECT_EQ(best.by_log_prob[i], vocabulary.words(probable->tokens)) << i;
    EXPECT_TRUE(is_there) << i;
    const auto judged = decode_lists(*model, {&examples[i]}, decode)[0];
    Rng rng(kTestSeed, "best", i);  // of its own number, in whatever batch
    EXPECT_EQ(best.random[i], vocabulary.words(judged[rng.below(judged.size())].tokens)) << i;
    for (size_t n = 0; n < always.size(); ++n) {
      always[n] = always[n] && best.random[i] == vocabulary.words(judged[n].tokens);
    }
    by_probability += best.by_judge[i] != best.by_log_prob[i];
    not_the_first += best.random[i] != vocabulary.words(all[0].tokens);
  }
  EXPECT_GT(by_probability, 3u);
  EXPECT_GT(not_the_first, 3u);
  EXPECT_EQ(std::count(always.begin(), always.end(), true), 0);
}

TEST(Mmi, PairsAreReversed) {
  const auto all = reversed(std::vector<Example>{
      {.id = "a#2", .dialogue_id = "a", .context = {{5, 6}}, .distraction = {0}, .response = {7}},
      {.id = "b#2", .dialogue_id = "b", .context = {{5}}, .distraction = {0}, .response = {}},
      {.id = "c#3",
       .dialogue_id = "c",
       .context = {{8}, {9, 10}},
       .distraction = {0, 1},
       .response = {11, 12}}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].context, (std::vector<std::vector<int32_t>>{{7}}));
  EXPECT_EQ(all[0].response, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(all[1].id, "c#3");
  EXPECT_EQ(all[1].dialogue_id, "c");
  EXPECT_EQ(all[1].context, (std::vector<std::vector<int32_t>>{{11, 12}}));
  EXPECT_EQ(all[1].distraction, std::vector<char>{0});
  EXPECT_EQ(all[1].response, (std::vector<int32_t>{9, 10}));
}

// ln P(Q | R) of a table.
class Reversals : public PairRanker {
  std::vector<double> score_last(const std::vector<Dialogue>& dialogues, int64_t) const override {
    const std::map<std::pair<std::string, std::string>, double> log_p = {
        {{"so what?", "i know."}, -9},
        {{"so what?", "nothing"}, -4},
        {{"so what?", "yes"}, -8},
        {{"hello", "yes"}, -7},
        {{"hello", "you too"}, -6.9}};
    std::vector<double> scores;
    for (const Dialogue& d : dialogues) {
      EXPECT_EQ(d.turns.size(), 2u);
      scores.push_back(log_p.at({d.turns[1].text, d.turns[0].text}));
    }
    return scores;
  }
};

// Of -2 - 9, -6 - 4 and -3 - 8 the second is the largest, of -1 - 7 and -1.2 - 6.9 the first. A
// weight of 0.4 changes the first choice, one of 0.7 the second.
TEST(Mmi, TheBestHasTheLargestSum) {
  const std::vector<Offered> lists = {{{{"i", "know", "."}, {"nothing"}, {"yes"}}, {-2, -6, -3}},
                                      {{{"yes"}, {"you", "too"}}, {-1, -1.2}}};
  EXPECT_EQ(best_by_mmi(lists, {{"so", "what", "?"}, {"hello"}}, Reversals()),
            (std::vector<Tokens>{{"nothing"}, {"yes"}}));
}

}  // namespace
}  // namespace heed::generators
