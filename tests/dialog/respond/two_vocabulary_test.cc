// What two vocabularies and a gate have that other structures have not: conditions, and a loss of
// the gate. That they agree with PyTorch is verify_test's, what every model promises
// responder_test's, and what the output layer is output_layer_test's.
#include "dialog/respond/models/two_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "autograd/discrete.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tests/dialog/respond/trainer_helpers.h"

namespace heed {
namespace {

constexpr int32_t kGeneric = 17;  // the words from here on are sentiment words

ModelConfig two_vocabulary(int64_t generic = kGeneric) {
  ModelConfig config = small_config(Structure::parse("two-vocabulary"));
  config.embedding_size = 8;  // labels of two numbers
  config.generic_words = generic;
  config.sentiment.values = {"negative", "neutral", "positive"};
  config.domain.values = {"health", "work"};
  return config;
}

// With this seed no unit of h_dom is dead.
std::unique_ptr<StepwiseResponder> two_vocabularies_of(const ModelConfig& config,
                                                       uint64_t seed = 4) {
  auto model = stepwise(config);
  init_again_uniform(*model, -1, 1, seed);
  convert(*model, DType::f64);
  return model;
}

// In a batch the one with the longest response is the first: b, c, a.
std::vector<Example> three_sentiments() {
  std::vector<Example> examples = {{"a", "a", {{6}, {7, 8, 9}, {10, 11}}, {0, 0, 0}, {12}},
                                   {"b", "b", {{13, 14, 15, 16}, {5}}, {0, 0}, {6, 18, 8}},
                                   {"c", "c", {{17, 18}, {19}}, {0, 0}, {9, kGeneric}}};
  examples[0].conditions = {{2}, {0}};
  examples[1].conditions = {{0}, {}};
  examples[2].conditions = {{}, {0, 1}};
  return examples;
}

TEST(TwoVocabulary, EveryWordOfEveryUtteranceCounts) {
  const auto made = two_vocabularies_of(two_vocabulary());
  const StepwiseResponder& model = *made;
  const Example own = three_sentiments()[0];
  for (size_t k = 0; k < own.context.size(); ++k) {
    for (size_t j = 0; j < own.context[k].size(); ++j) {
      Example other = own;
      other.context[k][j] = 21;
      EXPECT_NE(nll_of(model, other), nll_of(model, own)) << k << j;
    }
  }
}

// What is wanted counts in the dialogue itself alone.
TEST(TwoVocabulary, ConditionsAreTheirDialogues) {
  const auto made = two_vocabularies_of(two_vocabulary());
  StepwiseResponder& model = *made;
  const auto before = score(model, three_sentiments(), 3);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t kind = 0; kind < 2; ++kind) {
      std::vector<Example> changed = three_sentiments();
      changed[i].conditions[kind] = {1};
      const auto after = score(model, changed, 3);
      for (size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(before[j].nll == after[j].nll, i != j) << i << kind << j;
      }
    }
  }
}

// Where the decoder forgets, each word is written from the one before and e_s alone: the sentiment
// stands at every step, and the domain, which starts the decoder, at none.
TEST(TwoVocabulary, TheSentimentStandsAtEveryStepAndTheDomainAtTheStart) {
  ModelConfig config = two_vocabulary();
  config.num_layers = 1;
  config.lstm_bias = true;
  const auto made = two_vocabularies_of(config);
  const StepwiseResponder& model = *made;
  for (NamedParameter& p : parameters(model)) {
    std::vector<double> values = p.var.value().to_vector();
    if (p.name == "decoder.lstm.weight_hh_l0") std::fill(values.begin(), values.end(), 0);
    if (p.name == "decoder.lstm.bias_l0") {  // gates i, f, g, o
      std::fill_n(values.begin() + config.hidden_size, config.hidden_size, -1e3);
    }
    p.var.set_value(Tensor::from(values, p.var.shape()));
  }
  const Example own = three_sentiments()[1];
  Example neutral = own, working = own;
  neutral.conditions[0] = {1};
  working.conditions[1] = {1};
  const auto of_own = nll_of(model, own), of_neutral = nll_of(model, neutral);
  ASSERT_EQ(of_own.size(), 4u);
  for (size_t t = 0; t < 4; ++t) EXPECT_NE(of_own[t], of_neutral[t]) << t;
  EXPECT_EQ(of_own, nll_of(model, working));
}

