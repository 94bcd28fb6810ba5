// The code of docs/add-an-experiment.md: an experiment of two variants that has nothing to do with
// dialogues, from its trainings to its page.
#include <gtest/gtest.h>

#include <set>

#include "autograd/ops.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/runs/worker.h"
#include "experiments/making_json.h"
#include "nn/safetensors.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// ---- what is trained

// A number that is drawn to 3; its task is described in train/task.h.
struct Point : Module {
  Var x = Var::parameter(Tensor::from(std::vector<double>{0}, {1}));
  void visit(Visitor& v) override { v("x", x); }
};

Task drawn_to_three(Point& point) {
  Task task;
  task.module = &point;
  task.sizes = {1, 1, 1, 1};
  task.loss = [&](const std::vector<int64_t>&, const StepKey&) {
    return Loss{mean(square(point.x - 3)), 1};
  };
  task.measure = [](const Counts&) { return Metrics{{"train_distance", 0}}; };
  task.validate = [&](const OnValidation&) {
    return Metrics{{"distance", std::abs(point.x.value().to_vector()[0] - 3)}};
  };
  return task;
}

// ---- variants, training, measurement

struct RateVariant {
  VariantName name;
  double rate;
};
const std::vector<RateVariant> kVariants = {{{"slow", "rate", "0.02"}, 0.02},
                                            {{"fast", "rate", "0.2"}, 0.2}};

struct RateSettings {
  int epochs = 3;
};
struct NoData {};
using RateRun = Subject<RateSettings, NoData>;
using Json = nlohmann::ordered_json;

bool train_run(const RateRun& run, const TrainHooks& hooks) {
  LoopSettings settings{.batch_size = 2, .max_epochs = run.settings.epochs};
  settings.schedule.rate = kVariants[run.run.variant].rate;
  settings.seed = run.run.seed;
  Point point;
  return train(run.directory, settings, {drawn_to_three(point)}, hooks);
}

void measure_run(const RateRun& run, const OnMeasuring&, Json& json) {
  Point point;
  load_parameters(run.directory + "/model.safetensors", point);
  const double x = point.x.value().to_vector()[0];
  json["parameters"] = 1;
  double right = 0;
  for (const double item : {0.5, 1.0, 2.0, 2.9, 3.5, 5.0}) {  // is x nearer to it than 2?
    json["right"].push_back(std::abs(x - item) < 2 ? 1 : 0);
    json["all"].push_back(1);
    right += json["right"].back().get<double>();
  }
  json["accuracy"] = right / 6;
  json["clusters"] = {0, 0, 1, 1, 2, 3};  // items of a cluster are not independent
}

const Making<RateSettings, NoData> kMaking = {
    .visit =
        [](RateSettings& s, const OptionVisitor& v) {
          show(v, "Rates", {{"epochs", "Epochs of each training", &s.epochs, 1, 100}});
        },
    .names = variant_names(kVariants),
    .in_short = [](const RateSettings&, const NoData&) { return std::string("one number"); },
    .train = train_run,
    .best_metric = "distance",
    .measurements = {{"evaluation.json", measure_run}},
    .train_metric = "train_distance",
    .metric_name = "distance"};

// ---- the report

constexpr char kReport[] = R"({
 "title": "Which rate?",
 "lead": "A number is drawn to 3 with two rates.",
 "footer": "Written by a test.",
 "groups_are": "changed",
 "rows_are": "to",
 "claims_note": "Of a paper that there is not.",
 "numbers": {"slow": {"distance": 2.5}, "fast": {"distance": 0.1}},
 "tables": [
  {"id": "accuracy",
   "title": "Accuracy",
   "note": "Higher is better. {intervals}",
   "columns": [
    {"name": "accuracy %", "key": "accuracy", "digits": 1, "percent": true, "best": "highest"},
    {"name": "distance", "key": "distance", "digits": 3, "best": "lowest"}]},
  {"metric": "distance", "name": "distance"}],
 "claims": [
  {"claim": "A larger rate comes nearer.",
   "rule": "Distance at rate 0.02 > that at rate 0.2.",
   "parts": [{"variant": "slow", "key": "distance", "than": "fast"}]}]})";

