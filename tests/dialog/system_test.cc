// The registry: a system of one's own is trained, gone on with, loaded and asked what it can do;
// and the models that earlier versions made are still known.
#include "dialog/system.h"

#include <cmath>

#include "base/file.h"
#include "base/list.h"
#include "dialog/discriminate/task.h"
#include "dialog/open_run.h"
#include "dialog/respond/config.h"
#include "tests/dialog/length_system.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

Example context_of(const std::vector<std::vector<int32_t>>& utterances) {
  Example example;
  example.context = utterances;
  example.distraction.resize(utterances.size());
  return example;
}

struct Systems : testing::Test {
  static void SetUpTestSuite() { register_system(length::system()); }
  Systems() {  // responses of 2, 2, 4 and 4 words: the mean is 3
    std::string lines;
    for (const char* text : {"a b", "c d", "a b c d", "e f g h"}) {
      lines += std::string("{\"turns\": [{\"text\": \"x\"}, {\"text\": \"") + text + "\"}]}\n";
    }
    data = dir.write("d.jsonl", lines);
  }
  bool run(const std::string& out, int epochs, bool resume = false) {
    const std::unique_ptr<Training> training = find_system("rank/length").train("usual", "");
    training->loop().max_epochs = epochs;
    const OpenRun opened =
        open_run(*training, {.data = {data},
                             .out = dir.path(out),
                             .resume = resume,
                             .take = [&](auto, AnySettings run) {
                               const auto take = [&](const Setting& s, auto&& value) {
                                 if constexpr (std::is_same_v<decltype(value), int&>) {
                                   if (s.option == "epochs") value = epochs;
                                 }
                               };
                               visit_settings(run, take);
                             }});
    EXPECT_EQ(opened.is_new, !resume);
    return training->train(dir.path(out), {}, {});
  }

  const TempDir dir;
  std::string data;
};

TEST_F(Systems, OneOfAProgramsOwnIsTrainedGoneOnWithAndLoaded) {
  EXPECT_TRUE(run("whole", 2));
  EXPECT_TRUE(run("parts", 1));
  EXPECT_TRUE(run("parts", 2, /*resume=*/true));
  EXPECT_EQ(dir.read("parts/model.safetensors"), dir.read("whole/model.safetensors"));
  EXPECT_EQ(dir.read("parts/log.jsonl"), dir.read("whole/log.jsonl"));

  const LoadedSystem loaded = load_system(dir.path("whole"));
  EXPECT_EQ(loaded.system, "rank/length");
  EXPECT_EQ(loaded.encoder, nullptr);
  ASSERT_NE(loaded.ranker, nullptr);
  const double w = dynamic_cast<const length::Model&>(*loaded.module).value();
  EXPECT_GT(w, 1);  // it began with, and moved to
  EXPECT_LE(w, 5);
  const auto scores = loaded.ranker->score({"a b c", "a"}, {{{"x"}, {1, 0}}}, 8).of_queries;
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_NEAR(scores[0][0], -std::fabs(1 - w), 1e-12);
  EXPECT_NEAR(scores[0][1], -std::fabs(3 - w), 1e-12);
}

TEST_F(Systems, ARunIsBegunOnceAndGoesOnWithItsOwnData) {
  ASSERT_TRUE(run("run", 1));
  const std::string out = dir.path("run");
  const auto open = [&](const std::string& from, bool resume) {
    const auto training = find_system("rank/length").train("usual", "");
    (void)open_run(*training, {.data = {from}, .out = out, .resume = resume});
  };
  EXPECT_EQ(error_of<UsageError>([&] { open(data, false); }),
            out + ": already holds a run; --resume continues it, or take another --out");
  const std::string other = dir.write("o.jsonl", dir.read("d.jsonl") + dir.read("d.jsonl"));
  EXPECT_EQ(error_of<DataError>([&] { open(other, true); }),
            other + ": not the dialogues that the run " + out +
                " was started with: another --data, or files that have changed since, the run's "
                "vocabulary "
                "among them");
  std::filesystem::remove(out + "/settings.json");
  EXPECT_TRUE(has(error_of<UsageError>([&] { open(data, true); }), "but no settings.json"));
  // What a training leaves that is killed before it begins is in nobody's way.
  const auto again = find_system("rank/length").train("usual", "");
  for (const char* part : {"tables", "embeddings", "init"}) {
    dir.write("left/" + std::string(part) + ".safetensors", "");
  }
  dir.write("left/lock", "");
  EXPECT_TRUE(open_run(*again, {.data = {data}, .out = dir.path("left")}).is_new);
}

