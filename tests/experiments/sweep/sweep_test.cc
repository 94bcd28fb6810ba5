// heed sweep as a user calls it: results, resumption, shards.
#include <nlohmann/json.hpp>
#include <set>

#include "dialog/text/text_file.h"
#include "tests/experiments/sweep/sweep_helpers.h"
#include "tests/golden.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kGrid =
    "rate = [0.01, 1e-5]  # the second one learns nothing\ninsert-prob = [0, 0.7]\n";
const std::string kSweep = "seeds = 2\ntest = \"none,random:1.0\"\n";

// One finished sweep for all tests that only read it.
class SweepTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    shared->write("sweep.toml", file_of(kGrid, kSweep));
    const Result r = heed_program(sweep_command(file(), whole()));
    ASSERT_EQ(r.code, 0) << r.err;
    output = r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }
  static std::string file() { return shared->path("sweep.toml"); }

  static TempDir* shared;
  static std::string output;
  const TempDir dir;
};
TempDir* SweepTest::shared = nullptr;
std::string SweepTest::output;

TEST_F(SweepTest, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(whole());
  golden.expect("sweep");
}

TEST_F(SweepTest, TrainsEveryCombinationWithEverySeed) {
  EXPECT_TRUE(has(output, "8 runs, 0 of them done; 4 combinations of settings")) << output;
  EXPECT_TRUE(has(output, "done: 8 of 8")) << output;
  for (const char* run : {"rate0.01-insert-prob0-seed1", "rate1e-5-insert-prob0.7-seed2"}) {
    const Json json = Json::parse(shared->read("whole/" + std::string(run) + "/evaluation.json"));
    EXPECT_EQ(json["run"], run);
    EXPECT_EQ(json["epochs"], 2);
    EXPECT_EQ(json["test_sets"].size(), 2u);
    EXPECT_NE(json["heed"]["version"], "");
  }
  const Json last =
      Json::parse(shared->read("whole/rate1e-5-insert-prob0.7-seed2/evaluation.json"));
  EXPECT_EQ(last["settings"], (Json{{"rate", "1e-5"}, {"insert-prob", "0.7"}}));
}

// The best first, with means and deviations over the seeds.
TEST_F(SweepTest, TheTableIsSorted) {
  const Json table = Json::parse(shared->read("whole/tables/sweep.json"));
  ASSERT_EQ(table["rows"].size(), 4u);
  std::vector<double> perplexities;
  for (const Json& row : table["rows"]) {
    const Json& cell = row["cells"][2];
    perplexities.push_back(cell["value"]);
    double mean = 0;
    std::vector<double> values;
    for (const Json& source : row["sources"]) {
      const Json run = Json::parse(shared->read("whole/" + source.get<std::string>()));
      values.push_back(run["valid_perplexity"]);
      mean += values.back() / 2;
      EXPECT_EQ(row["cells"][0]["value"], run["settings"]["rate"]);
      EXPECT_EQ(row["cells"][1]["value"], run["settings"]["insert-prob"]);
    }
    ASSERT_EQ(values.size(), 2u);
    EXPECT_NEAR(cell["value"], mean, 1e-9);
    EXPECT_NEAR(cell["deviation"], std::abs(values[0] - values[1]) / std::sqrt(2.0), 1e-9);
  }
  EXPECT_TRUE(std::is_sorted(perplexities.begin(), perplexities.end()));
  EXPECT_EQ(table["rows"][0]["cells"][0]["value"], "0.01");
  EXPECT_EQ(table["columns"][4]["key"], "test_sets.random:1.0.das_ratio");
  EXPECT_TRUE(has(shared->read("whole/tables/sweep.md"), "| 2 | rate0.01-"));
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "| %.3f ± ",
                table["rows"][0]["cells"][4]["value"].get<double>());
  EXPECT_TRUE(has(shared->read("whole/tables/sweep.md"), ratio)) << ratio;
  EXPECT_TRUE(has(output, "\nruns ") && has(output, " seeds  rate  insert-prob  valid. perplexity"))
      << output;
  EXPECT_TRUE(has(shared->read("whole/tables/sweep.csv"), "\n2,rate0.01-"));
}

