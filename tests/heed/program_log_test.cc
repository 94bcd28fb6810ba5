// heed log, plot, watch, diff and info --card: what a run did, while it runs and afterwards.
#include <cmath>

#include "base/path.h"
#include "tests/heed/program_data.h"
#include "train/run_directory.h"
#include "train/step_log.h"

namespace heed {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Two runs of two epochs that differ in a rate, with a line for every fifth step.
class RunLogs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    ASSERT_EQ(heed_program(training(first())).code, 0);
    ASSERT_EQ(heed_program(training(second()) + Arguments{"--rate", "0.001"}).code, 0);
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string first() { return shared->path("first"); }
  static std::string second() { return shared->path("second"); }
  static Arguments training(const std::string& out) {
    return with(tiny_training(out), "--epochs", "2") + Arguments{"--log-steps", "5"};
  }
  static std::string out_of(const Arguments& command) {
    const Result r = heed_program(command);
    EXPECT_EQ(r.code, 0) << join(command) << r.err;
    EXPECT_EQ(r.err, "") << join(command);
    return r.out;
  }
  static void fails(const Arguments& command, int code, const std::string& says) {
    expect_failure(heed_program(command), code, says, join(command));
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line, cell; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

TEST_F(RunLogs, AsCsvAndJsonLines) {
  const auto rows = csv_rows(out_of({"log", first(), "--csv", "-"}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"epoch", "loss", "train_perplexity",
                                               "valid_bits_per_character", "valid_perplexity",
                                               "rate", "grad_norm", "steps", "tokens"}));
  const std::vector<EpochLog> log = load_log(first());
  EXPECT_EQ(rows[2][0], "2");
  EXPECT_EQ(std::stod(rows[2][1]), log[1].loss);  // to the last digit
  EXPECT_EQ(std::stod(rows[2][4]), value_of(log[1].metrics, "valid_perplexity"));
  EXPECT_EQ(rows[2][7], std::to_string(log[1].steps));

  const std::vector<StepRecord> steps = load_steps(first());
  ASSERT_EQ(static_cast<int64_t>(steps.size()), 2 * log[0].steps / 5);
  const std::string file = dir.path("steps.jsonl");
  EXPECT_EQ(out_of({"log", first(), "--steps", "--jsonl", file}), "");
  std::istringstream lines(dir.read("steps.jsonl"));
  size_t i = 0;
  for (std::string line; std::getline(lines, line); ++i) {
    const json one = json::parse(line);
    EXPECT_EQ(one["step"], 5 * (i + 1));
    EXPECT_EQ(one["loss"], steps[i].loss);
    EXPECT_EQ(one["tokens_per_s"], steps[i].tokens_per_s);
    EXPECT_EQ(one["train_perplexity"], value_of(steps[i].metrics, "train_perplexity"));
  }
  EXPECT_EQ(i, steps.size());
}

TEST_F(RunLogs, AsATable) {
  const std::string text = out_of({"log", first()});
  EXPECT_EQ(text.rfind("epoch ", 0), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  const std::string steps = out_of({"log", first(), "--steps"});
  EXPECT_TRUE(has(steps, "tokens_per_s\n")) << steps;  // without the time, a number for programs
  fails({"log", dir.path("no")}, 1, "/no: no such directory");
  fails({"log", dir.path("")}, 1, "holds no run: neither log.jsonl nor settings.json");
  fails({"log", first(), "--csv", "a", "--jsonl", "b"}, 2, "one at a time");
  fails({"log", first(), "--steps", "--tensorboard", "b"}, 2,
        "--tensorboard writes epochs and steps");
  fails({"log", kModel}, 1, "holds no run");
  fails({"log", first(), "--csv", first() + "/log.jsonl"}, 2, "is a part of");
  const std::string published = source_dir() + "/data/models/trained";
  fails({"log", published, "--steps"}, 1, "steps.jsonl: holds no steps; heed train --log-steps N");
}

// The points as TensorBoard's own program reads them.
TEST_F(RunLogs, TensorBoardReadsTheEventFile) {
  const std::string file = dir.path("board/events.out.tfevents.heed");
  EXPECT_EQ(out_of({"log", first(), "--tensorboard", dir.path("board")}), file + " is written\n");
  const std::string bytes = dir.read("board/events.out.tfevents.heed");
  EXPECT_TRUE(has(bytes, "brain.Event:2"));
  EXPECT_TRUE(has(bytes, "epoch/valid_perplexity"));
  EXPECT_TRUE(has(bytes, "step/grad_norm"));
  const char* given = std::getenv("HEED_TENSORBOARD_PYTHON");
  const std::string python = given ? given : "python3";
  if (std::system((python + " -c 'import tensorboard' 2> /dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no TensorBoard: pip install tensorboard, or HEED_TENSORBOARD_PYTHON=PYTHON";
  }
  const std::string script = dir.write("read.py", R"(
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
board = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0}).Reload()
print(json.dumps({tag: [[e.step, e.value, e.wall_time] for e in board.Scalars(tag)]
                  for tag in board.Tags()['scalars']}))
)");
  const std::string command =
      python + " " + script + " " + dir.path("board") + " > " + dir.path("read.json");
  ASSERT_EQ(std::system((command + " 2> /dev/null").c_str()), 0);
  const json read = json::parse(dir.read("read.json"));
  const std::vector<StepRecord> steps = load_steps(first());
  const size_t of_epochs = csv_rows(out_of({"log", first(), "--csv", "-"}))[0].size() - 1;
  const size_t of_steps = csv_rows(out_of({"log", first(), "--steps", "--csv", "-"}))[0].size() - 2;
  EXPECT_EQ(read.size(), of_epochs + of_steps);  // the columns but epoch; but step and time
  ASSERT_EQ(read["step/loss"].size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const json point = {steps[i].step, static_cast<float>(steps[i].loss), steps[i].time};
    EXPECT_EQ(read["step/loss"][i], point);
  }
  const std::vector<EpochLog> log = load_log(first());
  ASSERT_EQ(read["epoch/loss"].size(), 2u);
  EXPECT_EQ(read["epoch/loss"][1][0], 2);
  EXPECT_EQ(read["epoch/loss"][1][1], static_cast<float>(log[1].loss));
  EXPECT_EQ(read["epoch/loss"][1][2], steps.back().time);
}

TEST_F(RunLogs, PlotsInTheTerminalAndAsSvg) {
  const std::string svg = dir.path("plot.svg");
  const std::string text = out_of({"plot", first(), second(), "--svg", svg});
  EXPECT_EQ(text.rfind("valid_perplexity\n", 0), 0u) << text;
  EXPECT_TRUE(has(text, "\na first: lowest ")) << text;
  EXPECT_TRUE(has(text, "\nb second: lowest ")) << text;
  EXPECT_TRUE(has(dir.read("plot.svg"), ">first: lowest "));
  EXPECT_EQ(out_of({"plot", first(), "--steps"}).rfind("loss\n", 0), 0u);
  const Arguments rate = {"plot", first(), "--steps", "--metric", "train_perplexity"};
  const std::string plain = out_of(rate);
  EXPECT_NE(out_of(rate + Arguments{"--log-scale"}), plain);
  EXPECT_NE(out_of(rate + Arguments{"--smooth", "0.9"}), plain);
  fails({"plot", first(), "--metric", "bleu"}, 1,
        "log.jsonl: has no column 'bleu'; there are: epoch, loss, train_perplexity");
  fails({"plot", first(), "--smooth", "1"}, 2, "--smooth: expected a number from 0 to 0.9999");
  const Environment columns("COLUMNS", "40");
  std::istringstream lines(out_of({"plot", first()}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }),
              40)
        << line;
  }
  EXPECT_TRUE(has(on_terminal({"plot", first(), second()}), "\x1b[38;5;32m"));
}

