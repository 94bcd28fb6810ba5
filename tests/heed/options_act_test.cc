// Every option changes what its command does.
#include <nlohmann/json.hpp>
#include <set>

#include "dialog/data/corpus.h"
#include "tests/heed/options_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

// A command, and what it leaves behind that options can change.
struct Example {
  Arguments base;
  std::string typed = "";  // on standard input
};

// An option with a value, or another way to show what it does.
struct Row {
  std::string option;
  Arguments values;            // behind the option
  Arguments with = {};         // in both runs
  const char* test = nullptr;  // that shows it, where this one cannot
};

class Act : public Options {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    std::filesystem::create_directory(data());
    for (const char* part : {"train", "valid", "test"}) {
      std::vector<Dialogue> dialogues = read_dialogues(find_part(kSample, part), 60);
      for (Dialogue& d : dialogues) {  // the same two speakers in all, for --speaker
        for (size_t i = 0; i < d.turns.size(); ++i) d.turns[i].speaker = i % 2 == 0 ? "A" : "B";
      }
      write_dialogues(data() + "/" + part + ".jsonl", dialogues);
    }
    for (const char* seed : {"1", "2"}) {
      const Arguments train =
          tiny_training(shared->path(std::string("run") + seed)) + Arguments{"--seed", seed};
      ASSERT_EQ(heed_program(train).code, 0);
    }
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string data() { return shared->path("data"); }
  static std::string run(int i) { return shared->path("run" + std::to_string(i)); }

  // All that the command says and writes, without what only repeats the options: of JSON the keys
  // "heed" and "inputs", of a run config.json and settings.json.
  std::string effect(const Example& example, const Arguments& more) const {
    const TempDir dir;
    Arguments command = example.base + more;
    for (std::string& word : command) {
      const size_t at = word.find("OUT");
      if (at != word.npos) word.replace(at, 3, dir.path("out"));
    }
    dir.write("typed", example.typed);
    Result r = heed_program(command, "", dir.path("typed"));
    EXPECT_EQ(r.code, 0) << join(command) << r.err;
    std::string all = without(r.out) + r.err;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path(""))) {
      const std::string name = entry.path().lexically_relative(dir.path("")).string();
      const std::string file = entry.path().filename().string();
      if (!name.starts_with("out") || !entry.is_regular_file()) continue;
      all += name + "\n";
      if (file != "config.json" && file != "settings.json" && file != "state.json" &&
          !file.ends_with(".html") && file != "lock") {
        all += without(dir.read(name));
      }
    }
    for (size_t at; (at = all.find(dir.path(""))) != all.npos;) all.erase(at, dir.path("").size());
    return all;
  }
  static std::string without(const std::string& text) {
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return text;
    for (const char* key : {"heed", "inputs", "decode"}) json.erase(key);
    return json.dump();
  }

  // The command with the option, in place of the one that it has.
  static Arguments changed(Arguments command, const Row& row) {
    const auto at = std::find(command.begin(), command.end(), row.option);
    if (at != command.end()) command.erase(at, at + 2);
    return command + Arguments{row.option} + row.values;
  }

  // Every row changes what the command does.
  void check_rows(const std::string& command, const Example& example,
                  const std::vector<Row>& rows) const {
    std::map<std::string, std::string> before;  // what is given in both runs, and its effect
    EXPECT_TRUE(rows.empty() || example.base.empty() || effect(example, {}) == effect(example, {}))
        << command << " does something else every time";
    for (const Row& row : rows) {
      if (row.test) continue;
      std::string& base = before[join(row.with)];
      if (base.empty()) base = effect(example, row.with);
      EXPECT_TRUE(effect({changed(example.base, row), example.typed}, row.with) != base)
          << command << " " << row.option << " changes nothing";
    }
  }
  // And every option of the command has a row.
  void check(const std::string& command, const Example& example,
             const std::vector<Row>& rows) const {
    check_rows(command, example, rows);
    std::set<std::string> shown = {"--help"};
    for (const Row& row : rows) shown.insert(row.option);
    for (const std::string& option : option_names(*commands.at(command))) {
      EXPECT_TRUE(shown.contains(option)) << command << " " << option << " has no row";
    }
    for (const Row& row : rows) {
      EXPECT_NE(commands.at(command)->get_option_no_throw(row.option), nullptr) << row.option;
      EXPECT_TRUE(!row.test || is_test(row.test)) << row.test;
    }
  }

  static bool is_in_tests(const std::string& text) {
    static const std::string sources = [] {
      std::string all;
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(source_dir() + "/tests")) {
        if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        all += text.str();
      }
      return all;
    }();
    return sources.find(text) != sources.npos;
  }
  // Whether there is a test "Suite.Name".
  static bool is_test(const std::string& name) {
    const size_t dot = name.find('.');
    return is_in_tests("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")");
  }

  inline static TempDir* shared = nullptr;
};