// Whoever stands beside it, and in whatever order.
TEST(TwoVocabulary, ADialogueIsTheSameInAnyBatch) {
  std::vector<Example> examples = random_examples(12, 5);
  for (size_t i = 0; i < examples.size(); ++i) {
    examples[i].conditions = {{static_cast<int32_t>(i % 3)}, {}};
    if (i % 2 == 0) examples[i].conditions[1] = {1};
  }
  for (const Example& e : three_sentiments()) examples.push_back(e);
  const auto made = two_vocabularies_of(two_vocabulary());
  StepwiseResponder& model = *made;
  const auto alone = score(model, examples, 1);
  std::vector<Example> other = examples;
  for (int order = 0; order < 3; ++order) {
    for (const DialogueScore& s : score(model, other, 15)) {
      const auto own = std::find_if(alone.begin(), alone.end(),
                                    [&](const DialogueScore& o) { return o.id == s.id; });
      ASSERT_EQ(own->nll.size(), s.nll.size());
      for (size_t t = 0; t < s.nll.size(); ++t) EXPECT_NEAR(own->nll[t], s.nll[t], 1e-11) << s.id;
    }
    Rng(static_cast<uint64_t>(order)).shuffle(other);
  }
}

// What is written step by step has the probability that teaching measures, of every row.
TEST(TwoVocabulary, WritesWhatItIsTaught) {
  const auto made = two_vocabularies_of(two_vocabulary());
  StepwiseResponder& model = *made;
  std::vector<Example> examples = three_sentiments();
  const auto written = decode(model, pointers(examples), {.max_length = 5, .any_token = true});
  for (size_t i = 0; i < examples.size(); ++i) {
    examples[i].response = written[i].tokens;
    const std::vector<double> nll = nll_of(model, examples[i]);
    const auto counted = nll.begin() + std::ssize(written[i].tokens) + written[i].finished;
    EXPECT_NEAR(-std::accumulate(nll.begin(), counted, 0.0), written[i].log_prob, 1e-11);
  }
}

// L = - sum ln o - weight sum over sentiment words of ln a.
TEST(TwoVocabulary, TheLossDoublesTheWeightOfTheGate) {
  const auto loss_with = [](double weight, const Tensor& row_weights) {
    ModelConfig config = two_vocabulary();
    config.gate_weight = weight;
    const auto made = two_vocabularies_of(config);
    const StepwiseResponder& model = *made;
    const std::vector<Example> examples = three_sentiments();
    Batch batch = make_batch(pointers(examples), model.parts());
    batch.response.weights = row_weights;
    return training_loss(batch, model.teach(batch), 1).value().item();
  };
  const auto made = two_vocabularies_of(two_vocabulary());
  const StepwiseResponder& model = *made;
  const Batch batch = make_batch(pointers(three_sentiments()), model.parts());
  const std::vector<int32_t> y = batch.response.targets.to_ints();
  const Taught taught = model.teach(batch);
  EXPECT_NEAR(taught.nll_total.value().item(), sum(Var(taught.nll)).value().item(), 1e-12);
  const int64_t rows = std::ssize(y),
                sentiment =
                    std::count_if(y.begin(), y.end(), [](int32_t t) { return t >= kGeneric; });
  EXPECT_EQ(sentiment, 2);  // 18 and 17
  const double none = loss_with(0, {}), once = loss_with(1, {}), twice = loss_with(2, {});
  EXPECT_GT(once, none + 1e-3);
  EXPECT_NEAR(twice - once, once - none, 1e-12);
  EXPECT_NEAR(3 * (once - none), taught.added.value().item(), 1e-12);
  std::vector<double> of_generic;  // no weight on the rows that the term counts
  for (const int32_t t : y) of_generic.push_back(t < kGeneric);
  const Tensor weights = Tensor::from(of_generic, Shape{rows});
  EXPECT_EQ(loss_with(0, weights), loss_with(1, weights));
}

