// The presets of what is probed against Parthasarathi, Pineau & Chandar (2020).
#include "dialog/respond/presets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/respond/structures.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr int64_t kVocabulary = 17100, kEmbedding = 128, kHidden = 256;

double count_of(const char* structure) {
  TrainSettings settings = suited_to(Structure::parse(structure), find_preset("probe-paper"));
  settings.model.vocab_size = kVocabulary;
  return parameter_count(settings.model);
}

// Table 3 in millions, and to the last one what a program in PyTorch with the attention of the
// authors' program has: two biases in each LSTM layer, one in the output layer, and attention by
// position, W (E + H) -> 101 and its bias. heed has one bias in each LSTM layer, none in the output
// layer, and Bahdanau's attention: W_q, W_m of H x H, and v.
TEST(ProbePaper, HasTheParametersOfTable3) {
  struct Row {
    const char* structure;
    double millions, in_pytorch;
    int lstm_layers;  // each direction is one
  };
  const Row rows[] = {{"lstm", 11, 10615500, 4},
                      {"lstm-attention", 11, 10703665, 4},
                      {"hred", 12, 11756337, 6},
                      {"hred-stacked", 12, 11756337, 6},
                      {"bilstm-attention", 12, 12149553, 6},
                      {"transformer", 41, 40997580, 0}};
  constexpr double kByPosition = (kEmbedding + kHidden) * 101 + 101,
                   kAdditive = 2 * kHidden * kHidden + kHidden;
  for (const Row& row : rows) {
    const bool attends = row.lstm_layers > 0 && std::string(row.structure) != "lstm";
    const double expected = row.in_pytorch - kVocabulary - 4.0 * kHidden * row.lstm_layers +
                            (attends ? kAdditive - kByPosition : 0);
    EXPECT_EQ(count_of(row.structure), expected) << row.structure;
    EXPECT_EQ(std::round(row.in_pytorch / 1e6), row.millions) << row.structure;
    EXPECT_EQ(std::round(count_of(row.structure) / 1e6), row.millions) << row.structure;
  }
}

// What a preset changes in groups of parameters is left out where a structure has none of them.
TEST(Presets, AllSuitAllStructuresThatTheyAreFor) {
  for (const Structure& structure : structures()) {
    for (const Preset& preset : presets()) {
      const bool of_one =
          preset.name.starts_with("generator") ||
          (preset.name.starts_with("explain") && structure.family != Family::kTransformer);
      if (of_one && structure.name != "non-hier") continue;
      SCOPED_TRACE(preset.name + ", " + std::string(structure.name));
      TrainSettings s = suited_to(structure, preset);
      EXPECT_NO_THROW(s.check());
      s.model.hidden_size = s.model.embedding_size = 2 * s.model.heads;
      s.model.vocab_size = 300;
      const auto model = make_responder(s.model, 1);
      EXPECT_NO_THROW((void)make_optimizer(*model, s.loop.optimizer));
    }
  }
  const auto& without =
      suited_to(Structure::parse("lstm"), find_preset("demo")).loop.optimizer.groups;
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].name, "lstm");
  EXPECT_EQ(suited_to(Structure::parse("static"), find_preset("demo")).loop.optimizer.groups.size(),
            2u);
}

TEST(Presets, AGroupOfNoParameterIsRefusedBeforeAnythingIsMade) {
  TrainSettings s = suited_to(Structure::parse("lstm"), find_preset("demo"));
  s.loop.optimizer.groups.push_back({.name = "combine"});
  EXPECT_EQ(error_of<UsageError>([&] { s.check(); }),
            "group 'combine': no parameter of a lstm model has a name that fits");
}

TEST(ProbePresets, ReadTheLast100TokensFromTheSecondTurnOn) {
  for (const char* name : {"probe-paper", "probe-tuned", "probe-smoke"}) {
    for (const char* structure : {"lstm", "transformer"}) {
      const TrainSettings s = suited_to(Structure::parse(structure), find_preset(name));
      EXPECT_EQ(s.examples, (ExampleOptions{.all_positions = true,
                                            .max_turns = 0,
                                            .max_utterance_tokens = 0,
                                            .max_context_tokens = 100,
                                            .min_turns = 2}));
      s.check();
    }
  }
}

TEST(ProbeTuned, WarmsATransformerUpAndLetsTheRateDecay) {
  const LoopSettings s =
      suited_to(Structure::parse("transformer"), find_preset("probe-tuned")).loop;
  EXPECT_EQ(s.schedule.rate, 5e-4);
  EXPECT_EQ(s.optimizer.rate_factor(1999), 0.5);
  EXPECT_EQ(s.optimizer.rate_factor(3999), 1);
  EXPECT_EQ(s.optimizer.rate_factor(15999), 0.5);
  EXPECT_EQ(suited_to(Structure::parse("lstm"), find_preset("probe-tuned"))
                .loop.optimizer.rate_factor(100000),
            1);
}