// The distractions of the tests are drawn by a seed of their own, of so many dialogues.
TEST_F(SweepTest, TestSeedAndLimitAreThoseOfTheFile) {
  const auto tests = [&](const std::string& more) {
    const std::string name = "out" + std::to_string(dir.count_files());
    const std::string sweep =
        dir.write(name + ".toml", file_of("rate = 0.01\n", "test = \"none,random:1.0\"\n" + more));
    EXPECT_EQ(heed_program(sweep_command(sweep, dir.path(name))).code, 0) << more;
    return Json::parse(dir.read(name + "/run-seed1/evaluation.json"));
  };
  const Json usual = tests(""), other = tests("test-seed = 2\n"), few = tests("test-limit = 5\n");
  EXPECT_EQ(other["valid_perplexity"], usual["valid_perplexity"]);  // the same training
  EXPECT_EQ(other["test_sets"]["none"], usual["test_sets"]["none"]);
  EXPECT_NE(other["test_sets"]["random:1.0"], usual["test_sets"]["random:1.0"]);
  EXPECT_EQ(usual["test_sets"]["none"]["dialogues"], 40);
  EXPECT_EQ(few["test_sets"]["none"]["dialogues"], 5);
}

// A run is what `heed train` makes of its options, and `heed evaluate` sees the same.
TEST_F(SweepTest, ARunIsThatOfTrain) {
  const std::string run = "whole/rate0.01-insert-prob0.7-seed2/";
  Arguments train = {"train",  "--data", kSample,  "--out", dir.path("run"), "--threads", "1",
                     "--seed", "2",      "--rate", "0.01",  "--insert-prob", "0.7"};
  for (const std::string line : kFixed) {
    const size_t equals = line.find(" = ");
    std::string value = line.substr(equals + 3);
    std::erase(value, '"');
    train.push_back("--" + line.substr(0, equals) + "=" + value);
  }
  ASSERT_EQ(heed_program(train).code, 0);
  EXPECT_EQ(dir.read("run/log.jsonl"), shared->read(run + "log.jsonl"));
  EXPECT_TRUE(dir.read("run/model.safetensors") == shared->read(run + "model.safetensors"));
  EXPECT_EQ(Json::parse(dir.read("run/settings.json"))["batch_size"], 4);
}

// Points of other words have their own data; heed evaluate says the same of them.
TEST_F(SweepTest, EachPointIsMeasuredOnItsOwnData) {
  std::string text = file_of("tokens = [\"words\", \"bpe\"]\nvocab = [280, 300]\nhidden = 6\n",
                             "test = \"none,random:1.0\"\nbest = \"random:1.0\"\n");
  for (const std::string line : {"vocab = 150\n", "hidden = 8\n"}) {
    text.erase(text.find(line), line.size());
  }
  ASSERT_EQ(heed_program(sweep_command(dir.write("s.toml", text), dir.path("out"))).code, 0);
  const Json table = Json::parse(dir.read("out/tables/sweep.json"));
  ASSERT_EQ(table["rows"].size(), 4u);
  std::vector<std::string> keys;
  for (const Json& column : table["columns"]) keys.push_back(column["key"]);
  EXPECT_EQ(keys, (std::vector<std::string>{
                      "settings.tokens", "settings.vocab", "valid_perplexity",
                      "test_sets.none.perplexity", "test_sets.none.bits_per_character",
                      "test_sets.random:1.0.das_ratio", "best_epoch", "parameters"}));
  LineReader lines(kSample + "/train.jsonl.gz");  // as many as the sweep reads
  std::string pool;
  for (std::string_view line; lines.line_number() < 40 && lines.next(line);) {
    pool += std::string(line) + "\n";
  }
  dir.write("pool.jsonl", pool);
  std::set<double> measured;
  double before = 0;
  for (const Json& row : table["rows"]) {
    const std::string file = row["sources"][0];
    const std::string run = dir.path("out/" + file.substr(0, file.find('/')));
    const Json mine = Json::parse(dir.read("out/" + file));
    const Result r =
        heed_program({"evaluate", "--model", run, "--data", kSample, "--limit", "40", "--test",
                      "none,random:1.0", "--pool", dir.path("pool.jsonl"), "--json", "-"});
    ASSERT_EQ(r.code, 0) << r.err;
    const Json its = Json::parse(r.out)["test_sets"];
    for (const char* key : {"perplexity", "bits_per_character"}) {
      EXPECT_NEAR(mine["test_sets"]["none"][key], its["none"][key].get<double>(), 1e-9) << key;
    }
    const double ratio = its["random:1.0"]["das_ratio"];
    EXPECT_NEAR(mine["test_sets"]["random:1.0"]["das_ratio"], ratio, 1e-9);
    EXPECT_NEAR(row["cells"][4]["value"], its["none"]["bits_per_character"].get<double>(), 1e-9);
    EXPECT_NEAR(row["cells"][7]["value"], mine["parameters"].get<double>() / 1e6, 1e-12);
    measured.insert(mine["test_sets"]["none"]["perplexity"].get<double>());
    EXPECT_GE(ratio, before);  // sorted by them
    before = ratio;
  }
  EXPECT_EQ(measured.size(), 4u);
}

