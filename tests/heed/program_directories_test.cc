// Models and runs that are damaged, incomplete, or that somebody prepared with bad intent: one line
// on standard error that names the file, exit code 1, and nothing of theirs is changed.
#include <sys/stat.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

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
  const auto cut = [](const std::string& text) { return text.substr(0, text.size() / 2); };
  const auto nothing = [](const std::string&) { return std::string(); };
  const char *config = "config.json", *weights = "model.safetensors", *words = "vocab.txt";
  return {{config, nothing, "not what heed writes there"},
          {config, cut, "not what heed writes there: line "},
          {config, [](auto) { return "[]"; }, "not a JSON object"},
          {config, [](auto) { return "{}"; }, "'structure' is missing"},
          {config, set("structure", "tree"), "expected one of"},
          {config, set("structure", 3), "'structure' has the wrong type"},
          {config, set("structure", "static"), "the model has no parameter"},
          {config, set("hidden_size", "16"), "'hidden_size' has the wrong type"},
          {config, set("hidden_size", 16.5), "'hidden_size' has the wrong type"},
          {config, set("hidden_size", -16), "hidden_size: expected a whole number from 1"},
          {config, set("hidden_size", 1e18), "hidden_size"},
          {config, set("hidden_size", 9), "the model needs"},
          {config, set("hidden_size", 1000000), "smaller than the parameters"},
          {config, set("embedding_size", 11), "the model needs"},
          {config, set("num_layers", 1), "the model has no parameter"},
          {config, set("num_layers", 10000000), "smaller than the parameters"},
          {config, set("vocab_size", 999), "smaller than the parameters"},
          {config, set("vocab_size", 20), ":21: only 20 tokens may stand here"},
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
          {weights, replace("F32", "F16"), "does not fit its data_offsets"},
          {weights, replace("F32", "F33"), "F33"},
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

// Each word would have the row of the other; a line end of Windows changes no word.
TEST(ModelDirectory, WordsThatChangedPlaces) {
  const TempDir dir;
  ASSERT_EQ(heed_program(tiny_training(dir.path("run"))).code, 0);
  const std::string words = dir.read("run/vocab.txt");
  const auto score = [&](const std::string& text) {
    dir.write("run/vocab.txt", text);
    return heed_program(score_with(dir.path("run"), kTestPart) + Arguments{"--limit", "9"});
  };
  EXPECT_EQ(score(replace("<eou>\n", "<eou>\r\n")(words)).code, 0);
  const std::string swapped = replace("\nthe\n", "\nTHE\n")(replace("\nto\n", "\nthe\n")(words));
  expect_failure(score(replace("\nTHE\n", "\nto\n")(swapped)), 1,
                 "run/vocab.txt: not the lines that the model was trained with", "swapped");
  Json config = Json::parse(dir.read("run/config.json"));
  config.erase("words_fingerprint");  // as an older version left it
  dir.write("run/config.json", config.dump());
  EXPECT_EQ(score(words).code, 0);
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
  for (const std::string& path : {std::string("/missing"), kDialogs}) {
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

// ---- runs ---------------------------------------------------------------------------------------

TEST(Runs, ThatAreThereAlready) {
  const TempDir dir;
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(tiny_training(run)).code, 0);
  const std::string state = dir.read("run/state.json"), weights = dir.read("run/model.safetensors");
  expect_failure(heed_program(tiny_training(run)), 2, "already holds a run; --resume", "again");

  Arguments other = {"train", "--data", kSample, "--out", run, "--resume", "--limit", "61"};
  expect_failure(heed_program(other), 2, "--limit 61: the run ", "other dialogues");
  expect_failure(heed_program({"train", "--data", kSample, "--out", run, "--resume", "--limit",
                               "60", "--epochs", "0"}),
                 2, "epochs: expected a whole number from 1 to 1000000", "no epochs");
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
  expect_failure(without_warnings(r), 1, "not a finite number", "rate 1e8");
}

}  // namespace
}  // namespace heed