// From the first epoch on: the mean of equal numbers is that number.
TEST_F(RunLogs, ASmoothedCurveIsAMeanOfItsNumbers) {
  fs::copy(first(), dir.path("copy"));
  std::string log;
  for (const char* epoch : {"1", "2", "3"}) {
    log += std::string("{\"epoch\":") + epoch +
           ",\"loss\":1,\"rate\":1,\"grad_norm\":1,\"steps\":1,\"tokens\":1,"
           "\"valid_perplexity\":2.5}\n";
  }
  dir.write("copy/log.jsonl", log);
  const std::string plain = out_of({"plot", dir.path("copy")});
  EXPECT_TRUE(has(plain, "lowest 2.5")) << plain;
  EXPECT_EQ(out_of({"plot", dir.path("copy"), "--smooth", "0.5"}), plain);
}

TEST_F(RunLogs, WatchFollowsATrainingAndLeavesItAlone) {
  const std::string out = dir.path("run");
  const TempDir other;
  Running trains(with(with(training(out), "--examples", "all"), "--epochs", "100000"), dir,
                 dir.path("trained"));
  EXPECT_TRUE(wait_until([&] { return fs::exists(out + "/log.jsonl"); }));
  const Arguments watch = {"watch", out, "--every", "0.05"};
  {
    Running stopped(watch, other, other.path("out"));
    EXPECT_TRUE(wait_until([&] { return has(other.read("out"), "epoch  1 "); }));
    stopped.send(SIGINT);
    EXPECT_EQ(stopped.wait(), -SIGINT);
  }
  Running follows(watch, other, other.path("out"));
  EXPECT_TRUE(wait_until([&] { return has(other.read("out"), "epoch  2 "); }));
  trains.send(SIGTERM);
  EXPECT_EQ(trains.wait(), -SIGTERM);
  EXPECT_EQ(follows.wait(), 0) << other.read("stderr");
  const std::string text = other.read("out");
  EXPECT_EQ(text.rfind("epoch  1  loss ", 0), 0u) << text;
  EXPECT_TRUE(has(text, "  valid perplexity ")) << text;
  EXPECT_TRUE(has(text, "\nstopped after ")) << text;
  EXPECT_TRUE(has(text, ": heed train --resume continues")) << text;
  EXPECT_EQ(load_log(out).size(),
            static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) - 1);
}