// Bruni & Fernández (2017): 180,966,773 numbers in PyTorch, with two biases in each of the LSTM
// layers (2 x 2 directions of 4 x 1024, 2 of 4 x 2048) and one in the output layer, where heed has
// one and none.
TEST(GeneratorPaper, HasTheParametersOfTheGenerator) {
  const TrainSettings s = suited_to(Structure::parse("non-hier"), find_preset("generator-paper"));
  EXPECT_EQ(parameter_count(s.model),
            180966773.0 - (2 * 2 * 4 * 1024 + 2 * 4 * 2048) - s.model.vocab_size);
  EXPECT_EQ(s.model.attention_score(), AttentionScore::kGeneral);
  EXPECT_TRUE(s.model.bidirectional);
  EXPECT_FALSE(s.model.input_feeding);
  EXPECT_EQ(s.loop.batch_size, 64);
  EXPECT_EQ(s.loop.schedule.halve_after, 5);
  EXPECT_EQ(s.examples.max_turns, 2);
  for (const char* name : {"generator-paper", "generator-smoke"}) {
    suited_to(Structure::parse("non-hier"), find_preset(name)).check();
    EXPECT_EQ(error_of<UsageError>([&] { suited_to(Structure(), find_preset(name)); }),
              "--preset " + std::string(name) + ": is for --structure non-hier, not static-ui");
  }
}

// Four papers of NLP4ConvAI 2019 (docs/generators.md).
TEST(GeneratorPapers, HaveThePapersSizes) {
  struct Row {
    const char *preset, *structure;
    int64_t layers, embedding, hidden, words, batch, topics;
    double dropout, rate;
    const char* optimizer;
    int turns;
  };
  const Row rows[] = {
      {"hredgan-paper", "hred-attention-current", 3, 512, 512, 50000, 64, 50, 0, 0.5, "sgd", 10},
      {"thred-paper", "thred-topics", 1, 300, 800, 45000, 128, 150, 0.2, 2e-4, "adam", 2},
      {"thred-paper", "thred", 1, 300, 800, 45000, 128, 50, 0.2, 2e-4, "adam", 2},
      {"keywords-paper", "keywords", 1, 256, 512, 100000, 64, 50, 0, 1e-3, "adam", 1},
      {"expressive-paper", "two-vocabulary", 1, 256, 512, 25000, 200, 50, 0.2, 0.01, "adam", 1}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.preset);
    const TrainSettings s = suited_to(Structure::parse(row.structure), find_preset(row.preset));
    s.check();
    EXPECT_EQ(s.model.num_layers, row.layers);
    EXPECT_EQ(s.model.embedding_size, row.embedding);
    EXPECT_EQ(s.model.hidden_size, row.hidden);
    EXPECT_EQ(s.model.vocab_size, row.words);
    EXPECT_EQ(s.min_count, row.structure == std::string("keywords") ? 16 : 1);
    EXPECT_EQ(s.model.topics, row.topics);
    EXPECT_EQ(s.model.dropout, row.dropout);
    EXPECT_EQ(s.loop.batch_size, row.batch);
    EXPECT_EQ(s.loop.max_norm, 5);
    EXPECT_EQ(s.loop.schedule.rate, row.rate);
    EXPECT_EQ(s.loop.optimizer.name, row.optimizer);
    EXPECT_EQ(s.examples.max_turns, row.turns);
    EXPECT_EQ(s.attention_weight, 0);
    EXPECT_EQ(s.xavier, row.preset == std::string("hredgan-paper"));
  }
}

// THRED's rate is halved four times in the last third of 18 epochs, whatever the perplexity.
TEST(GeneratorPapers, ThredsRateIsHalvedFourTimes) {
  const LoopSettings s = find_preset("thred-paper").settings.loop;
  EXPECT_EQ(s.max_epochs, 18);
  HalvingSchedule schedule(s.schedule);
  std::vector<double> rates;
  for (int epoch = 1; epoch <= 18; ++epoch) {
    rates.push_back(schedule.rate() / 2e-4);
    EXPECT_FALSE(schedule.finished());
    schedule.update(100 + epoch);
  }
  std::vector<double> expected(14, 1.0);
  expected.insert(expected.end(), {0.5, 0.25, 0.125, 0.0625});
  EXPECT_EQ(rates, expected);
}

// Nie, Bennett & Goodman (2019): 2 layers of 650, and 6 of 512 with 8 heads; Noam's rate.
TEST(ExplainPaper, HasTheSizesAndTheSchedule) {
  const TrainSettings lstm = suited_to(Structure::parse("non-hier"), find_preset("explain-paper")),
                      other =
                          suited_to(Structure::parse("transformer"), find_preset("explain-paper"));
  lstm.check();
  other.check();
  EXPECT_EQ(lstm.model.num_layers, 2);
  EXPECT_EQ(lstm.model.hidden_size, 650);
  EXPECT_EQ(lstm.model.attention_score(), AttentionScore::kGeneral);
  EXPECT_EQ(other.model.num_layers, 6);
  EXPECT_EQ(other.model.hidden_size, 512);
  EXPECT_EQ(other.model.heads, 8);
  for (const TrainSettings& s : {lstm, other}) {
    const OptimizerSettings& o = s.loop.optimizer;
    for (const double t : {1.0, 100.0, 4000.0, 100000.0}) {
      const double noam =
          std::pow(512, -0.5) * std::min(std::pow(t, -0.5), t * std::pow(4000, -1.5));
      EXPECT_NEAR(s.loop.schedule.rate * o.rate_factor(static_cast<int64_t>(t) - 1) / noam, 1,
                  0.01);
    }
    EXPECT_EQ(s.examples.min_turns, 2);
  }
}

}  // namespace
}  // namespace heed
