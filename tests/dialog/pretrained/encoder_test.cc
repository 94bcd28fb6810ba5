// A small pretrained encoder, made here: what it computes, against plain loops, and every folder
// that is not what it says.
#include "dialog/pretrained/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "autograd/discrete.h"
#include "dialog/pretrained/likeness.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"

namespace heed::pretrained {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Vec = std::vector<double>;

const std::vector<std::string> kPieces = {
    "[PAD]", "[UNK]", "[CLS]", "[SEP]",        "un",   "##able", "##a", "able",  "a",
    "##b",   "b",     "!",     "\xE4\xB8\xAD", "cafe", "-",      "##c", "[MASK]"};

OrderedJson config_json() {
  return {{"model_type", "bert"},         {"vocab_size", kPieces.size()}, {"hidden_size", 4},
          {"num_hidden_layers", 2},       {"num_attention_heads", 2},     {"intermediate_size", 6},
          {"max_position_embeddings", 8}, {"type_vocab_size", 2},         {"layer_norm_eps", 1e-3},
          {"hidden_act", "gelu"}};
}

constexpr const char* kMeanModules =
    R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Mean", "type": "sentence_transformers.models.Pooling"},
        {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])";

class Pretrained : public testing::Test {
 protected:
  Pretrained() : model({17, 4, 2, 2, 6, 8, 2, 1e-3}) {
    init(model, /*seed=*/3);
    Rng rng(5);
    for (const NamedParameter& p : parameters(model)) {  // gains and biases too
      std::vector<float> values(p.var.shape().numel());
      for (float& v : values) v = static_cast<float>(rng.uniform() - 0.5);
      p.var.set_value(Tensor::from(values, p.var.shape()));
    }
    write();
  }
  void write(const std::string& prefix = "") {
    std::vector<NamedTensor> tensors;
    for (const NamedTensor& t : parameter_tensors(model))
      tensors.push_back({prefix + t.name, t.tensor});
    save_tensors(in + "/model.safetensors", tensors);
    dir.write("in/config.json", config_json().dump());
    std::string vocabulary;
    for (const std::string& piece : kPieces) vocabulary += piece + "\n";
    dir.write("in/vocab.txt", vocabulary);
  }
  std::string refusal() const {
    return error_of<DataError>([&] { (void)load_encoder(in); });
  }
  void set(const char* key, const OrderedJson& value) {
    OrderedJson json = config_json();
    json[key] = value;
    dir.write("in/config.json", json.dump());
  }

  TempDir dir;
  const std::string in = (std::filesystem::create_directory(dir.path("in")), dir.path("in"));
  Bert model;
};

// ---- what it computes

using Rows = std::vector<Vec>;