// The words of a run are a part of what it learns from.
TEST_F(Systems, ARunDoesNotGoOnWithOtherWords) {
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    const std::string food = "food" + std::to_string(i % 4), n = std::to_string(i);
    lines += R"({"turns": [{"speaker": "user", "text": "i want )" + food + " today " + n +
             R"(", "labels": {"state": ["food=)" + food +
             R"("]}}, {"speaker": "system", "text": "which part of town", "labels": )" +
             R"({"act": ["request area"]}}, {"speaker": "user", "text": "it is north )" + n +
             R"(", "labels": {"state": ["food=)" + food + R"("], "rewritten": [")" + food +
             " is north " + n + "\"]}}]}\n";
  }
  for (const char* part : {"data/train.jsonl", "data/valid.jsonl"}) dir.write(part, lines);
  for (const char* system : {"discriminate", "gaps", "tracker"}) {
    SCOPED_TRACE(system);
    const std::string out = dir.path(system), words = out + "/vocab.txt";
    const auto open = [&](bool resume) {
      const auto training = find_system(system).train("smoke", "");
      training->complete();
      (void)open_run(*training, {.data = {dir.path("data")}, .out = out, .resume = resume});
    };
    open(false);
    open(true);
    std::vector<std::string> all = split(read_file(words, 1 << 20), '\n');
    std::iter_swap(all.rbegin(), all.rbegin() + 1);
    write_file(words, joined(all, "\n") + "\n");
    EXPECT_TRUE(has(error_of<DataError>([&] { open(true); }),
                    words + ": not the lines that the model was trained with"));
  }
}

TEST_F(Systems, CommandsAskForWhatAModelCanDo) {
  ASSERT_TRUE(run("run", 1));
  const std::string out = dir.path("run");
  require(out, Capability::kRank);
  const std::string able = "respond, adversary, hredgan";
  EXPECT_EQ(
      error_of<UsageError>([&] { require(out, Capability::kRespond); }),
      out + ": a ranker by length, which cannot respond; models of these systems can: " + able);
  // Of each capability that it has not: which one, and who has it.
  const std::string it = out + ": a ranker by length, which cannot ";
  EXPECT_EQ(error_of<UsageError>([&] { require(out, Capability::kEncode); }),
            it + "encode; models of these systems can: respond, discriminate, adversary, hredgan, "
                 "pretrained/bert, retrieval, gaps, tracker, carryover");
  EXPECT_EQ(error_of<UsageError>([&] { require(out, Capability::kClassify); }),
            it + "classify; models of these systems can: discriminate");
  const std::string kept = source_dir() + "/tests/heed/adversary-run";
  EXPECT_EQ(error_of<UsageError>([&] { require(kept, Capability::kClassify); }),
            kept + ": " + find_system("respond").what +
                ", which cannot classify; models of these systems can: discriminate");
  EXPECT_TRUE(
      has(error_of<UsageError>([] { find_system("rank/width"); }),
          "system: expected one of respond, discriminate, adversary, hredgan, pretrained/bert"));
  EXPECT_EQ(
      error_of<UsageError>([] { register_system({.name = "respond", .what = "", .can = {}}); }),
      "system: there is one called 'respond' already");
  const std::string config = dir.write("m/config.json", "{\"system\": \"track/energy\"}");
  EXPECT_TRUE(has(error_of<DataError>([&] { system_of(dir.path("m")); }),
                  config + ": a model of the system \"track/energy\"; this program has respond, "));
  dir.write("m/config.json", "{\"system\": 3}");
  EXPECT_TRUE(has(error_of<DataError>([&] { system_of(dir.path("m")); }), "the system 3"));
}