// Presets with Adam take smaller batches of few dialogues: here as in heed train. What is asked for
// is taken.
TEST_F(SweepTest, SmallBatchesOfFewDialogues) {
  for (const auto& [batch, steps] :
       {std::pair("", "2 x 10 steps"), {"batch = 20\n", "2 x 2 steps"}}) {
    std::string text = file_of("rate = 0.01\n");
    text.replace(text.find("batch = 4\n"), 10, batch);
    const Result r =
        heed_program({"sweep", dir.write("s.toml", text), "--out", dir.path("out"), "--dry-run"});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "run-seed1")) << r.out;
    EXPECT_TRUE(has(r.out, steps)) << r.out;
  }
}

// Options that are good only together.
TEST_F(SweepTest, OptionsMayNeedEachOther) {
  const std::string text = "[train]\ndata = \"" + kSample +
                           "\"\nheads = 2\nstructure = \"transformer\"\npreset = \"smoke\"\n"
                           "limit = 40\n[grid]\nlayers = [1, 2]\n";
  const Result r =
      heed_program({"sweep", dir.write("s.toml", text), "--out", dir.path("out"), "--dry-run"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "layers2-seed1")) << r.out;
  for (const char* grid : {"preset = \"smoke\"\nstructure = \"transformer\"\n[grid]\n"
                           "hidden = [42]\nheads = [3, 7]\n",
                           "preset = \"smoke\"\nheads = 2\n[grid]\nstructure = "
                           "[\"transformer\"]\nlayers = [1, 2]\n"}) {
    const std::string together = "[train]\ndata = \"" + kSample + "\"\nlimit = 40\n" + grid;
    const Result both = heed_program(
        {"sweep", dir.write("t.toml", together), "--out", dir.path("out"), "--dry-run"});
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_TRUE(has(both.out, "2 runs; about ")) << both.out;
  }
}

// The attention loss has nothing to act on where nothing is inserted.
TEST_F(SweepTest, SaysWhichPointsAreTheSame) {
  const std::string text = file_of("attention-weight = [0, 0.5]\ninsert-prob = [0, 0.7]\n");
  const Result r =
      heed_program({"sweep", dir.write("s.toml", text), "--out", dir.path("out"), "--dry-run"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err,
            "heed: note: attention-weight0-insert-prob0 and attention-weight0.5-insert-prob0 are "
            "the same: the attention loss has no distractions to act on\n");
}

TEST_F(SweepTest, DryRunListsAndWritesNothing) {
  const std::string out = dir.path("out");
  const Result r = heed_program(sweep_command(file(), out) + Arguments{"--dry-run"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 9) << r.out;
  EXPECT_TRUE(has(r.out, "rate1e-5-insert-prob0.7-seed2")) << r.out;
  EXPECT_TRUE(has(r.out, "8 runs; about ")) << r.out;
  EXPECT_FALSE(fs::exists(out));
  const Result done = heed_program(sweep_command(file(), whole()) + Arguments{"--dry-run"});
  EXPECT_TRUE(has(done.out, "steps, done\n")) << done.out;
  EXPECT_TRUE(has(done.out, "8 runs; about 0s")) << done.out;
}

TEST_F(SweepTest, GoesOnAndTakesMoreValues) {
  const std::string out = dir.path("out"), table = "out/tables/sweep.json";
  dir.write("small.toml", file_of("rate = [0.01, 1e-5]\ninsert-prob = [0, 0.7]\n", "seeds = 1\n"));
  for (const char* shard : {"1/2", "2/2"}) {
    const Result r =
        heed_program(sweep_command(dir.path("small.toml"), out) + Arguments{"--shard", shard});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "2 runs, 0 of them done")) << r.out;
  }
  EXPECT_EQ(Json::parse(dir.read(table))["rows"].size(), 4u);
  const Result again = heed_program(sweep_command(dir.path("small.toml"), out));
  EXPECT_TRUE(has(again.out, "4 runs, 4 of them done")) << again.out;
  dir.write("more.toml", file_of("rate = [0.01, 0.02]\ninsert-prob = [0, 0.7]\n", "seeds = 1\n"));
  const Result more = heed_program(sweep_command(dir.path("more.toml"), out));
  ASSERT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(has(more.out, "4 runs, 2 of them done")) << more.out;
  dir.write("other.toml", file_of("rate = [0.01, 0.02]\ninsert-prob = [0, 0.7]\n"
                                  "max-norm = 1\n"));
  expect_failure(heed_program(sweep_command(dir.path("other.toml"), out)), 2,
                 "holds a sweep with --max-norm its default, not \"1\"", "a fixed option");
}

