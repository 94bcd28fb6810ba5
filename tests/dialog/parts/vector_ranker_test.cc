// Rankers by the vectors of an encoder.
#include "dialog/parts/vector_ranker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <sstream>

namespace heed {
namespace {

// Texts are numbers with blanks between them. Of an utterance those are the vector, cut after
// `width` of them and filled with zeros; that of a context is the sum of its utterances'.
class OfNumbers : public ContextEncoder {
 public:
  explicit OfNumbers(int64_t width) : width_(width) {}
  int64_t width() const override { return width_; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    std::istringstream in(utterance);
    std::vector<int32_t> all;
    for (int32_t x; in >> x;) all.push_back(x);
    return all;
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    Tensor rows = Tensor::zeros({std::ssize(examples), width_});
    for (size_t i = 0; i < examples.size(); ++i) {
      EXPECT_EQ(examples[i].distraction.size(), examples[i].context.size());
      for (const std::vector<int32_t>& utterance : examples[i].context) {
        for (size_t k = 0; k < utterance.size() && std::ssize(utterance) <= width_; ++k) {
          rows.data<float>()[static_cast<int64_t>(i) * width_ + static_cast<int64_t>(k)] +=
              static_cast<float>(utterance[k]);
        }
      }
    }
    if (options.progress) options.progress(std::ssize(examples), 0);
    ++calls;
    return rows;
  }
  mutable int calls = 0;