struct Weights {
  std::map<std::string, Tensor> all;
  Vec row(const std::string& name, int64_t i) const { return all.at(name)[i].to_vector(); }
  Vec linear(const Vec& x, const std::string& name) const {
    const Tensor w = all.at(name + ".weight");
    Vec y = all.at(name + ".bias").to_vector();
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += w(o, i) * x[i];
    }
    return y;
  }
  Vec norm(const Vec& x, const std::string& name) const {
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
    Vec y(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      y[i] = (x[i] - mean) / std::sqrt(variance + 1e-3) * all.at(name + ".weight")(i) +
             all.at(name + ".bias")(i);
    }
    return y;
  }
};
Vec plus(Vec a, const Vec& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Rows layer_by_hand(const Weights& w, const Rows& x, const std::string& at) {
  Rows q, k, v, y;
  for (const Vec& row : x) {
    q.push_back(w.linear(row, at + "attention.self.query"));
    k.push_back(w.linear(row, at + "attention.self.key"));
    v.push_back(w.linear(row, at + "attention.self.value"));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    Vec context(4, 0);
    for (size_t head = 0; head < 2; ++head) {
      Vec e(x.size());
      double total = 0;
      for (size_t j = 0; j < x.size(); ++j) {
        const double dot =
            q[i][2 * head] * k[j][2 * head] + q[i][2 * head + 1] * k[j][2 * head + 1];
        total += e[j] = std::exp(dot / std::sqrt(2));
      }
      for (size_t j = 0; j < x.size(); ++j) {
        for (size_t c = 2 * head; c < 2 * head + 2; ++c) context[c] += e[j] / total * v[j][c];
      }
    }
    const Vec h = w.norm(plus(x[i], w.linear(context, at + "attention.output.dense")),
                         at + "attention.output.LayerNorm");
    Vec u = w.linear(h, at + "intermediate.dense");
    for (double& z : u) z *= 0.5 * std::erfc(-z / std::sqrt(2));
    y.push_back(w.norm(plus(h, w.linear(u, at + "output.dense")), at + "output.LayerNorm"));
  }
  return y;
}

TEST_F(Pretrained, ComputesBertOverTextsOfAnyLength) {
  convert(model, DType::f64);
  Weights w;
  for (const NamedTensor& t : parameter_tensors(model)) w.all[t.name] = t.tensor;
  const std::vector<Pieces> texts = {{{2, 4, 3}, {0, 0, 0}},
                                     {{2, 8, 9, 3, 7, 3}, {0, 0, 0, 0, 1, 1}}};
  const NoGrad guard;
  const Bert::States states = model(texts);
  ASSERT_EQ(states.layers.size(), 3u);
  int64_t at = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    Rows x;
    for (size_t i = 0; i < texts[t].ids.size(); ++i) {
      x.push_back(w.norm(plus(plus(w.row("embeddings.word_embeddings.weight", texts[t].ids[i]),
                                   w.row("embeddings.position_embeddings.weight", int64_t(i))),
                              w.row("embeddings.token_type_embeddings.weight", texts[t].types[i])),
                         "embeddings.LayerNorm"));
    }
    Vec mean(4, 0);
    for (size_t layer = 0; layer < 3; ++layer) {
      if (layer > 0) x = layer_by_hand(w, x, "encoder.layer." + std::to_string(layer - 1) + ".");
      for (size_t i = 0; i < x.size(); ++i) {
        for (int64_t c = 0; c < 4; ++c) {
          EXPECT_NEAR(states.layers[layer].value()(at + int64_t(i), c), x[i][c], 1e-12) << layer;
        }
      }
    }
    double squares = 0;
    for (const Vec& row : x) mean = plus(mean, row);
    for (const double v : mean) squares += v * v;
    for (int64_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(mean_vectors(states).value()(int64_t(t), c), mean[c] / std::sqrt(squares), 1e-12);
    }
    at += std::ssize(x);
  }
}

TEST_F(Pretrained, IsReadUnderAllNames) {
  const Encoder plain = load_encoder(in);
  EXPECT_EQ(plain.max_length, 8);
  const std::vector<Pieces> texts = {plain.pieces.read("a unable", 8), plain.pieces.read("b", 8),
                                     plain.pieces.read("unable a b!", 8)};
  const Vec want = encode_texts(plain, texts, 2).to_vector();
  EXPECT_EQ(want, encode_texts(plain, texts, 1).to_vector());  // in the order given
  write("bert.");
  EXPECT_EQ(encode_texts(load_encoder(in), texts, 2).to_vector(), want);
  std::vector<NamedTensor> old;  // with the head of its pretraining, pooler, positions
  for (NamedTensor t : parameter_tensors(model)) {
    for (const auto& [now, then] :
         {std::pair{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}}) {
      if (t.name.ends_with(now))
        t.name.replace(t.name.size() - std::string(now).size(), t.name.npos, then);
    }
    old.push_back({"bert." + t.name, t.tensor});
  }
  old.push_back({"cls.predictions.bias", Tensor::zeros({17})});
  old.push_back({"bert.pooler.dense.bias", Tensor::zeros({4})});
  old.push_back({"bert.embeddings.position_ids", arange(0, 8).reshape({1, 8})});
  save_tensors(in + "/model.safetensors", old);
  EXPECT_EQ(encode_texts(load_encoder(in), texts, 2).to_vector(), want);
  dir.write("in/sentence_bert_config.json", R"({"max_seq_length": 5})");
  EXPECT_EQ(load_encoder(in).max_length, 5);
  dir.write("in/sentence_bert_config.json", R"({"max_seq_length": null})");
  EXPECT_EQ(load_encoder(in).max_length, 8);
}

