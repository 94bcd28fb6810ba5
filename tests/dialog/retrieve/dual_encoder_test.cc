// Dual encoders and their losses against NumPy's numbers, and what must hold for any texts.
#include "dialog/retrieve/dual_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "dialog/retrieve/losses.h"
#include "dialog/retrieve/text_reader.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tests/dropout_masks.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"
#include "tests/paths.h"

namespace heed::retrieve {
namespace {

const std::vector<Tokens> kContexts = {
    {5, 6, 7, kEou, 8, kEou, 9, 10, kEou}, {11, kEou}, {12, 5, kEou, 7, 7, 6, 5, kEou}};
// The last two are shared negatives, one of them what was said.
const std::vector<Tokens> kResponses = {
    {6, 8, kEou}, {9, kEou}, {5, 12, 10, 11, kEou}, {9, kEou}, {7, 10, kEou}};

constexpr const char* kKinds[] = {"lstm", "last", "sru", "hierarchical", "bag", "weighted-bag"};

Config tiny(const std::string& encoder) {
  return {.encoder = encoder,
          .vocab_size = 13,
          .embedding_size = 5,
          .hidden_size = 4,
          .heads = 3,
          .attention_size = 3,
          .buckets = 11,
          .dropout = 0,
          .scale = 3};
}

Config config_of(const std::string& name) {
  if (name == "last") {
    Config c = tiny("lstm");
    c.score = "bilinear", c.pool = "last", c.layers = 2;
    c.shared = false, c.bidirectional = false;
    return c;
  }
  Config c = tiny(name);
  if (name == "sru") c.score = "dot", c.layers = 2, c.shared = false;
  return c;
}

void expect_near(const Tensor& got, const Tensor& expected, double tolerance) {
  ASSERT_EQ(got.shape().str(), expected.shape().str());
  const Vec a = got.to_vector(), b = expected.to_vector();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

// tests/reference/generate/make_retrieval.py
class DualEncoderIsNumPys : public testing::TestWithParam<std::tuple<const char*, DType>> {};
INSTANTIATE_TEST_SUITE_P(Kinds, DualEncoderIsNumPys,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(DType::f64, DType::f32)),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + name_of(std::get<1>(row.param));
                         });

TEST_P(DualEncoderIsNumPys, VectorsLossesAndGradients) {
  const auto [name, dtype] = GetParam();
  const double tolerance = dtype == DType::f64 ? 1e-10 : 1e-5;
  const TensorMap expected =
      load_tensors(source_dir() + "/tests/reference/retrieval/" + name + ".safetensors");
  DualEncoder model(config_of(name));
  convert(model, dtype);
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(expected.at("parameters." + p.name).clone().to(dtype));
  }
  Looks looks;
  std::ignore = model.f(DualEncoder::Side::kContexts, kContexts, {}, &looks);
  EXPECT_EQ(looks.weights.defined(), model.config().attends());
  EXPECT_EQ(expected.contains("attention"), model.config().attends());
  if (model.config().attends()) {
    const Vec weights = looks.weights.value().to_vector(),
              in_order = expected.at("attention").to_vector();
    std::vector<int64_t> begin(4);  // of each context in the reference
    for (int64_t s = 0; s < 3; ++s) begin[looks.order[s] + 1] = looks.segments.length(s);
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t j = 0; j < looks.segments.length(s); ++j) {
        EXPECT_NEAR(weights[looks.segments.begin(s) + j], in_order[begin[looks.order[s]] + j],
                    tolerance);
      }
    }
  }
  const Var contexts = model.contexts(kContexts), responses = model.responses(kResponses);
  expect_near(contexts.value(), expected.at("contexts"), tolerance);
  expect_near(responses.value(), expected.at("responses"), tolerance);
  const Var scores = affine(contexts, responses);
  const Var softmax = softmax_loss(scores, candidates_of(kResponses, 3, true), 0.1);
  const Var hinge = hinge_loss(scores, candidates_of(kResponses, 3, false), 0.25);
  expect_near(softmax.value(), expected.at("softmax"), tolerance);
  expect_near(hinge.value(), expected.at("hinge"), tolerance);
  (mean(softmax) + mean(hinge)).backward();
  for (const NamedParameter& p : parameters(model)) {
    SCOPED_TRACE(p.name);
    expect_near(p.var.grad(), expected.at("gradients." + p.name), tolerance);
  }
}