// ---- the row

// Accuracy is a quotient of sums over items: so it has an interval, and a test against that of the
// first variant.
const Showing<>& rates_showing() {
  static const Showing<> kShowing =
      described(kReport, variant_names(kVariants),
                {.clusters = "clusters",
                 .values = {"distance", "best_epoch", "epochs", "parameters"},
                 .measures = {{.key = "accuracy", .top = "right", .bottom = "all"}},
                 .comparison = against_first({"accuracy"})});
  return kShowing;
}

Experiment rates_experiment() {
  return experiment({.name = "rates", .what = "Train with two rates"}, kMaking, rates_showing);
}

TEST(DocsAddAnExperiment, FromTrainingsToThePage) {
  const TempDir dir;
  const std::string out = dir.path("out");
  const std::vector<Experiment> all = {rates_experiment()};
  const auto making = all[0].work();
  const auto names = names_of(making->take({}));
  making->load(true);
  making->open(out);
  const Plan plan = making->plan(out, select_runs(names, 1, 2, {}));
  ASSERT_TRUE(work(plan, {}));
  EXPECT_TRUE(plan.is_finished(plan.runs[3]));

  const Findings found = load_findings(out, {.kind = "rates", .variants = variant_names(kVariants)},
                                       rates_showing().measured);
  ASSERT_EQ(found.results.runs.size(), 4u);
  EXPECT_EQ(found.results.setting("epochs"), "3");
  EXPECT_TRUE(found.inference.change("accuracy", 1));
  const Report report = experiment_of(all, out).report(out);
  EXPECT_EQ(report.tables[0].rows[1].label, "0.2");
  EXPECT_GT(*report.tables[0].rows[1].cells[0].value, *report.tables[0].rows[0].cells[0].value);
  EXPECT_TRUE(report.tables[0].rows[1].cells[0].interval);
  EXPECT_EQ(report.tables[1].rows.size(), 4u);
  // A table's own headings stay.
  EXPECT_EQ(report.tables[0].groups_are + " | " + report.tables[0].rows_are, "changed | to");
  EXPECT_EQ(report.tables[1].groups_are + " | " + report.tables[1].rows_are, "changed | run");
  EXPECT_NE(report.page.find("<h1>Which rate?</h1>"), report.page.npos);
  EXPECT_NE(report.page.find("fast-seed2/evaluation.json"), report.page.npos);
  EXPECT_NE(report.page.find("&#10003; holds"), report.page.npos);
}

// The options of its settings are those of its folder: another value is refused.
TEST(DocsAddAnExperiment, AFolderKeepsItsOptions) {
  const TempDir dir;
  const auto open = [&](int epochs) {
    const auto making = rates_experiment().work();
    making->visit([&](const Setting& setting, const OptionValue& value) {
      EXPECT_EQ(setting.option, "epochs");
      *std::get<int*>(value) = epochs;
    });
    making->take({});
    making->open(dir.path("out"));
  };
  open(2);
  open(2);
  EXPECT_EQ(error_of<UsageError>([&] { open(4); }),
            dir.path("out") +
                ": holds an experiment with --epochs 2, not 4; take the same "
                "settings or another --out");
}

TEST(Experiments, HaveNamesAndKindsOfTheirOwn) {
  std::set<std::string> names, kinds;
  for (const Experiment& e : all_experiments()) {
    EXPECT_TRUE(names.insert(e.name).second && kinds.insert(e.kind).second) << e.name;
    EXPECT_TRUE(e.work && e.report) << e.name;
  }
  EXPECT_EQ(all_experiments().front().name, "distraction");
}

}  // namespace
}  // namespace heed