// With the wish for more epochs, which the run then keeps.
TEST_F(Systems, ARunGoesOnByTheSettingsThatItWasLastGiven) {
  ASSERT_TRUE(run("run", 1));
  ASSERT_TRUE(run("run", 3, /*resume=*/true));
  const auto training = find_system("rank/length").train("usual", "");
  ASSERT_NE(training->loop().max_epochs, 3);
  (void)open_run(*training, {.data = {data}, .out = dir.path("run"), .resume = true});
  EXPECT_EQ(training->loop().max_epochs, 3);
}

TEST_F(Systems, AFolderOfRunsIsNoRun) {
  dir.write("runs/mine.json", R"({"format": 1, "settings": {}, "data": {}})");
  const auto training = find_system("rank/length").train("usual", "");
  const std::string out = dir.path("runs");
  EXPECT_EQ(error_of<UsageError>([&] { (void)open_run(*training, {.data = {data}, .out = out}); }),
            out + ": holds mine.json, and is a folder of runs; take another --out");
}

// A training that cannot begin; before it does, somebody else may.
class Refused : public length::LengthTraining {
 public:
  using LengthTraining::LengthTraining;
  void prepare(const Talk&) override {
    if (!meanwhile.empty()) std::ofstream(meanwhile) << "theirs";
  }
  void start(const std::string& run, const std::string&) override {
    std::ofstream(run + "/vocab.txt") << "ours";
    throw UsageError("cannot begin");
  }
  std::string meanwhile;
};

TEST_F(Systems, ARunThatCannotBeginLeavesWhatWasThere) {
  const std::string out = dir.path("out");
  Refused training("usual");
  const auto error = [&] {
    return error_of<UsageError>([&] { (void)open_run(training, {.data = {data}, .out = out}); });
  };
  EXPECT_EQ(error(), "cannot begin");
  EXPECT_FALSE(std::filesystem::exists(out));
  std::filesystem::create_directory(dir.path("elsewhere"));
  std::filesystem::create_directory_symlink(dir.path("elsewhere"), out);
  EXPECT_EQ(error(), "cannot begin");
  EXPECT_TRUE(std::filesystem::is_symlink(out));
  std::filesystem::remove(out);
  dir.write("out/notes.txt", "mine");
  EXPECT_EQ(error(), "cannot begin");
  EXPECT_EQ(dir.read("out/notes.txt"), "mine");
  EXPECT_FALSE(std::filesystem::exists(out + "/vocab.txt"));
  training.meanwhile = out + "/settings.json";
  EXPECT_EQ(error(), out + ": already holds a run; --resume continues it, or take another --out");
  EXPECT_EQ(dir.read("out/settings.json"), "theirs");
}

// A new run, one that has a checkpoint, and one that is gone on with.
TEST_F(Systems, OnlyANewRunWithoutACheckpointIsTakenBack) {
  const auto is_left = [&](const std::string& file, bool is_new) {
    dir.write("run/" + file, "");
    OpenRun{nullptr, is_new}.take_back(dir.path("run"));
    const bool left = std::filesystem::exists(dir.path("run/" + file));
    std::filesystem::remove_all(dir.path("run"));
    return left;
  };
  EXPECT_FALSE(is_left("settings.json", true));
  EXPECT_TRUE(is_left("settings.json", false));
  EXPECT_TRUE(is_left("state.json", true));
}

// The rules of a system for its own settings, and its kind, hold for the files of a run.
TEST_F(Systems, FilesAreHeldToTheRulesOfTheirSystem) {
  ASSERT_TRUE(run("run", 1));
  const std::string run = dir.path("run");
  length::Settings s;
  const auto rule = [] { throw UsageError("length: too long"); };
  RunNames names = length::Own::kNames;
  EXPECT_EQ(error_of<DataError>([&] { read_config(run, names, settings_of_run(s).config, rule); }),
            run + "/config.json: length: too long");
  EXPECT_EQ(error_of<DataError>([&] { read_training(run, settings_of_run(s).training, rule); }),
            run + "/settings.json: length: too long");
  const auto read = [&] { read_config(run, names, settings_of_run(s).config, [] {}); };
  names.kind = "long";
  EXPECT_EQ(error_of<DataError>(read),
            run + "/config.json: not a ranker by length, which heed train rank/length makes");
  write_run(run, names, names.kind, settings_of_run(s), settings_of_run(s), "");
  read();
}

