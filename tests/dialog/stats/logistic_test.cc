// The logistic probe against scikit-learn, and its parts on their own.
#include "dialog/stats/logistic.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dialog/probe/feature_file.h"
#include "dialog/stats/cholesky.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed::probe {
namespace {

using Json = nlohmann::json;

Tensor random_features(int64_t n, int64_t d, uint64_t seed, double scale = 1) {
  Rng rng(seed, "test.features");
  std::vector<double> values(n * d);
  for (double& v : values) v = scale * (2 * rng.uniform() - 1);
  return Tensor::from(values, {n, d});
}

std::vector<LabelIds> random_labels(int64_t n, int64_t size, uint64_t seed) {
  Rng rng(seed, "test.labels");
  std::vector<LabelIds> labels(n);
  for (LabelIds& set : labels) {
    for (int32_t k = 0; k < size; ++k) {
      if (rng.below(4) == 0) set.push_back(k);
    }
  }
  return labels;
}

// ---- against scikit-learn (tests/reference/generate/make_probes.py)

class ScikitLearn : public testing::TestWithParam<const char*> {};

TEST_P(ScikitLearn, HasTheSameWeightsAndPredictions) {
  const std::string folder = source_dir() + "/tests/reference/probe/" + std::string(GetParam());
  const Json expected = Json::parse(read_file(folder + "/expected.json", 1 << 24));
  const Part train = read_part(folder, "train"), test = read_part(folder, "test");
  const LabelSets& sets = train.examples.tasks.at("Task");
  const Binariser binariser(sets);
  ASSERT_EQ(Json(binariser.names()), expected["labels"]);
  const Logistic fitted =
      fit_logistic(train.x, binariser(sets), binariser.size(), {.solver = {.tolerance = 1e-8}});
  EXPECT_EQ(fitted.unconverged, 0);
  for (int64_t k = 0; k < binariser.size(); ++k) {
    if (expected["weights"][k].is_null()) {
      EXPECT_EQ(fitted.bias[k], std::numeric_limits<double>::infinity());
      continue;
    }
    EXPECT_NEAR(fitted.bias[k], expected["intercepts"][k].get<double>(), 1e-4);
    for (int64_t j = 0; j < train.x.shape()[1]; ++j) {
      EXPECT_NEAR(fitted.weights(k, j), expected["weights"][k][j].get<double>(), 1e-4);
    }
  }
  // As heed probe does it: to a gradient of 1e-4 only.
  const TaskResult result = probe(train, test, "Task");
  EXPECT_NEAR(result.f1, expected["f1"].get<double>(), 1e-12);
  const Tensor scores = fit_logistic(train.x, binariser(sets), binariser.size()).scores(test.x);
  for (size_t i = 0; i < test.examples.ids.size(); ++i) {
    LabelIds predicted;
    for (int32_t k = 0; k < binariser.size(); ++k) {
      if (scores(i, k) > 0) predicted.push_back(k);
    }
    EXPECT_EQ(predicted, expected["predictions"][i].get<LabelIds>()) << test.examples.ids[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, ScikitLearn, testing::Values("separable", "imbalanced", "sixty"),
                         [](const auto& info) { return std::string(info.param); });

// ---- the objective

struct At {
  double value;
  std::vector<double> gradient;
};
At evaluate(const LogisticObjective& objective, const std::vector<double>& point, int32_t label) {
  const Tensor points = Tensor::from(point, {1, static_cast<int64_t>(point.size())});
  Tensor values = Tensor::empty({1}, DType::f64), gradients = empty_like(points);
  objective(points, {label}, values, gradients);
  return {values.item(), gradients.to_vector()};
}

// Of fewer examples than a piece or a block has, of as many, and of more.
TEST(LogisticObjective, IsTheFormula) {
  for (const int64_t n : {9, 64, 65, 2048, 2049, 2 * 2048 + 100}) {
    const Tensor x = random_features(n, 2, 1);
    const std::vector<LabelIds> labels = random_labels(n, 2, 2);
    const LogisticObjective objective(x, labels, 2, /*c=*/0.7);
    const std::vector<double> point = {0.4, -1.2, 0.3};
    double sum = 0, gradient[3] = {};
    for (int64_t i = 0; i < n; ++i) {
      const double z = std::count(labels[i].begin(), labels[i].end(), 1) > 0 ? 1 : -1;
      const double margin = z * (0.4 * x(i, 0) - 1.2 * x(i, 1) + 0.3);
      sum += std::log(1 + std::exp(-margin));
      const double slope = -z / (1 + std::exp(margin));
      gradient[0] += slope * x(i, 0), gradient[1] += slope * x(i, 1), gradient[2] += slope;
    }
    const At at = evaluate(objective, point, 1);
    const double n_of = static_cast<double>(n);
    EXPECT_NEAR(at.value, (0.16 + 1.44) / 2 + 0.7 * sum, 1e-12 * n_of) << n;
    EXPECT_NEAR(at.gradient[0], 0.4 + 0.7 * gradient[0], 1e-12 * n_of) << n;
    EXPECT_NEAR(at.gradient[1], -1.2 + 0.7 * gradient[1], 1e-12 * n_of) << n;
    EXPECT_NEAR(at.gradient[2], 0.7 * gradient[2], 1e-12 * n_of) << n;
  }
}

TEST(LogisticObjective, GradientIsThatOfCentralDifferences) {
  const std::vector<LabelIds> labels = random_labels(2100, 3, 2);  // more than one block
  const LogisticObjective objective(random_features(2100, 4, 1), labels, 3, 0.5);
  Rng rng(3);
  for (int32_t label = 0; label < 3; ++label) {
    std::vector<double> point(5);
    for (double& v : point) v = 2 * rng.uniform() - 1;
    const At at = evaluate(objective, point, label);
    for (size_t j = 0; j < point.size(); ++j) {
      std::vector<double> up = point, down = point;
      up[j] += 1e-5;
      down[j] -= 1e-5;
      const double numeric =
          (evaluate(objective, up, label).value - evaluate(objective, down, label).value) / 2e-5;
      EXPECT_NEAR(at.gradient[j], numeric, 1e-5 * std::max(1.0, std::fabs(numeric))) << j;
    }
  }
}

TEST(LogisticObjective, CurvatureIsThatAtEvenScores) {
  std::vector<LabelIds> labels(40);  // at w = 0 and b = log(p / (1 - p)) all have p
  for (int i = 0; i < 10; ++i) labels[i] = {0};
  const LogisticObjective objective(random_features(40, 3, 1), labels, 1, 0.5);
  const Tensor curvature = objective.curvature(0.25 * 0.75);
  const std::vector<double> point = {0, 0, 0, std::log(1.0 / 3)};
  for (int j = 0; j < 4; ++j) {
    std::vector<double> up = point, down = point;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    const At a = evaluate(objective, up, 0), b = evaluate(objective, down, 0);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(curvature(i, j), (a.gradient[i] - b.gradient[i]) / 2e-5, 1e-6);
    }
  }
}

TEST(Cholesky, Solves) {
  const auto solve = cholesky_solver(Tensor::of({{4, 0, 0}, {2, 5, 0}, {-2, 1, 6}}, DType::f64));
  std::vector<double> b = {4 * 1 + 2 * -2 - 2 * 3, 2 * 1 + 5 * -2 + 3, -2 * 1 - 2 + 6 * 3};
  solve(b);
  EXPECT_NEAR(b[0], 1, 1e-14);
  EXPECT_NEAR(b[1], -2, 1e-14);
  EXPECT_NEAR(b[2], 3, 1e-14);
  // Two equal dimensions: no inverse, but numbers.
  std::vector<double> ones = {1, 1};
  cholesky_solver(Tensor::of({{1, 1}, {1, 1}}, DType::f64))(ones);
  EXPECT_TRUE(std::isfinite(ones[0]) && std::isfinite(ones[1]));
  EXPECT_NEAR(ones[0] + ones[1], 1, 1e-6);
  std::vector<double> more = {2, 2, 8};
  cholesky_solver(Tensor::of({{1, 1, 0}, {1, 1, 0}, {0, 0, 4}}, DType::f64))(more);
  EXPECT_NEAR(more[0] + more[1], 2, 1e-6);
  EXPECT_NEAR(more[2], 2, 1e-6);
}

// What a label gets depends neither on the labels beside it nor on the threads.
TEST(LogisticObjective, LabelsAreIndependent) {
  const std::vector<LabelIds> labels = random_labels(3000, 5, 2);
  const LogisticObjective objective(random_features(3000, 7, 1), labels, 5, 1);
  const Tensor points = random_features(3, 8, 9);
  const auto all = [&](int threads) {
    set_num_threads(threads);
    Tensor values = Tensor::empty({3}, DType::f64), gradients = empty_like(points);
    objective(points, {4, 0, 2}, values, gradients);
    set_num_threads(0);
    std::vector<double> result = values.to_vector();
    const std::vector<double> g = gradients.to_vector();
    result.insert(result.end(), g.begin(), g.end());
    return result;
  };
  const std::vector<double> together = all(1);
  EXPECT_EQ(all(4), together);
  const std::vector<double> point = points[1].to_vector();
  const At alone = evaluate(objective, point, 0);
  EXPECT_EQ(alone.value, together[1]);
  for (int j = 0; j < 8; ++j) EXPECT_EQ(alone.gradient[j], together[3 + 8 + j]);
}

TEST(LogisticObjective, LargeScoresDoNotOverflow) {
  const std::vector<LabelIds> labels = {{0}, {}};
  const LogisticObjective objective(Tensor::of({{1}, {1}}), labels, 1, 1);
  const At at = evaluate(objective, {5000, 0}, 0);
  EXPECT_NEAR(at.value, 5000.0 * 5000 / 2 + 5000, 1e-6);
  EXPECT_NEAR(at.gradient[1], 1, 1e-12);
}

TEST(MajorityLabels, AreThoseOfMoreThanHalf) {
  EXPECT_EQ(majority_labels({{0, 2}, {0, 1}, {0}, {1}}, 3), LabelIds{0});  // 3, 2 and 1 of four
}

// ---- fitting

TEST(FitLogistic, ALabelOfAllOrNoExamplesIsConstant) {
  const Logistic fitted = fit_logistic(random_features(4, 2, 1), {{0, 2}, {0}, {0}, {0, 2}}, 3);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fitted.bias[0], infinity);
  EXPECT_EQ(fitted.bias[1], -infinity);
  EXPECT_TRUE(std::isfinite(fitted.bias[2]));
  const Tensor scores = fitted.scores(random_features(3, 2, 5, /*scale=*/1e6));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(scores(i, 0), infinity);
    EXPECT_EQ(scores(i, 1), -infinity);
  }
}

