// What every response model promises, whatever it is made of.
#include "dialog/respond/responder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dialog/respond/config.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/structures.h"
#include "dialog/respond/taught_choices.h"
#include "examples/own_model.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// Every structure as it comes, one that is registered here (docs/add-a-model.md), and with the
// options that they have.
struct Form {
  std::string name;
  ModelConfig config;
};

[[maybe_unused]] const bool kRegistered = [] {
  register_structure("bag-of-words", [](const ModelConfig& config) -> std::unique_ptr<Responder> {
    return std::make_unique<BagOfWords>(config);
  });
  return true;
}();

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Structure& s : structures()) all.push_back({std::string(s.name), small_config(s)});
  const auto add = [&](const char* structure, const char* option, auto change) {
    all.push_back(
        {std::string(structure) + "-" + option, small_config(Structure::parse(structure))});
    change(all.back().config);
  };
  for (const char* s : {"non-hier", "static", "dynamic-ui", "hred"}) {
    add(s, "general", [](ModelConfig& c) { c.attention = AttentionScore::kGeneral; });
  }
  add("static-ui", "additive", [](ModelConfig& c) { c.attention = AttentionScore::kAdditive; });
  add("lstm-attention", "dot", [](ModelConfig& c) { c.attention = AttentionScore::kDot; });
  add("hred-attention", "noise", [](ModelConfig& c) { c.noise = Noise::kWord; });
  add("hred-gru", "noise", [](ModelConfig& c) { c.noise = Noise::kUtterance; });
  add("thred", "once", [](ModelConfig& c) { c.message_attention = false; });
  for (const char* s : {"thred-topics", "ta-seq2seq"}) {
    add(s, "three", [](ModelConfig& c) {
      std::vector<int32_t> counts(3 * kTestVocabulary);
      for (size_t i = 15; i < counts.size(); ++i) counts[i] = static_cast<int32_t>(i * i % 7);
      c.topics = 3;
      c.tables = {{"topics.counts", Tensor::from(counts, {kTestVocabulary, 3})}};
    });
  }
  const auto ppmi = [](ModelConfig& c) {  // the words of the first half go with most others
    std::vector<int32_t> x, y;
    std::vector<float> values;
    for (int32_t i = 0; i < 60; ++i) {
      x.push_back(kSpecialTokens + i % 9), y.push_back(kSpecialTokens + 7 * i % 17);
      values.push_back(0.5F + 0.1F * static_cast<float>(i % 13));
    }
    c.tables = {{"ppmi.query", Tensor::from(x)},
                {"ppmi.response", Tensor::from(y)},
                {"ppmi.value", Tensor::from(values, {std::ssize(values)})}};
  };
  add("keywords", "ppmi", ppmi);
  add("keywords", "context", [ppmi](ModelConfig& c) {
    ppmi(c);
    c.whole_query = true;
  });
  add("two-vocabulary", "gate", [](ModelConfig& c) {
    c.generic_words = 17;
    c.gate_weight = 0.5;
    c.sentiment.values = {"bad", "good"};
  });
  add("two-vocabulary", "gate-on-logits", [](ModelConfig& c) {
    c.generic_words = 17;
    c.gate_on_logits = true;
  });
  add("non-hier", "both-ways", [](ModelConfig& c) { c.bidirectional = true; });
  add("dynamic", "unfed", [](ModelConfig& c) { c.input_feeding = false; });
  add("non-hier", "generator", [](ModelConfig& c) {
    c.attention = AttentionScore::kGeneral;
    c.bidirectional = true;
    c.input_feeding = false;
  });
  return all;
}

class AnyResponder : public testing::TestWithParam<Form> {
 protected:
  static std::unique_ptr<Responder> model(uint64_t seed = 3) {
    std::unique_ptr<Responder> made = make_responder(GetParam().config, seed);
    convert(*made, DType::f64);
    return made;
  }
};

TEST_P(AnyResponder, HasAsManyParametersAsWereCounted) {
  for (const bool bias : {false, true}) {
    ModelConfig config = GetParam().config;
    config.lstm_bias = bias;
    EXPECT_EQ(parameter_count(*make_responder(config)), parameter_count(config));
  }
}

