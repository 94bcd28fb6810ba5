// Answers with noise, and the best of several.
#include "dialog/respond/noisy_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dialog/respond/structures.h"
#include "tests/dialog/respond/trainer_helpers.h"

namespace heed {
namespace {

struct Answering : testing::Test {
  Answering() {
    for (const Noise noise : {Noise::kUtterance, Noise::kWord}) {
      ModelConfig config = small_config(Structure::parse("hred-attention"));
      config.noise = noise;
      models.push_back(make_responder(config, 3));
      init_again_uniform(*models.back(), -1, 1, 7);
    }
  }
  std::vector<std::vector<Decoding>> answer(Responder& model, const DecodeOptions& options) const {
    return decode_lists(model, pointers(examples), options);
  }
  static std::vector<std::vector<int32_t>> words(const std::vector<Decoding>& list) {
    std::vector<std::vector<int32_t>> all;
    for (const Decoding& d : list) all.push_back(d.tokens);
    return all;
  }
  std::vector<std::unique_ptr<Responder>> models;
  const std::vector<Example> examples = random_examples(5, 3);
  using Rank = DecodeOptions::Rank;
  DecodeOptions options{.max_length = 8, .best_of = 6, .rank = Rank::kRandom};
};

TEST_F(Answering, DrawsAreReproducedAndTheFirstOnesTheSame) {
  for (const auto& model : models) {
    set_num_threads(1);
    const auto all = answer(*model, options);
    set_num_threads(3);
    DecodeOptions fewer = options;
    fewer.best_of = 2;
    const auto few = answer(*model, fewer);
    set_num_threads(1);
    std::set<std::vector<int32_t>> different;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(words(few[i]), words({all[i].begin(), all[i].begin() + 2}));
      for (const Decoding& d : all[i]) different.insert(d.tokens);
      const auto alone = decode_lists(*model, {&examples[i]}, options);
      EXPECT_EQ(words(alone[0]), words(all[i]));
    }
    EXPECT_GT(different.size(), 10u);
  }
}

// The noise of a dialogue is its own, and where it is of words that of each word is another: so
// large that it alone decides, it writes other words one after the other.
TEST_F(Answering, NoiseIsOfTheDialogueAndOfTheWord) {
  std::vector<Example> same(2, examples[0]);
  same[1].id = "another";
  options.noise_variance = 1e4;
  for (const auto& model : models) {
    const auto both = decode_lists(*model, pointers(same), options);
    EXPECT_NE(words(both[0]), words(both[1]));
  }
  double different = 0, all = 0;
  for (const auto& list : answer(*models[1], options)) {
    for (const Decoding& d : list) {
      all += static_cast<double>(d.tokens.size());
      different += static_cast<double>(std::set(d.tokens.begin(), d.tokens.end()).size());
    }
  }
  EXPECT_GT(different / all, 0.4);  // 0.2 if all words had the same
}

// Where none is given the variance is the paper's: 7 of answers, 9 of words.
TEST_F(Answering, TheUsualVarianceIsThatOfTheKindOfNoise) {
  for (size_t m = 0; m < 2; ++m) {
    DecodeOptions given = options, other = options;
    given.noise_variance = m == 0 ? 7 : 9;
    other.noise_variance = m == 0 ? 9 : 7;
    const auto usual = answer(*models[m], options), same = answer(*models[m], given),
               different = answer(*models[m], other);
    double off = 0;
    for (size_t i = 0; i < usual.size(); ++i) {
      for (size_t l = 0; l < usual[i].size(); ++l) {
        EXPECT_EQ(usual[i][l].log_prob, same[i][l].log_prob);
        off += std::abs(usual[i][l].log_prob - different[i][l].log_prob);
      }
    }
    EXPECT_GT(off, 0.01);
  }
}

// Without noise all are the greedy one, with its probability and its attention.
TEST_F(Answering, WithoutNoiseAllAreAlike) {
  options.noise_variance = 0;
  for (const auto& model : models) {
    const auto all = answer(*model, options);
    const auto greedy = decode(*model, pointers(examples), {.max_length = 8});
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all[i].size(), 6u);
      for (const Decoding& d : all[i]) {
        EXPECT_EQ(d.tokens, greedy[i].tokens);
        EXPECT_EQ(d.finished, greedy[i].finished);
        EXPECT_NEAR(d.log_prob, greedy[i].log_prob, 1e-4);
        const std::vector<double> looks = d.as_scores(), as_greedy = greedy[i].as_scores();
        ASSERT_EQ(looks.size(), examples[i].context.size());
        for (size_t k = 0; k < looks.size(); ++k) EXPECT_NEAR(looks[k], as_greedy[k], 1e-4);
      }
    }
  }
}

TEST_F(Answering, TheBestStandsFirst) {
  for (const auto& model : models) {
    const auto draws = answer(*model, options);
    DecodeOptions by = options;
    by.rank = Rank::kLogProb;
    const auto by_log_prob = answer(*model, by);
    by.rank = Rank::kJudge;
    by.judge = [](const Batch&, const std::vector<Answer>& answers) {
      std::vector<double> scores;
      for (const Answer& a : answers) scores.push_back(-std::ssize(a.tokens));
      return scores;
    };
    const auto shortest = answer(*model, by);
    for (size_t i = 0; i < draws.size(); ++i) {
      for (const Decoding& d : draws[i]) {
        EXPECT_GE(by_log_prob[i][0].log_prob, d.log_prob);
        EXPECT_LE(shortest[i][0].tokens.size(), d.tokens.size());
      }
    }
  }
}

