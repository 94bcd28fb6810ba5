// Training a discriminator: what it must and what it cannot learn, and that it goes on where it
// was.
#include <gtest/gtest.h>

#include <cmath>

#include "dialog/discriminate/task.h"
#include "dialog/system.h"
#include "experiments/engine/stats/hypothesis.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"
#include "tests/train/patience_helpers.h"
#include "tests/train/ranks_helpers.h"

namespace heed::discriminate {
namespace {

constexpr int kWords = 12;

Vocabulary numbers() {
  TokenCounts counts;
  for (int i = 0; i < kWords; ++i) counts["w" + std::to_string(10 + i)] = 1;
  return Vocabulary::build(counts);
}

// One utterance of context and a response; with a signal the response repeats the word of the
// context, which no replacement does, else words are all drawn.
Part made_part(int count, bool signal, uint64_t seed) {
  Rng rng(seed);
  const auto word = [&] { return static_cast<int32_t>(kSpecialTokens + rng.below(kWords)); };
  Part part;
  for (int i = 0; i < count; ++i) {
    Passage p{.id = std::to_string(i), .dialogue_id = "", .conversation = i};
    p.context = {{word(), word(), word()}};
    p.response = {word(), word(), word()};
    if (signal) {
      const int32_t planted = p.conversation = p.context[0][0];
      p.context = {{planted, planted, planted}};
      p.response[0] = p.response[1] = planted;
    }
    part.passages.push_back(p);
  }
  return part;
}

struct Trained : testing::Test {
  Trained() {
    set_num_threads(1);
    settings.model.vocab_size = kSpecialTokens + kWords;
    settings.model.embedding_size = settings.model.hidden_size = 16;
    settings.model.dropout = 0.1;
    settings.loop.batch_size = 32;
    settings.loop.max_epochs = 10;
    settings.loop.schedule.rate = 0.01;
  }
  TrainData data(int count, bool signal) const {
    return {numbers(), made_part(count, signal, 1), made_part(count / 4, signal, 2)};
  }
  bool run(const std::string& name, const TrainData& data, const TrainHooks& hooks = {}) {
    std::filesystem::create_directories(dir.path(name));
    if (!std::filesystem::exists(dir.path(name + "/settings.json")))
      Runs::start(dir.path(name), settings, data, "{}");
    return Runs::train(dir.path(name), settings, data, {}, hooks);
  }
  // Of the best model on passages that it has not seen.
  BinomialTest accuracy(const std::string& name, bool signal) const {
    const LoadedDiscriminator loaded = Runs::load(dir.path(name));
    const Part part = made_part(400, signal, 3);
    const Replacements random = part.replacements(Negatives::Kind::kRandom);
    const auto items = with_fakes(part.passages, random.replaceable(), random, 4);
    const auto verdicts = verdicts_on(loaded.model, items, 64);
    int64_t right = 0;
    for (size_t i = 0; i < items.size(); ++i) right += (verdicts[i].p_real >= 0.5) == items[i].real;
    return binomial_test(right, static_cast<int64_t>(items.size()));
  }
  const TempDir dir;
  Settings settings = Runs::preset("smoke");
};

TEST_F(Trained, AsAnEncoderItTellsHowMuchOfATextItReads) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("run", data(40, false)));
  const LoadedSystem loaded = load_system(dir.path("run"));
  std::string text;
  for (int i = 0; i < 26; ++i) text += "w10 ";
  const ContextEncoder::Text read = loaded.encoder->read(text);
  EXPECT_EQ(read.ids.size(), 25u);
  EXPECT_EQ(read.left_out, 1u);
  EXPECT_EQ(loaded.encoder->read(text, 3).left_out, 23u);
  EXPECT_EQ(error_of<UsageError>([&] { (void)loaded.encoder->read(text, 26); }),
            "--max-pieces: the model reads texts of up to 25 words");
}