TEST_F(RunLogs, WatchOfARunThatEnded) {
  const std::string text = out_of({"watch", first()});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_TRUE(has(text, "\ncomplete: 2 epochs, best valid perplexity ")) << text;
  EXPECT_TRUE(has(text, " in epoch ")) << text;
  fails({"watch", dir.path("")}, 1, "holds no run: neither log.jsonl nor settings.json");
  fails({"watch", dir.path("none")}, 1, "none: no such directory");
  fails({"watch", first(), "--every", "0"}, 2, "--every: expected a number from 0.05 to 3600");
}

// A training that is stopped and goes on has the lines of one that is not.
TEST_F(RunLogs, StepsOfARunThatWasStopped) {
  const std::string out = dir.path("run");
  ASSERT_EQ(heed_program(with(training(out), "--epochs", "1")).code, 0);
  std::ofstream(out + "/steps.jsonl", std::ios::app) << "{\"half\": ";
  const Result other = heed_program(training(out) + Arguments{"--resume", "--log-steps", "3"});
  expect_failure(other, 2, "takes one value", "twice");
  fails(with(training(out), "--log-steps", "3") + Arguments{"--resume"}, 2,
        "--log-steps 3: the run " + out + " was started with 5");
  ASSERT_EQ(heed_program(with(tiny_training(out), "--epochs", "2") + Arguments{"--resume"}).code,
            0);
  const std::vector<StepRecord> whole = load_steps(first()), parts = load_steps(out);
  ASSERT_EQ(parts.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parts[i].step, whole[i].step);
    EXPECT_EQ(parts[i].loss, whole[i].loss);
    EXPECT_EQ(parts[i].grad_norm, whole[i].grad_norm);
    EXPECT_EQ(parts[i].rate, whole[i].rate);
  }
}