using Rows = std::vector<Row>;

Rows all_of(const std::vector<Rows>& lists) {
  Rows all;
  for (const Rows& rows : lists) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

const Rows kDevice = {{"--threads", {}, {}, "Evaluate.SaysWhatItIsMadeWith"},
                      {"--device", {}, {}, "Device.ThatIsNotThere"},
                      {"--matmul", {}, {}, "ProgramOnCuda.EveryCommandGivesTheNumbersOfTheCpu"}};
const Row kBatch = {"--batch", {}, {}, "Program.ScoreHasTheKeysAndNumbersOfTheReference"};
const Row kModelRow = {"--model", {}, {}, "Program.EvaluateOnAllTestSets"};
const Row kData = {"--data", {}, {}, "Evaluate.DataIsADirectoryOrAFile"};
const Rows kInputs = {kData,
                      {"--limit", {"1"}},
                      {"--examples", {"all"}},
                      {"--max-turns", {"2"}},
                      {"--speaker", {"A"}},
                      {"--min-turns", {"2"}, {"--examples", "all"}}};
// The same of a model that was trained with --examples all.
const Rows kInputsOfTrained = {kData,
                               {"--limit", {"1"}},
                               {"--examples", {"last"}},
                               {"--max-turns", {"2"}},
                               {"--speaker", {"A"}},
                               {"--min-turns", {"2"}, {"--examples", "all"}}};
const Rows kBounds = {
    {"--max-utterance", {"2"}}, {"--max-response", {"2"}}, {"--max-context", {"4"}}};
const Rows kInsertion = {{"--pool", {kDialogs}, {"--test", "random:1.0"}},
                         {"--frequent", {"hello there"}, {"--test", "frequent:end"}},
                         {"--rare", {"hello there"}, {"--test", "rare:end"}}};
const Rows kDecoding = {{"--decode", {"beam"}},
                        {"--max-length", {"2"}},
                        {"--top-k", {"1"}, {"--decode", "sample"}},
                        {"--temperature", {"20"}, {"--decode", "sample"}},
                        {"--beam-size", {"1"}, {"--decode", "beam"}},
                        {"--length-penalty", {"10"}, {"--decode", "beam"}},
                        {"--condition", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                        {"--allow-unk", {}, {"--decode", "sample"}}};

Arguments reading(const char* command, const std::string& model, const std::string& data) {
  return {command, "--model", model, "--data", data, "--limit", "5", "--threads", "1"};
}

const Rows kEvaluation = {{"--test", {"none"}},
                          {"--seed", {"2"}},
                          {"--json", {}, {}, "Program.EvaluateOnAllTestSets"},
                          kBatch};

TEST_F(Act, Evaluate) {
  check("evaluate", {reading("evaluate", run(1), data()) + Arguments{"--json", "OUT.json"}},
        all_of({kDevice,
                kInputs,
                kBounds,
                kInsertion,
                kEvaluation,
                {kModelRow,
                 {"--per-example", {}},
                 {"--accuracy", {}},
                 {"--responses", {}},
                 {"--pmi", {data()}},
                 {"--ranks", {}, {}, "OnRanks.AnEvaluationHasTheSameNumbers"}}}));
}

TEST_F(Act, Compare) {
  const Arguments command = {"compare", run(1), run(2), "--data", data(), "--limit", "5"};
  check("compare", {command + Arguments{"--json", "OUT.json"}},
        all_of({kDevice,
                kInputs,
                kBounds,
                kInsertion,
                kEvaluation,
                {{"--accuracy", {}},
                 {"--own-turns", {}, {}, "Compare.ModelsReadTheirOwnTurns"},
                 {"--responses", {}},
                 {"--against", {run(1)}, {}, "Compare.GroupsAreComparedByTheirMeans"},
                 {"--csv", {}, {}, "Compare.GroupsAreComparedByTheirMeans"},
                 {"--markdown", {}, {}, "Compare.GroupsAreComparedByTheirMeans"},
                 {"--latex", {}, {}, "Compare.GroupsAreComparedByTheirMeans"}}}));
}

TEST_F(Act, Score) {
  check("score", {reading("score", run(1), data()) + Arguments{"--json", "OUT.json"}},
        all_of({kDevice,
                kInputs,
                kBounds,
                {kBatch,
                 kModelRow,
                 {"--attention", {}},
                 {"--dtype", {"f64"}},
                 {"--json", {}, {}, "Program.ScoreHasTheKeysAndNumbersOfTheReference"}}}));
}

TEST_F(Act, Respond) {
  check("respond", {reading("respond", kTrained, data()) + Arguments{"--out", "OUT.jsonl"}},
        all_of({kDevice,
                kInputsOfTrained,
                kBounds,
                kDecoding,
                {kBatch,
                 kModelRow,
                 {"--seed", {"2"}, {"--decode", "sample"}},
                 {"--json", {"OUT.json"}},
                 {"--best-of", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--rank", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--noise-variance", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--taught", {}},
                 {"--pmi", {data()}},
                 {"--distance", {run(1)}},
                 {"--dull", {}, {}, "Respond.MeasuresDistanceAndEchoesIfAsked"},
                 {"--echo", {data()}},
                 {"--sentiment-words", {shared->write("lexicon.txt", "the\t1\n")}},
                 {"--out", {}, {}, "Respond.WritesResponsesAndMeasures"}}}));
}

TEST_F(Act, Generate) {
  Rows decoding = all_of({kDecoding, {{"--leave-out", {"repeated"}}, {"--beam", {"1"}}}});
  decoding[0].values = {"greedy"};
  check("generate", {reading("generate", kTrained, data()) + Arguments{"--out", "OUT.jsonl"}},
        all_of({kDevice,
                kInputsOfTrained,
                kBounds,
                decoding,
                {kBatch,
                 kModelRow,
                 {"--n-best", {"3"}},
                 {"--rank", {"antilm"}, {"--n-best", "3"}},
                 {"--rank-weight", {"1"}, {"--n-best", "3", "--rank", "antilm"}},
                 {"--best-of", {}, {}, "HredganProgram.RanksWhatIsGenerated"},
                 {"--noise-variance", {}, {}, "HredganProgram.RanksWhatIsGenerated"},
                 {"--seed", {"2"}, {"--decode", "sample"}},
                 {"--json", {"OUT.json"}},
                 {"--epoch", {}, {}, "AdversaryProgram.TrainsAndTellsWhatBecameOfThem"},
                 {"--out", {}, {}, "Generate.WritesDialoguesThatEndWithTheModelsResponse"}}}));
}

TEST_F(Act, Show) {
  check("show", {reading("show", kTrained, data())},
        all_of({kDevice,
                kInputsOfTrained,
                kBounds,
                kInsertion,
                kDecoding,
                {kBatch,
                 kModelRow,
                 {"--baseline", {run(2)}},
                 {"--name", {"mine", "theirs"}, {"--baseline", run(2)}},
                 {"--test", {"none"}},
                 {"--count", {"1"}},
                 {"--id", {}, {}, "Show.NumbersUtterancesByTheirPlaceInTheDialogue"},
                 {"--insert", {}, {}, "Carry.ShowsWhereItLooks"},
                 {"--html", {"OUT.html"}},
                 {"--seed", {"2"}}}}));
}

TEST_F(Act, Chat) {
  const std::string typed = "hello, my wifi does not work\nwhich card is it?\n";
  check("chat", {{"chat", "--model", kTrained, "--threads", "1"}, typed},
        all_of({kDevice,
                kDecoding,
                {kModelRow,
                 {"--seed", {"2"}, {"--decode", "sample"}},
                 {"--best-of", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--rank", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--noise-variance", {}, {}, "HredganProgram.RanksAnswers"},
                 {"--web", {}, {}, "ChatWeb.TellsItsAddressAnswersAndEndsOnCtrlC"},
                 {"--pool", {}, {}, "Pools.AnswersOutOfAPool"},
                 {"--port", {}, {}, "ChatWeb.TakesTheBundledModelsAndThePortThatItIsTold"}}}));
}

TEST_F(Act, Distract) {
  check("distract",
        {{"distract", "--data", data(), "--limit", "5", "--out", "OUT.jsonl", "--model", run(1)}},
        all_of({kInputs,
                kInsertion,
                {{"--model", {}, {}, "Distract.ScoreGivesTheNumbersOfEvaluate"},
                 {"--test", {"rare:end"}},
                 {"--seed", {"2"}},
                 {"--json", {"OUT.json"}},
                 {"--out", {}, {}, "Distract.SaysFirstWhereItCannotWrite"}}}));
}

TEST_F(Act, Train) {
  const std::string vectors = shared->write("vectors.txt", "the 1 1 1 1 1 1 1 1\n"),
                    topics = shared->write("topics.txt", "have do not can\nwith ubuntu on for\n");
  const Rows sizes = {{"--layers", {"2"}},
                      {"--hidden", {"6"}},
                      {"--embed", {"6"}},
                      {"--vocab", {"100"}},
                      {"--min-count", {"9"}},
                      {"--tokens", {}, {}, "ModelsOfPieces.AreTrainedOnMeasuredAndSpoken"},
                      {"--batch", {"3"}},
                      {"--dropout", {"0.5"}},
                      {"--embeddings", {vectors}},
                      {"--epochs", {"1"}},
                      {"--structure", {"dynamic"}},
                      {"--heads", {"4"}, {"--structure", "transformer"}},
                      {"--attention", {"general"}},
                      {"--bidirectional", {}, {"--structure", "non-hier"}},
                      {"--no-input-feeding", {}, {"--structure", "dynamic"}},
                      {"--noise", {"word"}, {"--structure", "hred-gru"}},
                      {"--message", {"none"}, {"--structure", "thred"}},
                      {"--topics", {"3"}, {"--structure", "thred-topics"}},
                      {"--topics-file", {topics}, {"--structure", "thred-topics"}},
                      {"--keyword-weight", {"0.5"}, {"--structure", "keywords"}},
                      {"--query", {"context"}, {"--structure", "keywords"}},
                      {"--lexicon", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                      {"--gate", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                      {"--gate-weight", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                      {"--sentiment", {}, {}, "Conditions.AreReadTrainedWithAndWanted"},
                      {"--domain", {}, {}, "Conditions.AreReadTrainedWithAndWanted"}};
  const Rows examples = {
      {"--examples", {"all"}},   {"--max-turns", {"2"}}, {"--max-utterance", {"2"}},
      {"--max-response", {"2"}}, {"--min-turns", {"4"}}, {"--max-context", {"5"}},
      {"--speaker", {"A"}},      {"--limit", {"10"}},    {"--insert-prob", {"1"}}};
  const Rows optimiser = {
      {"--optimizer", {"sgd"}},
      {"--rate", {"0.001"}},
      {"--warm-up", {"5"}},
      {"--rate-decay", {"inverse-sqrt"}, {"--warm-up", "2"}},
      {"--weight-decay", {"0"}},
      {"--group", {"lstm:0.5:0.5"}},
      {"--max-norm", {"0.01"}},
      {"--keep-every", {"1"}},
      {"--log-steps", {"5"}},
      {"--pieces", {"2"}},
      {"--ranks", {"2"}},
      {"--halve-after", {"0"}},
      {"--attention-weight", {"0"}, {"--insert-prob", "1"}},
      {"--distractions", {"own"}, {"--insert-prob", "1"}},
      {"--attention-loss", {"mass"}, {"--structure", "non-hier", "--insert-prob", "1"}},
      {"--inverse-frequency", {"0.4"}},
      {"--initial-weights", {"xavier"}},
      {"--patience", {}, {}, "Program.ARunGoesOnWithAnotherRate"},
      {"--init", {}, {}, "Resume.BeginsWithTheWeightsOfAnother"},
      {"--stop-after", {}, {}, "LoopTest.StopsAfterEpochsWithoutABetterOne"},
      {"--min-rate", {"0.005"}}};
  const Arguments base = {"train", "--data",    data(), "--out",      "OUT",  "--preset",
                          "smoke", "--vocab",   "120",  "--hidden",   "8",    "--epochs",
                          "2",     "--limit",   "30",   "--examples", "last", "--max-turns",
                          "3",     "--threads", "1"};
  check("train", {base},
        all_of({kDevice,
                sizes,
                examples,
                optimiser,
                {{"--data", {}, {}, "Data.DirectoriesToTrainOn"},
                 {"--out", {}, {}, "Program.TrainTellsWhatItDoesAndLeavesAModel"},
                 {"--preset", {}, {}, "Resume.RefusesOptionsThatContradictTheRun"},
                 {"--resume", {}, {}, "Program.InterruptedOrKilledRunsEndTheSame"},
                 {"--detect-anomaly", {}, {}, "Program.DetectAnomalyNamesTheOp"},
                 {"--checkpoint-every", {}, {}, "Program.InterruptedOrKilledRunsEndTheSame"},
                 {"--seed", {"2"}}}}));
}

TEST_F(Act, Verify) {
  check("verify", {{"verify", kReference + "static"}},
        all_of({kDevice, {{"--dtype", {"f32"}}, {"--json", {"OUT.json"}}}}));
}

TEST_F(Act, Info) {
  check("info", {{"info", kModel}}, {{"--json", {"OUT.json"}}, {"--card", {"OUT.md"}}});
}

TEST_F(Act, Bench) {
  const char* sizes = "Commands.BenchTimesAllWork";  // its times differ whatever is changed
  Rows rows = {{"--lengths", {}, {}, "Commands.BenchReadsLengths"},
               {"--count", {}, {}, "ProgramOnCuda.AStepAsksForNoMoreThanItDid"}};
  for (const char* option : {"--structure", "--work", "--batch", "--embed", "--hidden", "--layers",
                             "--vocab", "--dropout", "--steps", "--seed"}) {
    rows.push_back({option, {}, {}, sizes});
  }
  check("bench", {}, all_of({kDevice, rows}));
}

// What of them is not in a test of its own.
TEST_F(Act, Prepare) {
  const TempDir dir;
  const std::string text = dir.write("text", "a\tb\na\tc\nd\te\n\nf\tg\nh\ti\nf\tk\n");
  check_rows("prepare text", {{"prepare", "text", "--in", text, "--out", "OUT.jsonl"}},
             {{"--layout", {"lines"}, {"--min-turns", "1"}}, {"--min-turns", {"2"}}});
  const std::string chat =
      dir.write("chat", "[1:00] a: b\n[1:30] c: d\n[2:00] a: e\n[2:01] c: f\n");
  check_rows("prepare text", {{"prepare", "text", "--in", chat, "--out", "OUT.jsonl"}},
             {{"--gap", {"20"}, {"--min-turns", "1"}}});
  const std::string table = dir.write("t.csv", "a,b,c\nx,y,1\nx,y,1\ny,z,1\nz,x,2\n");
  check_rows("prepare csv",
             {{"prepare", "csv", "--in", table, "--out", "OUT.jsonl", "--text", "a"}},
             {{"--text", {"b"}}, {"--speaker", {"b"}}, {"--dialogue", {"c"}}});
  const std::string turns =
      "2005-01-01\ta\tb\thello\n2005-01-01\tb\ta\thi\n2005-01-01\ta\tb\tbye\n";
  const std::string tsv = dir.write("talk.tsv", turns);
  check_rows("prepare ubuntu", {{"prepare", "ubuntu", "--in", tsv, "--out", "OUT.jsonl"}},
             {{"--form", {}, {}, "Commands.PrepareUbuntuMessages"}});
}

TEST_F(Act, ReproduceReadsAsManyTestDialogues) {
  const TempDir dir;
  const Arguments reproduce =
      Arguments{"reproduce", "--data", data(), "--out", dir.path("out"), "--preset", "smoke"} +
      Arguments{"--hidden", "8", "--vocab", "120", "--epochs", "1", "--only", "static-p0"} +
      Arguments{"--threads", "1", "--test-limit", "5", "--max-length", "3", "--examples", "last"};
  const Result r = heed_program(reproduce);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(nlohmann::json::parse(dir.read("out/experiment.json"))["data"]["test_examples"], 5);
}

// Of all other commands: their tests name the option.
TEST_F(Act, OthersAreTestedByName) {
  const std::set<std::string> here = {"evaluate", "compare", "score", "respond",
                                      "generate", "show",    "chat",  "distract",
                                      "train",    "verify",  "info",  "bench"};
  for (const auto& [name, command] : commands) {
    for (const std::string& option : option_names(*command)) {
      const bool general = option == "--help";
      EXPECT_TRUE(here.contains(name) || general || is_in_tests("\"" + option + "\""))
          << name << " " << option;
    }
  }
}

}  // namespace
}  // namespace heed
