#include "dialog/pretrained/encoder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/anomaly.h"
#include "base/file.h"
#include "base/path.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed::pretrained {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kModules = "modules.json";
// Copied beside the file of the pooling; those of the second line are not read here.
constexpr const char* kFiles[] = {kWeights,
                                  "vocab.txt",
                                  "tokenizer_config.json",
                                  "sentence_bert_config.json",
                                  kModules,
                                  "config_sentence_transformers.json",
                                  "special_tokens_map.json",
                                  "tokenizer.json",
                                  "LICENSE",
                                  "README.md"};

Json object_of(const std::string& path) {
  Json json = parse_json<Json>(path);
  if (!json.is_object()) throw DataError(path + ": not a JSON object");
  return json;
}

// Of an optional file: empty where there is none.
Json optional_object(const std::string& folder, const char* file) {
  return has_file(folder, file) ? object_of(file_inside(folder, file)) : Json::object();
}

// A value that changes the computation must be the one that is computed.
void expect(const std::string& path, const Json& config, const char* key, const Json& value,
            bool required = false) {
  if (!required && (!config.contains(key) || config[key].is_null())) return;
  const Json given = config.value(key, Json());
  if (given == value) return;
  throw DataError(path + ": \"" + key + "\" is " + given.dump() + ", and heed reads " +
                  value.dump() + " only");
}

int64_t size_in(const std::string& path, const Json& config, const char* key) {
  constexpr int64_t kLargest = 1 << 24;
  const Json value = config.value(key, Json());
  if (!value.is_number_integer() || value < 1 || value > kLargest) {
    throw DataError(path + ": \"" + key + "\": expected a whole number from 1 to " +
                    std::to_string(kLargest) + ", got " + value.dump());
  }
  return value;
}

BertConfig config_of(const std::string& path, const Json& json) {
  expect(path, json, "model_type", "bert", /*required=*/true);
  expect(path, json, "hidden_act", "gelu", /*required=*/json.contains("hidden_act"));
  expect(path, json, "position_embedding_type", "absolute");
  expect(path, json, "is_decoder", false);
  expect(path, json, "is_encoder_decoder", false);
  expect(path, json, "add_cross_attention", false);
  expect(path, json, "pruned_heads", Json::object());
  BertConfig c;
  c.vocab_size = size_in(path, json, "vocab_size");
  c.hidden_size = size_in(path, json, "hidden_size");
  c.num_hidden_layers = size_in(path, json, "num_hidden_layers");
  c.num_attention_heads = size_in(path, json, "num_attention_heads");
  c.intermediate_size = size_in(path, json, "intermediate_size");
  c.max_position_embeddings = size_in(path, json, "max_position_embeddings");
  c.type_vocab_size = size_in(path, json, "type_vocab_size");
  const Json eps = json.value("layer_norm_eps", Json(c.layer_norm_eps));
  if (!eps.is_number() || !(eps > 0) || !(eps < 1)) {
    throw DataError(path + ": \"layer_norm_eps\": expected a number between 0 and 1, got " +
                    eps.dump());
  }
  c.layer_norm_eps = eps;
  if (c.hidden_size % c.num_attention_heads != 0) {
    throw DataError(path + ": " + std::to_string(c.num_attention_heads) + " heads do not divide " +
                    std::to_string(c.hidden_size) + " columns");
  }
  return c;
}

// The tensors of an encoder, without the prefix that a model with heads puts before them, and
// without these heads. Old files call gain and bias of LayerNorm gamma and beta.
TensorMap encoder_tensors(const std::string& path) {
  TensorMap all = load_tensors(path), tensors;
  const bool prefixed = std::any_of(all.begin(), all.end(),
                                    [](const auto& t) { return t.first.starts_with("bert."); });
  for (auto& [name, tensor] : all) {
    if (prefixed && !name.starts_with("bert.")) continue;
    std::string own = prefixed ? name.substr(5) : name;
    if (own == "embeddings.position_ids" || own.starts_with("pooler.")) continue;
    if (own.ends_with(".gamma")) own.replace(own.size() - 5, 5, "weight");
    if (own.ends_with(".beta")) own.replace(own.size() - 4, 4, "bias");
    tensors.emplace(own, std::move(tensor));
  }
  return tensors;
}