TEST_F(RunLogs, DiffSaysWhatIsNotTheSame) {
  const std::string text = out_of({"diff", first(), second()});
  EXPECT_TRUE(has(text, "\nsettings that differ\n")) << text;
  EXPECT_TRUE(has(text, "schedule.rate")) << text;
  EXPECT_TRUE(has(text, "\nmade with\n  the same\n")) << text;
  EXPECT_TRUE(has(text, "\nthe logs differ from epoch 1 on\n")) << text;
  const json both = json::parse(out_of({"diff", first(), second(), "--json", "-"}));
  expect_made_with(both["heed"], "diff");
  EXPECT_EQ(both["names"], json({"first", "second"}));
  const std::string copy = dir.path("first");  // of the same name: told by the folder above
  std::filesystem::copy(first(), copy, std::filesystem::copy_options::recursive);
  const json namesakes = json::parse(out_of({"diff", first(), copy, "--json", "-"}))["names"];
  EXPECT_EQ(namesakes, json({last_part(first(), 2), last_part(copy, 2)}));
  EXPECT_EQ(last_part("runs/first/"), "first");
  EXPECT_EQ(last_part("runs/first", 2), "runs/first");
  EXPECT_TRUE(namesakes[0].get<std::string>().starts_with("heed-test-")) << namesakes;
  std::set<std::string> names;
  for (const json& row : both["settings"]) names.insert(row["name"]);
  EXPECT_EQ(names, (std::set<std::string>{"schedule.rate", "schedule.min_rate"}));
  EXPECT_EQ(both["settings"][0]["second"].is_number(), true);
  EXPECT_EQ(both["made_with"], json::array());
  EXPECT_EQ(both["first_difference"]["epoch"], 1);
  const EpochLog a = load_log(first())[1], b = load_log(second())[1];
  for (const json& row : both["best"]) {
    if (row["name"] == "best epoch") {
      EXPECT_EQ(row["first"], 2);
    }
    if (row["name"] != "loss") continue;
    EXPECT_EQ(row["first"], a.loss);
    EXPECT_EQ(row["second"], b.loss);
    EXPECT_EQ(row["change"], b.loss - a.loss);
  }

  // Of another size, and made on another device.
  const std::string wider = dir.path("wider");
  ASSERT_EQ(heed_program(with(training(wider), "--hidden", "10")).code, 0);
  json made = json::parse(dir.read("wider/settings.json"));
  made["heed"]["device"] = "cuda";
  dir.write("wider/settings.json", made.dump());
  const json sizes = json::parse(out_of({"diff", first(), wider, "--json", "-"}));
  std::map<std::string, json> differ;
  for (const json& row : sizes["settings"]) differ[row["name"]] = row;
  EXPECT_EQ(differ["hidden_size"]["first"], 8);
  EXPECT_EQ(differ["hidden_size"]["wider"], 10);
  EXPECT_EQ(sizes["made_with"],
            json::array({{{"name", "device"}, {"first", "cpu"}, {"wider", "cuda"}}}));

  // The same training once more, which went on after its first epoch.
  const std::string again = dir.path("again");
  ASSERT_EQ(heed_program(with(training(again), "--epochs", "1")).code, 0);
  const json part = json::parse(out_of({"diff", first(), again, "--json", "-"}));
  ASSERT_EQ(part["settings"].size(), 1u);
  EXPECT_EQ(part["settings"][0]["name"], "max_epochs");
  EXPECT_EQ(part["epochs_in_both"], 1);
  EXPECT_EQ(part["first_difference"], nullptr);
  ASSERT_EQ(heed_program(training(again) + Arguments{"--resume"}).code, 0);
  EXPECT_TRUE(has(out_of({"diff", first(), again}), "equal in the 2 epochs that both have\n"));

  fails({"diff", first(), first()}, 2, "runs: the same one twice");
  fails({"diff", first()}, 2, "runs");
  fails({"plot", first(), second(), first()}, 2, "runs: the same one twice, " + first());
  fails({"diff", first(), kModel}, 1, "holds no run");
  fails({"diff", first(), second(), "--json", first() + "/log.jsonl"}, 2, "is a part of");
}

// An epoch behind the best one: the best is still what it was.
TEST_F(RunLogs, DiffTakesTheBestEpochs) {
  const std::string longer = dir.path("longer");
  fs::copy(first(), longer);
  std::istringstream lines(shared->read("first/log.jsonl"));
  std::string last;
  for (std::string line; std::getline(lines, line);) last = line;
  json third = json::parse(last);
  third["epoch"] = 3;
  third["loss"] = 99;
  std::ofstream(longer + "/log.jsonl", std::ios::app) << third.dump() << "\n";
  const json best = json::parse(out_of({"diff", first(), longer, "--json", "-"}))["best"];
  ASSERT_EQ(best[0]["name"], "best epoch");
  ASSERT_EQ(best[1]["name"], "loss");
  EXPECT_EQ(best[0]["longer"], 2);
  EXPECT_EQ(best[1]["longer"], load_log(first())[1].loss);
  EXPECT_EQ(best[1]["change"], 0);
}