// The formula of `static`, layers alike from the second on, for sizes that no machine holds:
// counting takes no memory.
TEST(ParameterCount, OfAModelThatNoMemoryHolds) {
  const double v = 1 << 24, e = 1 << 23, h = 1 << 22, layers = 1000;
  const ModelConfig config{.structure = Structure::parse("static"),
                           .vocab_size = 1 << 24,
                           .embedding_size = 1 << 23,
                           .hidden_size = 1 << 22,
                           .num_layers = 1000};
  const auto lstm = [&](double in) { return 4 * h * (in + h) + (layers - 1) * 8 * h * h; };
  reset_peak();
  const int64_t before = memory_stats().peak_bytes;
  EXPECT_EQ(parameter_count(config), 2 * v * e + lstm(e) + lstm(e + h) + 2 * h * h + v * h);
  EXPECT_TRUE(has_parameter(config, "decoder.lstm.weight_hh_l3"));
  EXPECT_FALSE(has_parameter(config, "integration"));
  EXPECT_LT(memory_stats().peak_bytes, before + 4096);
  EXPECT_EQ(Tensor::zeros({3}).to_vector(), std::vector<double>(3));  // all is as it was
}

TEST_P(AnyResponder, IsADirectoryThatLoads) {
  const TempDir dir;
  const auto made = make_responder(GetParam().config, 3);
  TokenCounts counts;
  for (int i = kSpecialTokens; i < kTestVocabulary; ++i) counts["w" + std::to_string(i)] = 1;
  const Vocabulary words = Vocabulary::build(counts);
  save_model(dir.path("model"), *made, words);
  const LoadedModel loaded = load_model(dir.path("model"));
  const ModelConfig &there = loaded.model->config(), &here = GetParam().config;
  EXPECT_EQ(there.structure.name, here.structure.name);
  EXPECT_EQ(there.heads, here.heads);
  EXPECT_EQ(there.attention_score(), here.attention_score());
  EXPECT_EQ(there.bidirectional, here.bidirectional);
  EXPECT_EQ(there.input_feeding, here.input_feeding);
  EXPECT_EQ(there.noise, here.noise);
  EXPECT_EQ(there.message_attention, here.message_attention);
  EXPECT_EQ(there.topics, here.topics);
  ASSERT_EQ(there.tables.size(), here.tables.size());
  for (const auto& [name, table] : here.tables) {
    EXPECT_EQ(there.table(name).to_vector(), table.to_vector()) << name;
  }
  EXPECT_EQ(there.generic_words, here.generic_words);
  EXPECT_EQ(there.gate_on_logits, here.gate_on_logits);
  EXPECT_EQ(there.gate_weight, here.gate_weight);
  EXPECT_EQ(there.sentiment, here.sentiment);
  EXPECT_EQ(there.domain, here.domain);
  const auto a = parameters(*made), b = parameters(*loaded.model);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].var.value().to_vector(), b[i].var.value().to_vector()) << a[i].name;
  }
}

// A transformer's tables, which are multiplied by sqrt(H) where they are read, are drawn with a
// deviation of 1 / sqrt(H), as the other ones are with 1.
TEST(Transformer, DrawsBothTablesForItsWidth) {
  ModelConfig config = small_config(Structure::parse("transformer"));
  config.vocab_size = 500;
  config.hidden_size = config.embedding_size = 64;
  const auto deviation = [](const Tensor& x) {
    double squares = 0;
    for (const double v : x.to_vector()) squares += v * v;
    return std::sqrt(squares / static_cast<double>(x.numel()));
  };
  const auto model = make_responder(config, 3);
  int tables = 0;
  for (const NamedParameter& p : parameters(*model)) {
    if (!p.name.ends_with("embedding.weight")) continue;
    ++tables;
    EXPECT_NEAR(deviation(p.var.value()), 1.0 / 8, 0.005) << p.name;
  }
  EXPECT_EQ(tables, 2);
}

