// What `heed train` does with a folder that is not empty, and how it ends.
#include <functional>
#include <nlohmann/json.hpp>

#include "dialog/data/corpus.h"
#include "dialog/respond/run.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Arguments without(Arguments command, const std::string& option) {
  const auto at = std::find(command.begin(), command.end(), option);
  command.erase(at, at + 2);
  return command;
}

// One finished run for all tests, which copy it.
class Resume : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(tiny_training(shared->path("run")));
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  Resume() { fs::copy(shared->path("run"), run, fs::copy_options::recursive); }

  // The JSON file of the run, changed.
  void change(const std::string& file, const std::function<void(Json&)>& edit) const {
    Json json = Json::parse(dir.read("run/" + file));
    edit(json);
    dir.write("run/" + file, json.dump(2) + "\n");
  }

  static TempDir* shared;
  const TempDir dir;
  const std::string run = dir.path("run");
  const Arguments same = tiny_training(run) + Arguments{"--resume"};
};
TempDir* Resume::shared = nullptr;

// ---- how a training begins ----------------------------------------------------------------------

TEST_F(Resume, BeginsWithTheWeightsOfAnother) {
  const auto begin = [&](const std::string& name, const Arguments& more,
                         const std::string& hidden = "8") {
    Arguments command = tiny_training(dir.path(name));
    command.erase(std::find(command.begin(), command.end(), "--vocab"),
                  std::find(command.begin(), command.end(), "--hidden"));
    return heed_program(with(command, "--hidden", hidden) + Arguments{"--init", run} + more);
  };
  const Result all = begin("second", {"--seed", "9"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(has(all.out, " parameters begin as in " + run + "\n")) << all.out;
  EXPECT_FALSE(has(all.out, "drawn by the seed")) << all.out;
  const auto weights = [](const LoadedModel& loaded) {
    std::vector<std::vector<double>> all;
    for (const NamedParameter& p : parameters(*loaded.model))
      all.push_back(p.var.value().to_vector());
    return all;
  };
  EXPECT_EQ(weights(load_epoch(dir.path("second"), "untrained")), weights(load_model(run)));
  EXPECT_NE(weights(load_model(dir.path("second"))), weights(load_model(run)));

  const Result layers = begin("third", {"--layers", "2"});
  EXPECT_TRUE(has(layers.out, "  drawn by the seed: ")) << layers.out << layers.err;
  expect_failure(begin("fifth", {"--vocab", "90"}), 2,
                 "--vocab: with --init the words are those of", "other words");
  expect_failure(begin("fifth", {"--min-count", "2"}), 2,
                 "--min-count: with --init the words are those of", "other words");
  expect_failure(begin("sixth", {}, "7"), 1,
                 "it is static-ui, 1 x 8 (--structure, --layers, --embed, --hidden)",
                 "other sizes");
  expect_failure(heed_program(tiny_training(dir.path("second")) +
                              Arguments{"--resume", "--init", dir.path("third")}),
                 2, "was started with", "another --init");
}

// ---- how a training ends ------------------------------------------------------------------------

// Its weight was asked for, and nothing is there that it could act on.
TEST_F(Resume, AnAttentionLossWithoutDistractionsIsPointedOut) {
  const std::string note = "note: the attention loss has nothing to act on";
  const Arguments weight = {"--attention-weight", "5"};
  const auto said = [&](const char* out, const Arguments& more) {
    const Result r = heed_program(tiny_training(dir.path(out)) + more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.err;
  };
  EXPECT_TRUE(has(said("a", weight), note));
  EXPECT_FALSE(has(said("b", {}), note));
  EXPECT_FALSE(has(said("c", weight + Arguments{"--insert-prob", "0.7"}), note));
  // Marked turns of the data are distractions too.
  std::filesystem::create_directory(dir.path("marked"));
  const std::string dialogue =
      R"({"turns": [{"text": "a b"}, {"text": "it rains", "distraction": true}, {"text": "c"}, )"
      R"({"text": "d e"}]})";
  for (const char* part : {"marked/train.jsonl", "marked/valid.jsonl"}) {
    dir.write(part, dialogue + "\n" + dialogue + "\n");
  }
  const Result marked =
      heed_program(with(tiny_training(dir.path("d")), "--data", dir.path("marked")) + weight);
  EXPECT_EQ(marked.code, 0) << marked.err;
  EXPECT_FALSE(has(marked.err, note));
}

TEST_F(Resume, OfAFinishedRunSaysThatNothingWasLeft) {
  const Result r = heed_program(same);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out,
                  "nothing to do: the run has finished its 1 epoch (raise --epochs to continue)\n"
                  "done: the best model is in " +
                      run))
      << r.out;
  const Result more = heed_program(with(same, "--epochs", "2"));
  EXPECT_FALSE(has(more.out, "nothing to do")) << more.out;
}

TEST_F(Resume, OfARunThatItsScheduleEnded) {
  const Arguments command =
      with(tiny_training(dir.path("new")), "--epochs", "30") +
      Arguments{"--rate", "0.001", "--min-rate", "0.0009", "--halve-after", "1"};
  ASSERT_EQ(heed_program(command).code, 0);
  const Result r = heed_program(command + Arguments{"--resume"});
  EXPECT_TRUE(has(r.out, ", and then its schedule ended it")) << r.out;
}

// It needs another one, which the run has.
TEST_F(Resume, TakesAnOptionThatAgreesWithTheRun) {
  const Arguments own = {"--distractions", "own"};
  const std::string out = dir.path("own");
  const Arguments begin = tiny_training(out) + Arguments{"--insert-prob", "0.5"} + own;
  ASSERT_EQ(heed_program(begin).code, 0);
  const Arguments again = {"train", "--data", kSample, "--out", out, "--resume"};
  const Result r = heed_program(again + own);
  EXPECT_EQ(r.code, 0) << r.err;
}

// A model that is worse than a uniform guess is neither "best" nor "done".
TEST_F(Resume, ATrainingThatWentWrongSaysSo) {
  const Arguments command = with(tiny_training(dir.path("new")), "--epochs", "2") +
                            Arguments{"--rate", "8", "--batch", "8"};
  const Result r = without_warnings(heed_program(command));
  expect_failure(r, 1, "ended, but something went wrong: the best validation perplexity is ", "");
  EXPECT_TRUE(has(r.err, "and a uniform guess among the words has 150; try a smaller --rate"));
  EXPECT_TRUE(has(r.out, "  worse than a uniform guess\n")) << r.out;
  EXPECT_FALSE(has(r.out, "best\n") || has(r.out, "done: ")) << r.out;
}

TEST_F(Resume, SizesAreSaidInWholeWords) {
  const Result r = heed_program(same);
  EXPECT_TRUE(has(r.out, "static-ui, 1 layer x 8, vocabulary 150: 5.5 thousand parameters\n"))
      << r.out;
  EXPECT_TRUE(has(r.out, "60 training and 60 validation examples, 0 dialogues left out"));
}

// ---- options that contradict the run ------------------------------------------------------------

TEST_F(Resume, RefusesOptionsThatContradictTheRun) {
  const std::vector<std::vector<std::string>> cases = {
      {"--structure", "dynamic", "static-ui"},
      {"--insert-prob", "1", "0.0"},
      {"--attention-weight", "0.5", "3.0"},
      {"--layers", "2", "1"},
      {"--hidden", "16", "8"},
      {"--embed", "4", "8"},
      {"--vocab", "200", "150"},
      {"--tokens", "bpe", "words"},
      {"--batch", "8", "4"},
      {"--dropout", "0.5", "0.2"},
      {"--examples", "all", "last"},
      {"--max-turns", "5", "4"},
      {"--min-turns", "2", "3"},
      {"--speaker", "A", ""},
      {"--max-context", "30", "0"},
      {"--max-utterance", "11", "10"},
      {"--max-response", "3", "50"},
      {"--limit", "61", "60"},
      {"--patience", "2", "1"},
      {"--min-rate", "0.1", "1e-05"},
      {"--halve-after", "3", "1"},
      {"--seed", "2", "1"},
      {"--optimizer", "sgd", "adam"},
      {"--warm-up", "5", "0"},
      {"--rate-decay", "inverse-sqrt", "none"},
      {"--weight-decay", "0.5", "0.2"},
      {"--group", "lstm:1:1", "lstm:0.2:0.05 combine:0.2:0.05"}};
  const std::string settings = dir.read("run/settings.json");
  for (const auto& c : cases) {
    const Arguments command = {"train", "--data", kSample, "--out", run, "--resume", c[0], c[1]};
    const Result r = heed_program(command);
    const std::string before = c[2].empty() ? "without it" : "with " + c[2];
    expect_failure(r, 2, ": the run " + run + " was started " + before, c[0]);
    EXPECT_EQ(r.err.rfind("heed: " + c[0] + " " + c[1], 0), 0u) << r.err;
  }
  const Arguments preset = {"train", "--data",   kSample,    "--out",
                            run,     "--resume", "--preset", "laptop"};
  expect_failure(heed_program(preset), 2,
                 "--preset laptop: the run " + run + " was started with smoke", "--preset");
  expect_failure(
      heed_program({"train", "--data", kSample, "--out", run, "--resume", "--init", run}), 2,
      "--init " + run + ": the run " + run + " was started without it", "--init");
  EXPECT_EQ(dir.read("run/settings.json"), settings);
}

// The run has its own sizes: the preset that it began with contradicts nothing.
TEST_F(Resume, ItsPresetAloneChangesNothing) {
  const std::string settings = dir.read("run/settings.json");
  const Result r =
      heed_program({"train", "--data", kSample, "--out", run, "--resume", "--preset", "smoke"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "static-ui, 1 layer x 8, vocabulary 150: ")) << r.out;
  EXPECT_EQ(dir.read("run/settings.json"), settings);
}

TEST_F(Resume, RemembersItsLimit) {
  const Result r = heed_program(without(with(same, "--epochs", "2"), "--limit"));
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_EQ(heed_program(with(tiny_training(dir.path("whole")), "--epochs", "2")).code, 0);
  for (const char* file : {"/model.safetensors", "/log.jsonl", "/state.json"}) {
    EXPECT_EQ(dir.read(std::string("run") + file), dir.read(std::string("whole") + file)) << file;
  }
}

// Runs of older versions do not say with which --limit and --vocab they were started.
TEST_F(Resume, SaysThatTheArithmeticIsAnother) {
  const Result as_before = heed_program(same);
  EXPECT_EQ(as_before.err, "");
  change("settings.json", [](Json& json) { json["heed"]["device"] = "cuda:1"; });
  const Result r = heed_program(same);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "heed: note: " + run +
                       ": began on cuda with f32 and goes on on cpu with f32: its numbers are not "
                       "those of either alone\n");
  change("settings.json", [](Json& json) { json.erase("heed"); });  // older runs
  EXPECT_EQ(heed_program(same).err, "");
}

