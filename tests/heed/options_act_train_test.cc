// Every option of heed train changes what it does.
#include "tests/heed/options_act.h"

namespace heed::act {
namespace {

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

}  // namespace
}  // namespace heed::act
