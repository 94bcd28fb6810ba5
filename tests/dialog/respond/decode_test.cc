#include "dialog/respond/decode.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "dialog/respond/das.h"
#include "dialog/respond/models/lstm.h"
#include "nn/init.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Method = DecodeOptions::Method;

// Weights large enough that the model has strong opinions.
LstmResponder make_model(const Structure& structure, int64_t words, DType dtype = DType::f64,
                         uint64_t seed = 3) {
  ModelConfig config;
  config.structure = structure;
  config.vocab_size = kSpecialTokens + words;
  config.embedding_size = 6, config.hidden_size = 8, config.num_layers = 2;
  LstmResponder model(config, seed);
  init_again_uniform(model, -1.5, 1.5, seed);
  convert(model, dtype);
  return model;
}

std::vector<Example> make_contexts(int count, int64_t words, uint64_t seed = 5) {
  Rng rng(seed);
  std::vector<Example> examples(count);
  for (int i = 0; i < count; ++i) {
    examples[i].id = "dialogue " + std::to_string(i);
    const uint64_t utterances = 1 + rng.below(5);
    for (uint64_t k = 0; k < utterances; ++k) {
      std::vector<int32_t>& utterance = examples[i].context.emplace_back(1 + rng.below(4));
      for (int32_t& word : utterance) {
        word = static_cast<int32_t>(kSpecialTokens + rng.below(words));
      }
    }
    examples[i].distraction.assign(examples[i].context.size(), 0);
  }
  return examples;
}

DialogueScore score_response(LstmResponder& model, Example example,
                             const std::vector<int32_t>& response) {
  example.response = response;
  return score(model, {example}, 1)[0];
}

// log p of the tokens, and of <eos> if finished.
double log_prob(LstmResponder& model, const Example& example, const std::vector<int32_t>& response,
                bool finished) {
  const DialogueScore s = score_response(model, example, response);
  double sum = 0;
  for (size_t i = 0; i < response.size() + (finished ? 1 : 0); ++i) sum -= s.nll[i];
  return sum;
}

DecodeOptions options_of(Method method, int64_t max_length = 8) {
  DecodeOptions options;
  options.method = method;
  options.max_length = max_length;
  return options;
}

void expect_same(const Decoding& a, const Decoding& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.finished, b.finished);
  EXPECT_NEAR(a.log_prob, b.log_prob, 1e-9);
}

class Decode : public testing::TestWithParam<Structure> {};
INSTANTIATE_TEST_SUITE_P(Structures, Decode, testing::ValuesIn(structures(Family::kLstm)),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Decode, LogProbAndAttentionAreWhatScoreMeasures) {
  const auto examples = make_contexts(9, 6);
  for (const DType dtype : {DType::f32, DType::f64}) {
    LstmResponder model = make_model(GetParam(), 6, dtype);
    const double tolerance = dtype == DType::f32 ? 1e-4 : 1e-10;
    int finished = 0;
    for (const Method method : {Method::kGreedy, Method::kSample, Method::kBeam}) {
      const auto decoded = decode(model, pointers(examples), options_of(method));
      for (size_t i = 0; i < examples.size(); ++i) {
        const Decoding& d = decoded[i];
        EXPECT_NEAR(d.log_prob, log_prob(model, examples[i], d.tokens, d.finished), tolerance);
        EXPECT_EQ(d.attention.size(), d.tokens.size() + (d.finished ? 1 : 0));
        EXPECT_LE(d.tokens.size(), 8u);
        if (!d.finished) continue;
        ++finished;
        const DialogueScore s = score_response(model, examples[i], d.tokens);
        const std::vector<double> as = d.as_scores();
        ASSERT_EQ(as.size(), s.as_scores.size());
        for (size_t k = 0; k < as.size(); ++k) EXPECT_NEAR(as[k], s.as_scores[k], tolerance);
      }
    }
    EXPECT_GT(finished, 3);
  }
}

TEST(DecodeThreads, IsTheSameForAnyNumberOfThreads) {
  const auto examples = make_contexts(5, 95);
  LstmResponder model = make_model(structures(Family::kLstm)[3], 95, DType::f32);
  for (const Method method : {Method::kGreedy, Method::kSample, Method::kBeam}) {
    set_num_threads(1);
    const auto expected = decode(model, pointers(examples), options_of(method));
    for (int threads : {2, 4}) {
      set_num_threads(threads);
      const auto found = decode(model, pointers(examples), options_of(method));
      for (size_t i = 0; i < examples.size(); ++i) {
        EXPECT_EQ(found[i].tokens, expected[i].tokens);
        EXPECT_EQ(found[i].log_prob, expected[i].log_prob);
        EXPECT_EQ(found[i].attention, expected[i].attention);
      }
    }
  }
  set_num_threads(0);
}

