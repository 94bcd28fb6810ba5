// A pretrained encoder on disk: the folder of a model of the `transformers` package.
//   config.json               sizes ("model_type": "bert"); in a model that was imported also
//                             "system": "pretrained/bert"
//   model.safetensors         with or without the prefix "bert."; F32, F16 or BF16
//   vocab.txt                 the pieces
//   tokenizer_config.json, sentence_bert_config.json   if they are there: how text is cleaned, and
//                             the longest text in pieces (else max_position_embeddings)
//   1_Pooling/config.json     if it is there, it must say that a text's vector is the mean
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/pretrained/bert.h"

namespace heed::pretrained {

constexpr const char* kBertSystem = "pretrained/bert";
constexpr const char* kFolderInRun = "encoder";  // of a run that trains one further
constexpr const char* kInitHelp =
    "Begin with the weights of this model or run, a BERT that heed import made (--encoder "
    "pretrained)";

struct Encoder {
  WordPiece pieces;
  Bert model;
  int64_t max_length = 0;  // of a text, in pieces
};

// Throws DataError, which names the file and the rule: another model_type, another activation,
// pooling or kind of positions, sizes that do not fit each other, the tensors or the vocabulary,
// tensors that are missing or unknown.
Encoder load_encoder(const std::string& folder);

// Copies the files above, and those that only other programs read, from one folder to another,
// which is made, and says in config.json what they are (import) or takes that out again (export).
// Loads the model first, and so throws as load_encoder(); UsageError if the other folder holds a
// model already. Of a run that trained an encoder further, the trained weights are exported.
Encoder import_encoder(const std::string& from, const std::string& to);
Encoder export_encoder(const std::string& from, const std::string& to);

// That of a run or a model, kFolderInRun. Throws DataError unless its states have `width` numbers.
Encoder load_encoder_of(const std::string& directory, int64_t width);
// The encoder that a run begins with, as its folder kFolderInRun.
void keep_encoder(const std::string& from, const std::string& run);
// Throws UsageError unless --init is given with --encoder pretrained, and only there.
void check_init(const std::string& encoder, const std::string& init);

// The normalised mean vector of each text, (texts, hidden_size), on the CPU; texts of similar
// length are computed together, at most `batch` of them.
using OnTexts = std::function<void(size_t done, size_t of)>;
Tensor encode_texts(const Encoder& encoder, const std::vector<Pieces>& texts, size_t batch,
                    const OnTexts& progress = {});

}  // namespace heed::pretrained
