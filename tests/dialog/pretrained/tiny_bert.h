// A tiny BERT for tests: the letters a to f, a layer of width 8, drawn by a seed.
#pragma once

#include <filesystem>
#include <string>

#include "dialog/data/example.h"
#include "dialog/pretrained/encoder.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tests/file_helpers.h"

namespace heed {

// As heed import leaves it: the folder DIR/bert.
inline std::string imported_tiny_bert(const TempDir& dir, int positions = 16) {
  pretrained::Bert bert({9, 8, 1, 2, 6, positions, 2, 1e-12});
  init(bert, /*seed=*/1);
  std::filesystem::create_directory(dir.path("in"));
  save_parameters(dir.path("in/model.safetensors"), bert);
  dir.write("in/vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\nf\n");
  dir.write("in/config.json",
            R"({"model_type": "bert", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1,
                "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": )" +
                std::to_string(positions) + R"(, "type_vocab_size": 2})");
  pretrained::import_encoder(dir.path("in"), dir.path("bert"));
  return dir.path("bert");
}

// Words of models above it: letters, a word of several pieces, and one of none.
namespace tiny {
inline const Vocabulary& words() {
  static const Vocabulary words =
      Vocabulary::build({{"a", 9}, {"b", 8}, {"c", 7}, {"d", 6}, {"fade", 5}, {"x", 4}}, {});
  return words;
}
inline int32_t id(const std::string& word) {
  return encode_utterance(word, words()).at(0);
}
}  // namespace tiny

}  // namespace heed
