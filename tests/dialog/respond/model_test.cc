// What must hold for all five structures, whatever the weights.
#include "dialog/respond/models/lstm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/safetensors.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

class Model : public testing::TestWithParam<Structure> {
 protected:
  Model() { set_num_threads(1); }  // small work, and other tests run at the same time
  bool hierarchical() const { return GetParam().hierarchical; }
  Batch batch_of(const std::vector<Example>& examples) const {
    return make_batch(
        pointers(examples),
        BatchParts{.memory = hierarchical() ? MemoryOf::kUtterances : MemoryOf::kTokens});
  }
};

// ---- batching changes nothing -------------------------------------------------------------------

std::vector<double> numbers_of(const DialogueScore& s) {
  std::vector<double> numbers = s.nll;
  numbers.insert(numbers.end(), s.as_scores.begin(), s.as_scores.end());
  numbers.insert(numbers.end(), s.attention_loss.begin(), s.attention_loss.end());
  numbers.push_back(s.das_ratio.value_or(-1));
  return numbers;
}

void expect_same(const DialogueScore& a, const DialogueScore& b, double tolerance,
                 const std::string& what) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.das_ratio.has_value(), b.das_ratio.has_value());
  const std::vector<double> x = numbers_of(a), y = numbers_of(b);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], y[i], tolerance * std::max(1.0, std::abs(x[i]))) << what << " " << a.id;
  }
}

TEST_P(Model, BatchSizeAndOrderNeverChangeADialogue) {
  const auto examples = random_examples(13, 2);
  std::vector<int64_t> shuffled(examples.size());
  std::iota(shuffled.begin(), shuffled.end(), 0);
  Rng(5).shuffle(shuffled);
  std::vector<Example> other_order;
  for (int64_t i : shuffled) other_order.push_back(examples[i]);

  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f64 ? 1e-12 : 1e-5;
    LstmResponder model = small_model(GetParam(), dtype);
    const auto alone = score(model, examples, 1);
    for (const int64_t size : {2, 5, 13, 100}) {
      const auto together = score(model, examples, size);
      const auto permuted = score(model, other_order, size);
      ASSERT_EQ(together.size(), examples.size());
      for (size_t i = 0; i < examples.size(); ++i) {
        expect_same(alone[i], together[i], tolerance, "batch " + std::to_string(size));
        expect_same(alone[shuffled[i]], permuted[i], tolerance, "other order");
      }
    }
  }
}

// The loss of a batch is the mean of its dialogues' own losses, and the gradient too.
TEST_P(Model, ALossIsTheMeanOfItsDialogues) {
  const auto examples = random_examples(7, 4);
  const LstmResponder model = small_model(GetParam(), DType::f64);
  const auto loss = [&](const std::vector<Example>& some) {
    const Batch batch = batch_of(some);
    return training_loss(batch, model.teach(batch), 0.7).value().item();
  };
  double sum = 0;
  for (const Example& e : examples) sum += loss({e});
  EXPECT_NEAR(loss(examples), sum / 7, 1e-12 * sum);
}

// Over the rows of the memory, utterances or tokens, the mean score is 1.
TEST_P(Model, AttentionScoresAreOneOnAverage) {
  LstmResponder model = small_model(GetParam(), DType::f64);
  const auto examples = random_examples(9, 5);
  const auto scores = score(model, examples, 4);
  for (size_t i = 0; i < examples.size(); ++i) {
    const DialogueScore& s = scores[i];
    double sum = 0, rows = 0;
    for (size_t k = 0; k < s.as_scores.size(); ++k) {
      const auto its_rows = hierarchical() ? 1.0 : double(examples[i].context[k].size() + 1);
      sum += its_rows * s.as_scores[k];
      rows += its_rows;
    }
    EXPECT_NEAR(sum, rows, 1e-12 * rows);
    const auto [low, high] = std::minmax_element(s.as_scores.begin(), s.as_scores.end());
    EXPECT_GE(*low, 0);
    EXPECT_GT(*high - *low, 1e-3) << "attention that is even tests nothing";
  }
}

// ---- losses -------------------------------------------------------------------------------------

TEST_P(Model, AttentionLossAgreesWithTheScores) {
  LstmResponder model = small_model(GetParam(), DType::f64);
  const auto examples = random_examples(9, 6);
  const Batch batch = batch_of(examples);
  const Taught out = model.teach(batch);
  double attention = 0, nll = 0;
  for (const DialogueScore& s : score(model, examples, 9)) {
    attention = std::accumulate(s.attention_loss.begin(), s.attention_loss.end(), attention);
    nll = std::accumulate(s.nll.begin(), s.nll.end(), nll);
  }
  EXPECT_GT(attention, 1e-3);
  EXPECT_NEAR(attention_loss(batch, out).value().item(), attention, 1e-12);
  for (const double lambda : {0.0, 1.0, 2.5}) {
    EXPECT_NEAR(training_loss(batch, out, lambda).value().item(), (nll + lambda * attention) / 9,
                1e-10);
  }
}