const Tensor& tensor_of(const std::string& path, const TensorMap& tensors, const std::string& name,
                        const Shape& shape) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw DataError(path + ": there is no tensor " + name);
  if (found->second.shape() != shape || found->second.dtype() == DType::i32) {
    throw DataError(path + ": " + name + " is " + name_of(found->second.dtype()) + " " +
                    found->second.shape().str() + ", expected " + shape.str() + " by config.json");
  }
  return found->second;
}

// Sizes that the weights do not have would take memory before anything is compared.
void check_sizes(const std::string& path, const TensorMap& tensors, const BertConfig& c) {
  const auto expect = [&](const std::string& name, const Shape& shape) {
    tensor_of(path, tensors, name, shape);
  };
  expect("embeddings.word_embeddings.weight", {c.vocab_size, c.hidden_size});
  expect("embeddings.position_embeddings.weight", {c.max_position_embeddings, c.hidden_size});
  expect("embeddings.token_type_embeddings.weight", {c.type_vocab_size, c.hidden_size});
  for (int64_t layer = 0; layer < c.num_hidden_layers; ++layer) {
    expect("encoder.layer." + std::to_string(layer) + ".intermediate.dense.weight",
           {c.intermediate_size, c.hidden_size});
    expect("encoder.layer." + std::to_string(layer) + ".attention.self.query.weight",
           {c.hidden_size, c.hidden_size});
  }
}

Bert load_bert(const std::string& path, const BertConfig& config) {
  const TensorMap tensors = encoder_tensors(path);
  check_sizes(path, tensors, config);
  Bert model(config);
  std::set<std::string> known;
  for (const NamedParameter& p : parameters(model)) {
    const Tensor value = tensor_of(path, tensors, p.name, p.var.shape()).to(DType::f32);
    if (!all_finite(value))
      throw DataError(path + ": " + p.name + " holds a number that is not finite");
    p.var.set_value(value);
    known.insert(p.name);
  }
  for (const auto& [name, tensor] : tensors) {
    if (!known.contains(name)) throw DataError(path + ": heed knows no tensor " + name);
  }
  name_parts(model);
  return model;
}

WordPieceOptions options_of(const std::string& folder) {
  const std::string path = in(folder, "tokenizer_config.json");
  const Json json = optional_object(folder, "tokenizer_config.json");
  const auto flag = [&](const char* key, bool otherwise) {
    const Json value = json.value(key, Json());
    if (value.is_null()) return otherwise;
    if (!value.is_boolean()) {
      throw DataError(path + ": \"" + key + "\": expected true or false, got " + value.dump());
    }
    return value.get<bool>();
  };
  expect(path, json, "do_basic_tokenize", true);
  WordPieceOptions options;
  options.lower_case = flag("do_lower_case", true);
  options.strip_accents = flag("strip_accents", options.lower_case);
  options.split_chinese = flag("tokenize_chinese_chars", true);
  if (!options.lower_case) {  // else it is the same to lower the text's case before
    const char* file = "sentence_bert_config.json";
    expect(in(folder, file), optional_object(folder, file), "do_lower_case", false);
  }
  return options;
}

int64_t max_length_of(const std::string& folder, const BertConfig& config) {
  std::string path = in(folder, kConfig);
  int64_t most = config.max_position_embeddings;
  const Json json = optional_object(folder, "sentence_bert_config.json");
  if (!json.value("max_seq_length", Json()).is_null()) {
    const std::string other = in(folder, "sentence_bert_config.json");
    const int64_t own = size_in(other, json, "max_seq_length");
    if (own < most) most = own, path = other;
  }
  if (most < 3) throw DataError(path + ": texts of less than 3 pieces hold no text");
  return most;
}

