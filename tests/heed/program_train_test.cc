// heed train SYSTEM, and commands that take a model of any system that can do what they need.
#include <nlohmann/json.hpp>

#include "dialog/discriminate/task.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/probe/feature_file.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/npy.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const Arguments kTiny = {"--data",   kSample,    "--preset",  "smoke",   "--limit",
                         "40",       "--hidden", "6",         "--vocab", "90",
                         "--epochs", "1",        "--threads", "1"};

class TrainSystem : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(Arguments{"train", "discriminate", "--out", judge()} + kTiny);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_FALSE(has(r.err, "is now")) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string judge() { return shared->path("judge"); }
  std::string structure(const std::string& run) const {
    return Json::parse(dir.read(run + "/config.json"))["structure"];
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(TrainSystem, AnOlderCommandDoesTheSameAndNamesTheNewOne) {
  const Result r =
      heed_program(Arguments{"discriminate", "train", "--out", dir.path("old")} + kTiny);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "note: heed discriminate train is now heed train discriminate\n"));
  for (const std::string file : {"model.safetensors", "config.json", "log.jsonl"})
    EXPECT_EQ(dir.read("old/" + file), shared->read("judge/" + file)) << file;
  expect_made_with(Json::parse(shared->read("judge/settings.json"))["heed"], "train discriminate");
}

TEST_F(TrainSystem, AStructureIsAFormOfRespond) {
  const auto train = [&](const Arguments& what, const std::string& out) {
    return heed_program(Arguments{"train"} + what + Arguments{"--out", dir.path(out)} + kTiny);
  };
  ASSERT_EQ(train({"respond/hred"}, "named").code, 0);
  EXPECT_EQ(structure("named"), "hred");
  ASSERT_EQ(train({"--structure", "hred"}, "option").code, 0);
  EXPECT_EQ(dir.read("named/model.safetensors"), dir.read("option/model.safetensors"));
  ASSERT_EQ(train({"respond"}, "usual").code, 0);
  EXPECT_EQ(structure("usual"), "static-ui");
  const auto fails = [&](const Arguments& what, const std::string& says) {
    expect_failure(train(what, "none"), 2, says, join(what));
  };
  const Result other = heed_program(
      Arguments{"train", "respond/static", "--resume", "--out", dir.path("named")} + kTiny);
  expect_failure(other, 2, "--structure static: the run " + dir.path("named"), "another structure");
  fails({"respond/rnn"}, "system: expected one of respond, discriminate, adversary, ");
  fails({"retrieve"}, "got 'retrieve'");
  fails({"pretrained/bert"}, "pretrained/bert: heed does not train it");
  fails({"respond/hred", "--structure", "static"},
        "--structure: only applies to heed train respond");
  fails({"--limit", "3", "discriminate"}, "--limit: stands behind heed train discriminate");
  const std::string others = ": is an option of heed train, not of heed train discriminate; ";
  fails({"discriminate", "--max-turns", "3"}, "--max-turns" + others);
  fails({"--max-turns", "3", "discriminate"}, "--max-turns" + others);
}

TEST_F(TrainSystem, OptionsComeAfterTheSystem) {
  expect_failure(heed_program({"train", "--out", dir.path("r"), "gaps", "--data", kSample}), 2,
                 "--out: stands behind heed train gaps", "--out before the system");
}

TEST_F(TrainSystem, AModelThatCannotSaysWhichCan) {
  const std::string says = judge() +
                           ": a discriminator, which cannot respond; models of these systems can: "
                           "respond, adversary, hredgan";
  const Arguments model = {"--model", judge(), "--data", kSample};
  for (const Arguments& command : std::vector<Arguments>{{"respond", "--out", dir.path("r")},
                                                         {"generate", "--out", dir.path("g")},
                                                         {"evaluate"},
                                                         {"show"}}) {
    expect_failure(heed_program(command + model), 2, says, command[0]);
  }
  expect_failure(heed_program(Arguments{"probe", "--epoch", "best-bleu"} + model), 2, says, "bleu");
}

TEST_F(TrainSystem, ARunHasAFolderOfItsOwn) {
  dir.write("talk/train.jsonl", "");
  const std::string talk = dir.path("talk");
  expect_failure(heed_program(tiny_training(talk)), 2,
                 talk + ": holds train.jsonl, dialogues; take another --out",
                 "a folder of dialogues");
  EXPECT_FALSE(std::filesystem::exists(talk + "/settings.json"));
  const std::string none = dir.path("none");
  const Result r = heed_program(tiny_training(none) + Arguments{"--resume"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, none + ": holds no run; a new one begins")) << r.err;
}