// Errors that count twice are those of examples that stand there twice.
TEST(FitLogistic, ErrorsHaveTheirWeight) {
  const Tensor x = random_features(30, 2, 1);
  std::vector<double> values = x.to_vector();
  const std::vector<double> half = values;
  values.insert(values.end(), half.begin(), half.end());
  std::vector<LabelIds> labels = random_labels(30, 1, 2), twice = labels;
  twice.insert(twice.end(), labels.begin(), labels.end());
  const auto weights = [](const Tensor& of, const std::vector<LabelIds>& with, double c) {
    return fit_logistic(of, with, 1, {.c = c, .solver = {.tolerance = 1e-9}}).weights.to_vector();
  };
  const auto once = weights(x, labels, 1), heavy = weights(x, labels, 2),
             doubled = weights(Tensor::from(values, {60, 2}), twice, 1);
  for (size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(heavy[j], doubled[j], 1e-7);
    EXPECT_GT(std::fabs(heavy[j] - once[j]), 1e-3);
  }
}

TEST(FitLogistic, SaysWhatDidNotConverge) {
  const Tensor x = random_features(200, 5, 1, 100);
  const std::vector<LabelIds> labels = random_labels(200, 3, 2);
  const Logistic early = fit_logistic(x, labels, 3, {.solver = {.max_iterations = 1}});
  EXPECT_EQ(early.unconverged, 3);
  EXPECT_EQ(early.iterations, 1);
  EXPECT_EQ(fit_logistic(x, labels, 3).unconverged, 0);
  EXPECT_EQ(error_of<ShapeError>([&] { fit_logistic(x, {}, 3); }),
            "logistic: expected x (0, d), got (200, 5)");
}

