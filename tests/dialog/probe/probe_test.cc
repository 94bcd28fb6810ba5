// Probes as a whole: what can be read off is, what cannot be is not.
#include "dialog/probe/probe.h"

#include <cmath>

#include "base/error.h"
#include "dialog/probe/feature_file.h"
#include "dialog/probe/mlp.h"
#include "dialog/stats/standardise.h"
#include "nn/safetensors.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"

namespace heed::probe {
namespace {

std::vector<Tally> hits(const std::vector<LabelIds>& predicted,
                        const std::vector<LabelIds>& truth) {
  std::vector<Tally> all;
  for (size_t i = 0; i < truth.size(); ++i) all.push_back(count_hits(predicted[i], truth[i]));
  return all;
}

TEST(Metrics, HaveKnownAnswers) {
  const std::vector<LabelIds> truth = {{0, 1}, {2}, {}, {1, 3}};
  EXPECT_EQ(micro_f1(hits(truth, truth)), 1);
  EXPECT_EQ(exact_match(hits(truth, truth)), 1);
  EXPECT_EQ(micro_f1(hits({{2}, {0}, {1}, {0}}, truth)), 0);
  EXPECT_EQ(micro_f1(hits({{}, {}, {}, {}}, truth)), 0);
  EXPECT_EQ(exact_match(hits({{}, {}, {}, {}}, truth)), 0.25);
  EXPECT_EQ(micro_f1(hits({{}, {}}, {{}, {}})), 0);
  EXPECT_EQ(micro_f1({}), 0);
  EXPECT_EQ(exact_match({}), 0);
  // 2 right, 1 wrong, 3 missed: 4 / (4 + 1 + 3)
  EXPECT_EQ(micro_f1(hits({{0}, {2, 3}, {}, {}}, truth)), 0.5);
  EXPECT_EQ(exact_match(hits({{0}, {2, 3}, {}, {}}, truth)), 0.25);
}

// Two dimensions of noise and one that holds a planted label.
Part part_of(int64_t n, uint64_t seed) {
  Rng rng(seed, "test.part");
  std::vector<double> values;
  Part part;
  for (int64_t i = 0; i < n; ++i) {
    const double told = 4 * rng.uniform() - 2;
    values.insert(values.end(), {told, rng.uniform(), 1000 * rng.uniform()});
    part.examples.ids.push_back(std::to_string(seed) + "." + std::to_string(i));
    part.examples.tasks["Planted"].push_back({told > 0.5 ? "high" : "low"});
    part.examples.tasks["Random"].push_back({rng.below(10) < 7 ? "often" : "seldom"});
    part.examples.tasks["None"].push_back({});
    part.examples.tasks["Sets"].push_back(told > 0 ? std::vector<std::string>{"a", "b"}
                                                   : std::vector<std::string>{"b"});
  }
  part.examples.keys = part.examples.ids;
  part.x = Tensor::from(values, {n, 3});
  return part;
}

class Probes : public testing::TestWithParam<ProbeOptions::Kind> {};

TEST_P(Probes, ReadWhatIsThereAndNothingElse) {
  const Part train = part_of(1500, 1), test = part_of(500, 2);
  const ProbeOptions options{.kind = GetParam(), .standardise = true};
  const TaskResult planted = probe(train, test, "Planted", options);
  EXPECT_GT(planted.f1, 0.99);
  EXPECT_GT(planted.accuracy.value(), 0.99);
  EXPECT_EQ(planted.labels, 2);
  EXPECT_FALSE(planted.control_f1);
  EXPECT_EQ(planted.examples.size(), 500u);
  const TaskResult random = probe(train, test, "Random", options);
  EXPECT_NEAR(random.f1, random.constant, 0.02);
  const double often =
      std::count(test.examples.tasks.at("Random").begin(), test.examples.tasks.at("Random").end(),
                 std::vector<std::string>{"often"});
  EXPECT_DOUBLE_EQ(random.constant, often / 500);
  EXPECT_GT(probe(train, test, "Sets", options).f1, 0.99);
  EXPECT_FALSE(probe(train, test, "Sets", options).accuracy);
}

TEST_P(Probes, TheControlTaskFallsToConstant) {
  const Part train = part_of(1500, 1), test = part_of(500, 2);
  const TaskResult r =
      probe(train, test, "Planted", {.kind = GetParam(), .standardise = true, .control = true});
  EXPECT_GT(r.f1, 0.99);
  EXPECT_LT(r.control_f1.value(), 0.75);  // 0.625 of them are low
  EXPECT_DOUBLE_EQ(r.selectivity(), r.f1 - *r.control_f1);
  EXPECT_GT(r.selectivity(), 0.1);  // so the sign is seen
}

INSTANTIATE_TEST_SUITE_P(Kinds, Probes,
                         testing::Values(ProbeOptions::Kind::kLogistic, ProbeOptions::Kind::kMlp),
                         [](const auto& info) {
                           return info.param == ProbeOptions::Kind::kMlp ? "mlp" : "logistic";
                         });

// An accuracy is that of tasks with one label for each example, in both parts.
TEST(Probe, AnExampleWithTwoLabelsMakesAnAccuracyNone) {
  const Part train = part_of(300, 1), test = part_of(100, 2);
  EXPECT_TRUE(probe(train, test, "Planted").accuracy);
  for (const auto& [labels, of] :
       {std::pair{std::vector<std::string>{"high", "low"}, 0}, {{}, 99}}) {
    Part other = test;
    other.examples.tasks["Planted"][static_cast<size_t>(of)] = labels;
    EXPECT_FALSE(probe(train, other, "Planted").accuracy);
    Part others = train;
    others.examples.tasks["Planted"][static_cast<size_t>(of)] = labels;
    EXPECT_FALSE(probe(others, test, "Planted").accuracy);
  }
}

Part rows_of(const Part& part, int64_t begin, int64_t end) {
  Part some{part.x.rows(begin, end).clone(), {}};
  const auto take = [&](const auto& all) {
    return std::decay_t<decltype(all)>(all.begin() + begin, all.begin() + end);
  };
  some.examples.ids = take(part.examples.ids);
  some.examples.keys = take(part.examples.keys);
  for (const auto& [task, sets] : part.examples.tasks) some.examples.tasks[task] = take(sets);
  return some;
}

std::vector<int64_t> hits_of(const TaskResult& result) {
  std::vector<int64_t> all;
  for (const Tally& h : result.examples) {
    all.insert(all.end(), {h.hits, h.decided - h.hits, h.right - h.hits});
  }
  return all;
}

// A prediction is the same whatever else is tested: more examples than have scores at once.
TEST(Probe, TestExamplesAreIndependent) {
  const Part train = part_of(200, 1), test = part_of(4300, 2);
  const ProbeOptions options{.standardise = true};
  const auto all = hits_of(probe(train, test, "Sets", options));
  ASSERT_EQ(all.size(), 3u * 4300);
  for (const auto& [begin, end] : {std::pair{0, 100}, {4000, 4200}, {4200, 4300}}) {
    EXPECT_EQ(
        hits_of(probe(train, rows_of(test, begin, end), "Sets", options)),
        std::vector<int64_t>(all.begin() + ptrdiff_t{3} * begin, all.begin() + ptrdiff_t{3} * end))
        << begin;
  }
}

// The accuracy is that of the largest scores. Of three labels by chance none has a score above 0.
TEST(Probe, TheAccuracyNeedsNoScoreAboveZero) {
  Part train = part_of(300, 1), test = part_of(90, 2);
  for (Part* part : {&train, &test}) {
    for (size_t i = 0; i < part->examples.ids.size(); ++i) {
      part->examples.tasks["Three"].push_back({std::string(1, "abc"[i % 3])});
    }
  }
  const TaskResult r = probe(train, test, "Three", {.standardise = true});
  EXPECT_EQ(r.exact, 0);
  EXPECT_NEAR(r.accuracy.value(), 1.0 / 3, 0.15);
}

// What most training examples have, though most test examples have it not.
TEST(Probe, TheConstantIsThatOfTheTrainingPart) {
  Part train = part_of(20, 1), test = part_of(10, 2);
  train.examples.tasks["Planted"].assign(20, {"low"});
  train.examples.tasks["Planted"][3] = {"high"};
  test.examples.tasks["Planted"].assign(10, {"high"});
  for (size_t i : {0, 4}) test.examples.tasks["Planted"][i] = {"low"};
  EXPECT_DOUBLE_EQ(probe(train, test, "Planted").constant, 0.2);
}

TEST(Probe, AnotherSeedIsAnotherControlTask) {
  const Part train = part_of(300, 1), test = part_of(100, 2);
  const auto f1 = [&](uint64_t seed) {
    const TaskResult r = probe(train, test, "Random", {.control = true, .seed = seed});
    return std::pair(r.f1, *r.control_f1);
  };
  EXPECT_EQ(f1(1), f1(1));
  EXPECT_EQ(f1(2).first, f1(1).first);
  EXPECT_NE(f1(2).second, f1(1).second);
}

TEST(Probe, UnseenLabelsAreNoMisses) {
  const Part train = part_of(300, 1);
  Part test = part_of(100, 2);
  const double before = probe(train, test, "Planted").f1;
  for (auto& labels : test.examples.tasks["Planted"]) labels.push_back("zzz");
  const TaskResult r = probe(train, test, "Planted");
  EXPECT_EQ(r.f1, before);
  EXPECT_EQ(r.unseen, 1);
}

TEST(Probe, ATaskWithoutLabelsIsNothing) {
  for (const auto kind : {ProbeOptions::Kind::kLogistic, ProbeOptions::Kind::kMlp}) {
    const TaskResult r = probe(part_of(20, 1), part_of(10, 2), "None", {.kind = kind});
    EXPECT_EQ(r.labels, 0);
    EXPECT_EQ(r.f1, 0);
    EXPECT_EQ(r.exact, 1);
  }
}

TEST(Probe, SaysWhatIsWrong) {
  const Part train = part_of(20, 1);
  Part test = part_of(10, 2);
  EXPECT_EQ(error_of<UsageError>([&] { probe(train, test, "Topic"); }),
            "task: expected one of None, Planted, Random, Sets, got 'Topic'");
  test.x = Tensor::zeros({10, 4});
  EXPECT_EQ(error_of<DataError>([&] { probe(train, test, "Sets"); }),
            "features: the training part has 3 dimensions, the test part 4");
}

// Of a model whose training diverged. A solver that sees no number but NaN would call it solved.
TEST(Probe, RefusesFeaturesThatAreNotFinite) {
  const Part good = part_of(10, 1);
  for (const DType dtype : {DType::f32, DType::f64}) {
    Part bad = good;
    bad.x = good.x.to(DType::f32).clone();
    bad.x.data<float>()[7] = std::nanf("");
    bad.x = bad.x.to(dtype);
    const std::string error = "features: 'x' is not finite in row 2, column 1 (from 0)";
    EXPECT_EQ(error_of<DataError>([&] { probe(bad, good, "Sets"); }), error);
    EXPECT_EQ(error_of<DataError>([&] { probe(good, bad, "Sets"); }), error);
  }
}

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

// ---- files

TEST(FeatureFile, ReadsWhatItWrites) {
  const TempDir dir;
  const Part part = part_of(5, 1);
  write_part(dir.path(""), "train", part);
  const Part again = read_part(dir.path(""), "train");
  EXPECT_EQ(again.x.to_vector(), part.x.to_vector());
  EXPECT_EQ(again.examples.ids, part.examples.ids);
  EXPECT_EQ(again.examples.tasks, part.examples.tasks);
}

TEST(FeatureFile, SaysWhatIsWrong) {
  const TempDir dir;
  const std::string features = dir.path("train.safetensors");
  const auto error = [&] { return error_of<DataError>([&] { read_part(dir.path(""), "train"); }); };
  EXPECT_EQ(error(), dir.path("") +
                         ": holds no train.safetensors; `heed features` makes such a directory, or "
                         "any program that writes safetensors (docs/probes.md)");
  dir.write("train.safetensors", "nonsense");
  EXPECT_NE(error().find(features), std::string::npos);
  save_tensors(features, {{"y", Tensor::zeros({2, 2})}});
  EXPECT_EQ(error(), features + ": holds no tensor 'x' (n, d) of features");
  const auto shape = [&](const Tensor& x) {
    save_tensors(features, {{"x", x}});
    return error();
  };
  const std::string rule = features + ": 'x' must be numbers (n, d) of n > 0 examples, got ";
  EXPECT_EQ(shape(Tensor::zeros({4})), rule + "f32 (4)");
  EXPECT_EQ(shape(Tensor::zeros({0, 3})), rule + "f32 (0, 3)");
  EXPECT_EQ(shape(Tensor::zeros({2, 0})), rule + "f32 (2, 0)");
  EXPECT_EQ(shape(Tensor::from(std::vector<int32_t>{1, 2}, {1, 2})), rule + "i32 (1, 2)");
  const Tensor x = Tensor::zeros({2, 3});
  x.data<float>()[5] = std::nanf("");
  EXPECT_EQ(shape(x), features + ": 'x' is not finite in row 1, column 2 (from 0)");
  EXPECT_EQ(shape(x.to(DType::f64)), features + ": 'x' is not finite in row 1, column 2 (from 0)");
  x.data<float>()[5] = 0;
  EXPECT_NE(shape(x).find("holds neither train.jsonl nor train.jsonl.gz"), std::string::npos);
  dir.write("train.jsonl", R"({"id": "1", "labels": {"T": []}})");
  EXPECT_EQ(shape(x), dir.path("train.jsonl") + ": 1 examples, but " + features +
                          " has 2 rows; line i labels row i");
}

}  // namespace
}  // namespace heed::probe