// With the gate on logits q is 1 where the most probable word and the said one are of one kind: the
// loss asks for the gate at right generic words, too. A row at a time, by weights of the rows.
TEST(TwoVocabulary, AGateOnLogitsCountsWhereTheKindIsRight) {
  ModelConfig config = two_vocabulary();
  config.gate_on_logits = true;
  std::set<std::pair<bool, bool>> seen;  // whether the best and the said one are sentiment words
  for (uint64_t seed = 4; seed < 8; ++seed) {
    const auto made = two_vocabularies_of(config, seed);
    const StepwiseResponder& model = *made;
    for (const Example& example : three_sentiments()) {
      Batch batch = make_batch({&example}, model.parts());
      const auto writer = model.read(batch);
      std::vector<int32_t> said = example.response;
      said.push_back(kEos);
      for (size_t t = 0; t < said.size(); ++t) {
        const Tensor logits = writer->step({0}, {0}, {t == 0 ? kSos : said[t - 1]}).logits;
        const bool best = argmax(logits, 1).to_ints()[0] >= kGeneric, right = said[t] >= kGeneric;
        std::vector<double> only(said.size());
        only[t] = 1;
        batch.response.weights = Tensor::from(only, Shape{std::ssize(said)});
        EXPECT_EQ(model.teach(batch).added.value().item() > 0, best == right) << example.id << t;
        seen.insert({best, right});
      }
    }
  }
  EXPECT_EQ(seen.size(), 4u);
}

// The gate at a word is the sum of p of all sentiment words, for these have a softmax of their own.
TEST(TwoVocabulary, TheGateOfTheLossIsThatOfTheWordsThatAreWritten) {
  const auto made = two_vocabularies_of(two_vocabulary());
  const StepwiseResponder& model = *made;
  const Example example = three_sentiments()[2];  // a generic word, then the first sentiment word
  const Batch batch = make_batch({&example}, model.parts());
  const auto writer = model.read(batch);
  writer->step({0}, {0}, {kSos});
  const auto log_p = writer->step({0}, {0}, {example.response[0]}).logits.to_vector();
  double gate = std::exp(log_p[kGeneric]);
  for (size_t y = kGeneric + 1; y < log_p.size(); ++y) gate += std::exp(log_p[y]);
  EXPECT_NEAR(model.teach(batch).added.value().item(), -std::log(gate), 1e-12);
}

// d loss / d x of the first and the last number of each parameter, against central differences.
TEST(TwoVocabulary, GradientsAreThoseOfTheLoss) {
  const auto made = two_vocabularies_of(two_vocabulary());
  StepwiseResponder& model = *made;
  const std::vector<Example> examples = three_sentiments();
  const Batch batch = make_batch(pointers(examples), model.parts());
  const auto loss = [&] { return training_loss(batch, model.teach(batch), 1); };
  zero_grad(model);
  loss().backward();
  for (const NamedParameter& p : parameters(model)) {
    const std::vector<double> gradient = p.var.grad().to_vector();
    for (const size_t at : {size_t{0}, gradient.size() - 1}) {
      const std::vector<double> values = p.var.value().to_vector();
      double difference = 0;
      for (const double step : {1e-5, -1e-5}) {
        std::vector<double> moved = values;
        moved[at] += step;
        p.var.set_value(Tensor::from(moved, p.var.shape()));
        difference += loss().value().item() / (2 * step);
      }
      p.var.set_value(Tensor::from(values, p.var.shape()));
      EXPECT_NEAR(gradient[at], difference, 1e-8) << p.name << at;
    }
  }
}