TEST_F(Resume, TakesTheLimitOfAnOlderRun) {
  change("settings.json", [](Json& json) {
    json.erase("limit");
    json.erase("vocabulary");
    json.erase("preset");
  });
  change("state.json", [](Json& json) {
    json.erase("settings_checksum");
    json.erase("state_checksum");
  });
  const Result r = heed_program(with(same, "--epochs", "2"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_FALSE(Json::parse(dir.read("run/settings.json")).contains("limit"));
  expect_failure(heed_program(without(same, "--limit")), 1, "the run had an unknown --limit", "");
}

TEST_F(Resume, NamesTheCausesOfOtherDialogues) {
  fs::copy(kSample, dir.path("data"));
  std::vector<Dialogue> valid = read_dialogues(dir.path("data/valid.jsonl.gz"), 60);
  valid.pop_back();
  write_dialogues(dir.path("data/valid.jsonl.gz"), valid);
  expect_failure(heed_program(with(same, "--data", dir.path("data"))), 1,
                 "was started with: another --data, files that have changed since, the run's "
                 "vocabulary among them, or another limit (the run had --limit 60)",
                 "other dialogues");
}

TEST_F(Resume, RefusesAVocabularyThatWasChangedByHand) {
  std::istringstream lines(dir.read("run/vocab.txt"));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  ASSERT_GT(words.size(), 50u);
  std::swap(words[20], words[50]);
  std::string changed;
  for (const std::string& word : words) changed += word + "\n";
  dir.write("run/vocab.txt", changed);
  expect_failure(heed_program(with(same, "--epochs", "2")), 1,
                 "run/vocab.txt: not the lines that the model was trained with",
                 "another vocabulary");
}

// ---- settings and checkpoints belong together ---------------------------------------------------

TEST_F(Resume, RefusesSettingsThatWereChangedByHand) {
  change("settings.json", [](Json& json) { json["insert_prob"] = 0.5; });
  const Arguments more = {"train", "--data", kSample, "--out", run, "--resume", "--epochs", "2"};
  expect_failure(heed_program(more), 1,
                 run + "/state.json: belongs to other settings than those in settings.json",
                 "insert_prob");
  change("settings.json", [](Json& json) { json["insert_prob"] = 0.0; });
  change("config.json", [](Json& json) { json["structure"] = "dynamic-ui"; });
  expect_failure(heed_program(more), 1, "state.json: belongs to other settings", "structure");
  change("config.json", [](Json& json) { json["structure"] = "static-ui"; });
  EXPECT_EQ(heed_program(more).code, 0);
}

// What is left of a run, or a model from elsewhere, is not written over.
TEST_F(Resume, RefusesAFolderWithAModelOrPartOfARun) {
  for (const char* file : {"model.safetensors", "model-00001-of-00002.safetensors", "state.json",
                           "state.previous.json", "log.jsonl"}) {
    const std::string bytes = shared->read("run/model.safetensors");
    const std::string place = dir.path(std::string("with-") + file);
    dir.write(std::string("with-") + file + "/" + file, bytes);
    for (const Arguments& more : {Arguments{}, Arguments{"--resume"}}) {
      expect_failure(heed_program(tiny_training(place) + more), 2,
                     place + ": holds " + file + " but no settings.json: a model, or part of a run",
                     file);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(place), fs::directory_iterator()), 1);
    EXPECT_TRUE(dir.read(std::string("with-") + file + "/" + file) == bytes) << file;
  }
}

// Only the lock of a run that was killed as it began says that such files are its own.
TEST_F(Resume, RefusesFilesThatARunBeginsWith) {
  for (const char* file : {"config.json", "vocab.txt", "init.safetensors", "encoder/mine.py"}) {
    const std::string name = std::string("begins-") + fs::path(file).stem().string();
    dir.write(name + "/" + file, "mine");
    const std::string first = fs::path(file).begin()->string();
    expect_failure(heed_program(tiny_training(dir.path(name))), 2,
                   dir.path(name) + ": holds " + first + " but no settings.json", file);
    EXPECT_EQ(dir.read(name + "/" + file), "mine");
  }
  dir.write("begins-config/lock", "");
  EXPECT_EQ(heed_program(tiny_training(dir.path("begins-config"))).code, 0);
}

// A run does not begin among those of an experiment or a sweep.
TEST_F(Resume, RefusesAFolderOfRuns) {
  const std::string text = R"({"format": 2, "settings": {"epochs": "1"}, "data": {}})";
  for (const char* file : {"experiment.json", "sweep.json", "mine.json"}) {
    const std::string name = std::string("of-") + file;
    dir.write(name + "/" + file, text);
    for (const Arguments& more : {Arguments{}, Arguments{"--resume"}}) {
      expect_failure(heed_program(tiny_training(dir.path(name)) + more), 2,
                     dir.path(name) + ": holds " + file + ", and is a folder of runs", file);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(dir.path(name)), fs::directory_iterator()), 1);
  }
  dir.write("other/notes.json", R"({"mine": 1})");  // which is none
  EXPECT_EQ(heed_program(tiny_training(dir.path("other"))).code, 0);
}

