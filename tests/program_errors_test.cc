// Whatever the program is given that it cannot use: one line on standard error, exit code 2 for
// options that make no sense and 1 for files and devices, and nothing half written.
#include <sys/stat.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/devices.h"
#include "tests/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kModel = kReference + "static-ui";
const std::string kDialogs = kModel + "/dialogs.jsonl";

Arguments score_with(const std::string& model, const std::string& data) {
  return {"score", "--model", model, "--data", data};
}

struct Bad {
  Arguments arguments;
  const char* says;
};

TEST(Usage, OptionsThatMakeNoSense) {
  const Arguments score = score_with(kModel, kDialogs),
                  evaluate = {"evaluate", "--model", kModel, "--data", kDialogs},
                  verify = {"verify", kModel}, bench = {"bench", "--steps", "1"};
  const std::vector<Bad> cases = {
      {{}, "subcommand is required"},
      {{"tarin"}, "tarin"},
      {{"--frobnicate"}, "frobnicate"},
      {{"score"}, "--model is required"},
      {{"score", "--model", kModel}, "--data is required"},
      {{"train", "--data", kSample}, "--out is required"},
      {{"verify"}, "cases is required"},
      {score + Arguments{"--frobnicate", "3"}, "--frobnicate"},
      {score + Arguments{"more"}, "more"},
      {score + Arguments{"--batch"}, "--batch"},
      {score + Arguments{"--batch", "0"}, "batch: expected at least 1, got 0"},
      {score + Arguments{"--batch", "-4"}, "batch: expected at least 1, got -4"},
      {score + Arguments{"--batch", "four"}, "four"},
      {score + Arguments{"--batch", "1e3"}, "1e3"},
      {score + Arguments{"--batch", "99999999999999999999"}, "99999999999999999999"},
      {score + Arguments{"--model", kModel}, "--model"},
      {score + Arguments{"--threads", "-1"}, "--threads"},
      {score + Arguments{"--threads", "100000"}, "--threads"},
      {score + Arguments{"--seed", "-1"}, "--seed"},
      {score + Arguments{"--seed", "1.5"}, "--seed"},
      {score + Arguments{"--device", "xyz"}, "xyz"},
      {score + Arguments{"--device", ""}, "device"},
      {score + Arguments{"--matmul", "f16"}, "f16"},
      {score + Arguments{"--matmul", "bf16"}, "--matmul bf16 is for --device cuda"},
      {score + Arguments{"--device", "cuda:x"}, "cuda:x"},
      {evaluate + Arguments{"--limit", "-1"}, "--limit"},
      {evaluate + Arguments{"--batch", "0"}, "batch: expected at least 1"},
      {evaluate + Arguments{"--test", "often"}, "unknown test set \"often\""},
      {evaluate + Arguments{"--test", "random:2"}, "random:2"},
      {evaluate + Arguments{"--test", "rare:top"}, "rare:top"},
      {verify + Arguments{"--dtype", "f16"}, "f16"},
      {bench + Arguments{"--structure", "x"}, "structure: expected one of non-hier"},
      {bench + Arguments{"--batch", "0"}, "--batch"},
      {bench + Arguments{"--steps", "0"}, "--steps"},
      {bench + Arguments{"--hidden", "0"}, "hidden_size: expected 1"},
      {bench + Arguments{"--vocab", "5"}, "vocab_size"},
      {bench + Arguments{"--embed", "10000000", "--hidden", "10000000"}, "GiB"},
      {bench + Arguments{"--layers", "10000000"}, "GiB"},
      {bench + Arguments{"--dropout", "1"}, "dropout"},
  };
  for (const Bad& bad : cases) {
    expect_failure(heed_program(bad.arguments), 2, bad.says, join(bad.arguments));
  }
}

