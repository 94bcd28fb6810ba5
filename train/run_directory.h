// A run: a directory with a model (the best one so far) and everything needed to resume its
// training and to plot it.
//   config.json, ...             what the model is, written by the task's system
//   model.safetensors            the best one
//   settings.json                how it is trained
//   checkpoint-E-S.safetensors   the state of training (train/checkpoint.h)
//   state.json, state.previous.json
//   log.jsonl                    one line per epoch
//   steps.jsonl                  one line for every N-th step, if requested (step_log.h)
//   epoch-N.safetensors          models of other epochs, if requested
// settings.json and state.json carry a format number. A value that is missing in an older file has
// its default; a newer file is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/settings.h"
#include "train/task.h"

namespace heed {

constexpr int kRunFormat = 2;  // format 1, without the number, had fixed columns in the log

// One epoch, a line of log.jsonl: each metric is a column.
struct EpochLog {
  int epoch = 0;
  double loss = 0;       // mean training loss of its batches
  double rate = 0;       // learning rate of the schedule and the task, without warm-up and decay
  double grad_norm = 0;  // mean over its steps, before clipping
  int64_t steps = 0, tokens = 0;
  Metrics metrics = {};  // of the training, then of the validation
};

// Without times, so that equal runs have equal logs. load_log() throws DataError "file:line: ...".
void save_log(const std::string& run, const std::vector<EpochLog>& log);
std::vector<EpochLog> load_log(const std::string& run);

// Writes the settings that may change during a run: max_epochs, max_norm and the schedule's rate.
// Everything else in settings.json stays as it is.
void change_settings(const std::string& run, const LoopSettings& settings);
// Checksum of config.json and of the part of settings.json that may not change. Checkpoints keep
// it, so that training resumes only with the settings that it was started with. Nothing if there is
// no settings.json.
std::optional<uint32_t> settings_checksum(const std::string& run);

// The crc32 of a file's bytes. Throws DataError, for a pipe too: others may have read its bytes.
uint32_t file_checksum(const std::string& path);

}  // namespace heed