TEST_P(Model, WithoutDistractionThereIsNoAttentionLoss) {
  LstmResponder model = small_model(GetParam(), DType::f64);
  const auto examples = random_examples(5, 6, /*distractions=*/false);
  const Batch batch = batch_of(examples);
  const Taught out = model.teach(batch);
  EXPECT_FALSE(attention_loss(batch, out).defined());
  EXPECT_EQ(training_loss(batch, out, 100).value().item(),
            training_loss(batch, out, 0).value().item());
  for (const DialogueScore& s : score(model, examples, 5)) {
    EXPECT_FALSE(s.das_ratio);
    EXPECT_EQ(*std::max_element(s.attention_loss.begin(), s.attention_loss.end()), 0.0);
  }
}

// ---- dropout ------------------------------------------------------------------------------------

TEST_P(Model, DropoutIsAFunctionOfSeedAndStep) {
  const LstmResponder model = small_model(GetParam(), DType::f32);
  const Batch batch = batch_of(random_examples(4, 1));
  const auto nll = [&](const DropoutMode& drop) {
    return model.teach(batch, drop).nll.to_vector();
  };
  EXPECT_EQ(nll({}), nll({0, 99, 99}));  // off, whatever the key
  EXPECT_EQ(nll({0.3, 1, 5}), nll({0.3, 1, 5}));
  EXPECT_NE(nll({0.3, 1, 5}), nll({0.3, 1, 6}));
  EXPECT_NE(nll({0.3, 1, 5}), nll({0.3, 2, 5}));
  EXPECT_NE(nll({0.3, 1, 5}), nll({}));
}

// score() leaves dropout out although the model has it in its configuration.
TEST_P(Model, EvaluationHasNoDropout) {
  LstmResponder model = small_model(GetParam(), DType::f32);
  ASSERT_GT(model.config().dropout, 0);
  const auto examples = random_examples(3, 1);
  const Batch batch = batch_of(examples);
  const double plain = model.teach(batch).nll_total.value().item();
  double scored = 0;
  for (const DialogueScore& s : score(model, examples, 3)) {
    scored = std::accumulate(s.nll.begin(), s.nll.end(), scored);
  }
  EXPECT_NEAR(scored, plain, 1e-4);
}

// ---- gradients ----------------------------------------------------------------------------------

// The loss as a function of one parameter element.
double loss_at(const LstmResponder& model, const Batch& batch, const DropoutMode& drop,
               double* element, double value) {
  const double before = *element;
  *element = value;
  const NoGrad guard;
  const double loss = training_loss(batch, model.teach(batch, drop), 1.5).value().item();
  *element = before;
  return loss;
}

// The elements of a parameter that are checked: some, among them one with a gradient.
std::vector<int64_t> chosen(const Tensor& gradient, Rng& rng) {
  const std::vector<double> g = gradient.to_vector();
  const auto largest = std::max_element(
      g.begin(), g.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::vector<int64_t> elements = {largest - g.begin()};
  for (int i = 0; i < 3; ++i) elements.push_back(static_cast<int64_t>(rng.below(g.size())));
  return elements;
}

TEST_P(Model, GradientsAgreeWithCentralDifferences) {
  const Batch batch = batch_of(random_examples(4, 8));
  ASSERT_TRUE(batch.memory.has_distraction());
  for (const DropoutMode& drop : {DropoutMode{}, DropoutMode{0.3, 3, 11}}) {
    LstmResponder model = small_model(GetParam(), DType::f64);
    training_loss(batch, model.teach(batch, drop), 1.5).backward();
    Rng rng(1, "test.elements");
    for (const NamedParameter& p : parameters(model)) {
      const Tensor gradient = p.var.grad();
      ASSERT_TRUE(gradient.defined()) << p.name;
      for (int64_t i : chosen(gradient, rng)) {
        double* element = p.var.value().data<double>() + i;
        const double step = 1e-5, x = *element;
        const double numeric = (loss_at(model, batch, drop, element, x + step) -
                                loss_at(model, batch, drop, element, x - step)) /
                               (2 * step);
        const double analytic = gradient.to_vector()[i];
        EXPECT_NEAR(analytic, numeric, 1e-7 * std::max(1.0, std::abs(numeric)))
            << p.name << " [" << i << "], dropout " << drop.p();
      }
      EXPECT_GT(grad_norm({p}), 1e-4) << p.name << " gets no gradient";
    }
  }
}

// ---- threads, names, memory ---------------------------------------------------------------------

TEST_P(Model, ThreadsChangeNoBit) {
  ModelConfig config = small_config(GetParam());
  config.hidden_size = 40;  // enough for work to be cut into pieces
  config.embedding_size = 30;
  const Batch batch = batch_of(random_examples(30, 3));
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    LstmResponder model(config, 1);
    const Var loss = training_loss(batch, model.teach(batch, {0.2, 1, 1}), 1);
    std::vector<std::vector<double>> numbers = {loss.value().to_vector()};
    loss.backward();
    for (const NamedParameter& p : parameters(model)) numbers.push_back(p.var.grad().to_vector());
    if (threads == 1) first = numbers;
    EXPECT_TRUE(numbers == first) << threads << " threads";
  }
}

