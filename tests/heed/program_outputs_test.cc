// Where commands write: places that cannot be written, and files that another output or an input
// has. One line says so before the work.
#include <filesystem>

#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST(Output, PlacesThatCannotBeWritten) {
  const TempDir dir;
  const std::string file = dir.write("file", "mine");
  // Noticed before the work, not after it: the model and the data are not looked at.
  for (const std::string& place :
       {file + "/below", dir.path("missing/below"), std::string("/proc/below"), dir.path("")}) {
    for (const char* command : {"score", "evaluate"}) {
      expect_failure(heed_program({command, "--model", "none", "--data", "none", "--json", place}),
                     1, place, command);
    }
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
    expect_failure(without_notes(heed_program(command, "/dev/full")), 1,
                   "standard output: cannot be written", join(command));
  }
}

TEST(Outputs, AreNoInputs) {
  const TempDir dir;
  const std::string talk = dir.path("talk.jsonl"), text = "{\"turns\": [{\"text\": \"a\"}]}\n";
  dir.write("talk.jsonl", text);
  dir.write("model/config.json", "{}");
  const std::string model = dir.path("model"), config = dir.path("model/config.json");
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"prepare", "text", "--in", talk, "--out", talk},
       "--out " + talk + ": would overwrite what --in reads"},
      {{"prepare", "reverse", "--in", talk, "--out", dir.path("new/../talk.jsonl")},
       "would overwrite what --in reads"},
      {{"distract", "--data", talk, "--test", "rare:end", "--out", talk},
       "would overwrite what --data reads"},
      {{"score", "--model", model, "--data", talk, "--json", talk},
       "would overwrite what --data reads"},
      {{"score", "--model", model, "--data", talk, "--json", config}, "is a part of " + model}};
  for (const auto& [command, says] : cases) {
    expect_failure(heed_program(command), 2, says, join(command));
  }
  EXPECT_EQ(dir.read("talk.jsonl"), text);
  EXPECT_EQ(dir.read("model/config.json"), "{}");
}

// What is read may stand in a list, in a folder, or be the file of options; beside a model there
// may be results, which are written again.
TEST(Outputs, AreNoPartsOfInputs) {
  const TempDir dir;
  const std::string row =
      "{\"turns\": [{\"text\": \"a\"}, {\"text\": \"b\"}, {\"text\": \"c\"}]}\n";
  const std::string sweep = R"({"format": 1, "settings": {}, "data": {}})";
  const std::string files[] = {
      dir.write("my.toml", "[rank.baseline]\n"), dir.write("pool", "a\nb\n"),
      dir.write("talks/test.jsonl", row),        dir.write("talks/more/one.json", "[]"),
      dir.write("model/config.json", "{}"),      dir.write("model/pool.txt.gz", "a\nb\n"),
      dir.write("model/scores.json", "[]"),      dir.write("runs/mine.json", sweep),
      dir.write("runs/a/config.json", "{}"),     dir.write("runs/a/evaluation.json", "[]"),
      dir.write("model/lock", "1 here")};
  const std::string talks = dir.path("talks"), model = dir.path("model"), runs = dir.path("runs");
  const Arguments rank = {"rank", "baseline", "tf-idf", "--data", talks};
  const Arguments test = {"rank", "test", "--model", model, "--data", dir.path("none"), "--json"};
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {rank + Arguments{"--config", files[0], "--out", files[0]}, "what --config reads"},
      {rank + Arguments{"--lists", "whitelist:" + files[1], "--out", files[1]},
       "what --lists reads"},
      {rank + Arguments{"--out", files[2]}, "is a part of " + talks},
      {rank + Arguments{"--json", files[3]}, "is a part of " + talks},
      {test + Arguments{files[5]}, "is a part of " + model},
      {test + Arguments{files[10]}, "is a part of " + model},
      {{"report", runs, "--html", files[7]}, "is a part of " + runs},
      {{"report", runs, "--html", files[9]}, "is a part of " + runs}};
  for (const auto& [command, says] : cases) {
    expect_failure(heed_program(command), 2, says, join(command));
  }
  expect_failure(heed_program(test + Arguments{files[6]}), 1, "none: cannot open", "results");
  for (const std::string& file : files) EXPECT_GT(std::filesystem::file_size(file), 0u) << file;
  expect_failure(heed_program({"encode", "--model", model, "--in", files[1], "--out", "-"}), 2,
                 "--out -: is not for standard output", "-");
}

