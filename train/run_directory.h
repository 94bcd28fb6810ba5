// A run: a directory with a model (the best one so far) and everything that is needed to go on with
// its training and to draw it.
//   config.json, ...             what the model is, written by whose task it is
//   model.safetensors            the best one
//   settings.json                how it is trained
//   checkpoint-E-S.safetensors   where the training is (train/checkpoint.h)
//   state.json, state.previous.json
//   log.jsonl                    one line an epoch
//   steps.jsonl                  one line for every N-th step, if they were asked for (step_log.h)
//   epoch-N.safetensors          models of other epochs, if they were asked for
// settings.json and state.json carry a format number. What is missing in an older file has its
// default; a newer one is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/settings.h"
#include "train/task.h"

namespace heed {

constexpr int kRunFormat =
    2;  // 1, which the files do not say, had a fixed list of columns in the log

// One epoch, as it stands in log.jsonl: the metrics as columns of their own.
struct EpochLog {
  int epoch = 0;
  double loss = 0;       // mean training loss of its batches
  double rate = 0;       // learning rate that the epoch was trained with
  double grad_norm = 0;  // mean over its steps, before clipping
  int64_t steps = 0, tokens = 0;
  Metrics metrics = {};  // of the training, then of the validation
};

// Without times, so that equal runs have equal logs. load_log() throws DataError "file:line: ...".
void save_log(const std::string& run, const std::vector<EpochLog>& log);
std::vector<EpochLog> load_log(const std::string& run);

// Writes what may change in the middle of a run: max_epochs, max_norm and the schedule's rate. All
// else in settings.json stays as it is.
void change_settings(const std::string& run, const LoopSettings& settings);
// Checksum of config.json and of what may not change in settings.json: checkpoints keep it, so that
// a training goes on with the settings that it was started with only. None without settings.json.
std::optional<uint32_t> settings_checksum(const std::string& run);

// The crc32 of a file's bytes. Throws DataError.
uint32_t file_checksum(const std::string& path);

}  // namespace heed