// A training that is refused leaves no run behind that a second try would stumble over.
TEST(Usage, TrainingsThatMakeNoSense) {
  const std::vector<Bad> cases = {
      {{"--structure", "tree"}, "structure: expected one of"},
      {{"--preset", "huge"}, "preset: expected one of paper"},
      {{"--hidden", "100000000"}, "hidden_size: expected 1 to 16777216"},
      {{"--hidden", "1000000"}, "GiB"},
      {{"--hidden", "0"}, "hidden_size"},
      {{"--hidden", "-8"}, "hidden_size"},
      {{"--layers", "0"}, "num_layers"},
      {{"--layers", "16000000"}, "GiB"},
      {{"--embed", "0"}, "embedding_size"},
      {{"--vocab", "1"}, "vocab_size"},
      {{"--vocab", "0"}, "vocab_size"},
      {{"--batch", "0"}, "batch: expected at least 1"},
      {{"--batch", "-1"}, "batch: expected at least 1"},
      {{"--dropout", "1"}, "dropout"},
      {{"--dropout", "-0.5"}, "dropout"},
      {{"--dropout", "nan"}, "dropout"},
      {{"--epochs", "0"}, "epochs: expected at least 1"},
      {{"--epochs", "-3"}, "epochs: expected at least 1"},
      {{"--epochs", "many"}, "many"},
      {{"--examples", "some"}, "some"},
      {{"--max-turns", "1"}, "turns"},
      {{"--max-turns", "-1"}, "turns"},
      {{"--max-utterance", "-1"}, "tokens of an utterance"},
      {{"--max-response", "-1"}, "tokens of a response"},
      {{"--limit", "-1"}, "--limit"},
      {{"--insert-prob", "1.5"}, "--insert-prob"},
      {{"--insert-prob", "-0.1"}, "--insert-prob"},
      {{"--insert-prob", "nan"}, "insert"},
      {{"--attention-weight", "-1"}, "--attention-weight"},
      {{"--attention-weight", "inf"}, "attention"},
      {{"--rate", "0"}, "rate > 0"},
      {{"--rate", "-1"}, "rate > 0"},
      {{"--rate", "nan"}, "rate > 0"},
      {{"--max-norm", "0"}, "--max-norm"},
      {{"--patience", "0"}, "patience >= 1"},
      {{"--min-rate", "-1"}, "min_rate >= 0"},
      {{"--halve-after", "-1"}, "halve_after >= 0"},
  };
  for (const Bad& bad : cases) {
    const TempDir dir;
    const std::string out = dir.path("run");
    const Arguments command = {"train", "--data", kSample, "--out", out};
    const Arguments limit = {"--limit", "20"};
    const bool own_limit = bad.arguments[0] == "--limit";
    expect_failure(heed_program(command + bad.arguments + (own_limit ? Arguments{} : limit)), 2,
                   bad.says, join(bad.arguments));
    EXPECT_FALSE(fs::exists(out + "/settings.json")) << join(bad.arguments);
    EXPECT_FALSE(fs::exists(out + "/config.json")) << join(bad.arguments);
  }
}

TEST(Device, ThatIsNotThere) {
  for (const char* device : {"cuda", "cuda:0", "cuda:99"}) {
    if (has_cuda() && std::string(device) != "cuda:99") continue;
    expect_failure(heed_program(score_with(kModel, kDialogs) + Arguments{"--device", device}), 1,
                   "cuda", device);
  }
}

// ---- data ---------------------------------------------------------------------------------------

const std::string kGood = R"({"turns": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})"
                          "\n";

