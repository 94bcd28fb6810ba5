// Which of several epochs is the best: by hand, and of a run that kept its epochs.
#include "dialog/respond/choose_epoch.h"

#include <gtest/gtest.h>

#include "dialog/respond/responses.h"
#include "tests/dialog/respond/trainer_helpers.h"

namespace heed {
namespace {

// Each epoch is the best by one measure.
const std::vector<KeptEpoch> kEpochs = {{1, {.bleu_2 = 0.5, .rouge_l = 0.1, .meteor = 0.2}},
                                        {2, {.bleu_2 = 0.4, .rouge_l = 0.3, .meteor = 0.1}},
                                        {5, {.bleu_2 = 0.3, .rouge_l = 0.2, .meteor = 0.6}}};

TEST(BestEpoch, IsThatOfTheMeasure) {
  EXPECT_EQ(best_epoch(kEpochs, "best-bleu").epoch, 1);
  EXPECT_EQ(best_epoch(kEpochs, "best-rouge").epoch, 2);
  EXPECT_EQ(best_epoch(kEpochs, "best-meteor").epoch, 5);
  EXPECT_EQ(best_epoch(kEpochs, "best-meteor").overlap.bleu_2, 0.3);
}

TEST(BestEpoch, IsTheFirstOfEqualOnes) {
  std::vector<KeptEpoch> same = kEpochs;
  for (KeptEpoch& e : same) e.overlap = {};
  for (const char* name : {"best-bleu", "best-rouge", "best-meteor"}) {
    EXPECT_EQ(best_epoch(same, name).epoch, 1) << name;
  }
}

TEST(BestEpoch, SaysWhatIsWrong) {
  EXPECT_EQ(error_of<UsageError>([] { best_epoch({}, "best-bleu"); }),
            "epoch: there is none to choose from");
  EXPECT_EQ(error_of<UsageError>([] { best_epoch(kEpochs, "best"); }),
            "epoch: expected best-bleu, best-rouge or best-meteor, got 'best'");
}

class KeptEpochs : public TrainerTest {
 protected:
  KeptEpochs() {
    settings.loop.keep_every = 1;
    fs::create_directories(path("run"));
    start_run(path("run"), settings, data.vocabulary);
    EXPECT_TRUE(run("run"));
  }
  static Dialogue dialogue(const std::string& id, int turns) {
    Dialogue d;
    d.id = id;
    for (int t = 0; t < turns; ++t) d.turns.push_back({"", "w" + std::to_string(6 + t) + " w8"});
    return d;
  }
  const std::vector<Dialogue> dialogues = {dialogue("a", 3), dialogue("b", 4), dialogue("c", 5)};
};

TEST_F(KeptEpochs, AreMeasuredByWhatEachOfThemWrites) {
  struct Done {
    int epoch;
    int64_t examples, tokens;
    bool operator==(const Done&) const = default;
  };
  std::vector<Done> told, expected;
  std::vector<KeptEpoch> right;
  const auto written = [](const std::vector<Tokens>& responses, const std::vector<Tokens>&) {
    double words = 0;
    for (const Tokens& response : responses) words += static_cast<double>(response.size());
    return words;
  };
  for (const int epoch : {1, 2}) {  // dialogue by dialogue
    const LoadedModel loaded = load_epoch(path("run"), std::to_string(epoch));
    const auto examples = make_examples(dialogues, loaded.vocabulary, settings.examples);
    std::vector<Tokens> responses;
    int64_t tokens = 0;
    for (const Example& e : examples) {
      const auto decoded = decode(*loaded.model, {&e}, {.max_length = 100})[0].tokens;
      responses.push_back(loaded.vocabulary.words(decoded));
      tokens += static_cast<int64_t>(decoded.size()) + 1;  // as those that are read, with its end
      for (const auto& said : e.context) tokens += static_cast<int64_t>(said.size()) + 1;
    }
    const auto human = human_responses(examples, loaded.vocabulary);
    right.push_back({epoch, mean_overlap(responses, human), written(responses, human)});
    expected.push_back({epoch, 3, tokens});
  }
  const auto epochs = overlaps_of_epochs(
      path("run"), dialogues, 2, {},
      [&](int epoch, int64_t examples, int64_t tokens) {
        if (examples == 3) told.push_back({epoch, examples, tokens});
      },
      written);
  EXPECT_EQ(told, expected);
  ASSERT_EQ(epochs.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(epochs[i].epoch, right[i].epoch);
    EXPECT_EQ(epochs[i].likeness, right[i].likeness);
    EXPECT_NEAR(epochs[i].overlap.bleu_2, right[i].overlap.bleu_2, 1e-12);
    EXPECT_NEAR(epochs[i].overlap.rouge_l, right[i].overlap.rouge_l, 1e-12);
    EXPECT_NEAR(epochs[i].overlap.meteor, right[i].overlap.meteor, 1e-12);
  }
}

TEST_F(KeptEpochs, NeedADialogueThatIsLongEnough) {
  EXPECT_EQ(
      error_of<DataError>([&] { overlaps_of_epochs(path("run"), {dialogue("short", 1)}, 2, {}); }),
      "responses: no dialogue with two utterances of context and a response");
}

}  // namespace
}  // namespace heed
