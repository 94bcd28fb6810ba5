// The point of the method: who is trained with distractions and the attention loss looks at them
// less than who is trained without it.
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "nn/safetensors.h"
#include "tests/dialog/respond/trainer_helpers.h"

namespace heed {
namespace {

constexpr int32_t kMarker = kSpecialTokens;  // a word of distractions only, so that one can tell
constexpr int32_t kWord = kMarker + 1;       // the other words are from here
constexpr int32_t kWords = 12;

// Dialogues of four utterances, each of two words; the response repeats the last word. It can be
// learned wherever attention goes, so what moves attention is its own loss.
std::vector<Example> repeat_the_last_word(int count, uint64_t seed) {
  std::vector<Example> examples;
  Rng rng(seed, "toy");
  const auto word = [&] { return static_cast<int32_t>(kWord + rng.below(kWords)); };
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(seed) + "/" + std::to_string(i);
    const int32_t answer = word();
    examples.push_back({id,
                        id,
                        {{word(), word()}, {word(), word()}, {word(), word()}, {word(), answer}},
                        {0, 0, 0, 0},
                        {answer}});
  }
  return examples;
}

class Effect : public TrainerTest {
 protected:
  Effect() {
    data.train = repeat_the_last_word(256, 1);
    data.valid = repeat_the_last_word(32, 2);
    data.pool = {};
    for (int32_t i = 0; i < kWords; ++i) {
      data.pool.push_back({"elsewhere/" + std::to_string(i), {kMarker, kWord + i}});
    }
    settings.model.num_layers = 1;
    settings.model.hidden_size = settings.model.embedding_size = 24;
    settings.model.dropout = 0;
    settings.loop.batch_size = 16;
    settings.loop.max_epochs = 20;
    settings.insert_prob = 1;
    settings.loop.optimizer.name = "adam";
    settings.loop.schedule = {.rate = 0.01, .patience = settings.loop.max_epochs};
  }

  // The DAS ratio of a model that is trained with this weight of the attention loss.
  double das_ratio_with(double attention_weight) {
    settings.attention_weight = attention_weight;
    LstmResponder model(settings.model, settings.loop.seed);
    const std::string name =
        std::string(settings.model.structure.name) + std::to_string(attention_weight);
    run(name);
    // The last model, not the best one of the task: it is the attention that is still learned.
    const TensorMap last = load_tensors(
        path(name + "/checkpoint-" + std::to_string(settings.loop.max_epochs) + "-0.safetensors"));
    for (const NamedParameter& p : parameters(model)) p.var.value().copy_from(last.at(p.name));
    const auto test = distracted(repeat_the_last_word(100, 3), parse_test_set("random:1.0"),
                                 data.pool, Phrases{}, /*seed=*/1);
    return *summarize(score(model, test, 32)).das_ratio;
  }
};

TEST_F(Effect, TheAttentionLossTurnsAttentionAway) {
  for (const char* structure : {"static-ui", "dynamic"}) {
    settings.model.structure = Structure::parse(structure);
    const double with = das_ratio_with(1), without = das_ratio_with(0);
    EXPECT_LT(with, 0.7) << structure;
    EXPECT_LT(with, without - 0.2) << structure;
  }
}

}  // namespace
}  // namespace heed
