// heed import, encode and export on a small encoder that is made here.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dialog/pretrained/encoder.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/npy.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class ImportedModel : public testing::Test {
 protected:
  explicit ImportedModel(int64_t positions = 8) {
    std::filesystem::create_directory(in);
    pretrained::Bert bert({6, 4, 1, 2, 6, positions, 2, 1e-12});
    init(bert, /*seed=*/1);
    save_parameters(in + "/model.safetensors", bert);
    dir.write("in/vocab.txt", "[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n");
    dir.write("in/config.json",
              R"({"model_type": "bert", "vocab_size": 6, "hidden_size": 4, "num_hidden_layers": 1,
                  "num_attention_heads": 2, "intermediate_size": 6, "type_vocab_size": 2,
                  "max_position_embeddings": )" +
                  std::to_string(positions) + "}");
    const std::string options = dir.write("my.toml", "[import]\nout = \"" + model + "\"\n");
    const Result r = heed_program({"import", in, "--config", options});
    EXPECT_EQ(r.out, "imported " + model + ": BERT, 1 layer x 4, 2 heads, 6 pieces, " +
                         std::to_string(194 + 4 * positions) + " numbers; texts of up to " +
                         std::to_string(positions) + " pieces\n")
        << r.err;
  }
  Result encode(const std::string& texts, const std::string& out,
                const Arguments& more = {}) const {
    dir.write("texts.jsonl", texts);
    return heed_program(
        Arguments{"encode", "--model", model, "--in", dir.path("texts.jsonl"), "--out", out} +
        more);
  }
  std::vector<Json> lines_written() const {
    std::vector<Json> lines;
    std::istringstream file(dir.read("vectors.jsonl"));
    for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
    return lines;
  }
  const TempDir dir;
  const std::string in = dir.path("in"), model = dir.path("model"), out = dir.path("vectors.jsonl");
  const std::string texts =
      "{\"text\": \"Hello worlds\", \"id\": 7}\n\n{\"text\": \"\\u0000 w\\u00f6rld\"}\n{\"text\": "
      "\"hello hello hello hello hello hello hello\"}\n";
};

TEST_F(ImportedModel, EncodesTexts) {
  const Result r = encode(texts, out);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "3 vectors of " + dir.path("texts.jsonl") +
                       ": 4 numbers each; 1 text cut to 8 pieces\n");
  const std::vector<Json> lines = lines_written();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["text"], "Hello worlds");
  EXPECT_EQ(lines[0]["ids"], Json({1, 3, 4, 5, 2}));
  EXPECT_EQ(lines[1]["ids"], Json({1, 4, 2}));
  EXPECT_EQ(lines[2]["ids"], Json({1, 3, 3, 3, 3, 3, 3, 2}));
  EXPECT_EQ(encode(texts, dir.path("v.npy")).code, 0);
  const Tensor vectors = load_npy(dir.path("v.npy"));
  ASSERT_EQ(vectors.shape(), (Shape{3, 4}));
  for (int64_t i = 0; i < 3; ++i) {
    double squares = 0;
    for (int64_t c = 0; c < 4; ++c) {
      const double x = lines[static_cast<size_t>(i)]["vector"][static_cast<size_t>(c)];
      EXPECT_NEAR(x, vectors(i, c), 1e-6);
      squares += x * x;
    }
    EXPECT_NEAR(squares, 1, 1e-6);
  }
  EXPECT_EQ(encode(texts, out, {"--max-pieces", "4"}).code, 0);
  EXPECT_EQ(lines_written()[0]["ids"], Json({1, 3, 4, 2}));
}

TEST_F(ImportedModel, SaysWhatItCannotRead) {
  const std::string path = dir.path("texts.jsonl");
  const auto fails = [&](const std::string& given, int code, const std::string& says,
                         const Arguments& more = {}) {
    const Result r = encode(given, out, more);
    EXPECT_EQ(r.code, code);
    EXPECT_EQ(r.err, "heed: " + says + "\n");
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  fails("", 1, path + ": holds no texts");
  fails("{\"text\": \"a\"}\nhello\n", 1, path + ":2: not valid JSON: invalid literal");
  fails("{\"text\": \"a\", \"text\": \"b\"}\n", 1, path + ":1: \"text\" is given twice");
  fails("{\"words\": \"a\"}\n", 1, path + ":1: \"text\" must be a text");
  fails("{\"text\": \"a\"}\n", 2, "--max-pieces: the model reads texts of up to 8 pieces",
        {"--max-pieces", "9"});
  fails(
      "{\"text\": \"a\"}\n", 2,
      "--max-pieces: expected a whole number from 3 to 16777216, got '2' (see heed encode --help)",
      {"--max-pieces", "2"});
  expect_failure(heed_program({"encode", "--model", model, "--in", path, "--out", "v.npy.gz"}), 2,
                 "--out v.npy.gz: .npy is not compressed; let the name end in .npy", ".npy.gz");
  const Result again = heed_program({"import", in, "--out", model});
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.err, "heed: " + model + ": holds a model already; take another folder\n");
  const Result none = heed_program({"import", dir.path("nothing"), "--out", dir.path("x")});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none.err, "nothing: no such folder; one with config.json")) << none.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  const Result chat = heed_program({"chat", "--model", model});
  EXPECT_EQ(chat.code, 2);
  EXPECT_TRUE(has(chat.err, "has no pool.txt to choose from; give --pool FILE")) << chat.err;
}