// Of answers of different lengths: ln P is that of all their tokens and of <eos>, and they are
// sorted by it, not by its mean over the tokens.
TEST_F(Answering, ProbabilitiesAreThoseOfWholeAnswers) {
  for (const auto& model : models) favour(*model, kEos);
  for (const auto& model : models) {
    options.noise_variance = 0;
    options.rank = Rank::kRandom;
    const auto alike = answer(*model, options);
    const auto greedy = decode(*model, pointers(examples), {.max_length = 8});
    int finished = 0;
    for (size_t i = 0; i < alike.size(); ++i) {
      finished += greedy[i].finished;
      for (const Decoding& d : alike[i]) {
        EXPECT_NEAR(d.log_prob, greedy[i].log_prob, 1e-4);
        EXPECT_EQ(d.attention.size(), greedy[i].attention.size());
      }
    }
    EXPECT_GT(finished, 0);

    options.noise_variance = {};
    const auto draws = answer(*model, options);
    options.rank = Rank::kLogProb;
    const auto sorted = answer(*model, options);
    int in_other_order = 0;
    for (size_t i = 0; i < draws.size(); ++i) {
      std::vector<double> expected, found;
      for (const Decoding& d : draws[i]) expected.push_back(d.log_prob);
      for (const Decoding& d : sorted[i]) found.push_back(d.log_prob);
      std::ranges::sort(expected, std::greater());
      EXPECT_EQ(found, expected);
      const auto mean = [](const Decoding& d) {
        return d.log_prob / static_cast<double>(d.attention.size());
      };
      for (size_t k = 1; k < sorted[i].size(); ++k) {
        in_other_order += mean(sorted[i][k]) > mean(sorted[i][k - 1]) + 1e-3;
      }
    }
    EXPECT_GT(in_other_order, 0);
  }
}

TEST_F(Answering, AnotherSeedDrawsOtherNoise) {
  options.noise_variance = 100;
  for (const auto& model : models) {
    const auto first = answer(*model, options);
    DecodeOptions other = options;
    other.seed = options.seed + 1;
    const auto second = answer(*model, other);
    for (size_t i = 0; i < first.size(); ++i) EXPECT_NE(words(first[i]), words(second[i])) << i;
  }
}

// Half the deviation, with weights of the noise that are twice as large, is the same noise.
TEST_F(Answering, TheVarianceIsTheSquareOfTheDeviation) {
  for (const auto& model : models) {
    options.noise_variance = 16;
    const auto whole = answer(*model, options);
    const int64_t e = model->config().embedding_size, from = e + model->config().hidden_size;
    const Var weight = parameter(*model, "decoder.gru.weight_ih_l0");
    std::vector<double> doubled = weight.value().to_vector();
    const int64_t width = weight.shape()[1];
    for (size_t i = 0; i < doubled.size(); ++i) {
      const auto column = static_cast<int64_t>(i) % width;
      if (column >= from && column < from + e) doubled[i] *= 2;
    }
    weight.set_value(Tensor::from(doubled, weight.shape()).to(weight.dtype()));
    options.noise_variance = 4;
    const auto same = answer(*model, options);
    for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(words(whole[i]), words(same[i])) << i;
  }
}

// The judge is told which dialogue of the batch an answer is of.
TEST_F(Answering, TheJudgeKnowsTheDialogue) {
  DecodeOptions by = options;
  by.rank = Rank::kJudge;
  int64_t calls = 0;
  const auto draws = answer(*models[0], options);
  by.judge = [&](const Batch& batch, const std::vector<Answer>& answers) {
    ++calls;
    EXPECT_EQ(answers.size(), 30u);
    std::vector<int> of_dialogue(5);
    for (size_t k = 0; k < answers.size(); ++k) {
      const auto& list = draws.at(batch.order.at(answers[k].dialogue));
      const int number = of_dialogue.at(answers[k].dialogue)++;
      EXPECT_EQ(answers[k].tokens, list.at(number).tokens) << k;
    }
    return std::vector<double>(answers.size());
  };
  EXPECT_EQ(words(answer(*models[0], by)[4]), words(draws[4]));  // as drawn, where all are equal
  EXPECT_EQ(calls, 1);
}

TEST_F(Answering, TheUnknownWordIsWrittenWhereItIsAllowed) {
  for (const auto& model : models) favour(*model, kUnk);
  for (const bool allowed : {false, true}) {
    options.allow_unk = allowed;
    int64_t unknown = 0;
    for (const auto& model : models) {
      for (const auto& list : answer(*model, options)) {
        for (const Decoding& d : list) unknown += std::ranges::count(d.tokens, kUnk);
      }
    }
    EXPECT_EQ(unknown > 0, allowed) << unknown;
  }
}

// Answers are read: what samples of the whole distribution may hold stays out of them.
TEST_F(Answering, HoldNothingThatIsNoWord) {
  for (const auto& model : models) {
    favour(*model, kEou);
    options.any_token = false;
    const auto usual = answer(*model, options);
    options.any_token = true;
    const auto all = answer(*model, options);
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(words(all[i]), words(usual[i]));
  }
}

TEST_F(Answering, IsForModelsWithNoise) {
  const auto plain = make_responder(small_config(Structure::parse("hred-attention")), 3);
  EXPECT_EQ(error_of<UsageError>([&] { answer(*plain, options); }),
            "best-of: is for models that learned with noise (heed train --noise), not "
            "hred-attention");
}

}  // namespace
}  // namespace heed
