// The description of a response model: its structure and its sizes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dialog/data/condition.h"
#include "nn/attention.h"

namespace heed {

class Responder;
struct ModelConfig;
struct TrainData;

// What a structure computes from the training data before the first step, such as associations of
// words: tensors by name, kept beside the model in tables.safetensors and not trained.
using Tables = std::map<std::string, Tensor>;

// The five structures of Xing & Gulla (2022, section 3.1) are one model with three switches
// (lstm.h):
//                memory                attention query      integration LSTM
//   non-hier     m token states        decoder state h_t    no
//   static       q utterance states    last utterance H_q   no
//   static-ui    q utterance states    H_q                  yes
//   dynamic      q utterance states    h_t                  no
//   dynamic-ui   q utterance states    h_t                  yes
// Those of seq2seq.h are one model with two: how the context is read (encoder), and attention. The
// others have forms of their own: the Transformer (transformer.h), those of GRUs (hred.h), and
// those that a program adds.
enum class Family { kLstm, kSeq2Seq, kTransformer, kGru, kOwn };
struct Structure {
  enum class Encoder { kForward, kBothWays, kStacked, kUtterances };

  std::string_view name = "static-ui";
  Family family = Family::kLstm;
  // A blank model, to be loaded or initialised; throws UsageError for invalid sizes. Of its
  // num_layers layers, those from the second on are equal in form.
  std::unique_ptr<Responder> (*make)(const ModelConfig& config) = nullptr;
  bool hierarchical = true;  // memory of utterances, not of tokens
  bool static_query = true;  // one context vector for all decoding steps
  bool integration = true;   // an LSTM over H_1..H_q starts the decoder ("utterance integration")
  Encoder encoder = Encoder::kForward;  // of Family::kSeq2Seq
  bool attention = true;                // it has attention scores and a DAS ratio
  // Makes ModelConfig::tables for a vocabulary of config.vocab_size; null if it needs none.
  Tables (*tables)(const ModelConfig& config, const TrainData& data, uint64_t seed) = nullptr;
  // The options of training that this structure has, but not all have: "noise", "topics".
  std::vector<std::string_view> options = {};

  bool has(std::string_view option) const;
  // Throws UsageError, with the valid names, if there is no such structure.
  static Structure parse(std::string_view name);
};
// All of them, or those of a family; the list is in structures.cc.
const std::vector<Structure>& structures();
// Adds a program's own structure (docs/add-a-model.md). Call it before anything is parsed or
// loaded. The name must outlive the program. Throws UsageError for a name that is taken.
void register_structure(std::string_view name,
                        std::unique_ptr<Responder> (*make)(const ModelConfig& config),
                        decltype(Structure::tables) tables = nullptr);
std::vector<Structure> structures(Family family);
std::string structure_names();  // "non-hier, static, ...", for people

// The noise that a decoder draws in training besides dropout: none, or a vector of standard normal
// numbers for each response or for each of its words (hred.h).
enum class Noise { kNone, kUtterance, kWord };
const std::vector<std::string>& noises();  // "none", "utterance", "word"
std::string name_of(Noise noise);
Noise parse_noise(const std::string& name);  // throws UsageError

struct ModelConfig {
  Structure structure = {};
  int64_t vocab_size = 25000, embedding_size = 512, hidden_size = 512, num_layers = 4;
  bool lstm_bias = false;
  double dropout = 0.2;
  int64_t heads = 2;  // of a transformer
  // The decoder's attention score; without a value the structure's own: dot in the five structures,
  // additive in those of seq2seq.h.
  std::optional<AttentionScore> attention = {};
  // A bidirectional encoder, half of the hidden size each (non-hier only: at the end of an
  // utterance the backward direction has read the following ones, but not that one).
  bool bidirectional = false;
  // The decoder reads the context vector of the step before; structures that attend in each step
  // can work without it.
  bool input_feeding = true;
  Noise noise = Noise::kNone;     // of hred-gru and related structures
  bool message_attention = true;  // of thred: to the words of each utterance, in every step
  int64_t topics = 50;            // of thred-topics
  static constexpr int64_t kMostTopics = 1000;
  double keyword_weight = 0.1;  // a of keywords.h
  bool whole_query = false;     // its query is the whole context, not the last utterance
  Tables tables = {};           // empty before they are made; sizes can still be counted
  // Of two-vocabulary: the number of generic words, the first of the vocabulary (0: all), whether
  // the gate weighs logits, its weight in the loss, and the labels of the sentiment and the domain.
  int64_t generic_words = 0;
  bool gate_on_logits = false;
  double gate_weight = 1;
  Condition sentiment{"emotion"}, domain{"topic"};

  std::vector<Condition> conditions() const;  // of its examples

  AttentionScore attention_score() const;
  // One of the structure's tables; throws DataError if it is missing.
  const Tensor& table(const std::string& name) const;
  // Throws UsageError for sizes that are not positive or do not fit together, a dropout outside of
  // [0, 1), and settings that the structure does not have.
  void check() const;
};

}  // namespace heed