TEST_P(Model, ParameterNamesAreThoseOfTheReference) {
  LstmResponder model(small_config(GetParam()), 1);
  std::vector<std::string> names, expected;
  for (const NamedParameter& p : parameters(model)) names.push_back(p.name);
  const std::string path =
      source_dir() + "/tests/reference/" + std::string(GetParam().name) + "/model.safetensors";
  for (const auto& [name, tensor] : load_tensors(path)) expected.push_back(name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, expected);
}

TEST_P(Model, AStepGivesItsMemoryBack) {
  LstmResponder model = small_model(GetParam(), DType::f32);
  const Batch batch = batch_of(random_examples(6, 1));
  Sgd optimizer(model);
  const auto step = [&] {
    zero_grad(model);
    training_loss(batch, model.teach(batch, {0.2, 1, 1}), 1).backward();
    optimizer.step({.max_norm = 5});
  };
  step();  // from now on the batch keeps where the rows of its sequences are
  zero_grad(model);
  const int64_t before = memory_stats().bytes_in_use;
  for (int i = 0; i < 3; ++i) step();
  zero_grad(model);
  EXPECT_EQ(memory_stats().bytes_in_use, before);
  {
    const Taught out = model.teach(batch);  // a graph that nobody went back through
    EXPECT_GT(memory_stats().bytes_in_use, before);
  }
  EXPECT_EQ(memory_stats().bytes_in_use, before);
}

TEST_P(Model, InitialParametersAreSmallAndOfTheSeed) {
  LstmResponder a(small_config(GetParam()), 1), b(small_config(GetParam()), 1),
      c(small_config(GetParam()), 2);
  const auto all = [](LstmResponder& model) {
    std::vector<double> values;
    for (const NamedParameter& p : parameters(model)) {
      const std::vector<double> v = p.var.value().to_vector();
      values.insert(values.end(), v.begin(), v.end());
    }
    return values;
  };
  const std::vector<double> values = all(a);
  EXPECT_EQ(values, all(b));
  EXPECT_NE(values, all(c));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -0.1);
  EXPECT_LT(*low, -0.099);
  EXPECT_LT(*high, 0.1);
  EXPECT_GT(*high, 0.099);
}

INSTANTIATE_TEST_SUITE_P(Structures, Model, testing::ValuesIn(structures(Family::kLstm)),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- configuration and flops --------------------------------------------------------------------

TEST(ModelConfig, RefusesWhatMakesNoModel) {
  const auto error = [](auto spoil) {
    ModelConfig config = small_config(structures(Family::kLstm)[0]);
    spoil(config);
    return error_of<UsageError>([&] { LstmResponder model(config, 1); });
  };
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    EXPECT_EQ(error([&](auto& c) {
                c.hidden_size = bad;
              }).rfind("hidden_size: expected a whole number", 0),
              0u);
    EXPECT_EQ(
        error([&](auto& c) { c.num_layers = bad; }).rfind("num_layers: expected a whole number", 0),
        0u);
    EXPECT_EQ(error([&](auto& c) { c.embedding_size = bad; }).rfind("embedding_size:", 0), 0u);
    EXPECT_EQ(error([&](auto& c) { c.vocab_size = bad; }).rfind("vocab_size:", 0), 0u);
  }
  EXPECT_EQ(error([](auto& c) { c.vocab_size = 5; }).rfind("vocab_size: needs room", 0), 0u);
  for (const double bad : {-0.1, 1.0, 2.0, std::nan("")}) {
    EXPECT_EQ(error([&](auto& c) { c.dropout = bad; }).rfind("dropout:", 0), 0u) << bad;
  }
}