// What a model says of a dialogue does not depend on what else is in the batch.
TEST_P(AnyResponder, ScoresDialoguesOnTheirOwn) {
  const auto m = model();
  const auto examples = random_examples(7, 2);
  const auto together = score(*m, examples, 7), alone = score(*m, examples, 1);
  for (size_t i = 0; i < examples.size(); ++i) {
    ASSERT_EQ(together[i].nll.size(), alone[i].nll.size());
    for (size_t t = 0; t < alone[i].nll.size(); ++t) {
      EXPECT_NEAR(together[i].nll[t], alone[i].nll[t], 1e-12);
    }
    for (size_t k = 0; k < alone[i].as_scores.size(); ++k) {
      EXPECT_NEAR(together[i].as_scores[k], alone[i].as_scores[k], 1e-12);
    }
  }
}

// A response that was written step by step, side by side with others, gets the same probability and
// the same attention when it is taught. This holds the writers to their models.
TEST_P(AnyResponder, WritesWhatItWouldBeTaught) {
  const auto m = model();
  std::vector<Example> examples = random_examples(6, 5);
  for (const auto method : {DecodeOptions::Method::kGreedy, DecodeOptions::Method::kBeam}) {
    DecodeOptions options;
    options.method = method;
    options.max_length = 6;
    options.beam_size = 3;
    const std::vector<Decoding> written = decode(*m, pointers(examples), options);
    for (size_t i = 0; i < examples.size(); ++i) {
      Example taught = examples[i];
      taught.response = written[i].tokens;
      const DialogueScore s = score(*m, {taught}, 1)[0];
      double log_prob = 0;
      for (size_t t = 0; t < written[i].attention.size(); ++t) log_prob -= s.nll[t];
      EXPECT_NEAR(written[i].log_prob, log_prob, 1e-10);
      if (!written[i].finished) continue;
      const std::vector<double> as = written[i].as_scores();
      ASSERT_EQ(as.size(), s.as_scores.size());
      for (size_t k = 0; k < as.size(); ++k) EXPECT_NEAR(as[k], s.as_scores[k], 1e-10);
    }
  }
}

// A query without a history: nothing for DAS to measure, and no error.
TEST_P(AnyResponder, ReadsContextsOfOneUtterance) {
  const auto m = model();
  std::vector<Example> examples = random_examples(6, 5);
  for (size_t i = 0; i < examples.size(); i += 2) {
    examples[i].context.erase(examples[i].context.begin(), examples[i].context.end() - 1);
    examples[i].distraction = {0};
  }
  const auto scores = score(*m, examples, 6);
  for (size_t i = 0; i < examples.size(); i += 2) {
    if (GetParam().config.structure.attention) {
      ASSERT_EQ(scores[i].as_scores.size(), 1u);
      EXPECT_NEAR(scores[i].as_scores[0], 1, 1e-12);
    }
    EXPECT_FALSE(scores[i].das_ratio);
    EXPECT_NEAR(scores[i].nll[0], score(*m, {examples[i]}, 1)[0].nll[0], 1e-12);
  }
  EXPECT_EQ(summarize({scores[0], scores[2]}).as_history, std::nullopt);
  EXPECT_TRUE(std::isfinite(summarize(scores).perplexity));
  // a distraction alone before the query is no history either
  Example distracted = examples[0];
  distracted.context.insert(distracted.context.begin(), {5, 6});
  distracted.distraction = {1, 0};
  EXPECT_FALSE(score(*m, {distracted}, 1)[0].das_ratio);
  EXPECT_EQ(decode(*m, pointers(examples)).size(), examples.size());
  (void)m->representation(make_batch(pointers(examples), m->parts()), Pooling::kSum);
}

