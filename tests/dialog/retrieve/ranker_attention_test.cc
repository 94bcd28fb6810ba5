// Where rankers look, what the attention loss makes of it, and distractions in what they learn
// from.
#include "dialog/retrieve/attention.h"

#include <gtest/gtest.h>

#include "dialog/retrieve/task.h"
#include "nn/gradcheck.h"
#include "nn/init.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed::retrieve {
namespace {

const std::vector<Tokens> kTwoContexts = {{11, kEou}, {5, 6, 7, kEou, 8, kEou, 9, 10, kEou}};

Config tiny_ranker(const std::string& encoder) {
  return {.encoder = encoder,
          .vocab_size = 13,
          .embedding_size = 5,
          .hidden_size = 4,
          .heads = 2,
          .attention_size = 3,
          .dropout = 0};
}

TEST(RankerAttention, IsThatOfTheUtterancesWhateverTheBatch) {
  for (const char* encoder : {"lstm", "hierarchical", "weighted-bag"}) {
    SCOPED_TRACE(encoder);
    DualEncoder model(tiny_ranker(encoder));
    init(model, 5);
    const std::vector<VectorRanker::Look> looks = looks_of(model, kTwoContexts, 2);
    const auto rows = [&](size_t text) {
      std::vector<size_t> sizes;
      for (const auto& utterance : looks[text]) sizes.push_back(utterance.size());
      return sizes;
    };
    const bool whole = std::string(encoder) == "hierarchical";
    EXPECT_EQ(rows(0), (std::vector<size_t>{whole ? 1u : 2u}));
    EXPECT_EQ(rows(1), whole ? (std::vector<size_t>{1, 1, 1}) : (std::vector<size_t>{4, 2, 3}));
    double sum = 0, scores = 0;
    for (const auto& utterance : looks[1]) {
      for (const double weight : utterance) sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    const std::vector<double> as = attention_scores(looks[1]);
    for (size_t k = 0; k < 3; ++k) scores += as[k] * static_cast<double>(rows(1)[k]);
    EXPECT_NEAR(scores, whole ? 3 : 9, 1e-5);
    EXPECT_NEAR(attention_scores(looks[0])[0], 1, 1e-6);
    const std::vector<VectorRanker::Look> alone = looks_of(model, kTwoContexts, 1);
    for (size_t k = 0; k < 3; ++k) {
      for (size_t j = 0; j < looks[1][k].size(); ++j) {
        EXPECT_NEAR(alone[1][k][j], looks[1][k][j], 1e-6);
      }
    }
  }
  DualEncoder bag(tiny_ranker("bag"));
  EXPECT_TRUE(looks_of(bag, kTwoContexts, 2).empty());
  EXPECT_EQ(attention_scores({{0.1, 0.3}, {0.6}}), (std::vector<double>{3 * 0.2, 3 * 0.6}));
}

TEST(RankerAttention, ContextsBecomeExamplesAndBack) {
  const Example example = example_of(kTwoContexts[1], "d7");
  EXPECT_EQ(example.context, (std::vector<Tokens>{{5, 6, 7}, {8}, {9, 10}}));
  EXPECT_EQ(example.distraction, (std::vector<char>{0, 0, 0}));
  EXPECT_EQ(example.dialogue_id, "d7");
  EXPECT_EQ(tokens_of(example), kTwoContexts[1]);
}

// (1/B) sum_b (1/rows_b) sum of squares of what the distraction gets; and its gradient.
TEST(RankerAttention, ItsLossIsEquation9) {
  for (const char* encoder : {"sru", "hierarchical", "weighted-bag"}) {
    SCOPED_TRACE(encoder);
    DualEncoder model(tiny_ranker(encoder));
    init(model, 5);
    std::vector<Example> examples;
    for (const Tokens& context : kTwoContexts) examples.push_back(example_of(context, "d"));
    const auto loss = [&] {
      Looks looks;
      std::ignore = model.f(DualEncoder::Side::kContexts, kTwoContexts, {}, &looks);
      return attention_loss(looks, examples);
    };
    EXPECT_FALSE(loss().defined());
    examples[1].distraction[1] = 1;
    const VectorRanker::Look look = looks_of(model, kTwoContexts, 2)[1];
    double squares = 0, rows = 0;
    for (const double weight : look[1]) squares += weight * weight;
    for (const auto& utterance : look) rows += static_cast<double>(utterance.size());
    EXPECT_NEAR(loss().value().item(), squares / rows / 2, 1e-7);
    convert(model, DType::f64);
    const GradCheck checked = check_gradient(model, loss);
    EXPECT_LT(checked.max_error, 1e-6) << checked.worst;
  }
}

// What contexts say begins with q, what is inserted into them with q or r.
TEST(RankerAttention, TrainingWithDistractionsTakesItOffThem) {
  const TempDir dir;
  std::string lines;
  const char* const kWords[] = {"a", "b", "c", "d", "e", "f"};
  for (int i = 0; i < 60; ++i) {
    const std::string word = kWords[i % 6], answer = kWords[(i + 1) % 6];
    lines += "{\"id\": \"" + std::to_string(i) + "\", \"turns\": [{\"text\": \"q " + word +
             "\"}, {\"text\": \"q " + word + "\"}, {\"text\": \"r " + answer + "\"}]}\n";
  }
  dir.write("data/train.jsonl", lines);
  dir.write("data/valid.jsonl", lines);
  const auto share = [&](double weight, const std::string& run) {
    Settings s = Runs::preset("smoke");
    s.model = tiny_ranker("weighted-bag");
    s.insert_prob = 1;
    s.attention_weight = weight;
    s.loop.batch_size = 12;
    s.loop.max_epochs = 25;
    s.loop.schedule.stop_after = 0;
    s.loop.schedule.patience = 100;
    s.loop.schedule.rate = 0.02;
    const TrainData data = load_train_data(dir.path("data"), s);
    EXPECT_EQ(data.pool.size(), 180u);
    s.model.vocab_size = data.vocabulary.size();
    std::filesystem::create_directory(dir.path(run));
    Runs::start(dir.path(run), s, data, "");
    EXPECT_TRUE(Runs::train(dir.path(run), s, data, {}));
    EXPECT_EQ(Runs::settings(dir.path(run)).insert_prob, 1);
    const LoadedRanker ranker = Runs::load(dir.path(run));
    const Tokens context = ranker.reader.context({"r a", "q a"});
    return attention_scores(looks_of(ranker.model, {context}, 1)[0])[0];
  };
  const double without = share(0, "without"), with = share(300, "with");
  EXPECT_LT(with, 0.8 * without);
}

// With the weights as they are, only what is inserted tells two epochs apart.
TEST(RankerAttention, EachEpochInsertsAnew) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    const std::string word(1, static_cast<char>('a' + i));
    lines += "{\"id\": \"" + word + "\", \"turns\": [{\"text\": \"q " + word +
             "\"}, {\"text\": \"r\"}, {\"text\": \"s " + word + "\"}]}\n";
  }
  dir.write("data/train.jsonl", lines);
  dir.write("data/valid.jsonl", lines);
  Settings s = Runs::preset("smoke");
  s.model = tiny_ranker("weighted-bag");
  s.model.vocab_size = 100;
  s.negatives = "batch";
  s.insert_prob = 1;
  const TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  DualEncoder model(s.model);
  init(model, 5);
  const auto loss_in = [&](int epoch) {
    return ranker_task(model, s, data)
        .loss({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {.seed = 1, .epoch = epoch})
        .nll;
  };
  EXPECT_EQ(loss_in(0), loss_in(0));
  EXPECT_NE(loss_in(0), loss_in(1));
}

TEST(RankerAttention, IsRefusedWhereThereIsNone) {
  Settings s = Runs::preset("smoke");
  s.insert_prob = 0.5;
  EXPECT_NO_THROW(s.check());
  s.attention_weight = 1;
  EXPECT_EQ(
      error_of<UsageError>([&] { s.check(); }),
      "retrieval: attention-weight is for encoders that pool with attention, with insert-prob "
      "above 0");
  s.model.encoder = "weighted-bag";
  EXPECT_NO_THROW(s.check());
  s.insert_prob = 0;
  EXPECT_THROW(s.check(), UsageError);
}

}  // namespace
}  // namespace heed::retrieve
