// What a training reads: dialogues, their fingerprint, and word vectors to begin with.
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "tests/train/ranks_helpers.h"

namespace heed {
namespace {

using RunDataTest = TrainerTest;

TEST_F(RunDataTest, TheFingerprintSeesEveryDifference) {
  const uint32_t before = data.fingerprint();
  EXPECT_EQ(small_data().fingerprint(), before);
  const auto differs = [&](auto change) {
    TrainData other = small_data();
    change(other);
    return other.fingerprint() != before;
  };
  using Examples = std::vector<Example>;
  const auto differs_in_train = [&](auto change) {
    return differs([&](TrainData& d) { edit(d.train, change); });
  };
  EXPECT_TRUE(differs_in_train([](Examples& e) { ++e[0].context[0][0]; }));
  EXPECT_TRUE(differs_in_train([](Examples& e) { e[3].response.push_back(7); }));
  EXPECT_TRUE(differs_in_train([](Examples& e) { std::swap(e[1], e[2]); }));
  EXPECT_TRUE(differs_in_train([](Examples& e) { e[1].distraction[0] = 1; }));
  EXPECT_TRUE(differs_in_train([](Examples& e) { e[1].dialogue_id = "other"; }));
  EXPECT_TRUE(differs_in_train([](Examples& e) { e[0].context.pop_back(); }));
  EXPECT_TRUE(
      differs([](TrainData& d) { edit(d.valid, [](Examples& e) { ++e[5].context[0][0]; }); }));
  EXPECT_TRUE(
      differs([](TrainData& d) { edit(d.pool, [](auto& pool) { ++pool[0].said.tokens[0]; }); }));
  EXPECT_TRUE(differs([](TrainData& d) { edit(d.pool, [](auto& pool) { pool.pop_back(); }); }));
}

// An empty response may not make the checksum forget what came before it.
TEST_F(RunDataTest, TheFingerprintSeesWhatStandsBeforeAnEmptyResponse) {
  TrainData other = small_data();
  for (TrainData* d : {&data, &other}) {
    edit(d->valid, [](std::vector<Example>& e) { e.back().response = {}; });
  }
  edit(other.train, [](std::vector<Example>& e) { ++e[0].context[0][0]; });
  EXPECT_NE(data.fingerprint(), other.fingerprint());
}

TEST_F(RunDataTest, LoadTrainDataReadsBothParts) {
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += R"({"turns": [{"text": "a b"}, {"text": "c"}, {"text": "d e"}]})"
              "\n";
    }
    return text + R"({"turns": [{"text": "x"}, {"text": "y"}]})"
                  "\n";
  };
  dir.write("data/train.jsonl", lines(5));
  dir.write("data/valid.jsonl", lines(2));
  const TrainData all = load_train_data(path("data"), {.max_size = 100}, {});
  EXPECT_EQ(all.train.size(), 5u);
  EXPECT_EQ(all.valid.size(), 2u);
  EXPECT_EQ(all.left_out, 2);
  EXPECT_EQ(all.pool.size(), 17u);
  EXPECT_EQ(all.vocabulary.size(), kSpecialTokens + 7);
  const TrainData some = load_train_data(path("data"), {.max_size = 8}, {}, 3);
  EXPECT_EQ(some.train.size(), 3u);
  EXPECT_EQ(some.vocabulary.size(), 8);
  const TrainData given = load_train_data(path("data"), {.max_size = 8}, {}, 0, &some.vocabulary);
  EXPECT_EQ(given.vocabulary.size(), 8);

  dir.write("data/valid.jsonl", R"({"turns": [{"text": "x"}]})");
  EXPECT_NE(error_of<DataError>([&] { load_train_data(path("data"), {.max_size = 100}, {}); }),
            "no error");
}

// ---- what the ranks of a machine share

// Each rank has what the first one has read, whatever it had, and trains to the same bytes with it.
TEST_F(RunDataTest, RanksShareWhatOneOfThemReads) {
  settings.loop.pieces = 4;
  settings.insert_prob = 1;  // draws from the pool
  run("whole");
  on_ranks(3, [&](Ranks& ranks) {
    const uint32_t fingerprint = data.fingerprint();
    const Vocabulary vocabulary = data.vocabulary;
    if (!ranks.first()) data = {};
    data.share(Neighbours(ranks));
    EXPECT_EQ(data.fingerprint(), fingerprint);
    EXPECT_EQ(data.vocabulary, vocabulary);
    EXPECT_THROW(data.train.push_back({}), InternalError);  // it is not its own
    TrainHooks hooks;
    hooks.ranks = &ranks;
    run("shared", hooks);
  });
  EXPECT_EQ(result("shared"), result("whole"));
  data.share(Neighbours(alone()));
  data.train.push_back({});  // it still is
}

// ---- word vectors -------------------------------------------------------------------------------