// The command of the card trains the same model.
TEST_F(RunLogs, TheCardOfARun) {
  const std::string card = out_of({"info", second(), "--card", "-"});
  for (const char* part : {"# second\n", "## Model\n", "| structure | static-ui |\n", "## Data\n",
                           "## Training\n", "## Numbers\n", "| epoch | loss | train\\_perplexity |",
                           "## Limits\n", "`<unk>`", "## Licence\n\n**To be filled in by you**"}) {
    EXPECT_TRUE(has(card, part)) << part << "\n" << card;
  }
  const json settings = json::parse(std::ifstream(second() + "/settings.json"));
  EXPECT_TRUE(has(card, "| " + settings["data_fingerprint"].dump() + " |\n")) << card;
  const size_t begin = card.find("    heed train --data DATA --out RUN ");
  ASSERT_NE(begin, card.npos) << card;
  std::istringstream words(card.substr(begin + 9, card.find('\n', begin) - begin - 9));
  Arguments command;
  for (std::string word; words >> word;) {
    command.push_back(word == "DATA" ? kSample : word == "RUN" ? dir.path("same") : word);
  }
  EXPECT_FALSE(has(card, "--layers")) << card;  // only what is not as in the preset
  ASSERT_EQ(heed_program(command).code, 0) << join(command);
  EXPECT_EQ(dir.read("same/log.jsonl"), shared->read("second/log.jsonl")) << join(command);

  const std::string of_model = out_of({"info", kModel, "--card", "-"});
  EXPECT_TRUE(has(of_model, "## Model\n")) << of_model;
  EXPECT_FALSE(has(of_model, "## Training\n")) << of_model;
  EXPECT_EQ(out_of({"info", kModel, "--card", "-", "--json", dir.path("model.json")}), of_model);
  EXPECT_EQ(json::parse(dir.read("model.json"))["kind"], "model");
  fails({"info", kSample, "--card", "-"}, 1, "holds no model and no run");
  fails({"info", second(), "--card", second() + "/config.json"}, 2, "is a part of");
}

// A width that a preset has too, and the rate of another optimiser.
TEST_F(RunLogs, ACardSaysWhatItsOtherOptionsWouldChange) {
  const Arguments options = {"--hidden",    "8",   "--embed", "64",
                             "--optimizer", "sgd", "--rate",  "0.01"};
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(Arguments{"train", "--data", kSample, "--out", run, "--preset", "smoke",
                                   "--limit", "20", "--epochs", "1", "--threads", "1"} +
                         options)
                .code,
            0);
  const std::string card = out_of({"info", run, "--card", "-"});
  for (size_t i = 0; i < options.size(); i += 2) {
    EXPECT_TRUE(has(card, " " + options[i] + " " + options[i + 1])) << options[i] << card;
  }
}

// Names and texts of strangers are shown, never obeyed.
TEST_F(RunLogs, OfStrangers) {
  fs::copy(first(), dir.path("copy"));
  dir.write("copy/log.jsonl",
            "{\"epoch\":1,\"loss\":1,\"rate\":1,\"grad_norm\":1,\"steps\":1,\"tokens\":1,"
            "\"valid_perplexity\":3,\"=a,\\\"b\\\"\\n\\u001b[2J|<b>\":1e300}\n");
  const std::string copy = dir.path("copy"), name = "=a,\"b\"\n\x1b[2J|<b>";
  EXPECT_TRUE(has(out_of({"log", copy, "--csv", "-"}), "\"=a,\"\"b\"\"\n\x1b[2J|<b>\""));
  for (const Arguments& command :
       {Arguments{"log", copy}, Arguments{"plot", copy, "--metric", name}, Arguments{"watch", copy},
        Arguments{"diff", copy, second()}, Arguments{"info", copy, "--card", "-"}}) {
    const Result r = heed_program(command);
    EXPECT_FALSE(has(r.out, "\x1b") || has(r.err, "\x1b")) << join(command) << r.out << r.err;
    EXPECT_TRUE(command[0] == "plot" || r.code == 0) << r.err;
    if (command[0] == "info") {
      EXPECT_TRUE(has(r.out, "\\|\\<b\\>")) << r.out;
    }
  }
  dir.write("copy/log.jsonl", "{\"epoch\": 1}\n");
  fails({"log", copy}, 1, "log.jsonl:1: not what heed writes there");
  fails({"watch", copy}, 1, "log.jsonl:1: not what heed writes there");
  dir.write("copy/steps.jsonl", "[]\n");
  fails({"log", copy, "--steps"}, 1, "steps.jsonl:1: not a JSON object");
  std::string wide;
  for (int i = 0; i < 1001; ++i) wide += ",\"c" + std::to_string(i) + "\":1";
  dir.write("copy/log.jsonl",
            R"({"epoch":1,"loss":1,"rate":1,"grad_norm":1,"steps":1,"tokens":1)" + wide + "}\n");
  fails({"log", copy}, 1, "log.jsonl: has more than 1000 columns");
}

}  // namespace
}  // namespace heed
