// Probes as a whole: what can be read off is, what cannot be is not.
#include "dialog/probe/probe.h"

#include <cmath>

#include "base/error.h"
#include "dialog/probe/feature_file.h"
#include "nn/safetensors.h"
#include "tensor/parallel.h"
#include "tests/dialog/probe/part_helpers.h"
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
