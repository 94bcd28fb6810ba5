// The code of docs/add-an-experiment.md: an experiment of two variants that has nothing to do with
// dialogues, from its trainings to its page.
#include <gtest/gtest.h>

#include <filesystem>

#include "autograd/ops.h"
#include "base/file.h"
#include "experiments/engine/evaluation_json.h"
#include "experiments/engine/figures.h"
#include "experiments/engine/folder_json.h"
#include "experiments/engine/page.h"
#include "experiments/engine/variant_tables.h"
#include "experiments/engine/worker.h"
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

// ---- variants and plan

struct RateVariant {
  VariantName name;
  double rate;
};
const std::vector<RateVariant> kVariants = {{{"slow", "rate", "0.02"}, 0.02},
                                            {{"fast", "rate", "0.2"}, 0.2}};

std::vector<VariantName> variant_names() {
  std::vector<VariantName> names;
  for (const RateVariant& v : kVariants) names.push_back(v.name);
  return names;
}

bool train_run(const PlannedRun& run, const std::string& directory, Device,
               const TrainHooks& hooks) {
  LoopSettings settings{.batch_size = 2, .max_epochs = 3};
  settings.schedule.rate = kVariants[run.variant].rate;
  settings.seed = run.seed;
  Point point;
  return train(directory, settings, {drawn_to_three(point)}, hooks);
}

void measure_run(const PlannedRun& run, const std::string& directory, Device,
                 const OnMeasuring& progress) {
  Point point;
  load_parameters(directory + "/model.safetensors", point);
  const double x = point.x.value().to_vector()[0];
  nlohmann::ordered_json json = evaluation_head(
      directory, run, {{"rate", kVariants[run.variant].rate}}, "distance", MadeWith{});
  json["parameters"] = 1;
  double right = 0;
  for (const double item : {0.5, 1.0, 2.0, 2.9, 3.5, 5.0}) {  // is x nearer to it than 2?
    json["right"].push_back(std::abs(x - item) < 2 ? 1 : 0);
    json["all"].push_back(1);
    right += json["right"].back().get<double>();
  }
  json["accuracy"] = right / 6;
  json["clusters"] = {0, 0, 1, 1, 2, 3};  // items of a cluster are not independent
  progress("items", 1);                   // and a chance to give up before anything is written
  write_file(directory + "/evaluation.json", json.dump() + "\n");
}

Plan rate_plan(const std::string& out, const std::vector<PlannedRun>& runs) {
  Plan plan{.out = out, .runs = runs, .train = train_run, .measure = measure_run};
  plan.train_metric = "train_distance";
  plan.valid_metric = plan.metric_name = "distance";
  plan.kind = [](const PlannedRun&) { return "point"; };  // all epochs take equally long
  plan.max_epochs = [](const PlannedRun&) { return 3; };
  return plan;
}

// ---- results, tables, claims

ResultsLayout rate_layout() {
  return {.format = 1,
          .variants = variant_names(),
          .clusters = "clusters",
          .values = {"accuracy", "distance", "best_epoch", "epochs", "parameters"},
          .items = {"right", "all"}};
}

// Accuracy is a quotient of sums over items: so it has an interval, and a test against the
// baseline.
Inference rate_inference(const Results& results) {
  return {
      results,
      {{.key = "accuracy", .top = "right", .bottom = "all"}},
      {{"accuracy"}, [](size_t v) { return v == 0 ? std::nullopt : std::optional<size_t>(0); }}};
}

std::vector<Table> rate_tables(const Results& results, const Inference& inference) {
  Table accuracy{.id = "accuracy", .title = "Accuracy", .note = "Higher is better."};
  accuracy.columns = {{"", "accuracy %", "accuracy", 1, true, Column::Best::kHighest},
                      {"", "distance", "distance", 3, false, Column::Best::kLowest}};
  add_variants(accuracy, results, inference);
  return {accuracy, trainings_table(results, "distance", "distance")};
}

const std::vector<ClaimRule> kClaims = {
    {"A larger rate comes nearer.", "Distance at rate 0.2 below that at rate 0.02.",
     [](const VariantNumbers& n) -> ClaimResult {
       const auto slow = n.get(0, "distance"), fast = n.get(1, "distance");
       if (!slow || !fast) return {};
       return {*fast < *slow, std::to_string(*fast) + " and " + std::to_string(*slow)};
     }}};

// The numbers of the paper have the same names as ours.
VariantNumbers paper_numbers() {
  VariantNumbers numbers;
  numbers.set(0, "distance", 2.5);
  numbers.set(1, "distance", 0.1);
  return numbers;
}

// ---- the page

std::string rate_page(const Results& results, const Inference& inference) {
  const std::vector<Table> tables = rate_tables(results, inference);
  const Claims claims = check_claims(kClaims, paper_numbers(), {{"means", mean_numbers(results)}});
  return render(
      {.title = "Which rate?",
       .lead = "A number is drawn to 3 with two rates.",
       .facts = {{"trainings", std::to_string(results.runs.size()), ""}},
       .sections = {{"claims", "Does the paper hold here?", claims_html(claims)},
                    {"accuracy", "Accuracy", with_note(table_of(tables, "accuracy"), true)},
                    {"sources", "Where every number is from", sources_html(tables)}},
       .footer = "Written by a test."});
}

TEST(DocsAddAnExperiment, FromTrainingsToThePage) {
  const TempDir dir;
  const std::string out = dir.path("out");
  open_folder(out, "experiment",
              {{"format", 1}, {"settings", {{"epochs", 3}}}, {"data", nlohmann::json::object()}});
  const auto runs = select_runs(names_of(variant_names()), 1, 2, {});
  ASSERT_TRUE(work(rate_plan(out, runs), {}));

  const Results results = load_results(out, rate_layout());
  ASSERT_EQ(results.runs.size(), 4u);
  const Inference inference = rate_inference(results);
  const std::vector<Table> tables = rate_tables(results, inference);
  EXPECT_EQ(tables[0].rows[1].label, "0.2");
  EXPECT_GT(*tables[0].rows[1].cells[0].value, *tables[0].rows[0].cells[0].value);
  EXPECT_TRUE(tables[0].rows[1].cells[0].interval && inference.change("accuracy", 1));
  EXPECT_EQ(tables[1].rows.size(), 4u);
  const std::string page = rate_page(results, inference);
  EXPECT_NE(page.find("<h1>Which rate?</h1>"), page.npos);
  EXPECT_NE(page.find("fast-seed2/evaluation.json"), page.npos);
  EXPECT_NE(page.find("&#10003; holds"), page.npos);
}

}  // namespace
}  // namespace heed
