// A ranker's run: what it learns, what it keeps, and that a stop changes nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "autograd/composed.h"
#include "autograd/ops.h"
#include "base/error.h"
#include "dialog/retrieve/losses.h"
#include "dialog/retrieve/task.h"
#include "dialog/system.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/compare.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"
#include "train/run_directory.h"

namespace heed::retrieve {
namespace {

// In each dialogue a code that is in no other stands in the context and in the response.
std::string dialogues(int first, int count, bool shuffled) {
  std::string lines;
  for (int i = first; i < first + count; ++i) {
    const auto code = [&](int n) {
      return "k" + std::to_string(n % 20) + " q" + std::to_string(n / 20 % 20);
    };
    const std::string said = code(shuffled ? i * 7 + 3 : i);
    lines += "{\"turns\": [{\"text\": \"hello\"}, {\"text\": \"about " + code(i) +
             " please\"}, {\"text\": \"yes " + said + "\"}]}\n";
  }
  return lines;
}

Settings small() {
  Settings s = Runs::preset("smoke");
  s.model.embedding_size = s.model.hidden_size = 32;
  s.model.dropout = 0;
  s.loop.batch_size = 50;
  s.loop.max_epochs = 4;
  return s;
}

TrainData read(const TempDir& dir, Settings& s, bool shuffled = false) {
  dir.write("data/train.jsonl", dialogues(0, 400, shuffled));
  // No multiple of 100, of which the lists are.
  dir.write("data/valid.jsonl", dialogues(100, 150, shuffled));
  TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  return data;
}

double best_of(const std::string& run) {
  double best = 0;
  for (const EpochLog& e : load_log(run)) {
    best = std::max(best, value_of(e.metrics, kValidFirst));
  }
  return best;
}

TEST(RankerTraining, LearnsACode) {
  const TempDir dir;
  for (const char* loss : {"softmax", "hinge"}) {
    for (const char* negatives : {"batch", "shared:40", "batch+shared:10"}) {
      SCOPED_TRACE(std::string(loss) + " " + negatives);
      Settings s = small();
      s.loss = loss;
      s.negatives = negatives;
      s.loop.max_epochs = 10;
      const TrainData data = read(dir, s);
      const std::string run = dir.path(std::string(loss) + negatives);
      std::filesystem::create_directory(run);
      Runs::start(run, s, data, "");
      ASSERT_TRUE(Runs::train(run, s, data, {}));
      EXPECT_GT(best_of(run), 0.9);
    }
  }
}

// As printed: the rate is that of its schedule, whatever the validation says.
TEST(RankerTraining, ThePrintedScheduleIsNotHalved) {
  const auto& schedule = Runs::preset("production-paper").loop.schedule;
  EXPECT_EQ(schedule.patience, 0);
  EXPECT_EQ(schedule.stop_after, 2);
}

// What the papers print of their training, and what fine-tuning of a BERT usually takes.
TEST(RankerTraining, ThePresetsAreThoseOfThePapers) {
  const Settings swanson = Runs::preset("production-paper"), lowe = Runs::preset("dstc7"),
                 tuned = Runs::preset("pretrained");
  EXPECT_EQ(swanson.model.encoder + swanson.model.score, "srudot");
  EXPECT_EQ(swanson.model.layers, 4);
  EXPECT_EQ(swanson.model.heads, 16);
  EXPECT_EQ(swanson.negatives, "shared:200");
  EXPECT_EQ(swanson.loop.batch_size, 200);
  EXPECT_EQ(swanson.loop.optimizer.rate_decay, "inverse-sqrt");
  EXPECT_EQ(swanson.loop.optimizer.warm_up, 4000);
  EXPECT_NEAR(swanson.loop.schedule.rate, std::pow(600, -0.5) * std::pow(4000, -0.5), 1e-15);
  EXPECT_EQ(lowe.model.encoder + lowe.model.score + lowe.model.pool, "lstmbilinearlast");
  EXPECT_FALSE(lowe.model.bidirectional);
  EXPECT_EQ(lowe.model.hidden_size, 256);
  EXPECT_EQ(lowe.loop.batch_size, 16);
  EXPECT_EQ(tuned.loop.optimizer.weight_decay, 0.01);
  EXPECT_EQ(tuned.loop.optimizer.warm_up, 100);
  EXPECT_EQ(tuned.loop.max_norm, 1);
  EXPECT_EQ(tuned.loop.schedule.rate, 5e-5);
  EXPECT_EQ(tuned.model.dropout, 0);
}

// A batch of one has no negatives but those that are drawn.
TEST(RankerTraining, NegativesAreOfTheBatchOrDrawn) {
  const auto most = "shared:" + std::to_string(kMaxBatch);
  EXPECT_EQ(parse_negatives(most).shared, kMaxBatch);
  EXPECT_FALSE(parse_negatives(most).of_batch);
  EXPECT_EQ(parse_negatives("batch+shared:1").shared, 1);
  EXPECT_TRUE(parse_negatives("batch+shared:1").of_batch);
  EXPECT_TRUE(parse_negatives("batch").of_batch);
  EXPECT_EQ(parse_negatives("batch").shared, 0);
  EXPECT_THROW(parse_negatives("shared:" + std::to_string(kMaxBatch + 1)), UsageError);
  Settings s = small();
  s.loop.batch_size = 1;
  for (const char* negatives : {"batch", "batch+shared:5"}) {
    s.negatives = negatives;
    EXPECT_EQ(error_of<UsageError>([&] { s.check(); }),
              "retrieval: the negatives of a batch: expected batches of at least 2, got 1");
  }
  s.negatives = "shared:5";
  EXPECT_NO_THROW(s.check());
}

// What is read of a context, as texts, is read alike without the bound.
TEST(RankerTraining, ContextsAreCutAsTexts) {
  const Vocabulary words = Vocabulary::build({{"a", 3}, {"c", 2}, {"d", 1}}, {.max_size = 100});
  const TextReader reader(words, {.max_context = 5});
  size_t cut = 0;
  const std::vector<std::string> turns = {"e", "A b c!", "d"}, few = {"A b", "d"};
  const std::vector<std::string> kept = reader.kept(turns, &cut);
  EXPECT_EQ(kept, (std::vector<std::string>{"c !", "d"}));
  EXPECT_EQ(cut, 1u);
  EXPECT_EQ(reader.unbounded().context(kept), reader.context(turns));
  EXPECT_EQ(reader.unbounded().context(turns).size(), 9u);
  EXPECT_EQ(reader.kept(few, &cut), few);
  EXPECT_EQ(cut, 1u);
}

// Two examples of a batch that say the same thing, and shared negatives that are the same text:
// each response is first among what it competes with, which is no equal text.
TEST(RankerTraining, AnEqualTextIsNotAboveTheResponse) {
  const TempDir dir;
  for (const char* part : {"data/train.jsonl", "data/valid.jsonl"}) {
    dir.write(part, dialogues(0, 1, false) + dialogues(0, 1, false));
  }
  for (const char* negatives : {"batch", "shared:3", "batch+shared:3"}) {
    Settings s = small();
    s.negatives = negatives;
    const TrainData data = load_train_data(dir.path("data"), s);
    ASSERT_EQ(data.train.size(), 2u);
    s.model.vocab_size = data.vocabulary.size();
    DualEncoder model(s.model);
    init(model, 1);
    const Counts counts = ranker_task(model, s, data).loss({0, 1}, StepKey{}).counts;
    EXPECT_EQ(counts.at("contexts"), 2) << negatives;
    EXPECT_EQ(counts.at("right"), 2) << negatives;
  }
}

// With these weights, computed once more from the vectors.
TEST(RankerTask, TheLossIsThatOfItsSettings) {
  const TempDir dir;
  Settings s = small();
  const TrainData data = read(dir, s);
  DualEncoder model(s.model);
  init(model, 1);
  const std::vector<int64_t> batch = {3, 0, 7};
  std::vector<Tokens> contexts, responses;
  for (const int64_t i : batch) {
    contexts.push_back(data.train[i].context);
    responses.push_back(data.train[i].response);
  }
  const Var scores = affine(model.contexts(contexts), model.responses(responses));
  const Candidates of = candidates_of(responses, 3, true);
  const auto loss = [&](const StepKey& key) {
    return ranker_task(model, s, data).loss(batch, key).total.value().item();
  };
  for (const double smoothing : {0.0, 0.25}) {
    s.smoothing = smoothing;
    EXPECT_NEAR(loss({}), mean(softmax_loss(scores, of, smoothing)).value().item(), 1e-6);
  }
  s.loss = "hinge";
  for (const double margin : {0.125, 2.0}) {
    s.margin = margin;
    EXPECT_NEAR(loss({}), mean(hinge_loss(scores, of, margin)).value().item(), 1e-6);
  }
  s.model.dropout = 0.5;
  EXPECT_EQ(loss({.step = 1}), loss({.step = 1}));
  for (const StepKey& other : {StepKey{.step = 2}, {.epoch = 1, .step = 1}, {.seed = 2, .step = 1}})
    EXPECT_NE(loss(other), loss({.step = 1}));
}

// R@1 and the mean reciprocal rank among all responses, where there are no more than 100.
TEST(RankerTask, TheValidationRanksEachResponse) {
  const TempDir dir;
  Settings s = small();
  TrainData data = read(dir, s);
  data.valid.resize(60);
  DualEncoder model(s.model);
  init(model, 1);
  std::vector<Tokens> contexts, responses;
  for (const TextPair& pair : data.valid) {
    contexts.push_back(pair.context);
    responses.push_back(pair.response);
  }
  const Tensor scores = affine(model.contexts(contexts), model.responses(responses)).value();
  double first = 0, reciprocal = 0;
  for (int64_t i = 0; i < 60; ++i) {
    int above = 0;
    for (int64_t j = 0; j < 60; ++j) above += scores(i, j) > scores(i, i);
    first += above == 0;
    reciprocal += 1.0 / (1 + above);
  }
  std::vector<int64_t> done;
  const Metrics metrics = ranker_task(model, s, data).validate([&](int64_t n, int64_t of) {
    EXPECT_EQ(of, 120);
    done.push_back(n);
  });
  EXPECT_DOUBLE_EQ(value_of(metrics, kValidFirst), first / 60);
  EXPECT_NEAR(value_of(metrics, kValidReciprocal), reciprocal / 60, 1e-12);
  EXPECT_GT(reciprocal, first);
  EXPECT_EQ(done, (std::vector<int64_t>{60, 120}));
}

// A text that is longer than its bound, on either side: contexts of 6 words with their ends, and
// responses of 3, 4 and 5.
TEST(RankerTraining, CountsWhatItCutsOnEachSide) {
  const Vocabulary words = Vocabulary::build({{"a", 3}, {"b", 2}});
  DataPart part{"part", {}};
  for (const char* response : {"a b a", "a b a b", "a b a b a"}) {
    part.dialogues.push_back({response, {{"", "a b"}, {"", "b a"}, {"", response}}});
  }
  const auto cut = [&](int max_context, int max_response) {
    Settings s = small();
    s.bounds = {.max_context = max_context, .max_response = max_response};
    const TrainData data = make_train_data(part, part, s, words);  // both parts count
    EXPECT_EQ(data.bounds.max_context, max_context);
    return std::pair(data.cut_contexts, data.cut_responses);
  };
  using Counts = std::pair<size_t, size_t>;
  EXPECT_EQ(cut(0, 0), Counts(0, 0));
  EXPECT_EQ(cut(6, 5), Counts(0, 0));
  EXPECT_EQ(cut(5, 4), Counts(6, 2));
  EXPECT_EQ(cut(0, 3), Counts(0, 4));
}

// Dialogues of three turns: which of them answer, and how many dialogues are read.
TEST(RankerTraining, ReadsTheResponsesThatItsSettingsName) {
  const TempDir dir;
  Settings s = small();
  const auto sizes = [&] {
    const TrainData data = read(dir, s);
    return std::pair(data.train.size(), data.valid.size());
  };
  EXPECT_EQ(sizes(), std::pair(size_t{400}, size_t{150}));
  s.min_turns = 2;
  EXPECT_EQ(sizes(), std::pair(size_t{800}, size_t{300}));
  s.all_positions = false;
  EXPECT_EQ(sizes(), std::pair(size_t{400}, size_t{150}));
  s.limit = 7;
  EXPECT_EQ(sizes(), std::pair(size_t{7}, size_t{7}));
}

// What is drawn from a dialogue without a response is of the data, too.
TEST(RankerTraining, TheFingerprintIsAlsoOfTheDistractions) {
  const Vocabulary words = Vocabulary::build({{"a", 3}, {"b", 2}, {"c", 1}});
  Settings s = small();
  const auto fingerprint = [&](const std::string& alone, const std::string& id = "d3") {
    DataPart part{"part", {}};
    for (const char* id : {"d1", "d2"}) {
      part.dialogues.push_back({id, {{"", "a"}, {"", "b"}, {"", "c"}}});
    }
    part.dialogues.push_back({id, {{"", alone}}});
    return make_train_data(part, part, s, words).fingerprint();
  };
  EXPECT_EQ(fingerprint("a"), fingerprint("b"));
  EXPECT_EQ(fingerprint("a"), fingerprint("a", "d1"));
  s.insert_prob = 0.5;
  EXPECT_NE(fingerprint("a"), fingerprint("b"));
  EXPECT_NE(fingerprint("a"), fingerprint("a", "d1"));  // none is of its own dialogue
}

TEST(RankerTraining, ARunIsTheSameAfterAStop) {
  const TempDir dir;
  Settings s = small();
  s.negatives = "batch+shared:10";
  s.model.dropout = 0.1;
  const TrainData data = read(dir, s);
  for (const char* run : {"whole", "parts"}) {
    std::filesystem::create_directory(dir.path(run));
    Runs::start(dir.path(run), s, data, "");
  }
  ASSERT_TRUE(Runs::train(dir.path("whole"), s, data, {}));
  std::atomic<bool> stop = false;
  int steps = 0;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps == 11; };
  ASSERT_FALSE(Runs::train(dir.path("parts"), s, data, {}, hooks));
  stop = false;
  hooks.on_step = {};
  ASSERT_TRUE(Runs::train(dir.path("parts"), Runs::settings(dir.path("parts")), data, {}, hooks));
  EXPECT_EQ(dir.read("parts/log.jsonl"), dir.read("whole/log.jsonl"));
  EXPECT_EQ(dir.read("parts/model.safetensors"), dir.read("whole/model.safetensors"));
  const LoadedRanker loaded = Runs::load(dir.path("whole"));
  EXPECT_EQ(loaded.model.config().encoder, "bag");
  EXPECT_TRUE(loaded.reader.words() == data.vocabulary);
}

// The ranker of its bundled run as an encoder: f_c of what the ranker reads as the context, also of
// a context longer than its bound, and of the second batch.
TEST(RankerTraining, EncodesWhatItReadsAsAContext) {
  const std::string run = source_dir() + "/data/models/ranker";
  const LoadedSystem loaded = load_system(run);
  const LoadedRanker ranker = Runs::load(run);
  std::vector<std::vector<std::string>> contexts(40);
  for (size_t i = 0; i < contexts.size(); ++i) {
    contexts[i] = {"hello number " + std::to_string(i), "what is ubuntu " + std::to_string(7 * i)};
  }
  for (int i = 0; i < 400; ++i) contexts[3].push_back("the sound card " + std::to_string(i));
  std::vector<Example> examples(contexts.size());
  std::vector<Tokens> read(contexts.size());
  for (size_t i = 0; i < contexts.size(); ++i) {
    for (const std::string& turn : contexts[i]) {
      examples[i].context.push_back(loaded.encoder->numbers(turn));
    }
    read[i] = ranker.reader.context(contexts[i]);
  }
  const Tensor vectors = loaded.encoder->encode(examples, {.batch = 16});
  ASSERT_EQ(vectors.shape(), (Shape{40, loaded.encoder->width()}));
  const NoGrad guard;
  EXPECT_TRUE(allclose(vectors, ranker.model.f(DualEncoder::Side::kContexts, read).value(),
                       {.relative = 1e-5, .absolute = 1e-6}));
  EXPECT_FALSE(allclose(vectors[0], vectors[1], {.relative = 1e-2, .absolute = 1e-2}));
}

TEST(RankerTraining, RefusesDataWithoutPairs) {
  const TempDir dir;
  dir.write("data/train.jsonl", dialogues(0, 10, false));
  const std::string valid = dir.write("data/valid.jsonl", dialogues(0, 1, false));
  EXPECT_EQ(error_of<DataError>([&] { load_train_data(dir.path("data"), small()); }),
            valid + ": a ranker needs two responses at least, there is one");
  dir.write("data/valid.jsonl", "{\"turns\": [{\"text\": \"a\"}, {\"text\": \"b\"}]}\n");
  EXPECT_EQ(error_of<DataError>([&] { load_train_data(dir.path("data"), small()); }),
            valid +
                ": a ranker needs two responses at least, there is none: no dialogue with two "
                "utterances of context and a response; heed train retrieval --min-turns 2 takes "
                "dialogues of two turns, too");
  EXPECT_EQ(error_of<UsageError>([] { parse_negatives("shared:0"); }),
            "negatives: expected batch, shared:K or batch+shared:K, got 'shared:0'");
  Settings s = small();
  s.model.encoder = "pretrained";
  EXPECT_EQ(error_of<UsageError>([&] { s.check(); }),
            "--encoder pretrained needs --init: a model that `heed import` made");
}

}  // namespace
}  // namespace heed::retrieve