 private:
  int64_t width_;
};

std::shared_ptr<OfNumbers> of_numbers(int64_t width = 3) {
  return std::make_shared<OfNumbers>(width);
}

double length_of(const std::vector<double>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
  double product = 0;
  for (size_t k = 0; k < x.size(); ++k) product += x[k] * y[k];
  return product / (length_of(x) * length_of(y));
}

TEST(CosineRanker, ScoresAreCosinesInTheOrderOfTheCandidates) {
  const CosineRanker ranker(of_numbers(), {});
  const std::vector<std::vector<double>> y = {{3, 4, 0}, {-1, 0, 2}, {2, -1, 0}, {300, 400, 0}};
  const std::vector<std::string> texts = {"3 4", "-1 0 2", "2 -1", "300 400"};
  // The second context is the sum of two utterances, and asks for some only, one of them twice.
  const Ranker::Scores scores =
      ranker.score(texts, {{{"1 2 2"}, {0, 1, 2, 3}}, {{"4 0 1", "1 -1 1"}, {2, 0, 2}}}, 8, {});
  EXPECT_EQ(scores.remark, "");
  ASSERT_EQ(scores.of_queries.size(), 2u);
  const std::vector<double>&first = scores.of_queries[0], &second = scores.of_queries[1];
  ASSERT_EQ(first.size(), 4u);
  ASSERT_EQ(second.size(), 3u);
  // 11 / (3 * 5), 3 / (3 sqrt 5), 0 and again the first: a length has no part in it
  EXPECT_NEAR(first[0], 11.0 / 15, 1e-6);
  EXPECT_NEAR(first[1], 1 / std::sqrt(5), 1e-6);
  EXPECT_NEAR(first[2], 0, 1e-6);
  EXPECT_NEAR(first[3], first[0], 1e-6);
  EXPECT_NEAR(second[0], cosine({5, -1, 2}, y[2]), 1e-6);
  EXPECT_NEAR(second[1], cosine({5, -1, 2}, y[0]), 1e-6);
  EXPECT_EQ(second[2], second[0]);
  // All of them in another order, one alone, and none.
  const auto others =
      ranker.score(texts, {{{"1 2 2"}, {3, 1, 2, 0}}, {{"1 2 2"}, {1}}, {{"1"}, {}}}, 8, {})
          .of_queries;
  EXPECT_EQ(others[0], (std::vector<double>{first[3], first[1], first[2], first[0]}));
  EXPECT_EQ(others[1], std::vector<double>{first[1]});
  EXPECT_TRUE(others[2].empty());
}

// Equal texts, and texts of equal vectors, have the same score to the last bit, wherever they
// stand.
TEST(CosineRanker, EqualVectorsAreTies) {
  const CosineRanker ranker(of_numbers(), {});
  const std::vector<std::string> texts = {"1 2 3", "5 -7 2", "1 2 3", "1  2  3", "5 -7 2"};
  const auto scores = ranker.score(texts, {{{"7 1 -3"}, {0, 1, 2, 3, 4}}}, 2, {}).of_queries[0];
  EXPECT_EQ(scores[0], scores[2]);
  EXPECT_EQ(scores[0], scores[3]);
  EXPECT_EQ(scores[1], scores[4]);
  EXPECT_NE(scores[0], scores[1]);
}

// More numbers than are summed at once, and not a multiple of them.
TEST(CosineRanker, VectorsHaveTheLengthOne) {
  const int64_t width = 37;
  const CosineRanker ranker(of_numbers(width), {});
  std::string text;
  std::vector<double> numbers;
  for (int k = 0; k < width; ++k) {
    numbers.push_back((k * 29) % 17 - 8);
    text += std::to_string((k * 29) % 17 - 8) + " ";
  }
  const Tensor x = ranker.contexts({{text}, {"0 0"}, {"0 -5"}}, 8, {}, nullptr);
  const Tensor y = ranker.responses({"0", text}, 8, {}, nullptr);
  ASSERT_EQ(x.shape(), (Shape{3, width}));
  for (int64_t k = 0; k < width; ++k) {
    const double want = numbers[static_cast<size_t>(k)] / length_of(numbers);
    EXPECT_NEAR(x(0, k), want, 1e-6) << k;
    EXPECT_NEAR(y(1, k), want, 1e-6) << k;
    EXPECT_EQ(x(1, k), 0) << k;  // and not NaN
    EXPECT_EQ(y(0, k), 0) << k;
    EXPECT_EQ(x(2, k), k == 1 ? -1 : 0) << k;
  }
}

// The last turns of a context, and the first numbers of each; the first ones of a response.
TEST(CosineRanker, ReadsWithinItsBoundsAndCountsWhatIsCut) {
  ExampleOptions bounds;
  bounds.max_turns = 2;
  bounds.max_utterance_tokens = 2;
  bounds.max_response_tokens = 1;
  const CosineRanker ranker(of_numbers(), bounds);
  size_t cut = 0;
  const Tensor x = ranker.contexts({{"9 9", "1 0 7", "0 1"}, {"3 4 5"}}, 8, {}, &cut);
  EXPECT_EQ(cut, 1u);  // turns that are not read; not that one is long
  EXPECT_NEAR(x(0, 0), std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(x(0, 1), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(x(0, 2), 0);
  EXPECT_NEAR(x(1, 0), 0.6, 1e-6);
  EXPECT_NEAR(x(1, 1), 0.8, 1e-6);
  EXPECT_EQ(x(1, 2), 0);
  cut = 0;
  const Tensor y = ranker.responses({"4 3", "5"}, 8, {}, &cut);
  EXPECT_EQ(cut, 1u);
  EXPECT_EQ(y(0, 0), 1);
  EXPECT_EQ(y(0, 1), 0);
  EXPECT_EQ(ranker.score({"4 3", "5"}, {{{"1", "2", "3"}, {0}}}, 8, {}).remark,
            "2 texts cut: of a context the last words or pieces are kept, of a response the first");
}

// Bounds count words, as in training, also where a word is several tokens; and the words of the
// whole context.
TEST(CosineRanker, ItsBoundsCountWords) {
  struct OfPieces : OfNumbers {
    explicit OfPieces(const Vocabulary& words) : OfNumbers(8), words(words) {}
    std::vector<int32_t> numbers(const std::string& utterance) const override {
      return encode_utterance(utterance, words);
    }
    Tensor encode(const std::vector<Example>& examples, const EncodeOptions& o) const override {
      for (const Example& e : examples) read.push_back(e.context);
      return OfNumbers::encode(examples, o);
    }
    const Vocabulary& words;
    mutable std::vector<std::vector<std::vector<int32_t>>> read;
  };
  const auto words = std::make_shared<Vocabulary>(
      Vocabulary::build({{"a", 9}}, {.max_size = kSmallestOfPieces, .kind = TokenKind::kPieces}));
  const auto ids = [&](const std::string& text) { return encode_utterance(text, *words); };
  ASSERT_EQ(ids("ab c").size(), 5u) << "each byte is a token";
  ExampleOptions bounds;
  bounds.max_utterance_tokens = 2;
  bounds.max_response_tokens = 1;
  bounds.max_context_tokens = 5;
  const auto encoder = std::make_shared<OfPieces>(*words);
  const CosineRanker ranker(encoder, bounds, words);
  size_t cut = 0;
  (void)ranker.contexts({{"x", "ab c d", "ab c d"}}, 8, {}, &cut);
  (void)ranker.responses({"ab c", "ab"}, 8, {}, &cut);
  EXPECT_EQ(cut, 2u);
  ASSERT_EQ(encoder->read.size(), 3u);
  using Context = std::vector<std::vector<int32_t>>;
  EXPECT_EQ(encoder->read[0], (Context{ids("c"), ids("ab c")}));
  EXPECT_EQ(encoder->read[1], (Context{ids("ab")}));
  EXPECT_EQ(encoder->read[2], (Context{ids("ab")}));
  cut = 0;
  (void)ranker.contexts({{"ab c", "ab c"}, {"c", "ab c"}}, 8, {}, &cut);
  EXPECT_EQ(cut, 1u) << "no turn is gone, but a word of one";
}

// The vectors of texts, and of contexts, are kept until others are asked for.
TEST(CosineRanker, ReadsTextsAndContextsOnce) {
  const auto encoder = of_numbers();
  const CosineRanker ranker(encoder, {});
  const std::vector<std::string> texts = {"1 0", "0 1"};
  EXPECT_NEAR(ranker.score(texts, {{{"3 4"}, {1}}}, 8, {}).of_queries[0][0], 0.8, 1e-6);
  EXPECT_EQ(encoder->calls, 2);
  EXPECT_NEAR(ranker.score(texts, {{{"4 3"}, {1}}}, 8, {}).of_queries[0][0], 0.6, 1e-6);
  EXPECT_EQ(encoder->calls, 3);
  EXPECT_NEAR(ranker.score({"1 0", "1 1"}, {{{"4 3"}, {1}}}, 8, {}).of_queries[0][0],
              7 / (5 * std::sqrt(2)), 1e-6);
  EXPECT_EQ(encoder->calls, 4) << "the context is the same";
  const auto two = ranker.score({"1 0", "1 1"}, {{{"4 3"}, {0}}, {{"3 4"}, {0}}}, 8, {});
  EXPECT_EQ(encoder->calls, 5) << "a second context, and the same texts";
  EXPECT_NEAR(two.of_queries[0][0], 0.8, 1e-6);
  EXPECT_NEAR(two.of_queries[1][0], 0.6, 1e-6);
}

// Texts first, then contexts, of all together.
TEST(CosineRanker, TellsHowFarItIs) {
  const CosineRanker ranker(of_numbers(), {});
  std::vector<size_t> told;
  (void)ranker.score({"1 0", "0 1"}, {{{"3 4"}, {1}}, {{"1 1"}, {0}}, {{"2 1"}, {0}}}, 8,
                     [&](size_t done, size_t of) {
                       EXPECT_EQ(of, 5u);
                       told.push_back(done);
                     });
  EXPECT_EQ(told, (std::vector<size_t>{2, 5}));
}

// What was cut of texts and contexts that are kept is said each time.
TEST(CosineRanker, SaysEachTimeWhatWasCut) {
  ExampleOptions bounds;
  bounds.max_turns = bounds.max_response_tokens = 1;
  const CosineRanker ranker(of_numbers(), bounds);
  const auto cut = [&](const std::vector<std::string>& texts, const std::string& last) {
    return ranker.score(texts, {{{"1", last}, {0}}}, 8, {}).remark.substr(0, 6);
  };
  EXPECT_EQ(cut({"1 2", "2"}, "5"), "2 text");
  EXPECT_EQ(cut({"1 2", "2"}, "5"), "2 text");
  EXPECT_EQ(cut({"1", "2"}, "5"), "1 text") << "of the context";
  const CosineRanker of_two(of_numbers(), ExampleOptions(), {}, 2);  // which reads two numbers
  EXPECT_EQ(of_two.score({"1"}, {{{"1", "5"}, {0}}}, 8, {}).remark, "");
  EXPECT_EQ(of_two.score({"1"}, {{{"1", "5 6"}, {0}}}, 8, {}).remark.substr(0, 6), "1 text");
}

// The longest ones first, as many at once as is asked for.
TEST(EncoderOfFunctions, EncodesInBatchesAndSaysHowFarItIs) {
  std::vector<std::vector<double>> batches;
  const auto encoder = make_encoder(
      1, [](const std::string& text) { return std::vector<int32_t>(text.size(), 7); },
      [&](const ExamplePointers& batch) {
        std::vector<double>& lengths = batches.emplace_back();
        for (const Example* e : batch) {
          lengths.push_back(static_cast<double>(e->context[0].size()));
        }
        return Var(Tensor::from(lengths, {std::ssize(batch), 1}).to(DType::f32));
      });
  std::vector<Example> examples;
  for (const char* text : {"bbb", "a", "eeeee", "dddd", "cc"}) {
    examples.emplace_back().context = {encoder->numbers(text)};
    examples.back().distraction = {0};
  }
  std::vector<int64_t> told;
  const Tensor vectors = encoder->encode(
      examples, {.batch = 2, .progress = [&](int64_t done, int64_t) { told.push_back(done); }});
  EXPECT_EQ(vectors.to_vector(), (std::vector<double>{3, 1, 5, 4, 2}));
  EXPECT_EQ(batches, (std::vector<std::vector<double>>{{5, 4}, {3, 2}, {1}}));
  EXPECT_EQ(told, (std::vector<int64_t>{2, 4, 5}));
}

}  // namespace
}  // namespace heed
