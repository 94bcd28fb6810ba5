// Every option changes what its command does. Those of heed train are in options_act_train_test.cc.
#include "tests/heed/options_act.h"

namespace heed::act {
namespace {

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
}  // namespace heed::act