TEST(FitLogistic, IterationsAreThoseOfTheLabelWithMost) {
  const Tensor x = random_features(200, 5, 1, 100);
  std::vector<LabelIds> labels = random_labels(200, 2, 2);
  const auto iterations = [&](const std::vector<int32_t>& order) {  // of these labels as 0, 1 ...
    std::vector<LabelIds> some(labels.size());
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t k = 0; k < order.size(); ++k) {
        const bool has = std::count(labels[i].begin(), labels[i].end(), order[k]) > 0;
        if (has) some[i].push_back(static_cast<int32_t>(k));
      }
    }
    return fit_logistic(x, some, std::ssize(order)).iterations;
  };
  const int first = iterations({0}), second = iterations({1});
  ASSERT_NE(first, second);
  EXPECT_EQ(iterations({0, 1}), std::max(first, second));
  EXPECT_EQ(iterations({1, 0}), std::max(first, second));
}

TEST(FitLogistic, ThreadsChangeNothing) {
  const Tensor x = random_features(3000, 6, 1);
  const std::vector<LabelIds> labels = random_labels(3000, 4, 2);
  const auto weights = [&](int threads) {
    set_num_threads(threads);
    const Logistic fitted = fit_logistic(x, labels, 4);
    set_num_threads(0);
    return fitted.weights.to_vector();
  };
  EXPECT_EQ(weights(1), weights(3));
}

