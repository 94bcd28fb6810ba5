// A pretrained encoder as a ranker: fine-tuned, or under a learned map.
#include <gtest/gtest.h>

#include "base/error.h"
#include "dialog/describe/info_json.h"
#include "dialog/retrieve/losses.h"
#include "dialog/retrieve/task.h"
#include "dialog/system.h"
#include "nn/gradcheck.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"
#include "train/run_directory.h"

namespace heed::retrieve {
namespace {

constexpr const char* kWords[] = {"a", "b", "c", "d", "e", "f"};

// The word of the context has its answer in another one.
std::string dialogues(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += std::string("{\"turns\": [{\"text\": \"a\"}, {\"text\": \"") + kWords[i % 6] +
             "\"}, {\"text\": \"" + kWords[(i + 1) % 6] + "\"}]}\n";
  }
  return lines;
}

struct Tuned {
  Settings settings;
  TrainData data;
  std::string run;
};

Tuned tuned(const TempDir& dir, const std::string& score) {
  Tuned t{Runs::preset("pretrained"), {}, dir.path(score)};
  Settings& s = t.settings;
  s.init = imported_tiny_bert(dir);
  s.model.score = score;
  s.loop.batch_size = 12;
  s.loop.max_epochs = 20;
  s.loop.schedule.rate = 0.03;
  s.loop.optimizer.warm_up = 0;
  s.loop.schedule.stop_after = 0;
  s.loop.schedule.patience = 100;
  dir.write("data/train.jsonl", dialogues(48));
  dir.write("data/valid.jsonl", dialogues(6));
  t.data = load_train_data(dir.path("data"), s);
  s.data_fingerprint = t.data.fingerprint();
  std::filesystem::create_directory(t.run);
  Runs::start(t.run, s, t.data, "");
  EXPECT_TRUE(Runs::train(t.run, s, t.data, {}));
  return t;
}

TEST(PretrainedRanker, HasTheGradientsOfItsLoss) {
  for (const char* score : {"cosine", "map", "bilinear"}) {
    SCOPED_TRACE(score);
    const TempDir dir;
    DualEncoder model(Config{.encoder = "pretrained", .score = score},
                      pretrained::load_encoder(imported_tiny_bert(dir)).model);
    init(model, 1);
    convert(model, DType::f64);
    const std::vector<Tokens> contexts = {{1, 3, 4, 2}, {1, 5, 2}},
                              responses = {{1, 4, 2}, {1, 6, 7, 2}};
    const std::function<Var()> loss = [&] {
      return mean(softmax_loss(affine(model.contexts(contexts), model.responses(responses)),
                               candidates_of(responses, 2, true)));
    };
    const GradCheck checked = check_gradient(model, loss);
    EXPECT_LT(checked.max_error, 1e-6) << checked.worst;
  }
}

TEST(PretrainedRanker, FineTuningMovesTheEncoderAndAMapDoesNot) {
  for (const char* score : {"cosine", "map"}) {
    SCOPED_TRACE(score);
    const TempDir dir;
    const Tuned t = tuned(dir, score);
    const std::vector<EpochLog> log = load_log(t.run);
    EXPECT_LT(log.back().loss, (score == std::string("map") ? 0.99 : 0.8) * log.front().loss);
    const LoadedRanker best = Runs::load(t.run);
    const auto before = load_tensors(t.settings.init + "/model.safetensors"),
               after = load_tensors(t.run + "/model.safetensors");
    const std::string name = "encoder.layer.0.intermediate.dense.weight";
    const bool moved = after.at("encoder." + name).to_vector() != before.at(name).to_vector();
    EXPECT_EQ(moved, std::string(score) == "cosine");
    EXPECT_TRUE(std::filesystem::exists(t.run + "/encoder/vocab.txt"));
    EXPECT_EQ(best.reader.response("a b"), (Tokens{1, 3, 4, 2}));
  }
}

TEST(PretrainedRanker, AMapSaysHowManyTextsAreReadBeforeTheFirstStep) {
  for (const std::string score : {"cosine", "map"}) {
    const TempDir dir;
    const Tuned t = tuned(dir, score);
    LoadedRanker first = Runs::first(t.run, t.settings);
    int64_t last = 0, calls = 0;
    const auto of = static_cast<int64_t>(2 * (t.data.train.size() + t.data.valid.size()));
    (void)ranker_task(first.model, t.settings, t.data, [&](int64_t done, int64_t all) {
      EXPECT_GT(done, last);
      EXPECT_EQ(all, of);
      last = done;
      ++calls;
    });
    EXPECT_EQ(last, score == "map" ? of : 0);
    EXPECT_EQ(calls >= 4, score == "map");  // two sides of two parts
  }
}

// The sizes in config.json are those of encoders that are not there.
TEST(PretrainedRanker, IsDescribedByWhatItHas) {
  const TempDir dir;
  const Tuned t = tuned(dir, "cosine");
  const auto config = nlohmann::json::parse(dir.read("cosine/config.json"));
  ASSERT_TRUE(config.contains("hidden_size"));
  const auto model = info_of_run(t.run)["model"];
  EXPECT_EQ(model["encoder"], "pretrained");
  EXPECT_EQ(model["score"], "cosine");
  EXPECT_TRUE(model.contains("scale"));
  for (const char* of_others :
       {"vocab_size", "embedding_size", "hidden_size", "num_layers", "heads", "attention_size",
        "buckets", "dropout", "pool", "bidirectional"}) {
    EXPECT_TRUE(config.contains(of_others)) << of_others;
    EXPECT_FALSE(model.contains(of_others)) << of_others;
  }
}

TEST(PretrainedRanker, BeginsWithARunThatWasTuned) {
  const TempDir dir;
  Tuned t = tuned(dir, "cosine");
  t.settings.init = t.run;
  EXPECT_EQ(load_train_data(dir.path("data"), t.settings).fingerprint(), t.data.fingerprint());
}

// A folder that loads as any other, whose vectors are those of the run.
TEST(PretrainedRanker, IsExportedAsItWasTrained) {
  const TempDir dir;
  const Tuned t = tuned(dir, "cosine");
  pretrained::export_encoder(t.run, dir.path("out"));
  const LoadedRanker best = Runs::load(t.run);
  const Tensor own = best.model.encode_f(DualEncoder::Side::kResponses, {{1, 3, 4, 2}}, 1);
  EXPECT_EQ(dir.read("out/config.json").find("system"), std::string::npos);
  pretrained::keep_encoder(t.run, dir.path("next"));  // what another run begins with
  const std::string next = dir.path("next") + "/" + pretrained::kFolderInRun;
  for (const std::string& folder : {dir.path("out"), dir.path("again"), next}) {
    const pretrained::Encoder encoder = pretrained::load_encoder(folder);
    EXPECT_EQ(pretrained::encode_texts(encoder, {encoder.pieces.read("a b", 16)}, 1).to_vector(),
              own.to_vector());
    if (folder == dir.path("out")) pretrained::import_encoder(folder, dir.path("again"));
  }
}

// The last pieces of a text within [CLS] and [SEP], as in training; 16 is all that the model reads.
TEST(PretrainedRanker, EncodesATextAsAContext) {
  const TempDir dir;
  const Tuned t = tuned(dir, "cosine");
  EXPECT_EQ(t.data.bounds.max_context, 16);
  const auto encoder = load_system(t.run).encoder;
  const std::string text = "a b c d e f a b c d e f a b c d e f a b";
  const ContextEncoder::Text read = encoder->read(text), three = encoder->read(text, 4);
  EXPECT_EQ(read.ids, (Tokens{1, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 3, 4, 2}));
  EXPECT_EQ(read.left_out, 6u);
  EXPECT_EQ(three.ids, (Tokens{1, 3, 4, 2}));
  EXPECT_EQ(three.left_out, 18u);
  EXPECT_EQ(encoder->read("").ids, (Tokens{1, 2}));
  EXPECT_EQ(error_of<UsageError>([&] { encoder->read(text, 17); }),
            "--max-pieces: the model reads texts of up to 16 pieces");
  Example context;
  context.context = {encoder->numbers(text)};
  EXPECT_EQ(encoder->encode_texts({read}, {}).to_vector(), encoder->encode({context}).to_vector());
}

TEST(PretrainedRanker, CutsContextsAsTexts) {
  const TempDir dir;
  const TextReader reader(pretrained::load_encoder(imported_tiny_bert(dir)).pieces, 16,
                          {.max_context = 6});
  size_t cut = 0;
  const std::vector<std::string> turns = {"a b c", "d e"};
  const std::vector<std::string> kept = reader.kept(turns, &cut);
  EXPECT_EQ(kept, (std::vector<std::string>{"b c", "d e"}));
  EXPECT_EQ(cut, 1u);
  EXPECT_EQ(reader.unbounded().context(kept), reader.context(turns));
  EXPECT_EQ(reader.unbounded().context(turns).size(), 7u);
}

// What has no blanks is cut by its Chinese characters; and a word that is too long by itself.
TEST(PretrainedRanker, KeepsTheEndOfALongWord) {
  const TempDir dir;
  const TextReader reader(pretrained::load_encoder(imported_tiny_bert(dir)).pieces, 16,
                          {.max_context = 6});
  size_t cut = 0;
  const auto kept = [&](const std::string& last) { return reader.kept({"a", last}, &cut); };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(kept("你好你好你a"), (Texts{"你好你a"}));
  EXPECT_EQ(kept("b 你好你"), (Texts{"b 你好你"}));
  EXPECT_EQ(kept("你好 你"), (Texts{"a", "你好 你"}));
  EXPECT_EQ(kept("b ......"), (Texts{"...."}));
  EXPECT_EQ(kept("b ... "), (Texts{"b ... "}));
  EXPECT_EQ(kept("你a b c d"), (Texts{"a b c d"}));  // a word begins behind a Chinese character
}

// Each text that is longer than the bound counts as one, however much of it is left out.
TEST(PretrainedRanker, CountsTheTextsThatAreCut) {
  const TempDir dir;
  const TextReader reader(pretrained::load_encoder(imported_tiny_bert(dir)).pieces, 16,
                          {.max_context = 6, .max_response = 4});
  size_t contexts = 0, responses = 0;
  EXPECT_EQ(reader.response("a b", &responses), (Tokens{1, 3, 4, 2}));
  EXPECT_EQ(responses, 0u);
  EXPECT_EQ(reader.response("a b c d e f", &responses), (Tokens{1, 3, 4, 2}));
  EXPECT_EQ(reader.response("b c d", &responses), (Tokens{1, 4, 5, 2}));
  EXPECT_EQ(responses, 2u);
  EXPECT_EQ(reader.context({"a b", "c d"}, &contexts), (Tokens{1, 3, 4, 5, 6, 2}));
  EXPECT_EQ(contexts, 0u);
  EXPECT_EQ(reader.context({"a b c", "d e f"}, &contexts), (Tokens{1, 5, 6, 7, 8, 2}));
  EXPECT_EQ(contexts, 1u);
}

// W = 0 is the cosine of frozen vectors.
TEST(PretrainedRanker, AMapBeginsWithTheCosine) {
  const TempDir dir;
  pretrained::Encoder encoder = pretrained::load_encoder(imported_tiny_bert(dir));
  const pretrained::Pieces a = encoder.pieces.read("a b", 16), b = encoder.pieces.read("c", 16);
  const Vec v = pretrained::encode_texts(encoder, {a, b}, 2).to_vector();
  DualEncoder model(Config{.encoder = "pretrained", .score = "map"}, std::move(encoder.model));
  init(model, 1);
  const Var score = affine(model.contexts({a.ids}), model.responses({b.ids}));
  double cosine = 0;
  for (size_t i = 0; i < 8; ++i) cosine += v[i] * v[8 + i];
  EXPECT_NEAR(score.value().item(), cosine, 1e-6);
  // Of other weights it is c . (r + W r): what is mapped is the response.
  const Var weight = named(model, "bilinear.weight");
  weight.set_value(random({8, 8}, 1).value().to(DType::f32));
  double mapped = cosine;
  for (int64_t k = 0; k < 8; ++k) {
    for (int64_t l = 0; l < 8; ++l) mapped += v[k] * weight.value()(k, l) * v[8 + l];
  }
  const Var other = affine(model.contexts({a.ids}), model.responses({b.ids}));
  EXPECT_NEAR(other.value().item(), mapped, 1e-5);
  EXPECT_GT(std::abs(mapped - cosine), 0.01);
}

}  // namespace
}  // namespace heed::retrieve
