// What is built from the kernels, on a CUDA device or its emulation and on the CPU: layers, the
// five structures, decoding, optimisers, training. The same numbers, but for the order of
// additions.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dialog/respond/decode.h"
#include "nn/attention.h"
#include "nn/gru.h"
#include "nn/lstm.h"
#include "nn/safetensors.h"
#include "nn/transformer.h"
#include "optim/optim.h"
#include "tests/devices.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

class CudaTraining : public TrainerTest {
 protected:
  void SetUp() override {
    if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  }
};
class CudaLayers : public CudaTraining {};
class CudaModel : public CudaTraining, public testing::WithParamInterface<Structure> {};

// Values of call(layer, device) and the gradients of all parameters.
template <class Layer, class Call> std::vector<Vec> numbers(Layer layer, Device device, Call call) {
  move(layer, device);
  const Var y = call(layer, device);
  EXPECT_EQ(y.device(), device);
  sum(square(y)).backward();
  std::vector<Vec> result{y.value().to_vector()};
  for (const NamedParameter& p : parameters(layer)) result.push_back(p.var.grad().to_vector());
  return result;
}

template <class Layer, class Call> void compare(Layer made, Call call) {
  Layer layer = f64(std::move(made));
  const std::vector<Vec> expected = numbers(clone(layer), Device{}, call);
  const std::vector<Vec> got = numbers(clone(layer), kCuda, call);
  for (size_t i = 0; i < expected.size(); ++i) expect_near(got[i], expected[i]);
}

Var random_on(Device device, Shape shape, uint32_t purpose) {
  return random(shape, purpose).value().to(device);
}

TEST_F(CudaLayers, Lstm) {
  const DropoutMode drop(0.3, 1, 1);
  compare(Lstm(3, 35), [&](const Lstm& lstm, Device device) {
    const LstmState initial{{random_on(device, {3, 35}, 2)}, {random_on(device, {3, 35}, 3)}};
    return lstm(Packing({4, 2, 1}), random_on(device, {7, 3}, 1), initial).y;
  });
  compare(Lstm(3, 4, {.layers = 2, .bidirectional = true}), [&](const Lstm& lstm, Device device) {
    return lstm(Packing({4, 2, 1}), random_on(device, {7, 3}, 1), {}, drop).y;
  });
}

TEST_F(CudaLayers, Gru) {
  compare(Gru(3, 35, {.layers = 2, .bidirectional = true}), [](const Gru& gru, Device device) {
    return gru(Packing({4, 2, 1}), random_on(device, {7, 3}, 1), {}, DropoutMode(0.3, 1, 1)).y;
  });
}

TEST_F(CudaLayers, Transformer) {
  const DropoutMode drop(0.3, 1, 1);
  const auto self = [](Device device) {
    const Segments rows({5, 40}, device);
    return AttentionPairs(rows, rows, /*causal=*/true);
  };
  compare(TransformerEncoderLayer(6, {.heads = 2}), [&](const auto& layer, Device device) {
    const Var positions = sinusoidal_positions(std::vector<int32_t>(45, 3), 6, DType::f64, device);
    return layer(random_on(device, {45, 6}, 1) + positions, self(device), drop).y;
  });
  compare(TransformerDecoderLayer(70, {.heads = 2}), [&](const auto& layer, Device device) {
    const AttentionPairs pairs = self(device);
    const AttentionPairs cross(pairs.queries(), Segments({3, 7}, device));
    return layer(random_on(device, {45, 70}, 1), random_on(device, {10, 70}, 2), pairs, cross, drop)
        .y;
  });
}

TEST_F(CudaLayers, Attention) {
  const auto call = [](const auto& layer, Device device) {
    const Segments segments({2, 5, 1}, device);
    return layer(random_on(device, {3, 4}, 1), layer.read(random_on(device, {8, 5}, 2)), segments)
        .context;
  };
  compare(Attention(AttentionScore::kGeneral, 4, 5, 6), call);
  compare(AdditiveAttention(4, 5, 6), call);
}

TEST_F(CudaLayers, Others) {
  const auto layer_of_x = [](const auto& layer, Device device) {
    return layer(random_on(device, {6, 3}, 1));
  };
  compare(Linear(3, 5), layer_of_x);
  compare(LayerNorm(3), layer_of_x);
  compare(Embedding(5, 3), [](const Embedding& layer, Device device) {
    return layer(Tensor::from(std::vector<int32_t>{3, 0, 3, 4, 3}, device));
  });
}

// ---- models

struct ModelNumbers {
  std::vector<Vec> values;
  std::vector<std::vector<int32_t>> responses;
};

ModelNumbers numbers_of(const Structure& structure, Device device) {
  LstmResponder model = small_model(structure, DType::f64);
  move(model, device);
  const std::vector<Example> examples = random_examples(5, 2);
  const Batch batch = make_batch(pointers(examples), model.parts(), device);
  const Taught out = model.teach(batch, {0.3, 1, 5});
  const Var loss = training_loss(batch, out, 1.5);
  loss.backward();
  ModelNumbers result{{out.nll.to_vector(), loss.value().to_vector()}, {}};
  for (const NamedParameter& p : parameters(model)) {
    result.values.push_back(p.var.grad().to_vector());
  }
  for (const DialogueScore& s : score(model, examples, 3)) result.values.push_back(s.as_scores);
  for (const auto method : {DecodeOptions::Method::kGreedy, DecodeOptions::Method::kSample,
                            DecodeOptions::Method::kBeam}) {
    DecodeOptions options;
    options.method = method;
    options.max_length = 4;
    options.beam_size = 3;
    for (const Decoding& d : decode(model, pointers(examples), options)) {
      result.responses.push_back(d.tokens);
      result.values.push_back({d.log_prob});
    }
  }
  return result;
}