// So many that each thread computes batches of its own, and more pieces than one batch takes.
TEST_F(Pretrained, ReadsATextAlikeInAnyBatchAndOnAnyThread) {
  const Encoder encoder = load_encoder(in);
  std::vector<Pieces> texts;
  for (const char* text : {"a unable", "b", "unable a b!", ""}) {
    texts.push_back(encoder.pieces.read(text, 8));
  }
  while (texts.size() < 600) texts.push_back(texts[texts.size() * 7 % 4]);
  std::vector<size_t> done;
  const auto on_texts = [&](size_t n, size_t of) { done.push_back(of == 600 ? n : 0); };
  const Vec want = encode_texts(encoder, texts, 1).to_vector();
  EXPECT_EQ(encode_texts(encoder, texts, 600).to_vector(), want);
  set_num_threads(3);
  EXPECT_EQ(encode_texts(encoder, texts, 8, on_texts).to_vector(), want);
  ASSERT_EQ(done.size(), 75u);
  for (size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], 8 * (i + 1));
  set_num_threads(0);
}

TEST_F(Pretrained, GoesInAndOutUnchanged) {
  const std::string model_at = dir.path("model"), out = dir.path("out");
  dir.write("in/tokenizer_config.json", R"({"do_lower_case": false})");
  std::filesystem::create_directory(in + "/1_Mean");
  dir.write("in/1_Mean/config.json", R"({"pooling_mode_mean_tokens": true})");
  dir.write("in/modules.json", kMeanModules);
  (void)import_encoder(in, model_at);
  EXPECT_EQ(OrderedJson::parse(dir.read("model/config.json"))["system"], kBertSystem);
  EXPECT_EQ(error_of<UsageError>([&] { (void)import_encoder(in, model_at); }),
            model_at + ": holds a model already; take another folder");
  dir.write("other/vocab.txt", "mine");
  dir.write("half/vocab.txt", dir.read("in/vocab.txt"));
  EXPECT_EQ(
      error_of<UsageError>([&] { (void)import_encoder(in, dir.path("other")); }),
      dir.path("other/vocab.txt") + ": is there already, and is another; take another folder");
  EXPECT_EQ(dir.read("other/vocab.txt"), "mine");
  dir.write("data/train.jsonl", "{}");
  EXPECT_EQ(error_of<UsageError>([&] { (void)import_encoder(in, dir.path("data")); }),
            dir.path("data") + ": holds other files, such as train.jsonl; take another folder");
  (void)import_encoder(in, dir.path("half"));
  EXPECT_EQ(dir.read("half/model.safetensors"), dir.read("in/model.safetensors"));
  dir.write("nearly/config.json.tmp-3f2c9a01-4711", "{");  // of a copy killed while it wrote this
  (void)import_encoder(in, dir.path("nearly"));
  dir.write("run/encoder/left", "of a start that was killed");
  keep_encoder(model_at, dir.path("run"));
  EXPECT_FALSE(std::filesystem::exists(dir.path("run/encoder/left")));
  EXPECT_EQ(error_of<UsageError>([&] { keep_encoder(dir.path("run/encoder"), dir.path("run")); }),
            dir.path("run/encoder") + ": is where the run keeps its encoder; move it out of " +
                dir.path("run"));
  EXPECT_EQ(dir.read("run/encoder/vocab.txt"), dir.read("in/vocab.txt"));
  (void)export_encoder(model_at, out);
  for (const char* file : {"model.safetensors", "vocab.txt", "tokenizer_config.json",
                           "1_Mean/config.json", "modules.json"}) {
    EXPECT_EQ(dir.read(std::string("out/") + file), dir.read(std::string("in/") + file)) << file;
  }
  EXPECT_EQ(OrderedJson::parse(dir.read("out/config.json")), config_json());
}