// Without sentiment words there is no gate and one softmax, whatever the weight of the gate.
TEST(TwoVocabulary, WithoutSentimentWordsItIsThePlainModel) {
  for (const int64_t generic : {int64_t{0}, kTestVocabulary}) {
    const auto made = two_vocabularies_of(two_vocabulary(generic));
    const StepwiseResponder& model = *made;
    for (const NamedParameter& p : parameters(model)) {
      EXPECT_FALSE(p.name.find("gate") != p.name.npos || p.name.find("special") != p.name.npos);
      if (p.name != "decoder.output.weight") continue;
      SoftmaxOutput plain(p.var.shape()[1], kTestVocabulary);
      convert(plain, DType::f64);
      parameters(plain)[0].var.set_value(p.var.value());
      const Var h = Tensor::from(std::vector<double>{1, -2, 3, 0.5, -1, 2}, Shape{1, 6});
      const auto own = model.output().logits(h).value().to_vector(),
                 its = log_softmax(plain.logits(h)).value().to_vector();
      for (size_t y = 0; y < own.size(); ++y) EXPECT_NEAR(own[y], its[y], 1e-12);
    }
    EXPECT_FALSE(
        model.teach(make_batch(pointers(three_sentiments()), model.parts())).added.defined());
  }
}

TEST(TwoVocabulary, RefusesWhatIsNotPossible) {
  const auto error = [](const auto& change) {
    ModelConfig config = two_vocabulary();
    change(config);
    return error_of<UsageError>([&] { config.check(); });
  };
  EXPECT_EQ(error([](ModelConfig& c) { c.generic_words = 24; }),
            "generic_words: expected 0 to the 23 of the vocabulary, got 24");
  EXPECT_EQ(error([](ModelConfig& c) { c.gate_weight = -1; }),
            "gate_weight: expected a number from 0 on, got -1");
  EXPECT_EQ(error([](ModelConfig& c) { c.structure = Structure::parse("lstm"); }),
            "lexicon: is for the structure two-vocabulary, not lstm");
  TrainSettings settings = small_settings("lstm");
  settings.lexicon = "lexicon.txt";
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "lexicon: is for the structure two-vocabulary with tokens words");
}

// ---- a planted corpus: three words anyhow, then the one that the label decides

constexpr int32_t kLast[] = {18, 20, 22};  // of each sentiment

std::vector<Example> planted(int count, uint64_t seed, bool shuffled) {
  std::vector<Example> examples = random_examples(count, seed, false);
  Rng rng(seed, "test.planted");
  for (Example& e : examples) {
    const auto decides = static_cast<int32_t>(rng.below(3)),
               label = shuffled ? static_cast<int32_t>(rng.below(3)) : decides;
    e.response = random_words(rng, 3, 3);
    for (int32_t& word : e.response) word = kSpecialTokens + word % (kGeneric - kSpecialTokens);
    e.response.push_back(kLast[decides]);
    e.conditions = {{label}, {}};
  }
  return examples;
}

// The share of responses whose last word is that of the wanted sentiment.
double control(bool shuffled) {
  ModelConfig config = two_vocabulary();
  config.num_layers = 1;
  config.embedding_size = config.hidden_size = 24;
  const auto made = stepwise(config);
  StepwiseResponder& model = *made;
  model.init(1);
  const std::vector<Example> train = planted(960, 1, shuffled), test = planted(60, 2, shuffled);
  Adam optimizer(model, {.rate = 0.01});
  for (size_t step = 0; step < 180; ++step) {
    ExamplePointers examples;
    for (size_t i = 0; i < 16; ++i) examples.push_back(&train[(step * 16 + i) % train.size()]);
    const Batch batch = make_batch(examples, model.parts());
    zero_grad(model);
    training_loss(batch, model.teach(batch), 0).backward();
    optimizer.step();
  }
  const char* const wanted[] = {"emotion=negative", "emotion=no_emotion", "emotion=happiness"};
  double right = 0;
  for (int32_t label = 0; label < 3; ++label) {
    const DecodeOptions options{.method = DecodeOptions::Method::kSample,
                                .top_k = 0,
                                .temperature = 0.2,
                                .wanted = {wanted[label]}};
    for (const Decoding& d : decode(model, pointers(test), options)) {
      right += !d.tokens.empty() && d.tokens.back() == kLast[label];
    }
  }
  return right / (3 * static_cast<double>(test.size()));
}