// ---- the solver

// Told to, it finds the minimum of functions that are far from quadratic and badly scaled.
TEST(Minimiser, FindsMinimaOfConvexFunctions) {
  // f = sum_j a_j (cosh(x_j - j) - 1) + (sum_j x_j - 10)^2 / 2
  const std::vector<double> a = {1, 1e-3, 1e3, 10, 0.1};
  const auto f = [&](const std::vector<double>& x, std::vector<double>& g) {
    double value = 0, sum = -10;
    for (const double v : x) sum += v;
    for (size_t j = 0; j < x.size(); ++j) {
      value += a[j] * (std::cosh(x[j] - static_cast<double>(j)) - 1);
      g[j] = a[j] * std::sinh(x[j] - static_cast<double>(j)) + sum;
    }
    return value + sum * sum / 2;
  };
  for (const double guess : {1.0, 1e-6, 1e6}) {
    const auto divide = [&](std::vector<double>& v) {
      for (double& x : v) x /= guess;
    };
    Minimiser solver(std::vector<double>(5), divide, {.tolerance = 1e-9, .max_iterations = 200});
    std::vector<double> g(5);
    int calls = 0;
    while (!solver.done() && ++calls < 1000) {
      const double value = f(solver.point(), g);
      solver.tell(value, g.data());
    }
    EXPECT_TRUE(solver.converged()) << guess;
    EXPECT_LT(calls, 300) << guess;
    for (int j = 0; j < 5; ++j) EXPECT_NEAR(solver.point()[j], j, 1e-5) << guess;
  }
}

// The bound on evaluations is that of a line search, not of all of them: steepest descent, from
// steps that are much too long.
TEST(Minimiser, MayTakeManyEvaluationsInAll) {
  const auto too_long = [](std::vector<double>& v) {
    for (double& x : v) x *= 1e3;
  };
  Minimiser solver({3, 2}, too_long, {.tolerance = 1e-6, .max_iterations = 5000, .history = 0});
  int calls = 0;
  for (; !solver.done(); ++calls) {
    const double x = solver.point()[0], y = solver.point()[1];
    const double g[2] = {std::tanh(x), 30 * std::tanh(y)};
    solver.tell(std::log(std::cosh(x)) + 30 * std::log(std::cosh(y)), g);
  }
  EXPECT_TRUE(solver.converged());
  EXPECT_GT(calls - 1 - solver.iterations(), 100);  // rejected
  EXPECT_NEAR(solver.point()[0], 0, 1e-5);
  EXPECT_NEAR(solver.point()[1], 0, 1e-5);
}

TEST(Minimiser, EndsWhereNothingCanBeGained) {
  const auto as_it_is = [](std::vector<double>&) {};
  Minimiser at_once({3.0}, as_it_is, {});
  const double zero = 0;
  at_once.tell(1, &zero);
  EXPECT_TRUE(at_once.done() && at_once.converged());
  EXPECT_EQ(at_once.iterations(), 0);
  Minimiser lost({3.0}, as_it_is, {});  // a value that is no number wherever it looks
  double slope = 1;
  for (int i = 0; !lost.done() && i < 1000; ++i) {
    lost.tell(i == 0 ? 1 : std::nan(""), &slope);
  }
  EXPECT_TRUE(lost.done());
  EXPECT_FALSE(lost.converged());
  EXPECT_EQ(lost.point()[0], 3);
}

}  // namespace
}  // namespace heed::probe
