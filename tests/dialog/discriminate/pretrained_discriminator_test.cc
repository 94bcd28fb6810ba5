// A discriminator whose words a pretrained encoder reads.
#include <gtest/gtest.h>

#include "dialog/discriminate/task.h"
#include "nn/gradcheck.h"
#include "nn/losses.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/nn/nn_helpers.h"
#include "train/run_directory.h"

namespace heed::discriminate {
namespace {

using tiny::id, tiny::words;

Config config() {
  Config c{.words = {.encoder = "pretrained"},
           .vocab_size = words().size(),
           .hidden_size = 4,
           .dropout = 0};
  c.passages = {.context = 1, .min_tokens = 1, .max_tokens = 2};
  return c;
}

pretrained::Words read_words(const TempDir& dir) {
  return {pretrained::load_encoder(imported_tiny_bert(dir)), words(), /*frozen=*/false, 3};
}

Passage passage(const TokenIds& context, const TokenIds& response, bool real = true) {
  return {.id = "p", .dialogue_id = "p", .context = {context}, .response = response, .real = real};
}

TEST(PretrainedDiscriminator, HasTheGradientsOfItsLoss) {
  const TempDir dir;
  Discriminator model(config(), 1, read_words(dir));
  convert(model, DType::f64);
  std::vector<Example> sequences;
  for (const Passage& p : {passage({id("a")}, {id("b"), id("x")}), passage({id("c")}, {id("d")})}) {
    sequences.push_back(sequence_of(p, Reads::kAll));
  }
  const SequenceBatch batch = pack_sequences(sequences);
  const Tensor truth = Tensor::of({1, 0}, DType::f64);
  const GradCheck checked =
      check_gradient(model, [&] { return mean(binary_cross_entropy(model(batch).logits, truth)); });
  EXPECT_LT(checked.max_error, 1e-6) << checked.worst;
}

TEST(PretrainedDiscriminator, JudgesAPassageWhateverStandsBesideIt) {
  const TempDir dir;
  const Discriminator model(config(), 1, read_words(dir));
  const std::vector<Passage> passages = {passage({id("a")}, {id("b"), id("x")}),
                                         passage({id("c"), id("d")}, {id("d")}),
                                         passage({id("b")}, {id("a")})};
  const std::vector<Verdict> together = verdicts_on(model, passages, 3);
  for (size_t i = 0; i < passages.size(); ++i) {
    const Verdict alone = verdicts_on(model, {passages[i]}, 1)[0];
    EXPECT_NEAR(together[i].p_real, alone.p_real, 1e-6);
    ASSERT_EQ(together[i].attention.size(), alone.attention.size());
    EXPECT_NEAR(together[i].attention[1], alone.attention[1], 1e-6);
  }
  EXPECT_NE(together[0].p_real, together[2].p_real);
}

// The response repeats the context's word: what only one who compares the two can learn.
TEST(PretrainedDiscriminator, LearnsAPlantedRuleAndIsLoadedAsItWas) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 48; ++i) {
    const std::string word(1, static_cast<char>('a' + i % 4));
    lines += "{\"id\": \"" + std::to_string(i) + "\", \"turns\": [{\"text\": \"" + word +
             "\"}, {\"text\": \"" + word + "\"}]}\n";
  }
  dir.write("data/train.jsonl", lines);
  dir.write("data/valid.jsonl", lines);
  Settings s = Runs::preset("pretrained");
  s.init = imported_tiny_bert(dir);
  s.model.hidden_size = 4;
  s.model.embedding_size = 1;
  s.model.dropout = 0;
  s.model.passages = config().passages;
  s.loop.batch_size = 16;
  s.loop.max_epochs = 100;
  s.loop.schedule.rate = 0.02;
  s.loop.schedule.stop_after = 0;
  s.loop.optimizer.warm_up = 0;
  const TrainData data = load_train_data({dir.path("data")}, s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  const std::string run = dir.path("run");
  std::filesystem::create_directory(run);
  Runs::start(run, s, data, "");
  ASSERT_TRUE(Runs::train(run, s, data, {}));
  const LoadedDiscriminator loaded = Runs::load(run);
  const int32_t a = encode_utterance("a", loaded.vocabulary).at(0),
                b = encode_utterance("b", loaded.vocabulary).at(0);
  const std::vector<Verdict> verdicts =
      verdicts_on(loaded.model, {passage({a}, {a}), passage({a}, {b}), passage({b}, {b})}, 2);
  EXPECT_GT(verdicts[0].p_real, 0.8);
  EXPECT_LT(verdicts[1].p_real, 0.4);
  EXPECT_GT(verdicts[2].p_real, 0.8);
  const LoadedSystem untrained = load_system(run, "untrained");  // whose encoder is --init's
  EXPECT_EQ(untrained.encoder->width(), 8);
  EXPECT_EQ(Runs::settings(run).init, s.init);
  Settings next = Runs::preset("pretrained");
  next.init = run;  // whose encoder was tuned
  take_encoder(next, [](const std::string&) { return false; });
  EXPECT_EQ(next.model.hidden_size, 4);
  s.model.passages.max_tokens = 9;  // 20 words and more are no text of 16 pieces
  EXPECT_TRUE(has(error_of<UsageError>([&] { (void)Own::blank(run, s); }), "16 positions"));
}

TEST(PretrainedDiscriminator, RefusesWhatDoesNotFit) {
  Settings s = Runs::preset("pretrained");
  EXPECT_THROW(s.check(), UsageError);  // no --init
  s.init = "a BERT";
  s.loop.optimizer.groups = {{.name = "encoder", .rate = 0.1}};
  EXPECT_NO_THROW(s.check());
  s.model.words.encoder = "gru";
  EXPECT_THROW(s.check(), UsageError);
  Settings plain = Runs::preset("smoke");
  plain.init = "x";
  EXPECT_THROW(plain.check(), UsageError);
}

}  // namespace
}  // namespace heed::discriminate