std::vector<std::pair<std::string, std::string>> bad_dialogues() {
  const std::string whole = gzip(kGood + kGood);
  return {{"empty", ""},
          {"blank", "\n\n"},
          {"cut", kGood + kGood.substr(0, 20)},
          {"not JSON", "hello\n"},
          {"a list", "[]\n"},
          {"no turns", "{}\n"},
          {"turns that are none", R"({"turns": 3})"
                                  "\n"},
          {"no turn", R"({"turns": []})"
                      "\n"},
          {"no text", R"({"turns": [{"speaker": "A"}]})"
                      "\n"},
          {"a text that is none", R"({"turns": [{"text": 7}]})"
                                  "\n"},
          {"dialogues that are too short", R"({"turns": [{"text": "a"}, {"text": "b"}]})"
                                           "\n"},
          {"binary", std::string("\x7f"
                                 "ELF\0\1\2\xff\xfe\n",
                                 10)},
          {"UTF-16", std::string("\xff\xfe{\0\n\0", 6)},
          {"not UTF-8", "{\"turns\": [{\"text\": \"\xc3\x28\"}, {\"text\": \"b\"}]}\n"},
          {"deep", std::string(100000, '[') + "\n"},
          {"cut gzip", whole.substr(0, whole.size() / 2)},
          {"damaged gzip", whole.substr(0, 12) + "xxxx" + whole.substr(16)},
          {"gzip and more", whole + "more"}};
}

TEST(Data, FilesOfDialogues) {
  const TempDir dir;
  for (const auto& [what, bytes] : bad_dialogues()) {
    const std::string data = dir.write("data.jsonl", bytes), json = dir.path("out.json");
    const Arguments output = {"--json", json};
    expect_failure(heed_program(score_with(kModel, data) + output), 1, data, what);
    expect_failure(heed_program({"evaluate", "--model", kModel, "--data", data, "--json", json}), 1,
                   data, what);
    EXPECT_FALSE(fs::exists(json)) << what;
  }
  for (const std::string& path :
       {dir.path("missing.jsonl"), dir.path(""), std::string("/dev/null"), std::string()}) {
    expect_failure(heed_program(score_with(kModel, path)), 1, path, "path '" + path + "'");
  }
}

// Noticed before the work, not after it: nothing else is looked at first.
TEST(Data, PlacesThatCannotBeWrittenTo) {
  const TempDir dir;
  for (const std::string& json : {dir.path("missing/out.json"), dir.path("")}) {
    for (const char* command : {"score", "evaluate"}) {
      expect_failure(
          heed_program({command, "--model", "missing", "--data", "missing", "--json", json}), 1,
          json, command);
    }
  }
}

TEST(Data, DirectoriesToTrainOn) {
  for (const auto& [what, bytes] : bad_dialogues()) {
    for (const std::string part : {"train", "valid"}) {
      const TempDir dir;
      dir.write("data/train.jsonl", kGood);
      dir.write("data/valid.jsonl", kGood);
      dir.write("data/" + part + ".jsonl", bytes);
      expect_failure(heed_program({"train", "--preset", "smoke", "--data", dir.path("data"),
                                   "--out", dir.path("run")}),
                     1, dir.path("data"), part + ": " + what);
      EXPECT_FALSE(fs::exists(dir.path("run/settings.json"))) << what;
    }
  }
  const TempDir dir;
  dir.write("data/train.jsonl", kGood);
  for (const char* data : {"data", "missing", "data/train.jsonl"}) {
    expect_failure(heed_program({"train", "--data", dir.path(data), "--out", dir.path("run")}), 1,
                   dir.path(data), data);
  }
}

// ---- models -------------------------------------------------------------------------------------

// A change of one of the model's files, and what the program says to it.
struct Spoiled {
  const char* file;
  std::function<std::string(std::string)> change;
  const char* says;
};

std::function<std::string(std::string)> set(const char* key, const Json& value) {
  return [key, value](const std::string& text) {
    Json json = Json::parse(text);
    json[key] = value;
    return json.dump();
  };
}

std::function<std::string(std::string)> replace(const std::string& from, const std::string& to) {
  return [from, to](std::string text) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
}