// ---- folders that are not what they say

TEST_F(Pretrained, RefusesWeightsWithoutFiniteVectors) {
  const auto fill = [&](const std::string& part, double value) {
    init(model, /*seed=*/3);
    for (const NamedParameter& p : parameters(model)) {
      if (p.name.find(part) == p.name.npos) continue;
      p.var.set_value(Tensor::full(p.var.shape(), value));
    }
    write();
    return refusal();
  };
  const std::string weights = in + "/model.safetensors: ", name = parameters(model).back().name;
  EXPECT_EQ(fill(name, NAN), weights + name + " holds a number that is not finite");
  EXPECT_EQ(fill(name, -INFINITY), weights + name + " holds a number that is not finite");
  EXPECT_EQ(fill("", 0), weights + "with these weights the vector of a text is not finite");
}

TEST_F(Pretrained, RefusesWhatItWouldComputeOtherwise) {
  const std::string config = in + "/config.json: ";
  const std::vector<std::tuple<const char*, OrderedJson, std::string>> cases = {
      {"model_type", "roberta", "\"model_type\" is \"roberta\", and heed reads \"bert\" only"},
      {"model_type", nullptr, "\"model_type\" is null, and heed reads \"bert\" only"},
      {"hidden_act", "relu", "\"hidden_act\" is \"relu\", and heed reads \"gelu\" only"},
      {"position_embedding_type", "relative_key",
       "\"position_embedding_type\" is \"relative_key\", and heed reads \"absolute\" only"},
      {"add_cross_attention", true, "\"add_cross_attention\" is true, and heed reads false only"},
      {"is_decoder", true, "\"is_decoder\" is true, and heed reads false only"},
      {"is_encoder_decoder", true, "\"is_encoder_decoder\" is true, and heed reads false only"},
      {"hidden_act", nullptr, "\"hidden_act\" is null, and heed reads \"gelu\" only"},
      {"pruned_heads", {{"0", {1}}}, "\"pruned_heads\" is {\"0\":[1]}, and heed reads {} only"},
      {"system", "respond", "\"system\" is \"respond\", and heed reads \"pretrained/bert\" only"},
      {"num_attention_heads", 3, "3 heads do not divide 4 columns"},
      {"hidden_size", 0, "\"hidden_size\": expected a whole number from 1 to 16777216, got 0"},
      {"num_hidden_layers", 1e300,
       "\"num_hidden_layers\": expected a whole number from 1 to 16777216, got 1e+300"},
      {"layer_norm_eps", "small",
       "\"layer_norm_eps\": expected a number between 0 and 1, got \"small\""}};
  for (const auto& [key, value, rule] : cases) {
    set(key, value);
    EXPECT_EQ(refusal(), config + rule);
  }
  dir.write("in/config.json", "[]");
  EXPECT_EQ(refusal(), config + "not a JSON object");
  write();
  std::filesystem::create_directory(in + "/1_Pooling");
  dir.write("in/1_Pooling/config.json",
            R"({"word_embedding_dimension": 4, "pooling_mode_cls_token": true,
                "pooling_mode_mean_tokens": true})");
  EXPECT_EQ(refusal(), in + "/1_Pooling/config.json: \"pooling_mode_cls_token\" is true, and heed "
                            "reads false only");
  dir.write("in/1_Pooling/config.json", R"({"pooling_mode_mean_tokens": false})");
  EXPECT_EQ(refusal(), in + "/1_Pooling/config.json: \"pooling_mode_mean_tokens\" is false, and "
                            "heed reads true only");
  dir.write("in/1_Pooling/config.json", R"({"pooling_mode": "cls"})");
  EXPECT_EQ(refusal(), in + "/1_Pooling/config.json: \"pooling_mode\" is \"cls\", and heed reads "
                            "\"mean\" only");
  dir.write("in/modules.json", kMeanModules);  // then 1_Pooling is not read
  EXPECT_EQ(load_encoder(in).max_length, 8);
  std::filesystem::create_directory(in + "/1_Mean");
  dir.write("in/1_Mean/config.json", R"({"pooling_mode_mean_tokens": false})");
  EXPECT_EQ(refusal(), in + "/1_Mean/config.json: \"pooling_mode_mean_tokens\" is false, and heed "
                            "reads true only");
  const std::vector<std::pair<const char*, std::string>> modules = {
      {R"({})", "not a list of modules"},
      {R"([{"type": "a.Dense"}])",
       R"(a module is {"type":"a.Dense"}, and heed reads Transformer, Pooling and Normalize only)"},
      {R"([1])", "a module is 1, and heed reads Transformer, Pooling and Normalize only"},
      {R"([{"type": "Pooling", "path": "../out"}])",
       "the path of Pooling: expected the name of a folder, got \"../out\""}};
  for (const auto& [text, rule] : modules) {
    dir.write("in/modules.json", text);
    EXPECT_EQ(refusal(), in + "/modules.json: " + rule);
  }
  std::filesystem::remove(in + "/modules.json");
  std::filesystem::remove_all(in + "/1_Pooling");
  dir.write("in/tokenizer_config.json", R"({"do_basic_tokenize": false})");
  EXPECT_EQ(refusal(), in + "/tokenizer_config.json: \"do_basic_tokenize\" is false, and heed "
                            "reads true only");
}