TEST_P(Decode, GreedyTakesTheMostProbableToken) {
  LstmResponder model = make_model(GetParam(), 5);
  const auto examples = make_contexts(4, 5);
  const auto decoded = decode(model, pointers(examples), options_of(Method::kGreedy, 4));
  for (size_t i = 0; i < examples.size(); ++i) {
    const Decoding& d = decoded[i];
    for (size_t t = 0; t < d.attention.size(); ++t) {
      std::vector<int32_t> prefix(d.tokens.begin(), d.tokens.begin() + static_cast<int64_t>(t));
      std::map<double, int32_t> by_nll;
      by_nll[score_response(model, examples[i], prefix).nll[t]] = kEos;
      for (int32_t token = kSpecialTokens; token < model.config().vocab_size; ++token) {
        prefix.push_back(token);
        by_nll[score_response(model, examples[i], prefix).nll[t]] = token;
        prefix.pop_back();
      }
      EXPECT_EQ(by_nll.begin()->second, t < d.tokens.size() ? d.tokens[t] : kEos);
    }
  }
}

// A response, or the beginning of one that is not ended.
struct Written {
  double length;  // <eos> counted
  double log_prob;
};

// All responses of at most four of two words, ended or cut off at the fourth.
std::vector<Written> all_responses(LstmResponder& model, const Example& example) {
  std::vector<Written> all;
  std::vector<std::vector<int32_t>> open = {{}};
  while (!open.empty()) {
    const std::vector<int32_t> response = open.back();
    open.pop_back();
    const bool finished = response.size() < 4;
    all.push_back({static_cast<double>(response.size() + finished),
                   log_prob(model, example, response, finished)});
    for (int32_t word = 0; finished && word < 2; ++word) {
      open.push_back(response);
      open.back().push_back(kSpecialTokens + word);
    }
  }
  return all;
}

// By every penalty, which choose responses of different lengths.
TEST_P(Decode, AWideBeamFindsTheBestResponse) {
  DecodeOptions options = options_of(Method::kBeam, 4);
  options.beam_size = 1000;
  std::map<double, double> lengths;  // of the best ones, added up
  for (const uint64_t seed : {3, 4}) {
    LstmResponder model = make_model(GetParam(), 2, DType::f64, seed);
    const auto examples = make_contexts(6, 2, seed);
    std::vector<std::vector<Written>> all;
    for (const Example& e : examples) all.push_back(all_responses(model, e));
    for (const double penalty : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0}) {
      options.length_penalty = penalty;
      const auto decoded = decode(model, pointers(examples), options);
      for (size_t i = 0; i < examples.size(); ++i) {
        const auto score = [&](const Written& w) {
          return w.log_prob / std::pow(w.length, penalty);
        };
        const Written best = *std::max_element(
            all[i].begin(), all[i].end(),
            [&](const Written& a, const Written& b) { return score(a) < score(b); });
        EXPECT_NEAR(decoded[i].log_prob, best.log_prob, 1e-10) << penalty;
        EXPECT_EQ(static_cast<double>(decoded[i].attention.size()), best.length) << penalty;
        lengths[penalty] += best.length;
      }
    }
  }
  EXPECT_LT(lengths[0], lengths[0.5]);
  EXPECT_LT(lengths[0.5], lengths[1]);
}

TEST_P(Decode, ABeamOfOneIsGreedyAndAWiderOneIsNotWorse) {
  int better = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    LstmResponder model = make_model(GetParam(), 20, DType::f64, seed);
    const auto examples = make_contexts(6, 20, seed);
    const auto greedy = decode(model, pointers(examples), options_of(Method::kGreedy));
    DecodeOptions options = options_of(Method::kBeam);
    options.beam_size = 1;
    const auto one = decode(model, pointers(examples), options);
    for (int64_t size = 2; size <= 4; ++size) {
      options.beam_size = size;
      const auto beam = decode(model, pointers(examples), options);
      for (size_t i = 0; i < examples.size(); ++i) {
        expect_same(one[i], greedy[i]);
        EXPECT_GE(beam[i].log_prob, greedy[i].log_prob - 1e-10);
        if (beam[i].log_prob > greedy[i].log_prob + 1e-10) ++better;
      }
    }
  }
  EXPECT_GT(better, 10);
}

