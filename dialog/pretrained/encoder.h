// A pretrained encoder on disk: the folder of a model of the `transformers` package.
//   config.json               sizes ("model_type": "bert"); in an imported model also
//                             "system": "pretrained/bert"
//   model.safetensors         with or without the prefix "bert."; F32, F16 or BF16
//   vocab.txt                 the pieces
//   tokenizer_config.json, sentence_bert_config.json   if present: how text is cleaned, and the
//                             maximum length in pieces (else max_position_embeddings)
//   modules.json              if present, only Transformer, Pooling and Normalize
//   1_Pooling/config.json     (or in the folder that modules.json names for Pooling) if present, it
//                             must say that a text's vector is the mean
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/pretrained/bert.h"

namespace heed::pretrained {

constexpr const char* kBertSystem = "pretrained/bert";
constexpr const char* kFolderInRun = "encoder";  // in a run that trains an encoder further
constexpr const char* kInitHelp =
    "Begin with the weights of this model or run, a BERT that heed import made (--encoder "
    "pretrained)";

struct Encoder {
  WordPiece pieces;
  Bert model;
  int64_t max_length = 0;  // of a text, in pieces
};

// Throws DataError, which names the file and the rule, for an unsupported model_type, activation,
// pooling or kind of positions, for sizes that do not fit each other, the tensors or the
// vocabulary, for missing or unknown tensors, and for vectors that are not finite.
Encoder load_encoder(const std::string& folder);

// Copies the files above, and those that only other programs read, from one folder to a new one,
// and adds the system to config.json (import) or removes it (export). Loads the model first, so it
// throws as load_encoder() does; UsageError if the other folder holds a model, or files that are
// not what a copy that was killed has left. From a run that trained an encoder further, the trained
// weights are exported.
Encoder import_encoder(const std::string& from, const std::string& to);
Encoder export_encoder(const std::string& from, const std::string& to);

// Of a run that trained an encoder further the folder of what it began with; else `model` itself.
std::string encoder_folder(const std::string& model);
// That of a run or a model, kFolderInRun. Throws DataError unless its states have `width` numbers.
Encoder load_encoder_of(const std::string& directory, int64_t width);
// Copies the encoder with which a run begins into its folder kFolderInRun.
void keep_encoder(const std::string& from, const std::string& run);
// That folder, without what a start that was killed has left there. Throws UsageError if it is
// `from`.
std::string empty_encoder_folder(const std::string& run, const std::string& from = "");
// Throws UsageError unless --init is given if and only if --encoder is pretrained.
void check_init(const std::string& encoder, const std::string& init);

// The normalised mean vector of each text, (texts, hidden_size), on the CPU; texts of similar
// length are computed together, at most `batch` of them.
using OnTexts = std::function<void(size_t done, size_t of)>;
Tensor encode_texts(const Encoder& encoder, const std::vector<Pieces>& texts, size_t batch,
                    const OnTexts& progress = {});

}  // namespace heed::pretrained