TEST_F(Pretrained, RefusesFilesThatDoNotFitEachOther) {
  const std::string weights = in + "/model.safetensors: ", vocabulary = in + "/vocab.txt";
  set("num_hidden_layers", 3);
  EXPECT_EQ(refusal(), weights + "there is no tensor encoder.layer.2.intermediate.dense.weight");
  set("num_hidden_layers", 1);
  EXPECT_NE(refusal().find("heed knows no tensor encoder.layer.1."), std::string::npos)
      << refusal();
  set("intermediate_size", 16777216);  // nothing of this size is asked for
  EXPECT_EQ(refusal(), weights +
                           "encoder.layer.0.intermediate.dense.weight is f32 (6, 4), expected "
                           "(16777216, 4) by config.json");
  set("vocab_size", 18);
  EXPECT_EQ(refusal(), vocabulary + ": 17 pieces, config.json has a vocab_size of 18");
  write();
  dir.write("in/vocab.txt", "[CLS]\n[SEP]\na\n");
  EXPECT_EQ(refusal(), vocabulary + ": the vocabulary has no piece \"[UNK]\"");
  dir.write("in/vocab.txt", "[CLS]\n[SEP]\na\n[UNK]\na\n");
  EXPECT_EQ(refusal(), vocabulary + ":5: the piece \"a\" stands in the vocabulary twice");
  dir.write("in/vocab.txt", std::string("[CLS]\na\0b\n", 10));
  EXPECT_NE(refusal().find(vocabulary + ":2: "), std::string::npos) << refusal();
  write();
  dir.write("in/model.safetensors", std::string("\0\0\0\x80\2\0\0\0{}", 10));  // a header of 10 GB
  EXPECT_EQ(
      refusal(),
      weights +
          "not a usable safetensors file: the header is longer than the file or the format allows");
  write();
  dir.write("in/tokenizer_config.json", R"({"do_lower_case": "yes"})");
  EXPECT_EQ(refusal(),
            in + "/tokenizer_config.json: \"do_lower_case\": expected true or false, got \"yes\"");
}

// ---- pieces

