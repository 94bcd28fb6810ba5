// A run of a reader of passages (train/run_directory.h). Its model is
//   config.json         "system": "comprehend", sizes, what it reads
//   encoder/            the encoder that it began with, a pretrained one or one that was drawn
//   model.safetensors
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dialog/comprehend/read.h"
#include "train/loop.h"
#include "train/settings.h"

namespace heed::comprehend {

constexpr const char* kSystem = "comprehend";

struct Settings {
  Config model = {};
  // Of an encoder that is drawn, without --init.
  int64_t hidden = 64, layers = 2, vocabulary = 4000;
  int64_t together = 4;  // questions of one passage that follow each other: an example
  LoopSettings loop = {};
  size_t limit = 0;               // passages to read of each file, 0: all
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  std::string init = {};          // the pretrained encoder that the run began with
  std::optional<std::string> preset = {};

  void check() const;  // throws UsageError
};

struct Preset {
  std::string name;
  Settings settings;
  std::string help;
};
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names

struct LoadedReader {
  pretrained::WordPiece pieces;
  SpanReader model;
};
// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it, or empty. Without --init an encoder is drawn, with the
// words of the training part.
void start_run(const std::string& run, const Settings& settings, const Parts& parts,
               const std::string& made_with);
// Of an experiment: the same unless the run is there. Throws DataError where it is another one.
void begin_run(const std::string& run, const Settings& settings, const Parts& parts,
               const std::string& made_with);
// These throw DataError where the directory holds no such model, or files do not fit together.
Settings load_settings(const std::string& run);
LoadedReader load_reader(const std::string& directory);
LoadedReader first_reader(const std::string& run, const Settings& settings);

std::vector<ReadPassage> read_all(const Corpus& corpus, const pretrained::WordPiece& pieces,
                                  const Config& config);
uint32_t fingerprint(const Parts& parts);  // of training and validation

// Columns of the log: means over the questions of validation, with gold answers before them.
constexpr const char *kValidF1 = "valid_f1", *kValidExact = "valid_exact", *kTrainNll = "train_nll";

// Refers to all of them, which must outlive it.
Task reader_task(SpanReader& model, const pretrained::WordPiece& pieces, const Settings& settings,
                 const Corpus& valid, const std::vector<ReadPassage>& train_read,
                 const std::vector<ReadPassage>& valid_read);

// Trains the reader of a run with the loop of train/loop.h, which says what is returned and thrown.
// `cache`: states of a frozen encoder that models share.
bool train(const std::string& run, const Settings& settings, const Parts& parts, Device device,
           const TrainHooks& hooks = {}, std::shared_ptr<StateCache> cache = nullptr);

}  // namespace heed::comprehend