// Of five turns there are three passages. The last one's context holds the responses of both
// others; without it the second one has no replacement, and then the first has none. Of six turns
// all stay.
TEST(Part, KeepsPassagesThatReplaceEachOther) {
  const TempDir dir;
  std::string lines;
  for (const int turns : {5, 6}) {
    lines += R"({"id": ")" + std::to_string(turns) + R"(", "turns": [)";
    for (int i = 0; i < turns; ++i) {
      const std::string word = "w" + std::to_string(5 * turns - 15 + i);  // of one dialogue only
      lines += (i ? ", " : "") + (R"({"text": ")" + word + " " + word) + " " + word + R"("})";
    }
    lines += "]}\n";
  }
  const Part part = read_part({dir.write("train.jsonl", lines)}, "train", numbers(), {},
                              {.kind = Negatives::Kind::kSameConversation});
  EXPECT_EQ(part.passages.size(), 4u);
  EXPECT_EQ(part.irreplaceable, 3);
  const Replacements replacements = part.replacements(Negatives::Kind::kSameConversation);
  EXPECT_EQ(replacements.replaceable().size(), 4u);
}

TEST(Part, SaysWhatIsLeftOutAndWhy) {
  std::vector<std::string> notes;
  const Part part = {
      .unfit = {.no_passage = 2, .repeated = 5, .unknown = 3, .length = 4, .as_said = 6},
      .irreplaceable = 1};
  note_left_out(part, "valid", {.note = [&](const std::string& line) { notes.push_back(line); }});
  EXPECT_EQ(notes,
            (std::vector<std::string>{
                "valid: 1 passage left out: nothing could stand in the place of the response",
                "valid: 2 responses left out: no passage here has the id",
                "valid: 3 responses left out: with <unk>",
                "valid: 4 responses left out: too short or too long",
                "valid: 5 responses left out: the same words as one before",
                "valid: 6 responses left out: the same words as the real one"}));
  note_left_out({}, "valid", {.note = [](const std::string& line) { FAIL() << line; }});
}

TEST_F(Trained, FindsASignalThatNeedsTheContext) {
  ASSERT_TRUE(run("both", data(1500, true)));
  EXPECT_GT(accuracy("both", true).share, 0.95);
  settings.model.response_only = true;
  settings.loop.max_epochs = 3;
  ASSERT_TRUE(run("response", data(1500, true)));
  EXPECT_GT(accuracy("response", true).p_value, 0.01);
}

TEST_F(Trained, FindsNothingWhereNothingIs) {
  settings.loop.max_epochs = 3;
  ASSERT_TRUE(run("nothing", data(600, false)));
  const BinomialTest test = accuracy("nothing", false);
  EXPECT_GT(test.p_value, 0.01) << test.share;
}

// Killed in the middle of the second epoch: the same files as without.
TEST_F(Trained, GoesOnToTheSameResult) {
  settings.loop.max_epochs = 3;
  const TrainData small = data(100, true);
  ASSERT_TRUE(run("whole", small));
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.epoch == 2 && p.step == 3; };
  EXPECT_FALSE(run("parts", small, hooks));
  EXPECT_TRUE(run("parts", small));
  for (const char* file : {"model.safetensors", "log.jsonl", "checkpoint-3-0.safetensors"})
    EXPECT_TRUE(dir.read(std::string("whole/") + file) == dir.read(std::string("parts/") + file))
        << file;
  const std::vector<EpochLog> log = load_log(dir.path("whole"));
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].metrics.size(), 3u);
  EXPECT_GT(value_of(log[0].metrics, kValidLoss), 0);
  EXPECT_EQ(log[0].steps, 7);  // 200 examples in batches of 32
}

// Three epochs without a better loss end it; the best is kept.
TEST_F(Trained, StopsWhenNothingGetsBetter) {
  settings.loop.max_epochs = 40;
  settings.loop.schedule.rate = 0.05;
  ASSERT_TRUE(run("nothing", data(60, false)));
  const std::vector<EpochLog> log = load_log(dir.path("nothing"));
  ASSERT_LT(log.size(), 40u);
  size_t best = 0;
  for (size_t i = 0; i < log.size(); ++i) {
    if (value_of(log[i].metrics, kValidLoss) < value_of(log[best].metrics, kValidLoss)) best = i;
  }
  EXPECT_EQ(log.size(), best + 1 + 3);
}