// Runs that were tested on other dialogues do not stand beside each other.
TEST_F(SweepTest, GoesOnWithItsTestPartOnly) {
  std::filesystem::copy(kSample, dir.path("data"));
  std::string text = file_of("rate = [0.01, 0.02]\n", "seeds = 1\ntest = \"none\"\n");
  text.replace(text.find(kSample), kSample.size(), dir.path("data"));
  const Arguments sweep = sweep_command(dir.write("small.toml", text), dir.path("out"));
  ASSERT_EQ(heed_program(sweep + Arguments{"--shard", "1/2"}).code, 0);
  const auto refuses = [&](const std::string& test, const std::string& says) {
    std::string other = text;
    const std::string none = "test = \"none\"";
    other.replace(other.find(none), none.size(), test);
    expect_failure(heed_program(sweep_command(dir.write("other.toml", other), dir.path("out"))), 2,
                   "holds a sweep with " + says, test);
  };
  refuses("test = \"none,random:1.0\"", "--test \"none\", not \"none,random:1.0\"");
  refuses("test = \"none\"\ntest-seed = 2", "--test-seed \"1\", not \"2\"");
  refuses("test = \"none\"\nseed = 5", "--seed \"1\", not \"5\"");
  refuses("test = \"none\"\nbest = \"none\"",
          "--best \"valid_perplexity\", not \"test_sets.none.perplexity\"");
  // A folder of an earlier version, which does not say it, goes on.
  Json description = Json::parse(dir.read("out/sweep.json"));
  for (const char* name : {"test", "test-seed", "seed", "best"}) {
    EXPECT_EQ(description["settings"].erase(name), 1u) << name;
  }
  dir.write("out/sweep.json", description.dump());
  ASSERT_EQ(heed_program(sweep).code, 0);
  std::filesystem::copy_file(kSample + "/valid.jsonl.gz", dir.path("data/test.jsonl.gz"),
                             std::filesystem::copy_options::overwrite_existing);
  expect_failure(heed_program(sweep), 2, "holds a sweep on other data", "test part");
}

