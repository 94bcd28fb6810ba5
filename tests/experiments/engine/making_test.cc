// What an experiment's description becomes: a plan of its runs, and the page of its report.
#include "experiments/making_json.h"

#include <gtest/gtest.h>

#include "tests/file_helpers.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct MadeSettings {
  std::string data = {};
  int epochs = 5, pieces = 1;
  bool more = false;  // a third file is wanted
};
struct NoData {};

using MadeRun = Subject<MadeSettings, NoData>;

void fill(const MadeRun& run, const OnMeasuring&, OrderedJson& json) {
  json["pieces"] = run.settings.pieces;
}
// One variant that is trained, and one that is only measured.
const Making<MadeSettings, NoData> kMade = {
    .names = {{"here", "g", "here"}, {"frozen", "g", "frozen", /*trained=*/false}},
    .train = [](const MadeRun&, const TrainHooks&) { return true; },
    .best_metric = "valid_loss",
    .measurements = {{"evaluation.json", fill},
                     {"second.json", fill},
                     {"third.json", fill, [](const MadeSettings& s) { return s.more; }}},
    .train_metric = "train_loss",
    .metric_name = "loss"};

class MakingPlan : public testing::Test {
 protected:
  Plan plan(const Making<MadeSettings, NoData>& making = kMade) {
    for (const char* run : {"here-seed1", "frozen-seed1"}) make_directory(dir.path(run));
    EpochLog epoch;
    epoch.epoch = 1;
    epoch.metrics = {{"valid_loss", 0.5}};
    save_log(dir.path("here-seed1"), {epoch});
    return plan_of(making, dir.path(""), select_runs({"here", "frozen"}, 1, 1, {}), settings, data,
                   made_with);
  }
  std::string files(const std::string& run) const {
    std::string all;
    for (const char* file : {"evaluation.json", "second.json", "third.json"}) {
      if (std::filesystem::exists(dir.path(run + "/" + file))) all += file[0];
    }
    return all;
  }
  const TempDir dir;
  MadeSettings settings;
  const NoData data = {};
  const MadeWith made_with = {};
};

// A run has the files that are wanted, and one that is not trained only the first.
TEST_F(MakingPlan, RunsHaveTheFilesThatAreWanted) {
  for (const bool more : {false, true}) {
    settings.more = more;
    const Plan made = plan();
    EXPECT_EQ(made.additions.size(), more ? 2u : 1u);
    for (const PlannedRun& run : made.runs) {
      made.measure(run, made.directory(run), {}, OnMeasuring([](const std::string&, double) {}));
      EXPECT_TRUE(made.is_finished(run)) << run.name;
    }
    EXPECT_EQ(files("here-seed1"), more ? "est" : "es");
    EXPECT_EQ(files("frozen-seed1"), "e");
  }
  EXPECT_EQ(OrderedJson::parse(dir.read("here-seed1/evaluation.json"))["best_epoch"], 1);
  EXPECT_FALSE(OrderedJson::parse(dir.read("frozen-seed1/evaluation.json")).contains("best_epoch"));
}

TEST_F(MakingPlan, OnlyTrainingsHaveEpochs) {
  const Plan made = plan();
  EXPECT_EQ(made.max_epochs(made.runs[0]), 5);
  EXPECT_EQ(made.max_epochs(made.runs[1]), 0);
  EXPECT_TRUE(made.is_trained(made.runs[0]) && !made.is_trained(made.runs[1]));
}

// That of the best epoch, unless there is another for people.
TEST_F(MakingPlan, TheMetricOfValidationIsThatOfTheBestEpoch) {
  EXPECT_EQ(plan().valid_metric, "valid_loss");
  Making<MadeSettings, NoData> other = kMade;
  other.valid_metric = "valid_accuracy";
  EXPECT_EQ(plan(other).valid_metric, "valid_accuracy");
}

TEST(MakingWork, TakesThePiecesOfTheRanks) {
  WorkOf<MadeSettings, NoData> work("made", kMade);
  work.take({.data = "there", .pieces = 3});
  EXPECT_EQ(work.settings().pieces, 3);
  EXPECT_EQ(work.settings().data, "there");
}

// The numbers of a training depend on them. A folder of an older version does not say.
TEST(MakingWork, AFolderIsOfOneNumberOfPieces) {
  const TempDir dir;
  const auto open = [&](int pieces) {
    WorkOf<MadeSettings, NoData> work("made", kMade);
    work.take({.data = "there", .pieces = pieces});
    work.open(dir.path("out"));
  };
  open(8);
  open(8);
  EXPECT_THROW(open(1), UsageError);
  OrderedJson older = OrderedJson::parse(dir.read("out/made.json"));
  older["settings"].erase("pieces");
  dir.write("out/made.json", older.dump());
  open(1);
}

struct SharedData {
  void share(const Neighbours&) {}
};

// Where ranks share what one of them reads, the others have nothing to compare.
TEST(MakingWork, TheChecksumIsOfWhatARankReads) {
  WorkOf<MadeSettings, SharedData> shared("made", Making<MadeSettings, SharedData>());
  WorkOf<MadeSettings, NoData> own("made", kMade);
  for (const bool reads : {true, false}) {
    shared.load(reads);
    own.load(reads);
    EXPECT_EQ(shared.checksum().empty(), !reads);
    EXPECT_NE(own.checksum(), "");
  }
}

// ---- the page

// Of a variant that is trained and one that is not.
Findings found() {
  Results results;
  results.variants = kMade.names;
  for (const size_t v : {0, 1}) {
    RunResult& run = results.runs.emplace_back();
    run.run = planned_run(names_of(results.variants), v, 1);
    run.numbers.set("x", 1);
  }
  Inference inference(results, {}, {});
  return {std::move(results), std::move(inference)};
}

Showing<> shown() {
  Showing<> s{.title = "T", .groups_are = "group", .rows_are = "row", .claims_note = "The note."};
  s.tables = [](const Findings& f) {
    Table own = {.id = "own",
                 .title = "Own",
                 .note = "",
                 .rows_are = "which",
                 .groups_are = "kind"},
          common = {.id = "common", .title = "Common", .note = ""};
    return std::vector<Table>{own, common, trainings_table(f.results, "x", "x")};
  };
  s.each = {{.claim = "C", .rule = "R", .key = "x"}};
  return s;
}

TEST(MakingReport, TablesHaveTheirOwnHeadings) {
  const std::vector<Table> tables = report_of(shown(), found()).tables;
  EXPECT_EQ(tables[0].groups_are + " " + tables[0].rows_are, "kind which");
  EXPECT_EQ(tables[1].groups_are + " " + tables[1].rows_are, "group row");
}

TEST(MakingReport, CountsTheTrainings) {
  const std::string page = report_of(shown(), found()).page;
  EXPECT_TRUE(has(page, "<dt>trainings</dt><dd>1<small>2 variants, seeds: 1</small>")) << page;
}

TEST(MakingReport, ClaimsHaveTheirLead) {
  Showing<> s = shown();
  EXPECT_TRUE(has(report_of(s, found()).page, "<p class=\"note\">The note.</p>"));
  s.claims_lead = "The lead.";
  const Report report = report_of(s, found());
  EXPECT_TRUE(has(report.page, "<p class=\"note\">The lead.</p>"));
  EXPECT_FALSE(has(report.page, "The note."));
  EXPECT_EQ(report.claims_note, "The note.");
}

}  // namespace
}  // namespace heed