TEST_P(Decode, BatchingDoesNotChangeAResult) {
  LstmResponder model = make_model(GetParam(), 12);
  const auto examples = make_contexts(12, 12);
  for (const Method method : {Method::kGreedy, Method::kSample, Method::kBeam}) {
    const auto together = decode(model, pointers(examples), options_of(method));
    for (size_t i = 0; i < examples.size(); ++i) {
      const auto alone = decode(model, {&examples[i]}, options_of(method))[0];
      expect_same(alone, together[i]);
      ASSERT_EQ(alone.attention.size(), together[i].attention.size());
      for (size_t t = 0; t < alone.attention.size(); ++t) {
        double sum = 0;
        for (size_t k = 0; k < alone.attention[t].size(); ++k) {
          EXPECT_NEAR(alone.attention[t][k], together[i].attention[t][k], 1e-10);
          sum += alone.attention[t][k];
        }
        EXPECT_NEAR(sum, 1, 1e-10);
      }
    }
  }
}

TEST(DecodeSample, DrawsFromTheMostProbableTokens) {
  LstmResponder model = make_model(Structure::parse("static"), 6);
  const Example context = make_contexts(1, 6)[0];
  const double temperature = 1.7;
  std::map<int32_t, double> p;  // of the first token
  for (int32_t token = kSpecialTokens; token < model.config().vocab_size; ++token) {
    p[token] = std::exp(log_prob(model, context, {token}, false) / temperature);
  }
  p[kEos] = std::exp(log_prob(model, context, {}, true) / temperature);
  while (p.size() > 3) {
    p.erase(std::min_element(p.begin(), p.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  double total = 0;
  for (const auto& [token, weight] : p) total += weight;

  const int draws = 4000;
  std::vector<Example> examples(draws, context);
  for (int i = 0; i < draws; ++i) examples[i].id = "draw " + std::to_string(i);
  DecodeOptions options = options_of(Method::kSample, 1);
  options.top_k = 3, options.temperature = temperature;
  std::map<int32_t, int> counts;
  for (const Decoding& d : decode(model, pointers(examples), options)) {
    ++counts[d.finished ? kEos : d.tokens[0]];
  }
  for (const auto& [token, count] : counts) {
    ASSERT_TRUE(p.contains(token)) << token;
    const double expected = p[token] / total, sigma = std::sqrt(expected / draws);
    EXPECT_NEAR(static_cast<double>(count) / draws, expected, 5 * sigma);
  }
}

TEST(DecodeSample, DependsOnTheSeedAndBecomesGreedy) {
  LstmResponder model = make_model(Structure::parse("dynamic"), 30);
  const auto examples = make_contexts(10, 30);
  const auto sample = [&](int64_t top_k, double temperature, uint64_t seed) {
    DecodeOptions options = options_of(Method::kSample);
    options.top_k = top_k, options.temperature = temperature, options.seed = seed;
    std::vector<std::vector<int32_t>> tokens;
    for (const Decoding& d : decode(model, pointers(examples), options)) tokens.push_back(d.tokens);
    return tokens;
  };
  std::vector<std::vector<int32_t>> greedy;
  for (const Decoding& d : decode(model, pointers(examples), options_of(Method::kGreedy))) {
    greedy.push_back(d.tokens);
  }
  EXPECT_EQ(sample(1, 1, 7), greedy);
  EXPECT_EQ(sample(0, 0.001, 7), greedy);
  EXPECT_EQ(sample(10, 2, 7), sample(10, 2, 7));
  EXPECT_NE(sample(10, 2, 7), sample(10, 2, 8));
}

TEST(DecodeTokens, NoSpecialTokenIsEverWritten) {
  LstmResponder model = make_model(Structure::parse("dynamic-ui"), 2);
  const auto examples = make_contexts(200, 2);
  DecodeOptions options = options_of(Method::kSample);
  options.temperature = 1000, options.top_k = 0;  // all tokens are about equally probable
  std::map<int32_t, int> counts;
  for (const Decoding& d : decode(model, pointers(examples), options)) {
    for (int32_t token : d.tokens) ++counts[token];
  }
  EXPECT_EQ(counts.size(), 2u);
  options.allow_unk = true;
  for (const Decoding& d : decode(model, pointers(examples), options)) {
    for (int32_t token : d.tokens) ++counts[token];
  }
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_GT(counts[kUnk], 10);
}

TEST(DecodeTokens, TheExamplesOwnResponseIsNotLookedAt) {
  LstmResponder model = make_model(Structure::parse("non-hier"), 8);
  auto examples = make_contexts(5, 8);
  const auto before = decode(model, pointers(examples), options_of(Method::kSample));
  for (size_t i = 0; i < examples.size(); ++i) examples[i].response.assign(i + 1, 6);
  const auto after = decode(model, pointers(examples), options_of(Method::kSample));
  for (size_t i = 0; i < examples.size(); ++i) expect_same(before[i], after[i]);
}

TEST(DecodeOptions, AreChecked) {
  LstmResponder model = make_model(Structure::parse("static"), 4);
  const auto examples = make_contexts(1, 4);
  const auto error = [&](auto change) {
    DecodeOptions options;
    change(options);
    return error_of<UsageError>([&] { decode(model, pointers(examples), options); });
  };
  EXPECT_EQ(error([](DecodeOptions& o) { o.max_length = 0; }),
            "max_length: expected a number from 1 to 10000, got 0");
  EXPECT_EQ(error([](DecodeOptions& o) { o.top_k = -1; }),
            "top_k: expected a number from 0 to 1000000000, got -1");
  EXPECT_EQ(error([](DecodeOptions& o) { o.temperature = 0; }),
            "temperature: expected a number from 0.001 to 1000, got 0");
  EXPECT_EQ(error([](DecodeOptions& o) { o.temperature = NAN; }),
            "temperature: expected a number from 0.001 to 1000, got nan");
  EXPECT_EQ(error([](DecodeOptions& o) { o.beam_size = 0; }),
            "beam_size: expected a number from 1 to 1000, got 0");
  EXPECT_EQ(error([](DecodeOptions& o) { o.length_penalty = -0.5; }),
            "length_penalty: expected a number from 0 to 10, got -0.5");
  EXPECT_TRUE(decode(model, {}).empty());
}

// An N-best list is what the beam holds: different responses, best first, each with its own log p.
TEST(DecodeLists, AreTheBeam) {
  LstmResponder model = make_model(Structure::parse("dynamic"), 7);
  const auto examples = make_contexts(6, 7);
  const DecodeOptions options{.method = Method::kBeam, .max_length = 4, .beam_size = 5};
  const auto lists = decode_lists(model, pointers(examples), options);
  const auto best = decode(model, pointers(examples), options);
  for (size_t i = 0; i < examples.size(); ++i) {
    ASSERT_EQ(lists[i].size(), 5u);
    EXPECT_EQ(lists[i][0].tokens, best[i].tokens);
    std::set<std::pair<std::vector<int32_t>, bool>> different;
    for (size_t n = 0; n < lists[i].size(); ++n) {
      const Decoding& d = lists[i][n];
      different.emplace(d.tokens, d.finished);
      EXPECT_NEAR(d.log_prob, log_prob(model, examples[i], d.tokens, d.finished), 1e-10);
      EXPECT_EQ(d.even.size(), examples[i].context.size());
      // the greedy one may stand last in the place of a better one
      if (n > 0 && n + 1 < lists[i].size()) {
        EXPECT_LE(d.log_prob, lists[i][n - 1].log_prob);
      }
    }
    EXPECT_EQ(different.size(), 5u);
  }
  for (const auto& list : decode_lists(model, pointers(examples), {})) EXPECT_EQ(list.size(), 1u);
}

// Nobody is offered a mere beginning: each has ended, or is as long as it may be.
TEST(DecodeLists, HaveEnded) {
  LstmResponder model = make_model(Structure::parse("dynamic"), 7);
  const auto examples = make_contexts(12, 7);
  const DecodeOptions options{.method = Method::kBeam, .max_length = 12, .beam_size = 5};
  int ended = 0;
  for (const auto& list : decode_lists(model, pointers(examples), options)) {
    for (const Decoding& d : list) {
      EXPECT_TRUE(d.finished || d.tokens.size() == 12) << d.tokens.size();
      ended += d.finished && !d.tokens.empty();
    }
  }
  EXPECT_GT(ended, 20);
}

}  // namespace
}  // namespace heed