// The file that says how the vector of a text comes from those of its pieces. The folder is named
// in modules.json, if there is one, which lists all that is computed.
std::string pooling_file(const std::string& folder) {
  std::string of = "1_Pooling";
  if (has_file(folder, kModules)) {
    const std::string path = file_inside(folder, kModules);
    const Json modules = parse_json<Json>(path);
    if (!modules.is_array()) throw DataError(path + ": not a list of modules");
    for (const Json& module : modules) {
      const auto text = [&](const char* key) {
        const Json value = module.is_object() ? module.value(key, Json()) : Json();
        return value.is_string() ? value.get<std::string>() : "";
      };
      const std::string type = text("type"), name = type.substr(type.rfind('.') + 1);
      if (name == "Pooling") of = text("path");
      if (name == "Transformer" || name == "Pooling" || name == "Normalize") continue;
      throw DataError(path + ": a module is " + module.dump() +
                      ", and heed reads Transformer, Pooling and Normalize only");
    }
    if (of.empty() || of == ".." || of != fs::path(of).filename()) {
      throw DataError(path + ": the path of Pooling: expected the name of a folder, got \"" + of +
                      "\"");
    }
  }
  return of + "/config.json";
}

// The vector must be the mean.
void check_pooling(const std::string& folder) {
  const std::string file = pooling_file(folder), path = in(folder, file);
  const Json json = optional_object(folder, file.c_str());
  expect(path, json, "pooling_mode", "mean");
  for (const auto& [key, value] : json.items()) {
    if (!key.starts_with("pooling_mode_")) continue;
    expect(path, json, key.c_str(), key == "pooling_mode_mean_tokens");
  }
}

// The weights of a run that began with an encoder and trained it further, below "encoder.", or
// below "features.encoder.".
void take_tuned(Bert& model, const std::string& path) {
  const TensorMap tensors = load_tensors(path);
  std::string below = "encoder.";
  if (!tensors.contains(below + parameters(model)[0].name)) below = "features." + below;
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(tensor_of(path, tensors, below + p.name, p.var.shape()).to(DType::f32));
  }
}

// A copy that was killed has left some of its files, and the next one puts the same in their place.
// Nothing else is replaced.
void check_free(const std::string& from, const std::string& to, const std::string& file,
                bool tuned) {
  std::error_code ignored;
  const std::string there = in(to, file), here = in(from, file);
  if (!path_exists(here) || !path_exists(there)) return;
  const auto size = fs::file_size(here, ignored);
  const bool same = is_regular(there) && fs::file_size(there, ignored) == size;
  const bool other = !same || (tuned && file == kWeights);
  if (!other && read_file(there, size) == read_file(here, size)) return;
  throw UsageError(there + ": is there already, and is another; take another folder");
}

// Dialogues, features or a sweep: a model among them would be taken for theirs, or they for its.
void check_no_others(const std::string& to, const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(to, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto is_of = [&](const std::string& file) {
      return file == name || file.starts_with(name + "/") || name.starts_with(file + ".tmp-");
    };
    const bool expected = is_of(kConfig) || std::any_of(files.begin(), files.end(), is_of);
    if (!expected)
      throw UsageError(to + ": holds other files, such as " + name + "; take another folder");
  }
}