TEST_P(CudaModel, TrainsScoresAndDecodesAsOnTheCpu) {
  const ModelNumbers expected = numbers_of(GetParam(), Device{});
  const ModelNumbers got = numbers_of(GetParam(), kCuda);
  ASSERT_EQ(got.values.size(), expected.values.size());
  for (size_t i = 0; i < got.values.size(); ++i) {
    expect_near(got.values[i], expected.values[i], 1e-10);
  }
  EXPECT_EQ(got.responses, expected.responses);
}

INSTANTIATE_TEST_SUITE_P(Structures, CudaModel, testing::ValuesIn(structures(Family::kLstm)),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- optimisers

struct Classifier : Module {
  Classifier() : embedding(9, 4), output(4, 3) {
    convert(embedding, DType::f64);
    convert(output, DType::f64);
  }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("output", output);
  }
  Embedding embedding;
  Linear output;
};

// The parameters after three steps, clipped but for L-BFGS, and the norms of the gradients.
template <class Optimizer>
std::vector<Vec> trained(typename Optimizer::Options options, Device device) {
  Classifier model;
  init(model, /*seed=*/1);
  Optimizer optimizer(model, options);
  move(model, device);  // the optimiser goes with it
  std::vector<Vec> result(1);
  for (int step = 0; step < 3; ++step) {
    const Tensor ids = Tensor::from(std::vector<int32_t>{1, 8, 1, step}, device);
    const Tensor targets = Tensor::from(std::vector<int32_t>{0, 1, 2, 2}, device);
    zero_grad(model);
    sum(cross_entropy(model.output(model.embedding(ids)), targets)).backward();
    result[0].push_back(grad_norm(parameters(model)));
    optimizer.step(std::is_same_v<Optimizer, Lbfgs> ? StepOptions{} : StepOptions{.max_norm = 0.5});
  }
  for (const NamedParameter& p : parameters(model)) result.push_back(p.var.value().to_vector());
  return result;
}

template <class Optimizer> void compare_optimizer(typename Optimizer::Options options) {
  const auto got = trained<Optimizer>(options, kCuda);
  const auto expected = trained<Optimizer>(options, Device{});
  for (size_t i = 0; i < got.size(); ++i) expect_near(got[i], expected[i]);
}

TEST_F(CudaTraining, Optimizers) {
  compare_optimizer<Sgd>({.rate = 0.1});
  compare_optimizer<Sgd>({.rate = 0.1, .momentum = 0.9, .weight_decay = 0.1});
  compare_optimizer<Adam>({.rate = 0.1});
  compare_optimizer<Adagrad>({.rate = 0.1});
  compare_optimizer<Lbfgs>({.rate = 0.1});
}

// ---- training

// The largest difference between the parameters of two runs' best models.
double difference(const std::string& a, const std::string& b) {
  const TensorMap x = load_tensors(a + "/model.safetensors"),
                  y = load_tensors(b + "/model.safetensors");
  EXPECT_EQ(x.size(), y.size());
  double worst = 0;
  for (const auto& [name, tensor] : x) {
    const Vec v = tensor.to_vector(), w = y.at(name).to_vector();
    for (size_t i = 0; i < v.size(); ++i) worst = std::max(worst, std::abs(v[i] - w[i]));
  }
  return worst;
}

// It is noticed when the next step is under way, and said of the right one.
TEST_F(CudaTraining, ALossThatIsNotFiniteEndsTheTraining) {
  settings.loop.schedule.rate = 1e300;
  for (const Device device : {Device{}, kCuda}) {
    const std::string name = device.str();
    const std::string text = error_of<Error>([&] { run(name, {}, device); });
    EXPECT_NE(text.find(" is not a finite number in epoch 1, step 2"), std::string::npos) << text;
    EXPECT_EQ(text.find("the step was not applied") == std::string::npos, device.is_cuda()) << text;
    EXPECT_FALSE(fs::exists(path(name) + "/state.json"));
  }
}

// What a step was late with is in the checkpoint that is made right after it.
TEST_F(CudaTraining, ACheckpointKnowsAllNumbers) {
  std::vector<nlohmann::json> states;
  for (const Device device : {Device{}, kCuda}) {
    StopAfter stop(3);
    run(device.str(), stop.hooks, device);
    states.push_back(nlohmann::json::parse(dir.read(device.str() + "/state.json")));
  }
  EXPECT_EQ(states[1].at("tokens"), states[0].at("tokens"));
  for (const char* key : {"loss_sum", "norm_sum"}) {
    EXPECT_NEAR(states[1].at(key).get<double>(), states[0].at(key).get<double>(), 1e-4) << key;
    EXPECT_GT(states[0].at(key), 0) << key;
  }
}

TEST_F(CudaTraining, ARunIsTheSameOnEveryDeviceAndResumesOnTheOther) {
  settings.loop.max_epochs = 1;
  run("cpu");
  run("cuda", {}, kCuda);
  EXPECT_LT(difference(path("cpu"), path("cuda")), 1e-5);
  for (const Device first : {Device{}, kCuda}) {
    for (const Device second : {Device{}, kCuda}) {
      const std::string name = first.str() + second.str();
      StopAfter stop(3);
      EXPECT_FALSE(run(name, stop.hooks, first));
      EXPECT_TRUE(run(name, {}, second));
      EXPECT_LT(difference(path("cpu"), path(name)), 1e-5) << name;
    }
  }
  EXPECT_EQ(result("cuda:0cuda:0"), result("cuda"));  // on one device to the last bit
  EXPECT_EQ(result("cpucpu"), result("cpu"));
}

}  // namespace
}  // namespace heed