TEST(TwoVocabulary, TheLabelDecidesTheLastWordOfAPlantedCorpus) {
  EXPECT_GT(control(false), 0.99);
  EXPECT_NEAR(control(true), 1.0 / 3, 0.12);
}

TEST_F(TrainerTest, TwoVocabularyStoppedAndResumed) {
  settings = small_settings("two-vocabulary");
  settings.model = two_vocabulary();
  edit(data.train, [](std::vector<Example>& all) {
    for (size_t i = 0; i < all.size(); ++i) all[i].conditions = {{static_cast<int32_t>(i % 3)}, {}};
  });
  edit(data.valid, [](std::vector<Example>& all) {
    for (Example& e : all) e.conditions = {{1}, {0}};
  });
  EXPECT_TRUE(run("whole"));
  StopAfter stop(3);
  EXPECT_FALSE(run("parts", stop.hooks));
  EXPECT_TRUE(run("parts"));
  EXPECT_EQ(result("parts"), result("whole"));
}

// ---- from dialogues and a lexicon to examples

TEST_F(TrainerTest, TwoVocabularyReadsLabelsAndALexicon) {
  const char* const dialogues =
      R"({"labels": {"topic": ["work"]}, "turns": [{"text": "so rare"}, {"text": "good good fine sad"},)"
      R"( {"text": "good sad sad .", "labels": {"emotion": ["happiness"]}}]})"
      "\n"
      R"({"labels": {"topic": ["health"]}, "turns": [{"text": "so"}, {"text": "."},)"
      R"( {"text": "so . sad", "labels": {"emotion": ["fear"]}}]})"
      "\n";
  for (const char* part : {"train", "valid"}) {
    dir.write(std::string("data/") + part + ".jsonl", dialogues);
  }
  dir.write("lexicon.txt", "good\t1.9\nsad\t-2.1\nfine\t0.8\nso\t0\nrare\t3\n");
  settings = small_settings("two-vocabulary");
  settings.lexicon = path("lexicon.txt");
  const ExampleOptions options{.conditions = settings.model.conditions()};
  const TrainData read = load_train_data(path("data"), settings.vocabulary_options(), options);
  EXPECT_EQ(read.generic_words, kSpecialTokens + 4);  // ., so, fine, rare
  EXPECT_EQ(read.vocabulary.words({9, 10}), (std::vector<std::string>{"sad", "good"}));
  ASSERT_EQ(read.conditions.size(), 2u);
  EXPECT_EQ(read.conditions[0].text(), "emotion=negative|positive");
  EXPECT_EQ(read.conditions[1].text(), "topic=health|work");
  const Example first = read.train[0], second = read.train[1];
  EXPECT_EQ(first.conditions, (std::vector<std::vector<int32_t>>{{1}, {1}}));
  EXPECT_EQ(second.conditions, (std::vector<std::vector<int32_t>>{{0}, {0}}));
  EXPECT_NE(read.fingerprint(),
            load_train_data(path("data"), {}, {}, 0, &read.vocabulary).fingerprint());
}

TEST(TwoVocabulary, ALabelHasAQuarterOfAnEmbeddingAndANumberAtLeast) {
  for (const auto& [embedding, width] : {std::pair(3, 1), {4, 1}, {7, 1}, {8, 2}}) {
    ModelConfig config = two_vocabulary();
    config.embedding_size = embedding;
    EXPECT_EQ(parameter(*make_responder(config), "decoder.sentiment.weight").shape()[1], width);
  }
}

}  // namespace
}  // namespace heed