class WordVectorRun : public TrainerTest {
 protected:
  // Vectors of two words, as wide as the embeddings or not.
  std::string vectors(int64_t width) const {
    std::string text;
    for (const char* word : {"w7", "w9"}) {
      text += word;
      for (int64_t i = 0; i < width; ++i) text += " 0.25";
      text += "\n";
    }
    return dir.write("vectors.txt", text);
  }
  std::vector<double> embeddings(const std::string& name, const char* side) const {
    const auto model = first_model(path(name), load_settings(path(name)));
    for (const NamedParameter& p : parameters(*model)) {
      if (p.name == std::string(side) + ".embedding.weight") return p.var.value().to_vector();
    }
    return {};
  }
};

TEST_F(WordVectorRun, BeginsWithThemInTheRowsOfTheirWords) {
  const int64_t width = settings.model.embedding_size;
  for (const char* name : {"with", "without"}) fs::create_directories(path(name));
  begin_run(path("without"), settings, data);
  settings.word_vectors = vectors(width);
  begin_run(path("with"), settings, data);
  fs::remove(settings.word_vectors);  // the run keeps what it needs
  for (const char* side : {"encoder", "decoder"}) {
    const std::vector<double> with = embeddings("with", side),
                              without = embeddings("without", side);
    ASSERT_EQ(with.size(), static_cast<size_t>(kTestVocabulary * width));
    for (size_t i = 0; i < with.size(); ++i) {
      const auto word = static_cast<int32_t>(i / width);
      const bool given = word == data.vocabulary.id("w7") || word == data.vocabulary.id("w9");
      EXPECT_EQ(with[i], given ? 0.25 : without[i]) << side << " " << i;
    }
  }
}

// Not of the rows of labels, which are other things; a transformer's are as wide as its layers.
TEST_F(WordVectorRun, AreThoseOfWords) {
  for (const std::string name : {"two-vocabulary", "transformer"}) {
    settings.model.structure = Structure::parse(name);
    settings.model.embedding_size = 8;
    const int64_t width = name == "transformer" ? settings.model.hidden_size : 8;
    settings.word_vectors = vectors(width);
    fs::create_directories(path(name));
    begin_run(path(name), settings, data);
    const std::vector<double> rows = embeddings(name, "encoder");
    ASSERT_EQ(rows.size(), static_cast<size_t>(kTestVocabulary * width)) << name;
    for (int64_t i = 0; i < kTestVocabulary * width; ++i) {
      const auto word = static_cast<int32_t>(i / width);
      const bool given = word == data.vocabulary.id("w7") || word == data.vocabulary.id("w9");
      EXPECT_EQ(rows[static_cast<size_t>(i)] == 0.25, given) << name << " " << i;
    }
  }
  settings.word_vectors = vectors(8);
  fs::create_directories(path("wide"));
  const std::string wide = error_of<DataError>([&] { begin_run(path("wide"), settings, data); });
  EXPECT_TRUE(has(wide, "vectors of 8 numbers; the model's embeddings have 6")) << wide;
}

TEST_F(WordVectorRun, GoesOnFromThem) {
  settings.word_vectors = vectors(settings.model.embedding_size);
  for (const char* name : {"run", "whole"}) {
    fs::create_directories(path(name));
    begin_run(path(name), settings, data);
  }
  StopAfter stop(3);
  run("run", stop.hooks);
  run("run");
  run("whole");
  EXPECT_EQ(result("run"), result("whole"));
  EXPECT_EQ(load_settings(path("run")).word_vectors, settings.word_vectors);
}

TEST_F(WordVectorRun, RefusesWhatDoesNotFit) {
  fs::create_directories(path("run"));
  settings.word_vectors = vectors(settings.model.embedding_size + 1);
  const std::string wide = error_of<DataError>([&] { begin_run(path("run"), settings, data); });
  EXPECT_TRUE(has(wide, "vectors.txt: vectors of ")) << wide;
  dir.write("vectors.txt", "unheard" + std::string(" 1") + "\n");
  settings.model.embedding_size = 1;
  const std::string none = error_of<DataError>([&] { begin_run(path("run"), settings, data); });
  EXPECT_TRUE(has(none, "has no word of the vocabulary")) << none;
  EXPECT_FALSE(fs::exists(path("run") + "/settings.json"));
}

// Of two models whose weights have the same shapes one does not go on as the other.
TEST_F(RunDataTest, ARunDoesNotGoOnAsAnotherModel) {
  settings.model.structure = Structure::parse("transformer");
  settings.model.embedding_size = settings.model.hidden_size = 8;
  settings.model.heads = 4;
  fs::create_directories(path("run"));
  begin_run(path("run"), settings, data);
  begin_run(path("run"), settings, data);  // the same one
  const std::vector<std::function<void(ModelConfig&)>> changes = {
      [](ModelConfig& m) { m.heads = 2; }, [](ModelConfig& m) { m.lstm_bias = !m.lstm_bias; },
      [](ModelConfig& m) { m.dropout = 0.25; }};
  for (const auto& change : changes) {
    TrainSettings other = settings;
    change(other.model);
    EXPECT_EQ(error_of<DataError>([&] { begin_run(path("run"), other, data); }),
              path("run") + ": holds a run with other settings; move it away");
  }
}

}  // namespace
}  // namespace heed