// A run of a folder whose models are not kept: the page is not written over its numbers, nor are
// the tables, of which one is called read.json as its measurement is.
TEST(Outputs, AreNoMeasurements) {
  const TempDir dir;
  const std::string runs = dir.path("runs"), run = runs + "/turns-0-seed1";
  fs::copy(source_dir() + "/docs/results/comprehend/molweni", runs, fs::copy_options::recursive);
  for (const std::string file : {"/evaluation.json", "/log.jsonl"}) {
    expect_failure(heed_program({"report", runs, "--html", run + file}), 2, "is a part of " + runs,
                   file);
  }
  expect_failure(heed_program({"report", runs, "--tables", run}), 2,
                 "--tables " + run + ": holds evaluation.json, which is of a run", "tables");
  EXPECT_EQ(heed_program({"report", runs, "--html", runs + "/page.html"}).code, 0);
  EXPECT_EQ(heed_program({"report", runs, "--html", runs + "/page.html"}).code, 0) << "again";
}

// What is missing is told before the work: here there is not even a model.
TEST(Files, AreLookedForBeforeTheWork) {
  const TempDir dir;
  const std::string model = dir.path("none"), back = dir.path("back");
  const auto fails = [&](const Arguments& command, const std::string& says) {
    expect_failure(heed_program(command + Arguments{"--model", model}), 1, says, command[0]);
  };
  fails({"encode", "--in", dir.path("in"), "--out", dir.path("out/x.npy")}, "cannot write");
  fails({"evaluate", "--data", kDialogs, "--test", "none", "--pmi", back}, back + ": cannot open");
  for (const std::string rank : {"mmi:", "model:", "D:", "pmi:"}) {
    fails({"generate", "--data", kDialogs, "--out", "-", "--n-best", "2", "--rank", rank + back},
          back + ": ");
  }
}

// The second would replace the first, under whatever name.
TEST(Outputs, AreDifferentFiles) {
  const TempDir dir;
  const std::string file = dir.path("y"), linked = dir.path("link");
  std::filesystem::create_symlink(file, linked);
  const std::vector<Arguments> commands = {
      {"respond", "--model", kModel, "--data", kDialogs, "--out", file, "--json"},
      {"generate", "--model", kModel, "--data", kDialogs, "--out", file, "--json"},
      {"discriminate", "test", "--model", kModel, "--data", kSample, "--json", file,
       "--predictions"},
      {"judge", "simulate", "--out", file, "--key"}};
  for (const Arguments& command : commands) {
    for (const std::string& same : {file, dir.path("./y"), linked}) {
      expect_failure(heed_program(command + Arguments{same}), 2, ", too; give another file",
                     join(command) + same);
      EXPECT_FALSE(std::filesystem::exists(file));
    }
  }
  // Nor under a relative name of a file that is not there yet.
  const std::string relative = "outputs-are-different-files";
  for (const std::string& same : {"./" + relative, "tests/../" + relative}) {
    expect_failure(heed_program({"respond", "--model", kModel, "--data", kDialogs, "--out",
                                 relative, "--json", same}),
                   2, ", too; give another file", same);
  }
}

// What a script leaves empty is no place to write to or to read, and nothing is computed for it.
TEST(Outputs, HaveNames) {
  const TempDir dir;
  const Arguments data = {"--model", kModel, "--data", kDialogs};
  const std::vector<Arguments> commands = {
      Arguments{"score"} + data + Arguments{"--json"},
      Arguments{"respond"} + data + Arguments{"--out"},
      Arguments{"show"} + data + Arguments{"--html"},
      {"info", kModel, "--card"},
      {"log", kModel, "--csv"},
      {"log", kModel, "--jsonl"},
      {"log", kModel, "--tensorboard"},
      {"plot", kModel, "--svg"},
      {"compare", kModel, kModel, "--markdown"},
      {"compare", kModel, kModel, "--latex"},
      {"report", dir.path(""), "--tables"},
      {"judge", "simulate", "--out", dir.path("x"), "--key"},
      {"discriminate", "test", "--model", kModel, "--predictions"},
      {"discriminate", "test", "--model", kModel, "--responses"},
      Arguments{"evaluate"} + data + Arguments{"--pmi"},
      Arguments{"evaluate"} + data + Arguments{"--pool"},
      {"evaluate", "--model"},
      {"log", kModel, "--config"},
      {"train", "--data", kSample, "--out"}};
  for (const Arguments& command : commands) {
    expect_failure(heed_program(command + Arguments{""}), 2,
                   command.back() + ": expected a path, got ''", join(command));
    if (command.back() != "--html" && command.back() != "--svg") continue;
    expect_failure(heed_program(command + Arguments{"-"}), 2,
                   command.back() + ": expected the name of a file, got -", join(command));
  }
  const std::string same = dir.path("same");
  expect_failure(heed_program({"report", dir.path(""), "--html", same, "--tables", same}), 2,
                 "--tables " + same + ": is --html, too", same);
  EXPECT_EQ(dir.count_files(), 0u);
}

}  // namespace
}  // namespace heed
