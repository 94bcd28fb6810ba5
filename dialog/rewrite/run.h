// A run of a model of gaps (train/run_directory.h). Its model is
//   config.json         "system": "gaps", "kind": "gaps", sizes, what it reads
//   vocab.txt, model.safetensors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/rewrite/loss.h"
#include "train/loop.h"

namespace heed::rewrite {

constexpr const char* kSystem = "gaps";

struct Settings {
  Config model = {};
  Bounds bounds = {};
  LossSettings loss = {};
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};  // as it was asked for

  void check() const;  // throws UsageError
};

struct Preset {
  std::string name;
  Settings settings;
  std::string help;
};
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names

// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it.
void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// Starts a run, unless it is there: then the settings must be its own. Throws DataError.
void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
Settings load_settings(const std::string& run);  // throws DataError

struct LoadedGaps {
  GapModel model;
  Vocabulary vocabulary;
};
// Throws DataError where there is no model of gaps (yet), or its files do not fit together.
LoadedGaps load_gaps(const std::string& directory);
// As the training of the run begins with it.
LoadedGaps first_gaps(const std::string& run);

// ---- training

struct DataPart {
  std::string path;  // for errors
  std::vector<Dialogue> dialogues;
};
// Of a data directory, with its labels.
DataPart read_part(const std::string& directory, const char* part, size_t limit);

struct TrainData {
  Vocabulary vocabulary;
  std::vector<GapExample> train, valid;
  size_t left_out = 0;

  uint32_t fingerprint() const;
};
// The vocabulary is that of the training dialogues unless one is given.
TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const Vocabulary* vocabulary = nullptr);

// Columns of the log. The loss is the mean of what is minimised, but for |W|.
constexpr const char *kValidLoss = "valid_loss", *kValidF1 = "valid_f1", *kValidFirst = "valid_p1",
                     *kValidExact = "valid_exact", *kTrainLoss = "train_loss";
// Refers to the three, which must outlive it.
Task gap_task(GapModel& model, const Settings& settings, const TrainData& data);
// Trains the model of a run with the loop of train/loop.h, which says what is returned and thrown.
bool train(const std::string& run, const Settings& settings, const TrainData& data, Device device,
           const TrainHooks& hooks = {});

}  // namespace heed::rewrite