TEST(Texts, OfAnEpochAndOfOtherDialogues) {
  const LineColumn columns[] = {{"loss", "loss", 4}, {"F1", "f1", 2}};
  const EpochLog epoch{.epoch = 3, .loss = 0.5, .metrics = {{"loss", 7}, {"f1", 0.75}}};
  const auto line = [&](bool best) {
    return epoch_line(epoch, best, std::begin(columns), std::end(columns));
  };
  EXPECT_EQ(line(false), "epoch  3  loss 0.5000  F1 0.75");
  EXPECT_EQ(line(true), "epoch  3  loss 0.5000  F1 0.75  best");
  const std::string says =
      "a,b: not the dialogues that the run r was started with: another --data, ";
  const auto error = [](const std::string& limit) {
    return error_of<DataError>([&] { check_same_data(false, {"a", "b"}, "r", limit); });
  };
  EXPECT_EQ(error(""), says + "or files that have changed since, the run's vocabulary among them");
  EXPECT_EQ(error("5"),
            says +
                "files that have changed since, the run's vocabulary among them, or another "
                "limit (the run had 5)");
}

// A structure is no preset, and one that is offered can be made.
TEST(Forms, AreThoseOfTheirSystem) {
  for (const System& system : systems()) {
    if (!system.train) continue;
    const System::Choice presets = system.presets(), forms = system.forms();
    EXPECT_EQ(forms.names.empty(), system.name != "respond" && system.name != "hredgan")
        << system.name;
    for (const std::string& form : forms.names) {
      EXPECT_FALSE(std::count(presets.names.begin(), presets.names.end(), form)) << form;
      EXPECT_NE(system.train(presets.usual, form), nullptr) << form;
    }
  }
}

// Runs of version 0.1.0, and one that is older than the key "system".
TEST(KeptRuns, AreOfTheSystemsThatTheyWere) {
  const std::string kept = source_dir() + "/tests/heed/";
  EXPECT_EQ(system_of(kept + "run-format-1").name, "respond");
  EXPECT_EQ(system_of(kept + "adversary-run").name, "respond");
  EXPECT_EQ(system_of(kept + "discriminator-run").name, "discriminate");
  for (const char* run : {"run-format-1", "adversary-run", "discriminator-run"}) {
    const LoadedSystem loaded = load_system(kept + run);
    ASSERT_NE(loaded.encoder, nullptr) << run;
    const Example example = context_of({{5, 6, 7}, {8}});
    EXPECT_EQ(loaded.encoder->encode({example, example}).shape(),
              (Shape{2, loaded.encoder->width()}))
        << run;
  }
}

// [fwd_T; bwd_1] of the context as a passage has it: two utterances, 25 tokens of each.
TEST(DiscriminatorAsEncoder, ReadsAContextAsItsPassages) {
  const std::string run = source_dir() + "/tests/heed/discriminator-run";
  const LoadedSystem loaded = load_system(run);
  const auto model = discriminate::Runs::load(run);
  std::vector<int32_t> long_one(30, 9);
  const std::vector<Example> examples = {context_of({{5, 6}, {7, 8, 9}, long_one}),
                                         context_of({{10}})};
  const Tensor x = loaded.encoder->encode(examples, {.batch = 1});
  long_one.resize(25);
  const std::vector<Example> read = {context_of({{7, 8, 9}, long_one}), context_of({{10}})};
  for (int64_t i = 0; i < 2; ++i) {
    const auto want = model.model(discriminate::pack_sequences({read[i]})).last.value().to_vector();
    EXPECT_EQ(x[i].to_vector(), want) << i;
  }
}

}  // namespace
}  // namespace heed