// ---- trainings that are refused -----------------------------------------------------------------

void expect_nothing_left(const TempDir& dir, const std::string& lines, const Arguments& more,
                         int code, const std::string& says) {
  dir.write("data/train.jsonl", lines);
  dir.write("data/valid.jsonl", lines);
  const Arguments command = {"train",         "--data",   dir.path("data"), "--out",
                             dir.path("new"), "--preset", "smoke"};
  for (int i = 0; i < 2; ++i) {  // a second try is not told that there is a run
    expect_failure(heed_program(command + more), code, says, lines);
    EXPECT_FALSE(fs::exists(dir.path("new"))) << lines;
  }
}

TEST_F(Resume, ARefusedTrainingLeavesNoRun) {
  const std::string empty = R"({"turns": [{"text": " "}, {"text": " "}, {"text": " "}]})"
                            "\n";
  expect_nothing_left(dir, empty, {}, 1, "train.jsonl: holds no words");
  const std::string one = R"({"turns": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})"
                          "\n";
  expect_nothing_left(dir, one, {"--insert-prob", "1"}, 1,
                      "distractions come from other dialogues, and there is only one");
}

// ---- models that are none -----------------------------------------------------------------------

TEST_F(Resume, NoModelYet) {
  fs::remove(run + "/model.safetensors");
  for (const std::string command : {"chat", "evaluate", "score", "show"}) {
    Arguments arguments = {command, "--model", run};
    if (command != "chat") arguments = arguments + Arguments{"--data", kSample, "--limit", "5"};
    if (command == "score") arguments = score_with(run, kDialogs);
    expect_failure(heed_program(arguments), 1,
                   run + ": no model yet: an epoch of the training has to be finished", command);
  }
  expect_failure(heed_program({"chat", "--model", kSample}), 1,
                 kSample + ": not a directory of a model or a run: it has no config.json", "data");
  expect_failure(heed_program({"chat", "--model", dir.path("missing")}), 1,
                 dir.path("missing") + ": no such directory of a model or a run", "missing");
}

// ---- runs of older versions ---------------------------------------------------------------------

// A run as version 0.1.0 left it (before files had a format number), killed at the end of its
// second epoch; expected-log.jsonl is how that version went on. Numbers may differ in the last
// digits, as another processor has another order of sums.
TEST_F(Resume, ARunOfFormat1GoesOn) {
  expect_kept_run_goes_on("run-format-1", {"train", "--epochs", "3"});
}

}  // namespace
}  // namespace heed
