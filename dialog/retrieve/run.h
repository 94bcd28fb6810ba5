// A run of a ranker (train/run_directory.h). Its model is
//   config.json         "system": "retrieval", "kind": "dual-encoder", sizes, what it reads
//   vocab.txt, model.safetensors
// and of a pretrained encoder encoder/, the model that it began with, in the place of vocab.txt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/retrieve/text_reader.h"
#include "train/settings.h"

namespace heed::retrieve {

constexpr const char* kSystem = "retrieval";

struct Settings {
  Config model = {};
  TextBounds bounds = {};
  bool all_positions = true;  // every turn from the third on is a response, not only the last one
  std::string loss = "softmax";     // or hinge
  std::string negatives = "batch";  // batch, shared:K or batch+shared:K
  double smoothing = 0;             // of the softmax
  double margin = 0.25;             // of the hinge
  double insert_prob = 0;           // of each of two distractions in a context
  double attention_weight = 0;      // of the attention loss
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  std::string init = {};          // the pretrained encoder that the run began with
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};  // as it was asked for

  void check() const;  // throws UsageError
};

struct Negatives {
  bool of_batch = true;
  int64_t shared = 0;  // drawn from the training responses, frequent ones more often
};
Negatives parse_negatives(const std::string& name);  // throws UsageError

struct Preset {
  std::string name;
  Settings settings;
  std::string help;
};
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
std::string preset_table();                          // a line for each, for --help

struct LoadedRanker {
  DualEncoder model;
  TextReader reader;
};
// What reads texts: with these words, or the pieces of the run, or of --init if that is empty.
TextReader reader_of(const Settings& settings, const Vocabulary& vocabulary,
                     const std::string& run);

// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it, or empty.
void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// Of an experiment: the same unless the run is there. Throws DataError where it is another one.
void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// Both throw DataError where the directory holds no ranker (yet), or files do not fit together.
Settings load_settings(const std::string& run);
LoadedRanker load_ranker(const std::string& directory);
// The model of a run before its first step: drawn by the seed, or the one of --init.
LoadedRanker first_ranker(const std::string& run, const Settings& settings);

}  // namespace heed::retrieve