// Where points have vocabularies or bounds of their own, the files are compared.
TEST_F(SweepTest, GoesOnWithItsDataOnly) {
  std::filesystem::copy(kSample, dir.path("data"));
  std::string text = file_of("max-response = [5, 6]\n");
  text.replace(text.find(kSample), kSample.size(), dir.path("data"));
  const Arguments sweep = sweep_command(dir.write("small.toml", text), dir.path("out"));
  ASSERT_EQ(heed_program(sweep + Arguments{"--shard", "1/2"}).code, 0);
  std::filesystem::copy_file(kSample + "/test.jsonl.gz", dir.path("data/train.jsonl.gz"),
                             std::filesystem::copy_options::overwrite_existing);
  expect_failure(heed_program(sweep), 2, "holds a sweep on other data", "train part");
  std::filesystem::copy_file(kSample + "/train.jsonl.gz", dir.path("data/train.jsonl.gz"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(heed_program(sweep).code, 0);
}

// Such as a copy of a run.
TEST_F(SweepTest, FoldersThatAreNoRunsAreLeftOut) {
  fs::copy(whole(), dir.path("out"), fs::copy_options::recursive);
  fs::copy(dir.path("out/rate0.01-insert-prob0-seed1"), dir.path("out/old-seed1-copy"),
           fs::copy_options::recursive);
  const Result r = heed_program({"report", dir.path("out"), "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(dir.read("tables/sweep.json"), shared->read("whole/tables/sweep.json"));
}

// Older versions called a point by its place. Its runs count until there are new ones.
TEST_F(SweepTest, APointUnderItsOldNameIsThereOnce) {
  fs::copy(whole(), dir.path("out"), fs::copy_options::recursive);
  const auto rows = [&] {
    EXPECT_EQ(heed_program({"report", dir.path("out"), "--tables", dir.path("tables")}).code, 0);
    return Json::parse(dir.read("tables/sweep.json"))["rows"];
  };
  const Json all = rows();
  for (const char* seed : {"1", "2"}) {
    fs::copy(dir.path("out/rate0.01-insert-prob0-seed" + std::string(seed)),
             dir.path("out/point12-seed" + std::string(seed)), fs::copy_options::recursive);
  }
  EXPECT_EQ(rows(), all);
  for (const char* seed : {"1", "2"}) {
    fs::remove_all(dir.path("out/rate0.01-insert-prob0-seed" + std::string(seed)));
  }
  const Json old = rows();
  EXPECT_EQ(old.size(), all.size());
  EXPECT_TRUE(has(old.dump(), "point12"));
}

// A report needs nothing but the folder, be it given by itself or as --runs.
TEST_F(SweepTest, HasAReport) {
  ASSERT_EQ(heed_program({"report", whole(), "--tables", dir.path("tables"), "--html",
                          dir.path("page.html")})
                .code,
            0);
  EXPECT_EQ(dir.read("tables/sweep.json"), shared->read("whole/tables/sweep.json"));
  const std::string page = dir.read("page.html");
  EXPECT_TRUE(has(page, "rate0.01-insert-prob0.7"));
  EXPECT_FALSE(has(page, "the paper") || has(page, "The paper")) << "a sweep has none";
  ASSERT_EQ(heed_program({"report", "--runs", whole(), "--tables", dir.path("again")}).code, 0);
  EXPECT_EQ(dir.read("again/sweep.md"), dir.read("tables/sweep.md"));
  EXPECT_FALSE(fs::exists(dir.path("tables/claims.md")));
  expect_failure(heed_program({"report", "--tables", dir.path("tables")}), 2,
                 "report: give the folder of an experiment", "no folder");
  expect_failure(heed_program({"report", dir.path(""), "--tables", dir.path("other")}), 1,
                 "holds no experiment.json; give the --out of heed reproduce", "another folder");
}

// A sweep's folder of an older version does not say what its table was sorted by.
TEST_F(SweepTest, OfAnOlderVersionHasAReport) {
  fs::copy(whole(), dir.path("old"), fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(dir.path("old"))) {
    const std::string file = entry.path().filename().string() + "/evaluation.json";
    if (!fs::exists(dir.path("old/" + file))) continue;
    Json json = Json::parse(dir.read("old/" + file));
    EXPECT_EQ(json.erase("best_by"), 1u);
    dir.write("old/" + file, json.dump());
  }
  ASSERT_EQ(heed_program({"report", dir.path("old"), "--tables", dir.path("tables")}).code, 0);
  EXPECT_EQ(Json::parse(dir.read("tables/sweep.json"))["rows"].size(), 4u);
  EXPECT_TRUE(has(dir.read("tables/sweep.md"), "Sorted by valid_perplexity."));
}

// The other commands say what a folder holds, and do not take one kind for the other.
TEST_F(SweepTest, IsNoExperiment) {
  expect_failure(heed_program({"reproduce", "--data", kSample, "--out", whole(), "--preset",
                               "smoke", "--limit", "40"}),
                 2, "sweep.json: this folder holds another kind of runs", "reproduce");
  dir.write("out/experiment.json", "{}");
  expect_failure(heed_program(sweep_command(file(), dir.path("out"))), 2,
                 "experiment.json: this folder holds another kind of runs", "sweep");
  const Result info = heed_program({"info", whole()});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(has(info.out, "rate0.01-insert-prob0-seed1")) << info.out;
}

// What a run fails of is told, tried once, and does not keep the others from their end.
TEST_F(SweepTest, ARunThatFails) {
  const std::string text = file_of("rate = [0.01, 1e30]\n", "seeds = 1\n"), out = dir.path("out");
  const Result r =
      without_warnings(heed_program(sweep_command(dir.write("sweep.toml", text), out)));
  expect_failure(r, 1, "rate1e30-seed1: training: ", "rate");
  EXPECT_TRUE(fs::exists(out + "/rate1e30-seed1/failed.json"));
  EXPECT_TRUE(fs::exists(out + "/rate0.01-seed1/evaluation.json"));
  size_t told = 0;
  for (size_t at = r.out.find("failed: "); at != r.out.npos; at = r.out.find("failed: ", at + 1)) {
    ++told;
  }
  EXPECT_EQ(told, 1u) << r.out;
  EXPECT_EQ(Json::parse(dir.read("out/tables/sweep.json"))["rows"].size(), 1u);
}

}  // namespace
}  // namespace heed