// Loads the model and copies its files; config.json is `edit`ed on the way. Of a run that began
// with an encoder these are its files, and the weights the run's.
Encoder copy_encoder(const std::string& model, const std::string& to,
                     const std::function<void(Json& config)>& edit) {
  const std::string from = encoder_folder(model);
  const bool is_run = from != model;
  Encoder encoder = load_encoder(from);
  if (is_run) take_tuned(encoder.model, file_inside(model, kWeights));
  if (has_file(to, kConfig)) {
    throw UsageError(to + ": holds a model already; take another folder");
  }
  std::vector<std::string> files(std::begin(kFiles), std::end(kFiles));
  files.push_back(pooling_file(from));
  for (const std::string& file : files) check_free(from, to, file, is_run);
  check_no_others(to, files);
  make_directory(to);
  for (const std::string& file : files) {
    if (!has_file(from, file)) continue;
    if (file == kWeights && is_run) {
      save_parameters(in(to, file), encoder.model);
      continue;
    }
    if (file == files.back()) make_directory(fs::path(in(to, file)).parent_path());
    write_file(in(to, file), read_file(file_inside(from, file), fs::file_size(in(from, file))));
  }
  Json config = object_of(file_inside(from, kConfig));
  edit(config);
  write_file(in(to, kConfig), config.dump(2) + "\n");  // the last: now it is a model
  return encoder;
}

}  // namespace

Encoder load_encoder(const std::string& folder) {
  check_is_model(folder);
  const std::string path = file_inside(folder, kConfig);
  const Json json = object_of(path);
  expect(path, json, "system", kBertSystem);
  const BertConfig config = config_of(path, json);
  const std::string vocabulary = file_inside(folder, "vocab.txt");
  WordPiece pieces(vocabulary, options_of(folder));
  if (pieces.size() != config.vocab_size) {
    throw DataError(vocabulary + ": " + std::to_string(pieces.size()) +
                    " pieces, config.json has a vocab_size of " +
                    std::to_string(config.vocab_size));
  }
  const int64_t max_length = max_length_of(folder, config);
  check_pooling(folder);
  const std::string weights = file_inside(folder, kWeights);
  Encoder encoder{std::move(pieces), load_bert(weights, config), max_length};
  if (!all_finite(encode_texts(encoder, {encoder.pieces.read("", 2)}, 1))) {
    throw DataError(weights + ": with these weights the vector of a text is not finite");
  }
  return encoder;
}

std::string encoder_folder(const std::string& model) {
  const std::string folder = in(model, kFolderInRun);
  return has_file(folder, kConfig) ? folder : model;
}

Encoder load_encoder_of(const std::string& directory, int64_t width) {
  const std::string folder = in(directory, kFolderInRun);
  Encoder encoder = load_encoder(folder);
  const int64_t found = encoder.model.config().hidden_size;
  if (found == width) return encoder;
  throw DataError(folder + ": states of " + std::to_string(found) + " numbers, the model reads " +
                  std::to_string(width));
}

Encoder import_encoder(const std::string& from, const std::string& to) {
  return copy_encoder(from, to, [](Json& config) {
    Json imported = {{"system", kBertSystem}};
    imported.update(config);
    config = std::move(imported);
  });
}

Encoder export_encoder(const std::string& from, const std::string& to) {
  check_is_model(from);
  if (encoder_folder(from) == from) {
    const std::string path = file_inside(from, kConfig);
    if (object_of(path).value("system", Json()) != kBertSystem) {
      throw UsageError(from +
                       ": has no pretrained encoder to export; heed import makes one, and a run of "
                       "--encoder pretrained has one");
    }
  }
  return copy_encoder(from, to, [](Json& config) { config.erase("system"); });
}

void keep_encoder(const std::string& from, const std::string& run) {
  import_encoder(from, empty_encoder_folder(run, from));
}

std::string empty_encoder_folder(const std::string& run, const std::string& from) {
  std::error_code ignored;
  std::string folder = in(run, kFolderInRun);
  if (fs::equivalent(folder, from, ignored)) {
    throw UsageError(from + ": is where the run keeps its encoder; move it out of " + run);
  }
  fs::remove_all(folder);
  return folder;
}

void check_init(const std::string& encoder, const std::string& init) {
  if ((encoder == "pretrained") != init.empty()) return;
  throw UsageError(init.empty()
                       ? "--encoder pretrained needs --init: a model that `heed import` made"
                       : "--init is for --encoder pretrained, not for " + encoder);
}

}  // namespace heed::pretrained
