// A probe with a hidden layer, and features of mean 0 and variance 1 that every probe reads.
#include "dialog/probe/mlp.h"

#include <cmath>

#include "dialog/stats/standardise.h"
#include "tensor/parallel.h"
#include "tests/dialog/probe/part_helpers.h"
#include "tests/file_helpers.h"

namespace heed::probe {
namespace {

TEST(Standardiser, MakesMeanZeroAndVarianceOne) {
  const Standardiser standardise(Tensor::of({{1, 5, 0.1}, {3, 5, 0.1}}));
  EXPECT_EQ(standardise(Tensor::of({{1, 5, 0.1}, {3, 5, 0.1}})).to_vector(),
            (std::vector<double>{-1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(standardise(Tensor::of({{5, 7, 0.1}})).to_vector(), (std::vector<double>{3, 2, 0}));
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)standardise(Tensor::zeros({2, 2}));
            }),
            "standardise: expected x (n, 3), got (2, 2)");
}

// Equal numbers whose mean is another one by rounding are 0, not a deviation away.
TEST(Standardiser, AConstantIsZero) {
  for (const double x : {0.1, 1.0 / 3, 1e6 + 0.1, 1e-30, -0.7}) {
    const Tensor rows = Tensor::from(std::vector<double>(1000, x), {1000, 1});
    for (const double y : Standardiser(rows)(rows).to_vector()) ASSERT_NEAR(y, 0, 1e-6) << x;
  }
  const Standardiser many(Tensor::full({100'000, 1}, 1));
  EXPECT_NEAR(many(Tensor::of({{0}})).to_vector()[0], -1, 1e-6);
}

// x -> |x|: no linear probe sees it, one hidden layer does.
TEST(Mlp, SeesWhatIsNotLinear) {
  Rng rng(4, "test");
  std::vector<double> values;
  std::vector<LabelIds> labels;
  for (int i = 0; i < 2000; ++i) {
    values.push_back(4 * rng.uniform() - 2);
    labels.push_back(std::fabs(values.back()) > 1 ? LabelIds{0} : LabelIds{});
  }
  const Tensor x = Tensor::from(values, {2000, 1});
  const auto fit = [&](int threads) {
    set_num_threads(threads);
    const FittedMlp fitted = fit_mlp(x, labels, 1, {.max_epochs = 60});
    set_num_threads(0);
    return fitted.model->scores(x).to_vector();
  };
  const std::vector<double> scores = fit(1);
  int right = 0;
  for (int i = 0; i < 2000; ++i) right += (scores[i] > 0) == !labels[i].empty();
  EXPECT_GT(right, 1960);
  EXPECT_EQ(fit(3), scores);
}

// Parameters as lists of numbers: W_1, b_1, W_2, b_2.
using Matrix = std::vector<std::vector<double>>;
Matrix numbers_of(const Mlp& model) {
  Matrix numbers;
  for (const NamedParameter& p : parameters(const_cast<Mlp&>(model))) {
    numbers.push_back(p.var.value().to_vector());
  }
  return numbers;
}

// The gradients of (1 / rows) (sum of cross entropies + l2 / 2 |W|^2) at the examples, by loops.
Matrix gradients_of(const Matrix& w, const Tensor& x, const std::vector<LabelIds>& labels,
                    const std::vector<int32_t>& examples, double l2) {
  const size_t in = static_cast<size_t>(x.shape()[1]), hidden = w[1].size(), out = w[3].size();
  const double rows = static_cast<double>(examples.size());
  Matrix g;
  for (size_t k = 0; k < w.size(); ++k) {
    g.emplace_back(w[k].size());
    for (size_t i = 0; k % 2 == 0 && i < w[k].size(); ++i) g[k][i] = l2 * w[k][i] / rows;
  }
  for (const int32_t e : examples) {
    std::vector<double> h(w[1]), dh(hidden);
    for (size_t j = 0; j < hidden; ++j) {
      for (size_t i = 0; i < in; ++i) h[j] += w[0][j * in + i] * x(e, static_cast<int64_t>(i));
    }
    for (size_t k = 0; k < out; ++k) {
      double logit = w[3][k];
      for (size_t j = 0; j < hidden; ++j) logit += w[2][k * hidden + j] * std::max(h[j], 0.0);
      const auto& of_it = labels[static_cast<size_t>(e)];
      const double target =
          static_cast<double>(std::count(of_it.begin(), of_it.end(), static_cast<int32_t>(k)));
      const double d = (1 / (1 + std::exp(-logit)) - target) / rows;
      g[3][k] += d;
      for (size_t j = 0; j < hidden; ++j) {
        g[2][k * hidden + j] += d * std::max(h[j], 0.0);
        if (h[j] > 0) dh[j] += d * w[2][k * hidden + j];
      }
    }
    for (size_t j = 0; j < hidden; ++j) {
      g[1][j] += dh[j];
      for (size_t i = 0; i < in; ++i) g[0][j * in + i] += dh[j] * x(e, static_cast<int64_t>(i));
    }
  }
  return g;
}

// Three epochs of Adam in f64, in the orders that are drawn for them, with a rest in the last
// batch.
TEST(Mlp, IsTrainedAsItSays) {
  const Part part = part_of(7, 3);
  const Tensor x = Standardiser(part.x)(part.x);
  const std::vector<LabelIds> labels = {{0}, {1}, {0, 1}, {}, {1}, {0}, {1}};
  MlpOptions options{.hidden = 4, .batch = 3, .rate = 0.05, .l2 = 2, .max_epochs = 0, .seed = 5};
  Matrix w = numbers_of(*fit_mlp(x, labels, 2, options).model), m, v;
  for (const auto& list : w) m.emplace_back(list.size()), v.emplace_back(list.size());
  options.max_epochs = 3;
  int step = 0;
  std::vector<std::vector<int32_t>> orders;
  for (int epoch = 0; epoch < options.max_epochs; ++epoch) {
    std::vector<int32_t> order = {0, 1, 2, 3, 4, 5, 6};
    Rng(options.seed, "probe.mlp", epoch).shuffle(order);
    orders.push_back(order);
    for (size_t at = 0; at < 7; at += 3) {
      const std::vector<int32_t> batch(order.begin() + at,
                                       order.begin() + std::min<size_t>(7, at + 3));
      const Matrix g = gradients_of(w, x, labels, batch, options.l2);
      ++step;
      for (size_t k = 0; k < w.size(); ++k) {
        for (size_t i = 0; i < w[k].size(); ++i) {
          m[k][i] = 0.9 * m[k][i] + 0.1 * g[k][i];
          v[k][i] = 0.999 * v[k][i] + 0.001 * g[k][i] * g[k][i];
          const double mean = m[k][i] / (1 - std::pow(0.9, step));
          const double square = v[k][i] / (1 - std::pow(0.999, step));
          w[k][i] -= options.rate * mean / (std::sqrt(square) + 1e-8);
        }
      }
    }
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
  const Matrix got = numbers_of(*fit_mlp(x, labels, 2, options).model);
  for (size_t k = 0; k < w.size(); ++k) {
    for (size_t i = 0; i < w[k].size(); ++i) EXPECT_NEAR(got[k][i], w[k][i], 1e-4) << k << " " << i;
  }
}

// Uniformly within Glorot's bounds, which are of each layer's own two sizes.
TEST(Mlp, IsDrawnByItsSeedWithinItsBounds) {
  const Tensor x = part_of(4, 1).x;
  const std::vector<LabelIds> labels = {{0}, {1}, {0, 1}, {}};
  const auto drawn = [&](uint64_t seed) {
    return numbers_of(*fit_mlp(x, labels, 2, {.hidden = 64, .max_epochs = 0, .seed = seed}).model);
  };
  const Matrix one = drawn(1), two = drawn(2);
  EXPECT_NE(one, two);
  EXPECT_EQ(drawn(1), one);
  const double width = static_cast<double>(x.shape()[1]);
  for (size_t k = 0; k < 4; ++k) {  // W_1, b_1, W_2, b_2
    const double bound = std::sqrt(6 / (64 + (k < 2 ? width : 2)));
    double largest = 0;
    for (const double w : one[k]) largest = std::max(largest, std::abs(w));
    EXPECT_LE(largest, bound) << k;
    if (one[k].size() > 2) {
      EXPECT_GT(largest, 0.9 * bound) << k;
    }
  }
}

// Of a task of chance, which a few epochs do not learn by heart.
TEST(Mlp, AProbeTakesItsEpochsAndItsSeed) {
  const Part train = part_of(300, 1), test = part_of(100, 2);
  const auto f1 = [&](int epochs, uint64_t seed) {
    const ProbeOptions options{
        .kind = ProbeOptions::Kind::kMlp, .max_iterations = epochs, .seed = seed};
    return probe(train, test, "Random", options).f1;
  };
  EXPECT_NE(f1(1, 1), f1(40, 1));
  EXPECT_NE(f1(1, 1), f1(1, 2));
  EXPECT_EQ(f1(1, 1), f1(1, 1));
}

TEST(Mlp, AProbeSaysWhetherItConverged) {
  Part part = part_of(2000, 1);  // of one and the same example, with either label
  part.x = Tensor::zeros({2000, 3});
  for (size_t i = 0; i < 2000; ++i) part.examples.tasks["Even"].push_back({i < 1000 ? "a" : "b"});
  const auto of = [&](int epochs) {
    return probe(part, part, "Even", {.kind = ProbeOptions::Kind::kMlp, .max_iterations = epochs});
  };
  const TaskResult one = of(1), all = of(200);
  EXPECT_EQ(one.unconverged, 1);
  EXPECT_EQ(one.iterations, 1);
  EXPECT_EQ(all.unconverged, 0);
  EXPECT_LT(all.iterations, 200);
}

// The first epoch is an improvement, and then `patience` + 1 are none.
TEST(Mlp, EndsWhenNothingImproves) {
  const auto fit = [](const MlpOptions& options) {
    return fit_mlp(Tensor::zeros({50, 2}), std::vector<LabelIds>(50), 1, options);
  };
  for (const int patience : {0, 1, 10}) {
    const FittedMlp fitted = fit({.rate = 1e-9, .patience = patience});
    EXPECT_TRUE(fitted.converged);
    EXPECT_EQ(fitted.epochs, patience + 2);
  }
  // A loss that falls all the time, but by less than the tolerance.
  const FittedMlp less = fit({.rate = 1e-3, .max_epochs = 40, .patience = 3, .tolerance = 1});
  EXPECT_TRUE(less.converged);
  EXPECT_EQ(less.epochs, 5);
  const FittedMlp more = fit({.rate = 1e-3, .max_epochs = 40, .patience = 3, .tolerance = 0});
  EXPECT_FALSE(more.converged);
  EXPECT_EQ(more.epochs, 40);
}

}  // namespace
}  // namespace heed::probe