TEST(Structure, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_EQ(error_of<UsageError>([] { Structure::parse("Static"); }),
            "structure: expected one of non-hier, static, static-ui, dynamic, dynamic-ui, "
            "lstm, lstm-attention, bilstm-attention, hred, hred-stacked, transformer, "
            "hred-gru, hred-attention-current, hred-attention, thred, keywords, thred-topics, "
            "seq2seq-gru, ta-seq2seq, "
            "two-vocabulary, got 'Static'");
  EXPECT_EQ(Structure::parse("dynamic-ui").name, "dynamic-ui");
}

// One dialogue, two utterances of one word, a response of one word: 4 tokens in, 2 steps out.
// E = 3, H = 2, V = 10, one layer. Products, in units of 2 x multiply-adds:
//   encoder        4 x (3 x 8) + 3 x (2 x 8)         144   the first step has no h before it
//   integration    2 x (2 x 8) + 1 x (2 x 8)          48   of 2 utterances
//   decoder        2 x (3 x 8) + 2 x (2 x 8)          80   word and h
//   context        (2 x 8) + (2 x 2) = 20 a context; h: 2 x (2 x 2) = 8;  output 2 x (2 x 10) = 40
//   attention      2 x 2 a memory row that is looked at
double forward_flops(const ModelConfig& config, const Batch& batch) {
  const NoGrad guard;
  const LstmResponder model(config, 1);
  const double before = cpu::product_flops();
  (void)model.teach(batch, DropoutMode{});
  return cpu::product_flops() - before;
}

TEST(Flops, AreThoseCountedByHand) {
  const std::vector<Example> examples = {{"a", "a", {{6}, {7}}, {0, 0}, {8}}};
  const std::map<std::string, double> expected = {
      {"static", 2 * (144 + 80 + 20 + 8 + 40 + 2 * 4)},
      {"static-ui", 2 * (144 + 48 + 80 + 20 + 8 + 40 + 2 * 4)},
      {"dynamic", 2 * (144 + 80 + 2 * 20 + 8 + 40 + 3 * 2 * 4)},  // c_0 and two steps look
      {"dynamic-ui", 2 * (144 + 48 + 80 + 2 * 20 + 8 + 40 + 3 * 2 * 4)},
      {"non-hier", 2 * (144 + 80 + 2 * 20 + 8 + 40 + 3 * 4 * 4)}};
  for (const Structure& structure : structures(Family::kLstm)) {
    const ModelConfig config{structure, 10, 3, 2, 1, false, 0};
    const Batch batch = make_batch(pointers(examples), LstmResponder(config).parts());
    EXPECT_EQ(forward_flops(config, batch), expected.at(std::string(structure.name)))
        << structure.name;
  }
}

// With options, in the same units. Each direction of the encoder has one number: 4 x (3 x 4) +
// 3 x (1 x 4) = 60. W s_t are 2 x 2 for c_0 and in each of the two steps; of an additive score the
// products with the memory of 4 rows, too; unfed, no step has the 2 x 8 of the context in its
// gates.
TEST(Flops, OfTheOptions) {
  const std::vector<Example> examples = {{"a", "a", {{6}, {7}}, {0, 0}, {8}}};
  ModelConfig plain{Structure::parse("non-hier"), 10, 3, 2, 1, false, 0};
  const Batch batch = make_batch(pointers(examples), LstmResponder(plain).parts());
  const auto more = [&](auto change) {
    ModelConfig config = plain;
    change(config);
    return (forward_flops(config, batch) - forward_flops(plain, batch)) / 2;
  };
  EXPECT_EQ(more([](auto& c) { c.bidirectional = true; }), 2 * 60 - 144);
  EXPECT_EQ(more([](auto& c) { c.attention = AttentionScore::kGeneral; }), 3 * 4);
  EXPECT_EQ(more([](auto& c) { c.attention = AttentionScore::kAdditive; }), 3 * 4 + 4 * 4);
  EXPECT_EQ(more([](auto& c) { c.input_feeding = false; }), -2 * 16);
}

// A second layer reads and keeps H numbers a row: 4 x (2 x 8) + 3 x (2 x 8) and 2 x (16 + 16).
TEST(Flops, OfASecondLayer) {
  const std::vector<Example> examples = {{"a", "a", {{6}, {7}}, {0, 0}, {8}}};
  const Batch batch = make_batch(pointers(examples), {.memory = MemoryOf::kUtterances});
  const ModelConfig one{Structure::parse("static"), 10, 3, 2, 1, false, 0},
      two{Structure::parse("static"), 10, 3, 2, 2, false, 0};
  EXPECT_EQ(forward_flops(two, batch) - forward_flops(one, batch), 2 * (112 + 64));
}

}  // namespace
}  // namespace heed