// Of two corpora: words are counted in both, and what is left out of each is reported together.
TEST_F(Trained, ReadsSeveralCorporaTogether) {
  const auto corpus = [&](const std::string& name, const std::string& text, int longer) {
    std::string lines;
    for (int i = 0; i < 6; ++i) {
      const std::string n = std::to_string(i);
      lines += R"({"turns": [)";
      for (const char* turn : {"a", "b"}) {
        lines +=
            (*turn == 'a' ? R"({"text": ")" : R"(, {"text": ")") + text + " " + turn + n + "\"}";
      }
      if (i < longer) lines += R"(, {"text": "y y y y y y y y y"})";
      lines += "]}\n";
    }
    for (const char* part : {"train", "valid"}) dir.write(name + "/" + part + ".jsonl", lines);
    return dir.path(name);
  };
  settings.model.passages.context = 1;
  settings.model.passages.min_tokens = 1;
  settings.model.passages.max_tokens = 8;
  const TrainData both = load_train_data(
      {corpus("one", "often often often", 4), corpus("two", "often once once", 1)}, settings);
  // 48 times, and 24 times: in the second corpus alone it is the other way round
  EXPECT_LT(both.vocabulary.id_of_word("often"), both.vocabulary.id_of_word("once"));
  EXPECT_EQ(both.train.other_length, 5);
  EXPECT_EQ(both.train.passages.size(), 12u);
}

// A fake is another one in every epoch of the training, and in the validation always the same.
TEST_F(Trained, DrawsAnewInEveryEpoch) {
  const TrainData small = data(50, true);
  settings.model.dropout = 0;
  LoadedDiscriminator loaded{Discriminator(settings.model, 1), small.vocabulary};
  const Task task = Own::task(loaded, settings, small);
  EXPECT_EQ(task.sizes.size(), 100u);
  EXPECT_EQ(task.sizes[0], 3 + 1 + 4 + 1);
  std::vector<int64_t> real, fake;
  for (int64_t i = 0; i < 50; ++i) {
    real.push_back(2 * i);
    fake.push_back(2 * i + 1);
  }
  const auto loss = [&](const std::vector<int64_t>& examples, int epoch) {
    return task.loss(examples, {.seed = 1, .epoch = epoch, .step = 0}).nll;
  };
  EXPECT_EQ(loss(real, 0), loss(real, 1));
  EXPECT_EQ(loss(fake, 0), loss(fake, 0));
  EXPECT_NE(loss(fake, 0), loss(fake, 1));
  const auto on_batch = [](int64_t, int64_t) {};
  EXPECT_EQ(task.validate(on_batch)[0].value, task.validate(on_batch)[0].value);
  EXPECT_EQ(task.validate(on_batch)[0].name, kValidLoss);
  EXPECT_NEAR(task.guess, std::log(2.0), 1e-15);
}

// ---- what it reads

// Each rank has what the first one has read.
// The score of a response is p(real) of the passage: its last utterances, of each the first tokens.
TEST_F(Trained, RanksByWhatItSaysOfPassages) {
  settings.loop.max_epochs = 1;
  settings.model.passages = {.context = 2, .min_tokens = 1, .max_tokens = 3};
  run("ranker", data(64, true));
  const LoadedSystem system = load_system(dir.path("ranker"));
  const std::vector<std::string> texts = {"w11 w12 w13 w14", "w15 unknown"};
  const auto scores =
      system.ranker->score(texts, {{{"w10", "w11 w12 w13 w14", "w12"}, {1, 0}}, {{"w16"}, {0}}}, 1)
          .of_queries;
  const LoadedDiscriminator loaded = Runs::load(dir.path("ranker"));
  const auto p_real = [&](const std::vector<std::string>& context, const std::string& said) {
    Passage p;
    for (const std::string& text : context) {
      p.context.push_back(encode_utterance(text, loaded.vocabulary));
    }
    p.response = encode_utterance(said, loaded.vocabulary);
    return verdicts_on(loaded.model, {p}, 1)[0].p_real;
  };
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(scores[0][0], p_real({"w11 w12 w13", "w12"}, "w15 unknown"), 1e-6);
  EXPECT_NEAR(scores[0][1], p_real({"w11 w12 w13", "w12"}, "w11 w12 w13"), 1e-6);
  EXPECT_NEAR(scores[1][0], p_real({"w16"}, "w11 w12 w13"), 1e-6);
  EXPECT_NE(scores[0][0], scores[0][1]);
}

TEST_F(Trained, RanksHaveWhatOneOfThemReads) {
  TrainData whole = data(20, true);
  whole.train.passages[3].id = "d#4";
  whole.train.passages[3].dialogue_id = "d";
  whole.train.passages[3].corpus = 2;
  whole.train.passages[3].real = false;
  whole.train.passages[3].context.push_back({7});
  whole.train.read = {4, 5};
  whole.valid.irreplaceable = 6;
  on_ranks(2, [&](Ranks& ranks) {
    TrainData own = ranks.first() ? whole : TrainData();
    own.share(Neighbours(ranks));
    EXPECT_EQ(own.vocabulary, whole.vocabulary);
    EXPECT_EQ(own.train.passages, whole.train.passages);
    EXPECT_EQ(own.valid.passages, whole.valid.passages);
    EXPECT_EQ(own.fingerprint(), whole.fingerprint());
    EXPECT_EQ(own.valid.irreplaceable, 6);
  });
}

TEST(TrainData, IsReadFromDirectories) {
  const TempDir dir;
  const auto lines = [](const std::string& id, const std::string& word) {
    return "{\"id\": \"" + id + "\", \"turns\": [{\"text\": \"" + word + " b c\"}, {\"text\": \"" +
           word + " e f\"}, {\"text\": \"" + word + " h i\"}]}\n";
  };
  for (const std::string name : {"one", "two"}) {
    for (const std::string part : {"train", "valid"})
      dir.write(name + "/" + part + ".jsonl", lines("x", name + part) + lines("y", "other" + name));
  }
  Settings settings = Runs::preset("smoke");
  const TrainData data = load_train_data({dir.path("one"), dir.path("two")}, settings);
  ASSERT_EQ(data.train.passages.size(), 4u);
  EXPECT_EQ(data.train.passages[2].corpus, 1);
  EXPECT_NE(data.vocabulary.id("twotrain"), kUnk);
  EXPECT_EQ(data.vocabulary.id("twovalid"), kUnk);
  const uint32_t before = data.fingerprint();
  for (const char* file : {"one/train", "two/train", "one/valid", "two/valid"}) {
    const std::string name = std::string(file) + ".jsonl", kept = dir.read(name);
    dir.write(name, lines("x", "changed") + lines("y", "other"));
    EXPECT_NE(load_train_data({dir.path("one"), dir.path("two")}, settings).fingerprint(), before);
    dir.write(name, kept);
  }
  dir.write("two/valid.jsonl", lines("x", "alone"));
  const TrainData fewer = load_train_data({dir.path("one"), dir.path("two")}, settings);
  EXPECT_EQ(fewer.valid.irreplaceable, 1);
  EXPECT_EQ(fewer.valid.passages.size(), 2u);
  settings.model.passages.min_tokens = 9;
  EXPECT_EQ(error_of<DataError>([&] { load_train_data({dir.path("one")}, settings); }),
            dir.path("one/train.jsonl") +
                ": no passage of 3 turns with 9 to 25 tokens each has a response (random) to "
                "stand in the place of its own; 0 have none");
}

TEST(DiscriminatorPresets, PatienceHalvesTheRate) {
  expect_patience_halves(Runs::preset("laptop").loop.schedule, 3);
}

}  // namespace
}  // namespace heed::discriminate