// Table 8 of Swanson et al. (2019), without embeddings and with one bias a gate.
TEST(DualEncoder, HasThePapersParameters) {
  const auto count = [](const char* encoder, int64_t layers, int64_t hidden = 300) {
    Config c{.encoder = encoder,
             .score = "dot",
             .embedding_size = 300,
             .hidden_size = hidden,
             .layers = layers,
             .heads = 16,
             .attention_size = 64,
             .shared = false};
    return parameter_count(c) - static_cast<double>(c.vocab_size * c.embedding_size);
  };
  EXPECT_EQ(count("sru", 4), 8'018'048);
  EXPECT_EQ(count("sru", 2), 3'688'448);
  EXPECT_EQ(count("sru", 2, 475), 7'833'848);
  EXPECT_EQ(count("lstm", 2), 7'288'448);
  EXPECT_EQ(count("lstm", 4), 15'938'048);
  EXPECT_EQ(count("hierarchical", 4), 12'387'072);
  for (const char* name : kKinds) {
    const Config c = config_of(name);
    EXPECT_EQ(static_cast<double>(heed::parameter_count(DualEncoder(c))), parameter_count(c))
        << name;
  }
}

// Of an encoder that is not there the sizes are unknown: its scale is left.
TEST(DualEncoder, OfAPretrainedEncoderTheScaleIsKnown) {
  EXPECT_EQ(parameter_count({.encoder = "pretrained"}), 1);
  EXPECT_EQ(parameter_count({.encoder = "pretrained", .score = "dot"}), 0);
}

// Uniform between bounds that keep the variance: of the products sqrt(3 / width of the input), of
// the gates' the half of the variance, of the cells' vectors sqrt(3 / 2); biases are 0.
TEST(DualEncoder, AnSruBeginsWithWeightsOfItsWidth) {
  Config c = tiny("sru");
  c.embedding_size = 60, c.hidden_size = 50;
  DualEncoder model(c);
  init(model, 1);
  const std::map<std::string, double> squares = {
      {"weight", 3.0 / 60}, {"weight_f", 1.5 / 60}, {"weight_r", 1.5 / 60}, {"weight_x", 3.0 / 60},
      {"v_f", 1.5},         {"v_r", 1.5},           {"bias_f", 0},          {"bias_r", 0}};
  size_t found = 0;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name.find("sru") == p.name.npos) continue;
    std::string name = p.name.substr(p.name.rfind('.') + 1);
    if (name.ends_with("_reverse")) name.resize(name.size() - 8);
    double most = 0;
    for (const double x : p.var.value().to_vector()) most = std::max(most, std::abs(x));
    const double bound = std::sqrt(squares.at(name));
    EXPECT_LE(most, bound) << p.name;
    EXPECT_GE(most, 0.9 * bound) << p.name;
    ++found;
  }
  EXPECT_EQ(found, 2 * squares.size());
}

TEST(DualEncoder, AVectorDoesNotDependOnTheBatch) {
  for (const char* name : kKinds) {
    SCOPED_TRACE(name);
    DualEncoder model(config_of(name));
    init(model, 3);
    const Tensor all = model.encode(DualEncoder::Side::kContexts, kContexts, /*batch=*/2);
    for (int64_t i = 0; i < 3; ++i) {
      const Tensor alone = model.contexts({kContexts[i]}).value();
      const Vec a = alone.to_vector(), b = all[i].to_vector();
      for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-6);
    }
  }
}

