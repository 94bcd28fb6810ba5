// heed info: what there is to say of a path.
#include <sys/stat.h>

#include <algorithm>

#include "base/machine.h"
#include "dialog/data/corpus.h"
#include "dialog/describe/info_json.h"
#include "dialog/system.h"
#include "tests/heed/program_data.h"
#include "train/lock.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class Info : public ProgramWithRun {
 protected:
  static json info(const std::string& path) { return json_of({"info", path, "--json", "-"}); }
  static std::string text(const std::string& path) {
    const Result r = heed_program({"info", path});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.out;
  }
  static void fails(const std::string& path, const std::string& says) {
    expect_failure(heed_program({"info", path}), 1, says, path);
  }
  std::string copy_of_run() const {
    fs::copy(run(), dir.path("copy"));
    return dir.path("copy");
  }
};

TEST_F(Info, OfAModel) {
  const json model = info(kModel);
  EXPECT_EQ(model["kind"], "model");
  EXPECT_EQ(model["path"], kModel);
  expect_made_with(model["heed"], "info");
  EXPECT_EQ(model["model"], json::parse(std::ifstream(kModel + "/config.json")));
  const int64_t words = model["model"]["vocab_size"], size = model["model"]["embedding_size"];
  EXPECT_EQ(model["vocabulary"]["tokens"], words);
  int64_t numbers = 0;
  for (const json& tensor : model["parameters"]["tensors"]) {
    int64_t product = 1;
    for (const int64_t n : tensor["shape"]) product *= n;
    EXPECT_EQ(tensor["numbers"], product) << tensor;
    numbers += product;
  }
  EXPECT_EQ(model["parameters"]["numbers"], numbers);
  EXPECT_EQ(model["parameters"]["tensors"][0], json({{"name", "encoder.embedding.weight"},
                                                     {"shape", {words, size}},
                                                     {"type", "f32"},
                                                     {"numbers", words * size}}));
  const std::string file = kModel + "/model.safetensors";
  EXPECT_EQ(model["parameters"]["bytes"], fs::file_size(file));
  EXPECT_EQ(model["parameters"]["fingerprint"], file_checksum(file));
  EXPECT_EQ(model["parameters"]["size"], size_text(static_cast<double>(fs::file_size(file))));
  json can;
  for (const Capability c : find_system("respond").can) can.push_back(name_of(c));
  EXPECT_EQ(model["can"], can);
  // The most frequent words, behind the five special tokens.
  std::ifstream vocabulary(kModel + "/vocab.txt");
  json first;
  for (std::string line; first.size() < 13 && std::getline(vocabulary, line);)
    first.push_back(line);
  first.erase(first.begin(), first.begin() + 5);
  EXPECT_EQ(model["vocabulary"]["first"], first);
  const std::string shown = text(kModel);
  EXPECT_TRUE(has(shown, "kind  model\n")) << shown;
  EXPECT_TRUE(has(shown, "\nencoder.embedding.weight ")) << shown;

  const json weights = info(file);
  EXPECT_EQ(weights["kind"], "weights");
  EXPECT_EQ(weights["tensors"].size(), model["parameters"]["tensors"].size());
  EXPECT_EQ(weights["fingerprint"], model["parameters"]["fingerprint"]);
}

TEST_F(Info, OfARun) {
  const json complete = info(run());
  EXPECT_EQ(complete["kind"], "run");
  EXPECT_EQ(complete["format"], kRunFormat);
  EXPECT_EQ(complete["state"]["status"], "complete");
  EXPECT_EQ(complete["state"]["epochs"], 1);
  EXPECT_EQ(complete["settings"]["insert_prob"], 0.7);
  expect_made_with(complete["begun_with"], "train");
  ASSERT_EQ(complete["log"].size(), 1u);
  const EpochLog log = load_log(run())[0];
  const json& epoch = complete["log"][0];
  EXPECT_EQ(epoch["loss"], log.loss);
  EXPECT_EQ(epoch["rate"], log.rate);
  EXPECT_EQ(epoch["grad_norm"], log.grad_norm);
  EXPECT_EQ(epoch["steps"], log.steps);
  EXPECT_EQ(epoch["tokens"], log.tokens);
  EXPECT_EQ(complete["state"]["best"],
            json({{"epoch", 1}, {"valid_perplexity", value_of(log.metrics, "valid_perplexity")}}));
  EXPECT_EQ(complete["model"]["vocab_size"], 150);
  EXPECT_EQ(complete["parameters"]["tensors"].size(), 10u);
  const std::string shown = text(run());
  for (const char* part : {"  status                 complete\n", "\nlog (1)\nepoch ", "\nmodel\n",
                           "  insert_prob                    0.7\n"}) {
    EXPECT_TRUE(has(shown, part)) << part << "\n" << shown;
  }
}

TEST_F(Info, TellsWhereATrainingIs) {
  const std::string copy = copy_of_run();
  const auto status = [&] { return info(copy)["state"]["status"]; };
  std::string settings = dir.read("copy/settings.json");
  const std::string one = "\"max_epochs\": 1", two = "\"max_epochs\": 2";
  dir.write("copy/settings.json", settings.replace(settings.find(one), one.size(), two));
  EXPECT_EQ(status(), "resumable");
  fs::remove(copy + "/state.json");
  EXPECT_EQ(status(), "model");  // as one that was published
  EXPECT_EQ(info(copy)["state"]["epochs"], 1);
  fs::remove(copy + "/model.safetensors");
  fs::remove(copy + "/log.jsonl");
  const json begun = info(copy);
  EXPECT_EQ(begun["state"]["status"], "begun");
  EXPECT_EQ(begun["parameters"], nullptr);
  EXPECT_EQ(begun["model"], info(run())["model"]) << "what has no effect is left out as of a model";
  EXPECT_EQ(begun["log"], json::array());
}

// Of several epochs that are as good, the first one; and one that stops before its last epoch is
// complete, though an epoch was begun.
TEST_F(Info, TheBestEpochAndTheEnd) {
  const std::string copy = copy_of_run();
  EpochLog epoch = load_log(copy)[0];
  std::vector<EpochLog> log;
  for (const double perplexity : {7.0, 3.0, 3.0, 5.0}) {
    epoch.epoch = static_cast<int>(log.size()) + 1;
    for (Metric& m : epoch.metrics) {
      if (m.name == "valid_perplexity") m.value = perplexity;
    }
    log.push_back(epoch);
  }
  save_log(copy, log);
  json settings = json::parse(dir.read("copy/settings.json")),
       state = json::parse(dir.read("copy/state.json"));
  settings["max_epochs"] = 9;
  state["step"] = 3;
  state.erase("state_checksum");  // as in older versions
  const auto state_if = [&](bool finished) {
    state["schedule"]["finished"] = finished;
    dir.write("copy/settings.json", settings.dump());
    dir.write("copy/state.json", state.dump());
    return info(copy)["state"];
  };
  const json goes_on = state_if(false);
  EXPECT_EQ(goes_on["best"], json({{"epoch", 2}, {"valid_perplexity", 3.0}}));
  EXPECT_EQ(goes_on["status"], "resumable");
  EXPECT_EQ(goes_on["max_epochs"], 9);
  EXPECT_EQ(goes_on["steps_of_next_epoch"], 3);
  EXPECT_EQ(state_if(true)["status"], "complete");
}

// What decides need not be a perplexity, and more of it may be better.
TEST_F(Info, TheBestEpochIsThatOfTheModel) {
  const std::string copy = copy_of_run();
  EpochLog epoch = load_log(copy)[0];
  std::vector<EpochLog> log;
  for (const double mrr : {0.5, 0.75, 0.25}) {
    epoch.epoch = static_cast<int>(log.size()) + 1;
    log.push_back(epoch);
    log.back().metrics.push_back({"valid_mrr", mrr, /*higher_is_better=*/true});
  }
  save_log(copy, log);
  json state = json::parse(dir.read("copy/state.json"));
  state["epoch"] = 3;
  state["schedule"]["best"] = 0.75;
  state["schedule"]["since_best"] = 1;
  state.erase("state_checksum");
  dir.write("copy/state.json", state.dump());
  EXPECT_EQ(info(copy)["state"]["best"], json({{"epoch", 2}, {"valid_mrr", 0.75}}));
  const json in_folder = info(dir.path(""))["runs"][0];
  EXPECT_EQ(in_folder["best_epoch"], 2);
  EXPECT_EQ(in_folder["valid_mrr"], 0.75);
  const Result card = heed_program({"info", copy, "--card", "-"});
  EXPECT_TRUE(
      has(card.out, "of epoch 2, the best one on the validation dialogues: valid\\_mrr 0.75."))
      << card.out << card.err;
  const Result watched = heed_program({"watch", copy});
  EXPECT_TRUE(has(watched.out, ", best valid mrr 0.75 in epoch 2\n")) << watched.out << watched.err;
  const json best = json_of({"diff", copy, run(), "--json", "-"})["best"];
  EXPECT_TRUE(std::any_of(best.begin(), best.end(), [](const json& row) {
    return row["name"] == "best epoch" && row["copy"] == 2;
  })) << best;
}

TEST_F(Info, ATrainingThatRunsIsNotDisturbed) {
  const std::string out = dir.path("running");
  Running program(with(with(tiny_training(out), "--examples", "all"), "--epochs", "100000"), dir,
                  dir.path("out"));
  ASSERT_TRUE(wait_until([&] { return has(dir.read("out"), "epoch  1 "); }));
  EXPECT_EQ(info(out)["state"]["status"], "running");
  EXPECT_EQ(info(dir.path(""))["counts"], json({{"runs", 1}, {"running", 1}}));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), -SIGTERM);
  EXPECT_EQ(info(out)["state"]["status"], "resumable");
}

TEST_F(Info, OfAFolderOfRuns) {
  copy_of_run();
  fs::copy(kModel, dir.path("a model"));
  fs::copy(run(), dir.path("damaged"));
  dir.write("damaged/state.json", "{");
  fs::remove(dir.path("damaged/state.previous.json"));
  dir.write("notes.txt", "mine");
  const json folder = info(dir.path(""));
  EXPECT_EQ(folder["kind"], "runs");
  EXPECT_EQ(folder["counts"], json({{"runs", 3}, {"complete", 1}, {"damaged", 1}, {"model", 1}}));
  ASSERT_EQ(folder["runs"].size(), 3u);
  EXPECT_EQ(folder["runs"][0], json({{"name", "a model"}, {"status", "model"}}));
  EXPECT_EQ(folder["runs"][1]["name"], "copy");
  EXPECT_EQ(folder["runs"][1]["best_epoch"], 1);
  EXPECT_EQ(folder["runs"][1]["max_epochs"], 1);
  EXPECT_TRUE(has(folder["runs"][2]["problem"], "state.json: not what heed writes there"))
      << folder;
}

// A run of which only its numbers are published.
TEST_F(Info, OfAnEvaluation) {
  dir.write("runs/one/evaluation.json",
            R"({"epochs": 5, "best_epoch": 3, "valid_perplexity": 7.5, "more": 1})");
  const json runs = info(dir.path("runs"))["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0], json({{"name", "one"},
                           {"status", "evaluated"},
                           {"epochs", 5},
                           {"best_epoch", 3},
                           {"valid_perplexity", 7.5}}));
}

TEST_F(Info, OfTheKeptExperiment) {
  const std::string folder = source_dir() + "/docs/results/experiment";
  const json experiment = info(folder);
  EXPECT_EQ(experiment["kind"], "experiment");
  EXPECT_EQ(experiment["experiment"]["settings"]["vocab"], 5000);
  EXPECT_EQ(experiment["counts"]["runs"], experiment["counts"]["evaluated"]);
  EXPECT_EQ(experiment["counts"]["runs"], experiment["runs"].size());
  for (const json& one : experiment["runs"]) {
    const std::vector<EpochLog> log = load_log(folder + "/" + one["name"].get<std::string>());
    EXPECT_EQ(one["epochs"], log.size());
    EXPECT_EQ(one["valid_perplexity"],
              value_of(log[one["best_epoch"].get<size_t>() - 1].metrics, "valid_perplexity"));
  }
}

TEST_F(Info, OfDialogues) {
  const json data = info(kSample);
  EXPECT_EQ(data["kind"], "data");
  const std::vector<Dialogue> test = read_dialogues(kTestPart);
  const json& part = data["parts"]["test"];
  EXPECT_EQ(part["path"], kTestPart);
  EXPECT_EQ(part["dialogues"], test.size());
  EXPECT_EQ(part["fingerprint"], fingerprint(test));
  EXPECT_EQ(part["bytes"], fs::file_size(kTestPart));
  double turns = 0;
  for (const Dialogue& d : test) turns += static_cast<double>(d.turns.size());
  EXPECT_DOUBLE_EQ(part["mean_turns"], turns / static_cast<double>(test.size()));
  size_t heard = 0, last = 0;
  (void)info_of_data(kSample, [&](const std::string& file, size_t count) {
    if (file == kTestPart) ++heard, last = count;
  });
  EXPECT_EQ(heard, test.size() + 1);  // once at its end
  EXPECT_EQ(last, test.size());
  // One part alone is a data directory, and weights alone are no features.
  fs::create_directory(dir.path("part"));
  fs::copy(kTestPart, dir.path("part"));
  EXPECT_EQ(info(dir.path("part"))["kind"], "data");
  dir.write("weights/train.safetensors", "");
  fails(dir.path("weights"), "holds nothing made by heed");

  const json odd = info(odd_dialogues(dir));
  EXPECT_EQ(odd["kind"], "dialogues");
  EXPECT_EQ(odd["dialogues"], 5);
  EXPECT_EQ(odd["too_short"], 2);
  EXPECT_EQ(odd["turns"], 15 + 2 + 4 + 3 + 1);
  EXPECT_EQ(odd["most_turns"], 15);
  EXPECT_EQ(odd["distractions"], 2);
  EXPECT_EQ(odd["speakers"], 0);
  const std::string named = dir.write(
      "named.jsonl", R"({"turns":[{"speaker":"A","text":"a b"},{"speaker":"B","text":"a."}]})");
  EXPECT_EQ(info(named)["speakers"], 2);
  EXPECT_EQ(info(named)["tokens"], 4);  // a b a .
  EXPECT_EQ(info(named)["words"], 3);
  for (const char* name : {"dialog.jsonl", "my.html.jsonl", "whirlpool.txt"}) {  // not the files
    fs::copy_file(named, dir.path(name));
    EXPECT_EQ(info(dir.path(name))["kind"], "dialogues") << name;
  }
}

TEST_F(Info, OfLabels) {
  const std::string file = dir.write(
      "labels.jsonl",
      R"({"labels":{"topic":["bus"]},"turns":[{"text":"a","labels":{"act":["ask","thank"]}},)"
      R"({"text":"b","labels":{"act":["ask"]}}]})");
  EXPECT_EQ(info(file)["labels"],
            json::array({{{"name", "act"}, {"labelled", 2}, {"values", 2}},
                         {{"name", "topic"}, {"labelled", 1}, {"values", 1}}}));
  EXPECT_EQ(info(odd_dialogues(dir))["labels"], json::array());
}

TEST_F(Info, OfARunThatFailed) {
  const std::string copy = copy_of_run();
  dir.write("copy/failed.json", R"({"message": "the loss is not a number"})");
  const json folder = info(dir.path(""));
  EXPECT_EQ(folder["runs"][0]["status"], "failed");
  EXPECT_EQ(folder["runs"][0]["problem"], "the loss is not a number");
  {  // and is tried again
    const RunLock lock(copy);
    EXPECT_EQ(info(dir.path(""))["runs"][0]["status"], "running");
  }
  dir.write("copy/failed.json", "[]");
  EXPECT_EQ(info(dir.path(""))["runs"][0]["status"], "damaged");
  dir.write("copy/evaluation.json", "{}");  // tried again, and finished
  EXPECT_EQ(info(dir.path(""))["runs"][0]["status"], "evaluated");
}

TEST_F(Info, OfAResult) {
  const std::string file = dir.path("result");  // whatever its name
  const Arguments evaluate = {"evaluate", "--model", run(),  "--data", kTestPart, "--limit",
                              "5",        "--test",  "none", "--json", file,      "--per-example"};
  ASSERT_EQ(heed_program(evaluate).code, 0);
  const json result = info(file);
  EXPECT_EQ(result["kind"], "result");
  EXPECT_EQ(result["contents"], json::parse(dir.read("result")));
  const std::string shown = text(file);
  EXPECT_TRUE(has(shown, "\n  command  evaluate\n")) << shown;
  EXPECT_TRUE(has(shown, "\n  data.fingerprint  ")) << shown;
  EXPECT_EQ(info(run() + "/state.json")["kind"], "json");
  EXPECT_EQ(info(dir.write("other.json", R"({"heed": "well"})"))["kind"], "json");
}

TEST_F(Info, SaysWhatItCannotRead) {
  fails(dir.path("nothing"), "nothing: no such file or directory");
  fails("/dev/null", "/dev/null: neither a file nor a directory");
  fails(dir.path(""), "holds nothing made by heed");
  fails(source_dir() + "/README.md", "README.md:1: not valid JSON");
  const std::string larger = source_dir() + "/data/models/larger";
  fails(larger + "/vocab.txt",
        "vocab.txt: a model's vocabulary, one token a line; heed info FOLDER");
  fails(larger + "/log.jsonl", "log.jsonl: the log of a training; heed log FOLDER");
  fails(dir.write("pool.txt.gz", "a\n"), "pool.txt.gz: responses to choose from, one a line");
  fails(dir.write("my.html", "a\n"), "my.html: a page; a browser shows it");
  EXPECT_EQ(info(larger + "/model.safetensors")["tensors"][0]["type"], "bf16");
  EXPECT_EQ(info(larger)["parameters"]["tensors"][0]["type"], "bf16");
  fails(dir.write("list.json", "[1]"), "list.json: not a JSON object");
  fails(dir.write("bad.json", "{\n\"a\": nul}"),
        "bad.json: not what heed writes there: line 2, column 9: invalid literal\n");
  fails(dir.write("deep.json", std::string(100000, '[')), "deep.json: nested deeper than 100");
  fails(dir.write("short.safetensors", "x"), "shorter than 8 bytes");
  const std::string copy = copy_of_run();
  dir.write("copy/log.jsonl", "no\n");
  fails(copy, "log.jsonl:1: not what heed writes there");
  dir.write("copy/settings.json", R"({"format": 99})");
  fails(copy, "settings.json: has format 99; this program reads up to ");
  dir.write("copy/settings.json", "[]");
  fails(copy, "settings.json: not ");
  fs::remove(copy + "/settings.json");
  fs::remove(copy + "/vocab.txt");
  fails(copy, "vocab.txt: cannot open");
  fs::remove(copy + "/config.json");
  fs::create_symlink("/etc/hostname", copy + "/config.json");
  fails(copy, "config.json: leads out of its directory");
  fs::create_directory(dir.path("pipes"));
  ASSERT_EQ(mkfifo(dir.path("pipes/settings.json").c_str(), 0600), 0);
  fails(dir.path("pipes/settings.json"), "neither a file nor a directory");
  expect_failure(heed_program({"info", dir.path("pipes")}), 1, "is not a regular file", "a pipe");
}

// Names and texts of strangers are shown, never obeyed, on any terminal.
TEST_F(Info, ShowsStrangeTextsAndFitsTheTerminal) {
  const std::string file =
      dir.write("x.json",
                "{\"a\\u001b[2J\": {\"b\\n\": \"\\u202e\xff\", \"c\": [1, 2.5, null]},"
                " \"list\": [{\"x\": \"\\u0007\"}, {\"y\": true}], \"empty\": []}");
  expect_failure(heed_program({"info", file}), 1, "not what heed writes there", "not UTF-8");
  const std::string strange =
      dir.write("y.json",
                "{\"a\\u001b[2J\": {\"b\\n\": \"\\u202e\", \"c\": [1, 2.5, null]},"
                " \"list\": [{\"x\": \"\\u0007\"}, {\"x\": true}], \"empty\": []}");
  const std::string shown = text(strange);
  for (const char* part : {"\x1b", "\x07", "\u202e"}) EXPECT_FALSE(has(shown, part)) << shown;
  EXPECT_TRUE(has(shown, "1, 2.5, -")) << shown;
  EXPECT_TRUE(has(shown, "empty  none\n")) << shown;
  setenv("COLUMNS", "60", 1);
  std::istringstream lines(text(run()));
  unsetenv("COLUMNS");
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), has(line, "path") ? line.size() : 60u) << line;
  }
}

}  // namespace
}  // namespace heed