std::vector<Spoiled> spoiled_models() {
  const auto cut = [](std::string text) { return text.substr(0, text.size() / 2); };
  const auto nothing = [](const std::string&) { return std::string(); };
  const char *config = "config.json", *weights = "model.safetensors", *words = "vocab.txt";
  return {{config, nothing, "not a JSON object"},
          {config, cut, "not a JSON object"},
          {config, [](auto) { return "[]"; }, "not a JSON object"},
          {config, [](auto) { return "{}"; }, "'structure' is missing"},
          {config, set("structure", "tree"), "expected one of"},
          {config, set("structure", 3), "'structure' has the wrong type"},
          {config, set("structure", "static"), "the model has no parameter"},
          {config, set("hidden_size", "16"), "'hidden_size' has the wrong type"},
          {config, set("hidden_size", 16.5), "'hidden_size' has the wrong type"},
          {config, set("hidden_size", -16), "hidden_size: expected 1"},
          {config, set("hidden_size", 1e18), "hidden_size"},
          {config, set("hidden_size", 9), "the model needs"},
          {config, set("hidden_size", 1000000), "smaller than the parameters"},
          {config, set("embedding_size", 11), "the model needs"},
          {config, set("num_layers", 1), "the model has no parameter"},
          {config, set("num_layers", 10000000), "smaller than the parameters"},
          {config, set("vocab_size", 999), "999"},
          {config, set("lstm_bias", 1), "'lstm_bias' has the wrong type"},
          {config, set("lstm_bias", true), "is missing"},
          {config, set("dropout", 1.5), "dropout"},
          {words, nothing, "vocab.txt"},
          {words, cut, "vocab.txt"},
          {words, replace("<eou>", "<end>"), "vocab.txt:5"},
          {words, replace("\nthe\n", "\na\n"), "vocab.txt"},
          {words, replace("\nthe\n", "\nt he\n"), "vocab.txt:6"},
          {weights, nothing, "model.safetensors"},
          {weights, cut, "model.safetensors"},
          {weights, [](auto) { return std::string(200000, '\xff'); }, "header"},
          {weights, [](const std::string& b) { return b + "more"; }, "data that no tensor names"},
          {weights, replace("F32", "F16"), "F16"},
          {weights, replace("encoder.embedding.weight", "encoder.embedding.weighs"), "is missing"},
          {weights, replace("data_offsets\": [0,", "data_offsets\": [4,"), "data_offsets"}};
}

TEST(ModelDirectory, Spoiled) {
  for (const Spoiled& spoiled : spoiled_models()) {
    const TempDir dir;
    fs::copy(kModel, dir.path("model"));
    const std::string file = "model/" + std::string(spoiled.file);
    dir.write(file, spoiled.change(dir.read(file)));
    expect_failure(heed_program(score_with(dir.path("model"), kDialogs)), 1, spoiled.says,
                   file + ": " + spoiled.says);
  }
}

TEST(ModelDirectory, MissingFiles) {
  for (const std::string file : {"config.json", "vocab.txt", "model.safetensors"}) {
    const TempDir dir;
    fs::copy(kModel, dir.path("model"));
    fs::remove(dir.path("model/" + file));
    const std::vector<Arguments> commands = {score_with(dir.path("model"), kDialogs),
                                             {"verify", dir.path("model")}};
    for (const Arguments& command : commands) expect_failure(heed_program(command), 1, file, file);
    fs::create_directory(dir.path("model/" + file));
    for (const Arguments& command : commands) expect_failure(heed_program(command), 1, file, file);
  }
  for (const std::string& path : {std::string("/missing"), kDialogs, std::string()}) {
    expect_failure(heed_program(score_with(path, kDialogs)), 1, path, path);
  }
}

// Directories from strangers may hold links; none is followed out of them.
TEST(ModelDirectory, Links) {
  const TempDir dir;
  fs::copy(kModel, dir.path("elsewhere"));
  for (const std::string file : {"config.json", "vocab.txt", "model.safetensors"}) {
    fs::copy(kModel, dir.path("model"));
    const std::string path = dir.path("model/" + file);
    fs::remove(path);
    fs::create_symlink(dir.path("elsewhere/" + file), path);
    expect_failure(heed_program(score_with(dir.path("model"), kDialogs)), 1,
                   path + ": leads out of its directory", file);
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    expect_failure(heed_program(score_with(dir.path("model"), kDialogs)), 1,
                   path + ": is not a regular file", file);
    fs::remove_all(dir.path("model"));
  }
  fs::create_symlink(dir.path("elsewhere"), dir.path("model"));  // the directory itself may be one
  EXPECT_EQ(heed_program(score_with(dir.path("model"), kDialogs)).code, 0);
}