TEST(Candidates, ATextTwiceIsNoNegative) {
  const Candidates all = candidates_of(kResponses, 3, /*of_batch=*/true);
  EXPECT_EQ(all.right.to_ints(), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(all.none.to_ints(), (std::vector<int32_t>{0, 0, 0, 0, 0,  //
                                                      0, 0, 0, 1, 0,  //
                                                      0, 0, 0, 0, 0}));
  const Candidates shared = candidates_of(kResponses, 3, /*of_batch=*/false);
  EXPECT_EQ(shared.none.to_ints(), (std::vector<int32_t>{0, 1, 1, 0, 0,  //
                                                         1, 0, 1, 1, 0,  //
                                                         1, 1, 0, 0, 0}));
}

TEST(Losses, ByHand) {
  const Candidates c = candidates_of({{5}, {6}, {5}}, 2, true);
  const Var scores(Tensor::from(Vec{1, 0.9, 7, 0, 2, 2}, {2, 3}));
  // Row 0 has no third candidate: its text is the right one.
  const Vec softmax = softmax_loss(scores, c).value().to_vector();
  EXPECT_NEAR(softmax[0], std::log(1 + std::exp(-0.1)), 1e-12);
  EXPECT_NEAR(softmax[1], std::log(2 + std::exp(-2)), 1e-12);
  const Vec hinge = hinge_loss(scores, c, 0.25).value().to_vector();
  EXPECT_NEAR(hinge[0], 0.15, 1e-12);
  EXPECT_NEAR(hinge[1], 0.25, 1e-12);
}

TEST(TextReader, KeepsTheEndOfAContextAndTheBeginningOfAResponse) {
  Vocabulary words = Vocabulary::build({{"a", 3}, {"b", 2}, {"c", 1}});
  const TextReader reader(words, {.max_context = 4, .max_response = 3});
  size_t contexts = 0, responses = 0;
  EXPECT_EQ(reader.context({"a b", "c"}, &contexts),
            (Tokens{words.id("b"), kEou, words.id("c"), kEou}));
  EXPECT_EQ(reader.response("a b c a", &responses),
            (Tokens{words.id("a"), words.id("b"), words.id("c"), kEou}));
  EXPECT_EQ(reader.response("", &responses), (Tokens{kUnk, kEou}));
  EXPECT_EQ(contexts, 1u);
  EXPECT_EQ(responses, 1u);
  // One context more, whose first turn is left out with a word of the second.
  EXPECT_EQ(reader.context({"a b c", "a b", "c"}, &contexts), reader.context({"a b", "c"}));
  EXPECT_EQ(contexts, 2u);
  std::string long_text;
  for (int i = 0; i < 10000; ++i) long_text += "a ";
  EXPECT_EQ(reader.context({long_text}).size(), 4u);
}

// [CLS], a piece and [SEP], or two words and the end, are the least that says something.
TEST(TextReader, ReadsAllOrThreeAtLeast) {
  EXPECT_NO_THROW(TextBounds{}.check());
  EXPECT_NO_THROW((TextBounds{.max_context = 3, .max_response = 3}.check()));
  const auto error = [](const TextBounds& bounds) {
    return error_of<UsageError>([&] { bounds.check(); });
  };
  for (const int value : {1, 2}) {
    const std::string got = ": expected 0 (all) or 3 and more, got " + std::to_string(value);
    EXPECT_EQ(error({.max_context = value}), "retrieval: words of a context" + got);
    EXPECT_EQ(error({.max_response = value}), "retrieval: words of a response" + got);
  }
}

std::string refusal(const Config& c) {
  return error_of<UsageError>([&] { c.check(); });
}

TEST(DualEncoder, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal({.encoder = "gru"}),
            "retrieval: encoder: expected one of lstm, sru, hierarchical, bag, weighted-bag, "
            "pretrained, got 'gru'");
  EXPECT_EQ(refusal({.heads = 0}),
            "retrieval: heads: expected a whole number from 1 to 16777216, got 0");
  EXPECT_EQ(refusal({.encoder = "sru", .pool = "last"}),
            "retrieval: pool last is for the encoder lstm, not for sru");
  EXPECT_EQ(refusal({.encoder = "bag", .bidirectional = false}),
            "retrieval: only the encoder lstm may read in one direction, not bag");
  EXPECT_EQ(refusal({.score = "map"}),
            "retrieval: score map is for the encoder pretrained, not for lstm");
  EXPECT_EQ(refusal({.dropout = 1}),
            "retrieval: dropout: expected a number from 0 to below 1, got 1");
}

TEST(DualEncoder, BeginsWithItsScaleAndSmallSumsOfWords) {
  Config c = tiny("bag");
  c.vocab_size = 1000;
  DualEncoder model(c);
  init(model, 1);
  EXPECT_EQ(named(model, "scale").value().item(), 3);
  double squares = 0;
  const Vec words = named(model, "embedding.weight").value().to_vector();
  for (const double x : words) squares += x * x;
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(words.size())), 0.1, 0.005);
}

// What is read, and the vectors; of a hierarchy its utterances, too. A tower for both sides draws
// for each.
TEST(DualEncoder, DropsAtEachOfItsPlaces) {
  const std::pair<const char*, size_t> kPlaces[] = {
      {"lstm", 2}, {"last", 3}, {"sru", 3}, {"hierarchical", 3}, {"bag", 2}, {"weighted-bag", 2}};
  const std::vector<Tokens> texts(4, Tokens{6, 7, kEou, 9, 6, kEou});
  for (const auto& [name, places] : kPlaces) {
    SCOPED_TRACE(name);
    DualEncoder model(config_of(name));
    init(model, 1);
    const auto masks = [&](DualEncoder::Side side) {
      return dropout_masks(model.f(side, texts, DropoutMode(0.5, 1, 1)));
    };
    const auto contexts = masks(DualEncoder::Side::kContexts);
    EXPECT_EQ(contexts.size(), places);
    for (size_t a = 0; a < contexts.size(); ++a) {
      for (size_t b = 0; b < a; ++b) EXPECT_NE(contexts[a], contexts[b]) << a << " " << b;
    }
    for (const auto& mask : masks(DualEncoder::Side::kResponses)) {
      EXPECT_EQ(std::count(contexts.begin(), contexts.end(), mask), 0);
    }
  }
}

// Also where many layers stand on each other.
TEST(DualEncoder, LayersOfAnSruShareNoMask) {
  Config c = tiny("sru");
  c.layers = 4, c.dropout = 0.5;
  DualEncoder model(c);
  init(model, 1);
  const std::vector<Tokens> texts(4, Tokens{6, 7, 8, 9, 6, 7});
  const Var vectors = model.f(DualEncoder::Side::kContexts, texts, DropoutMode(0.5, 1, 1));
  const auto masks = dropout_masks(vectors);
  EXPECT_GE(masks.size(), 5u);
  for (size_t a = 0; a < masks.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NE(masks[a], masks[b]) << a << " " << b;
  }
}

}  // namespace
}  // namespace heed::retrieve