// What refuses the run only once its model is made leaves nothing that --resume would find.
TEST_F(TrainSystem, ARunThatCannotBeginTakesItselfBack) {
  const auto train = [&](const std::string& out, const Arguments& more) {
    return heed_program(Arguments{"train", "retrieval", "--data", kSample, "--preset", "smoke",
                                  "--limit", "40", "--epochs", "1", "--max-context", "0",
                                  "--max-response", "0", "--out", out} +
                        more);
  };
  const Arguments group = {"--group", "foo:1:1"};
  const std::string says = "optimizer: no parameter for group 'foo'", made = dir.path("made");
  expect_failure(train(made, group), 2, says, "a new folder");
  EXPECT_FALSE(std::filesystem::exists(made));
  dir.write("there/notes.md", "mine");
  expect_failure(train(dir.path("there"), group), 2, says, "a folder with a note");
  EXPECT_EQ(dir.read("there/notes.md"), "mine");
  std::filesystem::remove(dir.path("there/notes.md"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path("there")));
  ASSERT_EQ(train(made, {}).code, 0);
  expect_failure(train(made, {"--resume", "--group", "foo:1:1"}), 2, "group", "a run that is one");
  EXPECT_TRUE(std::filesystem::exists(made + "/model.safetensors"));
}

// Of a discriminator the encoder is probed as a response model's is.
TEST_F(TrainSystem, AnyEncoderIsProbed) {
  const Arguments model = {"--model", judge(), "--data", kSample, "--limit", "40"};
  const Result r = heed_program(Arguments{"probe"} + model);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "best  untrained  bag-of-words  length")) << r.out;
  const std::string out = dir.path("features");
  ASSERT_EQ(heed_program(Arguments{"features", "--out", out} + model).code, 0);
  EXPECT_EQ(probe::read_part(out, "test").x.shape()[1], 12);
  expect_failure(heed_program(Arguments{"probe", "--pool", "mean"} + model), 2,
                 "--pool: the vectors of " + judge() + " (discriminate) are made in one way only",
                 "pool");
  expect_failure(heed_program(Arguments{"probe", "--epoch", "1"} + model), 2,
                 "epoch: of a discriminator best or untrained, got '1'", "epoch");

  dir.write("texts.jsonl", "{\"text\": \"how do i mount it\"}\n");
  const Arguments encode = {"encode", "--in", dir.path("texts.jsonl"), "--out", dir.path("x.npy")};
  ASSERT_EQ(heed_program(encode + Arguments{"--model", judge()}).code, 0);
  EXPECT_EQ(load_npy(dir.path("x.npy")).shape(), (Shape{1, 12}));
  EXPECT_EQ(heed_program({"info", judge()}).code, 0);
}

// What BERT makes of a context is what it makes of its utterances as one text.
TEST_F(TrainSystem, APretrainedEncoderIsProbed) {
  const std::string in = dir.path("in"), model = dir.path("bert"), data = dir.path("data");
  std::filesystem::create_directory(in);
  pretrained::Bert bert({6, 4, 1, 2, 6, 8, 2, 1e-12});
  init(bert, /*seed=*/1);
  save_parameters(in + "/model.safetensors", bert);
  dir.write("in/vocab.txt", "[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n");
  dir.write("in/config.json",
            R"({"model_type": "bert", "vocab_size": 6, "hidden_size": 4, "num_hidden_layers": 1,
                "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": 8,
                "type_vocab_size": 2})");
  ASSERT_EQ(heed_program({"import", in, "--out", model}).code, 0);
  const std::vector<std::string> turns = {"Hello worlds", "world", "hello hello", "worlds"};
  for (const char* part : {"train", "test"})
    dir.write("data/" + std::string(part) + ".jsonl", dialogue("a", turns) + dialogue("b", turns));
  const std::string out = dir.path("features");
  const Result r = heed_program({"features", "--model", model, "--data", data, "--out", out});
  ASSERT_EQ(r.code, 0) << r.err;
  // six pieces at most, the last ones
  dir.write("texts.jsonl",
            "{\"text\": \"Hello worlds world\"}\n{\"text\": \"Hello worlds world hello hello\"}\n");
  const Arguments encode = {"encode", "--in", dir.path("texts.jsonl"), "--out", dir.path("x.npy")};
  ASSERT_EQ(heed_program(encode + Arguments{"--model", model}).code, 0);
  const Tensor x = probe::read_part(out, "test").x, want = load_npy(dir.path("x.npy"));
  ASSERT_EQ(x.shape(), (Shape{6, 4}));  // after one turn, two and three, of two dialogues
  for (int64_t i = 0; i < 2; ++i) EXPECT_EQ(x[i + 1].to_vector(), want[i].to_vector()) << i;
  const Result probed = heed_program({"probe", "--model", model, "--data", data});
  EXPECT_EQ(probed.code, 0) << probed.err;
  EXPECT_FALSE(has(probed.out, "untrained")) << probed.out;
}

}  // namespace
}  // namespace heed