TEST(ModelDirectory, RunsWhoseFilesLeadOut) {
  const TempDir dir;
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(tiny_training(run)).code, 0);
  const Arguments again = tiny_training(run) + Arguments{"--resume"};
  for (const std::string file : {"state.json", "settings.json", "lock"}) {
    const std::string outside = dir.write("outside", dir.read("run/" + file));
    fs::remove(run + "/" + file);
    fs::create_symlink(outside, run + "/" + file);
    expect_failure(heed_program(again), 1, run + "/" + file, file);
    fs::remove(run + "/" + file);
    fs::rename(outside, run + "/" + file);
  }
  EXPECT_EQ(heed_program(again).code, 0);
}

// ---- places to write to -------------------------------------------------------------------------

TEST(Output, PlacesThatCannotBeWritten) {
  const TempDir dir;
  const std::string file = dir.write("file", "mine");
  for (const std::string& place : {file + "/below", std::string("/proc/below"), dir.path("")}) {
    expect_failure(heed_program(score_with(kModel, kDialogs) + Arguments{"--json", place}), 1,
                   place, place);
  }
  for (const std::string& place : {file, file + "/below", std::string("/proc/below")}) {
    expect_failure(heed_program(tiny_training(place)), 1, place, place);
  }
  EXPECT_EQ(dir.read("file"), "mine");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(Output, AFullDevice) {
  const TempDir dir;
  const std::vector<Arguments> commands = {{"--help"},
                                           {"--version"},
                                           {"verify", kModel},
                                           score_with(kModel, kDialogs),
                                           score_with(kModel, kDialogs) + Arguments{"--json", "-"},
                                           tiny_training(dir.path("run"))};
  for (const Arguments& command : commands) {
    expect_failure(heed_program(command, "/dev/full"), 1, "standard output: cannot be written",
                   join(command));
  }
}

// ---- runs ---------------------------------------------------------------------------------------

TEST(Runs, ThatAreThereAlready) {
  const TempDir dir;
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(tiny_training(run)).code, 0);
  const std::string state = dir.read("run/state.json"), weights = dir.read("run/model.safetensors");
  expect_failure(heed_program(tiny_training(run)), 2, "holds a run already; --resume", "again");

  Arguments other = {"train", "--data", kSample, "--out", run, "--resume", "--limit", "61"};
  expect_failure(heed_program(other), 1, "not the dialogues that the run", "other dialogues");
  expect_failure(heed_program({"train", "--data", kSample, "--out", run, "--resume", "--limit",
                               "60", "--epochs", "0"}),
                 2, "epochs: expected at least 1", "no epochs");
  EXPECT_EQ(dir.read("run/state.json"), state);
  EXPECT_EQ(dir.read("run/model.safetensors"), weights);

  for (const std::string file : {"settings.json", "state.json", "vocab.txt", "config.json"}) {
    const std::string before = dir.read("run/" + file);
    dir.write("run/" + file, before.substr(0, before.size() / 2));
    expect_failure(heed_program({"train", "--data", kSample, "--out", run, "--resume", "--limit",
                                 "60", "--epochs", "2"}),
                   1, file == "vocab.txt" ? "run" : file, "damaged " + file);
    dir.write("run/" + file, before);
  }
}

TEST(Runs, ARateThatIsTooLargeIsSaid) {
  const TempDir dir;
  const Result r = heed_program(tiny_training(dir.path("run")) + Arguments{"--rate", "1e8"});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.err.rfind("heed: warning: training: epoch 1, step 2: the loss runs away: ", 0), 0u);
  const std::string last = r.err.substr(r.err.find('\n') + 1);
  expect_failure({r.code, r.out, last}, 1, "not a finite number", "rate 1e8");
}

}  // namespace
}  // namespace heed
