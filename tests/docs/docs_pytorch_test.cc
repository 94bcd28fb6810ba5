// The code of docs/pytorch.md: every cell of heed's columns stands in here, compiles, and does what
// PyTorch's does.
#include <cmath>
#include <iostream>

#include "heed.h"
#include "tests/devices.h"
#include "tests/docs/pages_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Vec = std::vector<double>;
template <class... X> void use(const X&...) {}

const Tensor kX = Tensor::of({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});

TEST(PyTorchPage, Arrays) {
  const TempDir directory;
  const std::string path = directory.path("x.npy");
  const Tensor x = Tensor::of({{1.5, -2.5}, {3, 4}}), a = x, b = x;
  EXPECT_EQ(Tensor::zeros({2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(Tensor::ones({2, 3}).to_vector(), Vec(6, 1));
  EXPECT_EQ(Tensor::of({{1, 2}, {3, 4}}).to_vector(), (Vec{1, 2, 3, 4}));
  EXPECT_EQ(arange(0, 5).to_ints(), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  use(linspace(0, 1, 5), eye(3));
  use(normal({2, 3}, 0, 1, {/*seed=*/1, purpose_id("noise")}));
  EXPECT_EQ(randperm(5, {/*seed=*/1, purpose_id("order")}).numel(), 5);
  use(x.shape(), x.numel(), x.dtype());
  EXPECT_EQ(x.to(DType::f64).to_vector(), x.to_vector());
  EXPECT_EQ(x.to(DType::i32).to_ints(), (std::vector<int32_t>{1, -2, 3, 4}));
  if (has_cuda()) use(x.to(Device::parse("cuda")));
  use(x.to_vector(), x(0, 1));
  EXPECT_EQ(x(0, 1), -2.5);
  std::cout << x << "\n";
  std::cout << x.shape() << "\n";
  for (int64_t n : x.shape()) EXPECT_EQ(n, 2);
  EXPECT_TRUE(allclose(a, b));
  save_npy(path, x);
  EXPECT_EQ(directory.count_files(), 1u);
}

TEST(PyTorchPage, Ops) {
  const Var x = kX;
  EXPECT_EQ(x[1].value().to_vector(), (Vec{5, 6, 7, 8}));
  EXPECT_EQ(x[-1].value().to_vector(), (Vec{9, 10, 11, 12}));
  EXPECT_EQ(rows(x, 1, 3).shape(), (Shape{2, 4}));
  EXPECT_EQ(slice(x, 1, -2, kEnd).value().to_vector(), (Vec{3, 4, 7, 8, 11, 12}));
  EXPECT_EQ(permute(x, {1, 0}).shape(), (Shape{4, 3}));
  use(reshape(x, {12}));
  EXPECT_EQ(reshape(x, x.shape().insert(0, 1)).shape(), (Shape{1, 3, 4}));

  Var a = Tensor::of({{1, 2}, {3, 4}});
  const Var b = Tensor::of({{5, 6}, {7, 8}});
  use(concat({a, b}, 1), stack({a, b}), a * b + 1, matmul(a, b));
  a += b;
  EXPECT_EQ(a.value().to_vector(), (Vec{6, 8, 10, 12}));
  const Var w = Tensor::of({{1, 0, 0, 0}, {0, 0, 0, 1}});
  {
    const Var b = Tensor::of({1, 2});
    EXPECT_EQ(affine(x, w, b).value().to_vector(), (Vec{2, 6, 6, 10, 10, 14}));
  }
  {
    const Var a = Tensor::zeros({2, 3, 4}), b = Tensor::zeros({2, 4, 5});
    EXPECT_EQ(bmm(a, b).shape(), (Shape{2, 3, 5}));
  }
  use(sum(x, 1), mean(x, {0, 1}), max(x, 1), argmax(x, 1));
  EXPECT_NEAR(variance(x, 1).value()(0), 5. / 3, 1e-6);
  use(stddev(x, 1), norm(x, 1), logsumexp(x, 1));
  EXPECT_EQ(top_k(x, 2).values.value().to_vector(), (Vec{4, 3, 8, 7, 12, 11}));
  use(softmax(x), log_softmax(x));
  {
    const Var a = Tensor::zeros({3, 4}), b = Tensor::full({4}, 7);
    EXPECT_EQ(where(greater(x, 0), a, b).value()(2, 3), 0);
  }
  const Tensor mask = less(x, 5), ids = Tensor::of({{3}, {0}, {1}}, DType::i32);
  EXPECT_EQ(masked_fill(x, mask, -INFINITY).value()(0, 3), -INFINITY);
  use(tril(x));
  EXPECT_EQ(gather_along(x, ids, 1).value().to_vector(), (Vec{4, 5, 10}));
  const int64_t n = 5;
  {
    const Tensor ids = Tensor::from({4, 0, 4});
    EXPECT_EQ(gather_rows(w, Tensor::from({1, 1})).shape(), (Shape{2, 4}));
    EXPECT_EQ(scatter_rows(x, ids, n).value().to_vector()[16], 1 + 9);
  }
  {
    const Tensor ids = Tensor::from({1, 0, 1});
    EXPECT_EQ(gather_rows(w, ids).value().to_vector(), (Vec{0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1}));
  }
  const Var logits = Tensor::zeros({3, 4});
  const Tensor targets = Tensor::from({0, 3, 1});
  EXPECT_NEAR(mean(cross_entropy(logits, targets)).item(), std::log(4), 1e-6);
  const RandomKey key{/*seed=*/1, purpose_id("draw")};
  EXPECT_EQ(sum(gumbel_softmax(x, 0.5, key, /*hard=*/true)).item(), 3);
  EXPECT_EQ(categorical(x, key).numel(), 3);
}

TEST(PyTorchPage, Gradients) {
  const Tensor t = Tensor::of({2, 3});
  const Var w = Var::parameter(t);
  use(Var::parameter(t));
  {
    const DetectAnomaly guard;
    const Var y = w * w;
    y.keep_grad();
    const Var loss = sum(y.detach() * y);
    loss.backward();
    EXPECT_EQ(loss.item(), 16 + 81);
    EXPECT_EQ(y.grad().to_vector(), (Vec{4, 9}));
    EXPECT_EQ(w.grad().to_vector(), (Vec{2 * 2 * 4, 2 * 3 * 9}));
    w.zero_grad();
    EXPECT_FALSE(w.grad().defined());
  }
  const auto f = [](const std::vector<Var>& in) { return square(in[0]); };
  const std::vector<Tensor> inputs = {t.to(DType::f64)};
  EXPECT_LT(check_gradient(f, inputs).max_error, 1e-6);
  const NoGrad guard;
  EXPECT_FALSE((w * w).needs_grad());
}

struct Model : Module {
  Model() {
    layers.emplace_back(3, 3);
    layers.emplace_back(3, 3);
    last.weight = first.weight;
  }
  Var operator()(const Tensor& ids) const { return last(layers[1](relu(layers[0](first(ids))))); }
  void visit(Visitor& v) override {
    v("first", first);
    v("layers", layers);
    v("last", last);
    v("seen", seen);
  }
  Embedding first{9, 3};
  std::vector<Linear> layers;
  Linear last{3, 9};
  Var seen = Var::buffer(Tensor::zeros({1}));
};

TEST(PyTorchPage, Modules) {
  use(Linear(3, 4), Embedding(9, 3), LayerNorm(4),
      Lstm(3, 4, {.layers = 2, .bidirectional = true}));
  const TempDir directory;
  const std::string path = directory.path("model.safetensors");
  Model model;
  init(model, /*seed=*/1);
  EXPECT_EQ(parameters(model).size(), 1u + 4 + 1 + 1);
  EXPECT_EQ(parameter_count(model), 27 + 2 * 12 + 9);
  const Device device;
  convert(model, DType::f64), move(model, device);
  freeze(model, "first");
  EXPECT_TRUE(clone(model).first.weight.frozen());
  save_parameters(path, model);
  load_parameters(path, model);
  const int64_t step = 7;
  EXPECT_EQ(DropoutMode(0.3, /*seed=*/1, step).p(), 0.3);
  EXPECT_EQ(DropoutMode().p(), 0);
}

TEST(PyTorchPage, Sequences) {
  Embedding embedding(9, 3);
  Lstm lstm(3, 4);
  init(embedding, 1), init(lstm, 1);
  const std::vector<std::vector<int32_t>> sequences = {{1, 2}, {3, 4, 5, 6}, {7}};
  const Packed packed = pack(sequences);
  const Var states = lstm(packed.packing, embedding(packed.rows)).y;
  const Var means = segment_mean(states, packed.packing);
  EXPECT_EQ(packed.restored(means)[0].value().to_vector(), means[1].value().to_vector());
  const std::vector<std::string> labels = {"two", "four", "one"};
  EXPECT_EQ(packed.sorted(labels), (std::vector<std::string>{"four", "two", "one"}));
  // the embedded rows are known to be step by step
  EXPECT_THROW(use(segment_mean(embedding(packed.rows), packed.packing.segments())), ShapeError);
}

TEST(PyTorchPage, Training) {
  set_num_threads(2);
  Model model;
  init(model, /*seed=*/1);
  Ema ema(model, /*decay=*/0.99);
  Adam adam(model, {.rate = 1e-3});
  const int64_t n = 100;
  const std::vector<int64_t> lengths(n, 1);
  const auto make = [](const std::vector<int64_t>& ids) {
    std::vector<int32_t> words;
    for (const int64_t id : ids) words.push_back(static_cast<int32_t>(id % 9));
    return Tensor::from(words);
  };
  const Vec before = model.first.weight.value().to_vector();
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (const Tensor& words : Prefetched(shuffled_batches(n, 32, /*seed=*/1, epoch), make)) {
      mean(cross_entropy(model(words), words)).backward();
      adam.step({.max_norm = 1});
      zero_grad(model);
      ema.update();
    }
    EXPECT_EQ(bucket_batches(lengths, 32, /*seed=*/1, epoch).size(), 4u);
    adam.rate *= 0.5;
  }
  EXPECT_NE(model.first.weight.value().to_vector(), before);
  EXPECT_EQ(adam.rate, 0.25e-3);
}

// Without blanks, so that it does not matter where the formatter breaks a line.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) result += c;
  }
  return result;
}

TEST(PyTorchPage, HasOnlyCellsThatStandHere) {
  const std::string here = squeezed(read(kRoot / "tests/docs/docs_pytorch_test.cc"));
  const std::regex row(R"(\| .* \| (`.*`) \|)"), span("`([^`]+)`");
  int cells = 0;
  for (const std::string& line : lines_of(read(kRoot / "docs/pytorch.md"))) {
    std::smatch heed;
    if (!std::regex_match(line, heed, row)) continue;
    const std::string column = heed[1].str();
    for (const std::smatch& cell : matches(column, span)) {
      EXPECT_NE(here.find(squeezed(cell[1].str())), std::string::npos) << cell[1];
      ++cells;
    }
  }
  EXPECT_GT(cells, 80);
}

}  // namespace
}  // namespace heed