// By scoring every token at every place. Responses that the model has chosen itself are all right.
TEST_P(AnyResponder, CountsTheTokensThatItFindsMostProbable) {
  const auto m = model();
  std::vector<Example> examples = random_examples(5, 5);
  const auto written = decode(*m, pointers(examples), {.max_length = 4, .any_token = true});
  for (size_t i = 0; i < 2; ++i) {
    examples.push_back(examples[i]);
    examples.back().response = written[i].tokens;
  }
  std::vector<int64_t> right(examples.size());
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::vector<int32_t>& response = examples[i].response;
    for (size_t t = 0; t <= response.size(); ++t) {
      std::vector<Example> next(kTestVocabulary, examples[i]);
      for (int32_t token = 0; token < kTestVocabulary; ++token) {
        next[token].response.resize(t);
        if (token != kEos) next[token].response.push_back(token);
      }
      const auto scores = score(*m, next, 32);
      const double nll = scores[t < response.size() ? response[t] : kEos].nll[t];
      right[i] += std::all_of(scores.begin(), scores.end(),
                              [&](const DialogueScore& s) { return s.nll[t] >= nll; });
    }
  }
  EXPECT_EQ(taught_right(*m, examples, 3), right);
  EXPECT_EQ(taught_right(*m, examples, 1), right);
  for (size_t i = 0; i < 2; ++i) EXPECT_GE(right[5 + i], std::ssize(written[i].tokens));
  EXPECT_LT(std::reduce(right.begin(), right.begin() + 5), 5);
}

// Behind its own words, what a model finds most probable is what it writes; behind the words of
// others it is the token with the smallest -log p there.
TEST_P(AnyResponder, ChoosesBehindTheWordsOfTheResponse) {
  const auto m = model();
  std::vector<Example> examples = random_examples(6, 5);
  const std::vector<Decoding> written = decode(*m, pointers(examples), {.max_length = 6});
  std::vector<Example> own = examples;
  for (size_t i = 0; i < own.size(); ++i) {
    own[i].response = written[i].tokens;
    if (!written[i].finished) own[i].response.pop_back();
  }
  const auto taught = taught_choices(*m, pointers(own));
  for (size_t i = 0; i < own.size(); ++i) EXPECT_EQ(taught[i], written[i].tokens) << i;

  for (const Example& e : examples) {
    const std::vector<int32_t> chosen = taught_choices(*m, {&e})[0];
    ASSERT_LE(chosen.size(), e.response.size() + 1);
    for (size_t t = 0; t < chosen.size(); ++t) {
      std::vector<Example> next;  // the beginning of the response, and every word behind it
      for (int32_t word = kSpecialTokens; word < kTestVocabulary; ++word) {
        next.push_back(e);
        next.back().response.resize(t);
        next.back().response.push_back(word);
      }
      const auto scores = score(*m, next, 32);
      const auto best = std::min_element(
          scores.begin(), scores.end(),
          [&](const DialogueScore& a, const DialogueScore& b) { return a.nll[t] < b.nll[t]; });
      EXPECT_EQ(chosen[t], kSpecialTokens + (best - scores.begin())) << t;
    }
  }
}

// Attention weights of a step sum to 1, and a gradient goes through them.
TEST_P(AnyResponder, TheAttentionLossReachesTheWeights) {
  const auto m = model();
  const auto examples = random_examples(6, 4);
  const Batch batch = make_batch(pointers(examples), m->parts());
  const Taught taught = m->teach(batch);
  ASSERT_EQ(taught.attention.empty(), !GetParam().config.structure.attention);
  if (taught.attention.empty()) return;
  for (int64_t b = 0; b < batch.size; ++b) {
    for (int64_t t = 0; t < batch.response.packing.length(b); ++t) {
      double sum = 0;
      for (const double w : weights_at(taught, batch, b, t)) sum += w;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  const double before = attention_loss(batch, taught).value().item();
  EXPECT_GT(before, 0);
  Adam optimizer(*m, {.rate = 0.02});
  for (int step = 0; step < 100; ++step) {
    zero_grad(*m);
    attention_loss(batch, m->teach(batch)).backward();
    optimizer.step();
  }
  EXPECT_LT(attention_loss(batch, m->teach(batch)).value().item(), 0.7 * before);
}

INSTANTIATE_TEST_SUITE_P(Structures, AnyResponder, testing::ValuesIn(forms()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed
