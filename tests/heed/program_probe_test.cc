// heed features and heed probe.
#include <cmath>

#include "dialog/data/corpus.h"
#include "dialog/probe/feature_file.h"
#include "dialog/probe/probe.h"
#include "nn/safetensors.h"
#include "tests/heed/program_data.h"
#include "train/lock.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class ProbeProgram : public ProgramWithRun {
 protected:
  static Arguments on_model(const std::string& command) {
    return {command, "--model", run(), "--data", kSample, "--limit", "40"};
  }
  static Json results(const Arguments& command) {
    return json_of(command + Arguments{"--json", "-"});
  }
};

TEST_F(ProbeProgram, AgreesWithTheReference) {
  const Json json = results({"probe", "--features", kReference + "probe/sixty"});
  const Json expected = Json::parse(read_file(kReference + "probe/sixty/expected.json", 1 << 24));
  EXPECT_NEAR(json["tasks"]["Task"]["f1"].get<double>(), expected["f1"].get<double>(), 1e-12);
  EXPECT_EQ(json["tasks"]["Task"]["labels"], 60);
  EXPECT_EQ(json["tasks"]["Task"]["unconverged"], 0);
  EXPECT_EQ(json["inputs"]["examples"], Json({{"train", 350}, {"test", 150}}));
  expect_made_with(json["heed"], "probe");
  // The table has the same numbers, each under its title.
  const Arguments controls = {"probe", "--features", kReference + "probe/sixty", "--controls"};
  const Json task = results(controls)["tasks"]["Task"];
  EXPECT_NE(task["selectivity"], task["control_f1"]);
  char row[100];
  const auto percent = [&](const char* key) { return 100 * task[key].get<double>(); };
  std::snprintf(row, sizeof row, "\nTask +60 +%.2f +%.2f +%.2f\n", percent("constant"),
                percent("f1"), percent("selectivity"));
  const Result table = heed_program(controls);
  EXPECT_TRUE(std::regex_search(table.out, std::regex(row))) << table.out << row;
}

// One command: the model, and all that it is to be compared with.
TEST_F(ProbeProgram, ProbesARun) {
  const Arguments command = on_model("probe") + Arguments{"--standardise"};
  const Json json = results(command + Arguments{"--controls"});
  for (const char* task : {"ResponseLength", "UtteranceLoc", "WordCont"}) {
    const Json& result = json["tasks"][task];
    EXPECT_GE(result["f1"], result["interval"][0]) << task;
    EXPECT_LE(result["f1"], result["interval"][1]) << task;
    EXPECT_NEAR(result["selectivity"],
                result["f1"].get<double>() - result["control_f1"].get<double>(), 1e-12);
    for (const char* baseline : {"untrained", "bag-of-words", "length"}) {
      EXPECT_TRUE(json["baselines"][baseline][task]["f1"].is_number()) << baseline << task;
    }
  }
  EXPECT_EQ(json["tasks"].size(), 3u);
  const Json untrained = results(command + Arguments{"--epoch", "untrained"})["tasks"];
  EXPECT_NE(untrained["WordCont"]["f1"], json["tasks"]["WordCont"]["f1"]);
  for (const char* task : {"ResponseLength", "UtteranceLoc", "WordCont"}) {
    EXPECT_EQ(json["baselines"]["untrained"][task]["f1"], untrained[task]["f1"]) << task;
  }
  // An untrained model is not compared with itself, by either name.
  for (const char* epoch : {"untrained", "0"}) {
    const Json of = results(command + Arguments{"--tasks", "WordCont", "--epoch", epoch});
    EXPECT_FALSE(of["baselines"].contains("untrained")) << epoch;
    EXPECT_TRUE(of["baselines"].contains("length")) << epoch;
  }
  const Result r = heed_program(command);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("UtteranceLoc +5 ")));
  EXPECT_NE(r.out.find("best  untrained  bag-of-words  length"), std::string::npos) << r.out;
}

// Of vectors and labels made by hand, of which the test part has one that is new.
probe::Part made_part(int count, int from) {
  probe::Part part;
  std::vector<double> x;
  for (int i = from; i < from + count; ++i) {
    const double a = std::sin(3.0 * i), b = std::sin(7.0 * i), c = std::sin(5.0 * i);
    for (const double value : {a, 40 * b + 9, c}) x.push_back(value);
    std::vector<std::string> labels;
    if (a + 0.3 * c > 0) labels.emplace_back("high");
    if (a > b) labels.emplace_back("more");
    if (i == 70) labels.emplace_back("new");
    part.examples.ids.push_back("d" + std::to_string(i / 2) + "#" + std::to_string(3 + i % 2));
    part.examples.keys.push_back(part.examples.ids.back());
    part.examples.tasks["T"].push_back(labels);
  }
  part.x = Tensor::from(x, {count, 3}).to(DType::f32);
  return part;
}

// The numbers are those of the library with the same options.
TEST_F(ProbeProgram, EachNumberStandsUnderItsName) {
  const probe::Part train = made_part(40, 1), test = made_part(30, 60);
  const std::string features = dir.path("made");
  std::filesystem::create_directory(features);
  probe::write_part(features, "train", train);
  probe::write_part(features, "test", test);
  const Arguments command = {"probe", "--features", features, "--max-iter"};
  for (const int most : {3, 500}) {
    const bool standardise = most == 3;
    const Json json = results(command + Arguments{std::to_string(most)} +
                              (standardise ? Arguments{"--standardise"} : Arguments{}));
    const probe::TaskResult expected =
        probe::probe(train, test, "T", {.max_iterations = most, .standardise = standardise});
    const Json& task = json["tasks"]["T"];
    EXPECT_NE(expected.exact, expected.f1);
    EXPECT_NEAR(task["exact"].get<double>(), expected.exact, 1e-12);
    EXPECT_EQ(task["unseen"], 1);
    EXPECT_EQ(task["iterations"], expected.iterations);
    EXPECT_EQ(json["probe"]["max_iter"], most);
  }
  const auto interval = [&](const char* seed) {
    return results(command + Arguments{"500", "--seed", seed})["tasks"]["T"]["interval"];
  };
  EXPECT_NE(interval("1"), interval("2"));
}

TEST_F(ProbeProgram, AnotherProbe) {
  const Arguments features = {"probe", "--features", kReference + "probe/sixty"};
  const double linear = results(features)["tasks"]["Task"]["f1"];
  const double mlp = results(features + Arguments{"--probe", "mlp"})["tasks"]["Task"]["f1"];
  EXPECT_NE(mlp, linear);
}

// The way through files, and any batch and threads, give the same numbers.
TEST_F(ProbeProgram, FeaturesAreWhatProbeReads) {
  const Json direct = results(on_model("probe") + Arguments{"--pool", "mean"});
  const auto features = [&](const std::string& out, const Arguments& more) {
    const Result r = heed_program(on_model("features") +
                                  Arguments{"--pool", "mean", "--out", dir.path(out)} + more);
    EXPECT_EQ(r.code, 0) << r.err;
    return dir.read(out + "/train.safetensors") + dir.read(out + "/valid.safetensors") +
           dir.read(out + "/test.jsonl");
  };
  const std::string first = features("a", {"--threads", "1"});
  EXPECT_EQ(features("b", {"--threads", "3", "--batch", "7"}), first);
  const Json read = results({"probe", "--features", dir.path("a")});
  EXPECT_EQ(read["tasks"], direct["tasks"]);
  expect_made_with(Json::parse(dir.read("a/features.json"))["heed"], "features");
  const Json info = json_of({"info", dir.path("a"), "--json", "-"});
  EXPECT_EQ(info["kind"], "features");
  EXPECT_EQ(info["parts"].size(), 3u);
  EXPECT_EQ(info["parts"]["train"]["examples"], direct["inputs"]["examples"]["train"]);
  EXPECT_EQ(info["parts"]["train"]["dimensions"],
            load_tensors(dir.path("a/train.safetensors")).at("x").shape()[1]);
  EXPECT_EQ(info["contents"], Json::parse(dir.read("a/features.json")));
  EXPECT_EQ(info["parts"]["train"]["tasks"][1]["task"], "UtteranceLoc");
  EXPECT_EQ(info["parts"]["train"]["tasks"][1]["labels"], 5);
  const std::string weights = dir.read("a/train.safetensors");
  dir.write("a/train.safetensors", weights.substr(0, weights.size() - 1));
  expect_failure(heed_program({"info", dir.path("a")}), 1, "train.safetensors", "damaged features");
  dir.write("a/train.safetensors", weights);
  EXPECT_EQ(results({"probe", "--features", dir.path("a"), "--eval-part", "valid"})["tasks"].size(),
            3u);
}

// A part is read from either of its files, and its size told; what lies in --out is not replaced.
TEST_F(ProbeProgram, FeaturesOfAllPartsThatThereAre) {
  std::filesystem::create_directory(dir.path("data"));
  for (const char* part : {"train", "valid", "test"}) {
    write_dialogues(dir.path("data/") + part + ".jsonl",
                    read_dialogues(find_part(kSample, part), 4));
  }
  const Arguments command = {"features",       "--model", run(), "--data",
                             dir.path("data"), "--limit", "3",   "--out"};
  const Result r = heed_program(command + Arguments{dir.path("out")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json inputs = Json::parse(dir.read("out/features.json"))["inputs"];
  EXPECT_EQ(inputs["limit"], 3);
  std::string said;
  for (const char* part : {"train", "test", "valid"}) {
    const Json& of = inputs["data"][part];
    const auto first = read_dialogues(dir.path("data/") + part + ".jsonl", 3);
    size_t examples = 0;
    for (const Dialogue& d : first) examples += d.turns.size() - 2;
    EXPECT_GT(examples, 3u);
    EXPECT_EQ(of["path"], dir.path("data/") + part + ".jsonl");
    EXPECT_EQ(of["dialogues"], 3);
    EXPECT_EQ(of["examples"], examples);
    const Tensor x = load_tensors(dir.path("out/") + part + ".safetensors").at("x");
    EXPECT_EQ(x.shape()[0], static_cast<int64_t>(examples));
    said += part + std::string(": ") + std::to_string(examples) + " examples of " +
            std::to_string(x.shape()[1]) + " numbers\n";
  }
  EXPECT_EQ(r.out, said);
  // Nothing of them is left beside those of other dialogues, which lack a part.
  std::filesystem::remove(dir.path("data/valid.jsonl"));
  dir.write("out/test.jsonl.gz", "");
  ASSERT_EQ(heed_program(command + Arguments{dir.path("out")}).code, 0);
  for (const char* file : {"valid.safetensors", "valid.jsonl", "test.jsonl.gz"}) {
    EXPECT_FALSE(std::filesystem::exists(dir.path("out/") + file)) << file;
  }
  for (const char* part : {"train", "valid", "test"}) {
    const std::string folder = std::string("of-") + part;
    dir.write(folder + "/" + part + ".jsonl", dialogue("d", {"a", "b", "c"}));
    expect_failure(heed_program(command + Arguments{dir.path(folder)}), 2,
                   ": holds " + std::string(part) + ".jsonl but no " + part + ".safetensors", part);
  }
}

TEST_F(ProbeProgram, EpochsOfARun) {
  const std::string out = dir.path("run");
  ASSERT_EQ(
      heed_program(with(tiny_training(out), "--epochs", "2") + Arguments{"--keep-every", "1"}).code,
      0);
  const auto x = [&](const std::string& epoch) {
    const Result r = heed_program({"features", "--model", out, "--data", kSample, "--limit", "5",
                                   "--epoch", epoch, "--out", dir.path(epoch)});
    EXPECT_EQ(r.code, 0) << r.err;
    return load_tensors(dir.path(epoch + "/train.safetensors")).at("x").to_vector();
  };
  EXPECT_EQ(x("untrained"), x("0"));
  EXPECT_EQ(x("last"), x("2"));
  EXPECT_NE(x("1"), x("2"));
  EXPECT_NE(x("0"), x("1"));
  EXPECT_TRUE(x("best") == x("1") || x("best") == x("2"));
  const auto fails = [&](const std::string& model, const std::string& epoch, int code,
                         const std::string& says) {
    expect_failure(heed_program({"features", "--model", model, "--data", kSample, "--epoch", epoch,
                                 "--out", dir.path("x")}),
                   code, says, epoch);
  };
  fails(out, "3", 1, "holds no epoch-3.safetensors; a training keeps it with --keep-every");
  fails(out, "first", 2,
        "--epoch: expected a number, untrained, best or last, and of features and probes "
        "best-bleu, best-rouge or best-meteor, got 'first'");
  fails(run(), "best-bleu", 1, "holds no epoch-N.safetensors to choose from");
  fails(kModel, "last", 1, "a model without its run (there is no settings.json)");
}

// An epoch by what its model writes: the one whose numbers are the highest, and its features.
TEST_F(ProbeProgram, ChoosesAnEpochByItsResponses) {
  const std::string out = dir.path("run");
  ASSERT_EQ(
      heed_program(with(tiny_training(out), "--epochs", "3") + Arguments{"--keep-every", "1"}).code,
      0);
  const auto features = [&](const std::string& epoch) {
    const Result r = heed_program({"features", "--model", out, "--data", kSample, "--limit", "20",
                                   "--epoch", epoch, "--out", dir.path(epoch)});
    EXPECT_EQ(r.code, 0) << r.err;
    return load_tensors(dir.path(epoch + "/train.safetensors")).at("x").to_vector();
  };
  for (const auto& [name, key] : {std::pair("best-bleu", "bleu_2"),
                                  {"best-rouge", "rouge_l"},
                                  {"best-meteor", "meteor_exact_stem"}}) {
    const auto x = features(name);
    const Json model =
        Json::parse(dir.read(std::string(name) + "/features.json"))["inputs"]["model"];
    EXPECT_EQ(model["epoch"], name);
    ASSERT_EQ(model["epochs"].size(), 3u);
    Json best = model["epochs"][0];
    for (const Json& epoch : model["epochs"]) {
      if (epoch[key] > best[key]) best = epoch;
    }
    EXPECT_EQ(model["chosen"], best["epoch"]);
    EXPECT_EQ(x, features(std::to_string(best["epoch"].get<int>()))) << name;
  }
}

// The measures of an epoch are those that heed respond has of its responses, to the first dialogues
// of the valid part; the note has them of the best one.
TEST_F(ProbeProgram, MeasuresTheResponsesOfEveryEpoch) {
  const std::string models = source_dir() + "/data/models/", epochs = dir.path("epochs");
  std::filesystem::copy(models + "trained", epochs);
  std::vector<Json> responses;
  for (const char* model : {"trained", "baseline"}) {
    const std::string number = std::to_string(responses.size() + 1);
    std::filesystem::copy(models + model + "/model.safetensors",
                          epochs + "/epoch-" + number + ".safetensors");
    responses.push_back(json_of({"respond", "--model", models + model, "--data",
                                 find_part(kSample, "valid"), "--limit", "20", "--max-length",
                                 "100", "--out", dir.path("out"), "--json", "-"})["responses"]);
  }
  const char* const keys[] = {"bleu_2", "rouge_l", "meteor_exact_stem"};
  const Result r = heed_program({"features", "--model", epochs, "--data", kSample, "--limit", "20",
                                 "--epoch", "best-rouge", "--out", dir.path("features")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json model = Json::parse(dir.read("features/features.json"))["inputs"]["model"];
  for (const char* key : keys) {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_GT(responses[i][key], 0) << key;
      EXPECT_NEAR(model["epochs"][i][key].get<double>(), responses[i][key].get<double>(), 1e-12);
    }
  }
  const size_t best = responses[1]["rouge_l"] > responses[0]["rouge_l"] ? 1 : 0;
  EXPECT_EQ(model["chosen"], best + 1);
  char says[200];
  std::snprintf(says, sizeof says,
                "epoch %zu of 2 that were kept, with BLEU-2 %.2f, ROUGE-L %.2f, METEOR %.2f on ",
                best + 1, 100 * responses[best][keys[0]].get<double>(),
                100 * responses[best][keys[1]].get<double>(),
                100 * responses[best][keys[2]].get<double>());
  EXPECT_TRUE(has(r.err, says)) << says << r.err;
}

// A run that reads from the second turn on finds the labels of every turn of the system.
TEST_F(ProbeProgram, EveryLabelledTurnIsAnExample) {
  const std::string out = dir.path("run");
  ASSERT_EQ(heed_program(with(tiny_training(out), "--examples", "all") +
                         Arguments{"--min-turns", "2", "--max-context", "20"})
                .code,
            0);
  const Json settings = Json::parse(dir.read("run/settings.json"));
  EXPECT_EQ(settings["examples"]["min_turns"], 2);
  EXPECT_EQ(settings["examples"]["max_context_tokens"], 20);
  const std::string labels =
      "{\"id\": \"d#2\", \"labels\": {\"Mood\": [\"good\"]}}\n"
      "{\"id\": \"d#4\", \"labels\": {\"Mood\": [\"bad\"]}}\n";
  for (const char* part : {"train", "test"}) {
    dir.write("data/" + std::string(part) + ".jsonl", dialogue("d", {"a", "b", "c", "d"}));
    dir.write("data/" + std::string(part) + ".labels.jsonl", labels);
  }
  const Json json =
      results({"probe", "--model", out, "--data", dir.path("data"), "--tasks", "Mood"});
  EXPECT_EQ(json["inputs"]["examples"], Json({{"train", 2}, {"test", 2}}));
}

// PART.labels.jsonl beside the dialogues.
TEST_F(ProbeProgram, AnnotationAddsTasks) {
  std::string dialogues, labels;
  for (int i = 0; i < 4; ++i) {
    const std::string id = "d" + std::to_string(i);
    dialogues += dialogue(id, {"hello", "how are you", "well"});
    labels = "{\"id\": \"" + id + "#3\", \"labels\": {\"Mood\": [\"good\"]}}\n" + labels;
  }
  for (const char* part : {"train", "test"}) {
    dir.write("data/" + std::string(part) + ".jsonl", dialogues);
    dir.write("data/" + std::string(part) + ".labels.jsonl", labels);
  }
  const Arguments command = {"probe", "--model", run(), "--data", dir.path("data")};
  EXPECT_EQ(results(command + Arguments{"--tasks", "Mood"})["tasks"]["Mood"]["f1"], 1);
  // a turn without labels is no example
  dir.write("data/test.labels.jsonl", labels.substr(labels.find('\n') + 1));
  const Result fewer = heed_program(command + Arguments{"--json", dir.path("fewer.json")});
  EXPECT_EQ(fewer.code, 0);
  const std::string says = "1 example of 4 left out: " + dir.path("data/test.labels.jsonl");
  EXPECT_NE(fewer.err.find(says), std::string::npos) << fewer.err;
  const Json json = Json::parse(dir.read("fewer.json"));
  EXPECT_EQ(json["inputs"]["data"]["test"]["examples"], 3);
  EXPECT_EQ(json["tasks"].size(), 4u);
  // a task of the file replaces one of the same name
  const std::string places = "{\"id\": \"d0#3\", \"labels\": {\"UtteranceLoc\": [\"end\"]}}\n";
  dir.write("data/train.labels.jsonl", places);
  dir.write("data/test.labels.jsonl", places);
  EXPECT_EQ(results(command)["tasks"]["UtteranceLoc"]["constant"], 1);
  dir.write("data/train.labels.jsonl", labels);
  dir.write("data/test.labels.jsonl", "{\"id\": \"d0#2\", \"labels\": {\"Mood\": []}}\n");
  expect_failure(heed_program(command), 1, "has labels of none of 4 examples, such as \"d0#3\"",
                 "of other turns");
  dir.write("data/test.jsonl", dialogue("d", {"a", "b", "c"}) + dialogue("d", {"a", "b", "c"}));
  expect_failure(heed_program(command), 1, "two dialogues have the id \"d\"", "twice");
}

TEST_F(ProbeProgram, RefusesWhatMakesNoSense) {
  const std::string features = kReference + "probe/separable";
  const auto fails = [&](const Arguments& arguments, int code, const std::string& says) {
    expect_failure(heed_program(Arguments{"probe"} + arguments), code, says, join(arguments));
  };
  fails({}, 2, "heed: give --features DIR, or --model RUN and --data DIR");
  fails({"--features", features, "--model", run(), "--data", kSample}, 2,
        "give --features DIR, or");
  fails({"--model", run()}, 2, "--model: needs --data DIR");
  fails({"--features", features, "--data", kSample}, 2, "--data: only applies with --model");
  for (const char* option : {"--limit", "--batch", "--layer"}) {
    fails({"--features", features, option, "1"}, 2,
          std::string(option) + ": only applies with --model");
  }
  fails({"--features", features, "--tasks", "Task,Topic"}, 2,
        "--tasks: expected all or some of Task, got 'Topic'");
  fails({"--features", features, "--tasks", "Task,Task"}, 2, "--tasks Task: is given twice");
  fails({"--features", features, "--max-iter", "0"}, 2, "expected a whole number from 1");
  fails({"--features", features, "--eval-part", "valid"}, 1, "holds no valid.safetensors");
  fails({"--features", kSample}, 1, "holds no train.safetensors");
  fails({"--model", run(), "--data", dir.path("none")}, 1, "not a directory");
  const Result r = heed_program({"probe", "--features", features, "--max-iter", "1"});
  EXPECT_EQ(r.err, "heed: warning: features, Task: 2 labels had not converged after 1 iteration\n");
  // Features do not go where a model or dialogues lie.
  expect_failure(heed_program({"features", "--model", run(), "--data", kSample, "--out", run()}), 2,
                 "holds a model; take another --out", "--out");
  std::filesystem::copy(kSample, dir.path("data"));
  for (const std::string file : {"train.jsonl.gz", "train.jsonl"}) {
    expect_failure(
        heed_program({"features", "--model", run(), "--data", kSample, "--out", dir.path("data")}),
        2, "holds " + file + " but no train.safetensors, so these may be dialogues", "--out");
    dir.write("data/train.jsonl", dialogue("d", {"a", "b", "c"}));
  }
  // Nor where another process writes some.
  std::filesystem::create_directory(dir.path("features"));
  const RunLock lock(dir.path("features"));
  expect_failure(heed_program({"features", "--model", run(), "--data", kSample, "--out",
                               dir.path("features"), "--limit", "5"}),
                 1, "another process is at work here", "a lock");
}

}  // namespace
}  // namespace heed