TEST_F(Pretrained, CutsWordsGreedily) {
  const WordPiece pieces(in + "/vocab.txt");
  const auto ids = [&](const std::string& text) { return pieces.encode(text); };
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(ids("unable able ab"), (Ids{4, 5, 7, 8, 9}));
  EXPECT_EQ(ids("UNABLE"), (Ids{4, 5}));
  EXPECT_EQ(ids("una un"), (Ids{4, 6, 4}));
  EXPECT_EQ(ids("unx a"), (Ids{1, 8}));  // all of the word
  EXPECT_EQ(ids("a!b-\xE4\xB8\xAD"
                "a"),
            (Ids{8, 11, 10, 14, 12, 8}));
  EXPECT_EQ(ids("caf\xC3\xA9 cafe\xCC\x81"), (Ids{13, 13}));
  EXPECT_EQ(ids("a\xE2\x80\x8B"
                "b a\xC2\xA0"
                "b"),
            (Ids{8, 9, 8, 10}));  // zero-width, no-break
  EXPECT_EQ(ids("a\xE2\x80\xA8"
                "b\xE2\x80\xA9"
                "a"),
            (Ids{8, 10, 8}));  // ends of lines, paragraphs
  EXPECT_EQ(ids("a[MASK]b [mask"), (Ids{8, 16, 10, 1, 1}));
  EXPECT_EQ(ids("a" + std::string(99, 'b')).size(), 100u);
  EXPECT_EQ(ids("a" + std::string(100, 'b')), (Ids{1}));
  EXPECT_EQ(ids(""), (Ids{}));
  EXPECT_EQ(pieces.read("a b a b a b", 5).ids, (Ids{2, 8, 10, 8, 3}));
  const Pieces last = pieces.read("a b a b a a", 5, WordPiece::Keep::kLast);
  EXPECT_EQ(last.ids, (Ids{2, 10, 8, 8, 3}));
  EXPECT_EQ(last.left_out, 3u);
  EXPECT_EQ(pieces.read("a b", 5, WordPiece::Keep::kLast).ids, (Ids{2, 8, 10, 3}));
  EXPECT_EQ(pieces.read("", 5).ids, (Ids{2, 3}));
  const Pieces pair = pieces.read("a b a b", "b a", 7);
  EXPECT_EQ(pair.ids, (Ids{2, 8, 10, 3, 10, 8, 3}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 1, 1, 1}));
  const WordPiece cased(in + "/vocab.txt", {.lower_case = false, .strip_accents = false});
  EXPECT_EQ(cased.encode("A a caf\xC3\xA9"), (Ids{1, 8, 1}));
  // The lower case of a dotted I is two characters, the second of which is an accent.
  dir.write("in/vocab.txt", dir.read("in/vocab.txt") + "i\xCC\x87\ni\n");
  EXPECT_EQ(WordPiece(in + "/vocab.txt", {.strip_accents = false}).encode("\xC4\xB0"), (Ids{17}));
  EXPECT_EQ(WordPiece(in + "/vocab.txt").encode("\xC4\xB0"), (Ids{18}));
}

// "ab" is cut into a and ##b; the second pair is equal.
TEST_F(Pretrained, LikenessIsOfTheSumsOfEmbeddings) {
  const Encoder encoder = load_encoder(in);
  const auto table = encoder.model.words.weight.value().to_vector();
  const auto at = [&](const char* piece, size_t d) {
    const auto found = std::find(kPieces.begin(), kPieces.end(), piece);
    return table[4 * static_cast<size_t>(found - kPieces.begin()) + d];
  };
  double squares = 0;
  for (size_t d = 0; d < 4; ++d) {
    const double difference = at("a", d) + at("a", d) + at("##b", d) - at("b", d) - at("!", d);
    squares += difference * difference;
  }
  ASSERT_GT(squares, 0.01);
  EXPECT_NEAR(embedding_likeness(encoder, {"a ab", "b!"}, {"b !", "b !"}), -squares / 8, 1e-6);
  EXPECT_NEAR(embedding_likeness(encoder, {"a ab"}, {"ab a"}), 0, 1e-12);  // in any order
  for (const std::vector<std::string>& texts : {std::vector<std::string>{}, {"a"}}) {
    EXPECT_EQ(error_of<UsageError>([&] { embedding_likeness(encoder, texts, {}); }),
              "likeness: expected as many texts as references, got " +
                  std::to_string(texts.size()) + " and 0");
  }
}

}  // namespace
}  // namespace heed::pretrained