// By the cosine of its vectors.
TEST_F(ImportedModel, ChoosesOutOfAPool) {
  const std::string pool = dir.write("pool", "hello\nworld world\n"),
                    asks = dir.write("asks.jsonl", "{\"turns\": [{\"text\": \"world\"}]}\n");
  const Result reply =
      heed_program({"rank", "reply", "--model", model, "--pool", pool, "--in", asks, "--out", "-"});
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_TRUE(has(reply.out, "\"reply\":\"world world\"")) << reply.out;
}

// The mean of the states of the layer that is asked for, of the length 1.
TEST_F(ImportedModel, GivesTheVectorsOfALayer) {
  const std::string turns =
      R"({"id": "a", "turns": [{"text": "hello"}, {"text": "worlds"}, {"text": "hello world"}]})";
  dir.write("data/train.jsonl", turns + "\n");
  dir.write("data/test.jsonl", turns + "\n");
  const Arguments command = {"features", "--model", model, "--data", dir.path("data")};
  const auto vectors_of = [&](const Arguments& layer) {
    const std::string to = dir.path("features");
    const Result r = heed_program(command + Arguments{"--out", to} + layer);
    EXPECT_EQ(r.code, 0) << r.err;
    return load_tensors(to + "/test.safetensors").at("x");
  };
  pretrained::Encoder bert = pretrained::load_encoder(model);
  const auto states = bert.model({{{1, 3, 4, 5, 2}, {0, 0, 0, 0, 0}}});  // hello worlds
  for (const int layer : {0, 1}) {
    const Tensor x = states.layers[layer].value(),
                 found = vectors_of({"--layer", std::to_string(layer)});
    EXPECT_EQ(found.shape()[0], 2);  // a context of one turn, too
    std::vector<double> mean(4);
    double squares = 0;
    for (int64_t c = 0; c < 4; ++c) {
      for (int64_t i = 0; i < 5; ++i) mean[c] += x(i, c) / 5;
      squares += mean[c] * mean[c];
    }
    for (int64_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(found(1, c), mean[c] / std::sqrt(squares), 1e-6) << layer;
    }
  }
  const Tensor usual = vectors_of({}), last = vectors_of({"--layer", "1"});
  for (int64_t c = 0; c < 4; ++c) EXPECT_EQ(usual(1, c), last(1, c));
  expect_failure(heed_program(command + Arguments{"--out", dir.path("f"), "--layer", "2"}), 2,
                 "--layer: " + model + " (pretrained/bert) has layers 0 to 1", "--layer");
}

// Every passage has a place in its positions.
struct JudgingModel : ImportedModel {
  JudgingModel() : ImportedModel(96) {}
  Arguments reproduce(const Arguments& more) const {
    return Arguments{"reproduce", "adversarial", "--data",   kSample,
                     "--out",     dir.path("e"), "--limit",  "60",
                     "--vocab",   "100",         "--epochs", "1",
                     "--threads", "1",           "--only",   "ubuntu-sample"} +
           more;
  }
};
TEST_F(JudgingModel, IsTheDiscriminatorOfAnExperiment) {
  const Arguments strong = {"--preset", "pretrained", "--init", model};
  const Result r = without_warnings(heed_program(reproduce(strong)));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json folder = Json::parse(dir.read("e/adversarial.json"));
  EXPECT_EQ(folder["settings"]["init"], model);
  const Json config = Json::parse(dir.read("e/ubuntu-sample-seed1/config.json"));
  EXPECT_EQ(config["encoder"], "pretrained");
  EXPECT_EQ(config["hidden_size"], 2);  // half of the encoder's states
  expect_failure(heed_program(reproduce(strong + Arguments{"--hidden", "8"})), 2,
                 "--hidden: a pretrained encoder brings its sizes", "--hidden");
  expect_failure(heed_program(reproduce({"--preset", "smoke", "--init", model})), 2,
                 "--init is for --encoder pretrained, not for lstm", "--init");
  expect_failure(heed_program(reproduce({"--preset", "pretrained"})), 2,
                 "--encoder pretrained needs --init: a model that `heed import` made", "no --init");
  // the same folder with other weights
  const std::string weights = model + "/model.safetensors";
  std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end).put('\x3f');
  file.close();
  const Result other = heed_program(reproduce(strong));
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "on other data")) << other.err;
}

TEST_F(ImportedModel, IsExportedAsItWas) {
  const std::string back = dir.path("back");
  EXPECT_EQ(heed_program({"export", "--model", model, "--out", back}).code, 0);
  EXPECT_EQ(dir.read("back/model.safetensors"), dir.read("in/model.safetensors"));
  EXPECT_EQ(dir.read("back/vocab.txt"), dir.read("in/vocab.txt"));
  EXPECT_EQ(Json::parse(dir.read("back/config.json")), Json::parse(dir.read("in/config.json")));
  const Result info = heed_program({"info", model});
  EXPECT_TRUE(has(info.out, "pretrained/bert")) << info.out << info.err;
  expect_failure(heed_program({"export", "--model", source_dir() + "/data/models/trained", "--out",
                               dir.path("none")}),
                 2, "has no pretrained encoder to export", "a response model");
}

}  // namespace
}  // namespace heed
