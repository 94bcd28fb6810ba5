// A run: a directory with a model (the best one so far) and everything that is needed to go on with
// its training and to draw it.
//   config.json, vocab.txt, model.safetensors   the best model (dialog/respond/config.h)
//   settings.json                               how it is trained
//   checkpoint-E-S.safetensors, state.json      where the training is: the parameters, and what the
//                                               optimiser remembers as "optimizer.NAME"; state.json
//                                               names the file and its checksum, and is replaced
//                                               last
//   state.previous.json                         the same of the checkpoint before
//   log.jsonl                                   one line an epoch
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/config.h"
#include "optim/optim.h"
#include "optim/schedule.h"

namespace heed {

// What a training steps with. The rate is the schedule's.
struct OptimizerSettings {
  std::string name = "sgd";  // sgd or adam
  double weight_decay = 0;
  std::vector<ParameterGroup> groups = {};
  int warm_up = 0;  // steps in which the rate grows linearly from 0

  // Throws UsageError for another name or numbers out of range.
  void check() const;
};
double default_rate(const std::string& optimizer);  // 1 for sgd, 0.003 for adam

struct TrainSettings {
  ModelConfig model = {};
  ExampleOptions examples = {};
  double insert_prob = 0;       // of each of the two distractions
  double attention_weight = 1;  // lambda; 0: "Non-atten-loss"
  int64_t batch_size = 32;
  OptimizerSettings optimizer = {};
  double max_norm = 5;  // global-norm clipping
  int max_epochs = 12;
  uint64_t seed = 1;
  uint32_t data_fingerprint = 0;  // of the examples: a run goes on with the same ones only
  HalvingSchedule::Options schedule = {};
  // What was asked for: dialogues to read of each part (0: all), words of the vocabulary, which may
  // have fewer, and the preset that the numbers above began with. Runs of older versions did not
  // keep them.
  std::optional<size_t> limit = {};
  std::optional<int64_t> vocabulary = {};
  std::optional<std::string> preset = {};

  // Throws UsageError for what no training can be made with.
  void check() const;
};

// One epoch, as it stands in log.jsonl.
struct EpochLog {
  int epoch = 0;
  double loss = 0;  // mean training loss of its batches
  double train_perplexity = 0;
  double valid_perplexity = 0;
  double rate = 0;       // learning rate that the epoch was trained with
  double grad_norm = 0;  // mean over its steps, before clipping
  int64_t steps = 0, tokens = 0;
};

// Where a training is: between two steps. Everything else follows from the settings, as all random
// numbers are functions of (seed, purpose, epoch, step).
struct TrainState {
  int epoch = 0;                                   // epochs finished
  int64_t step = 0;                                // steps finished in the epoch that runs
  double loss_sum = 0, nll_sum = 0, norm_sum = 0;  // over them
  int64_t tokens = 0, predicted = 0;
  HalvingSchedule::State schedule;
  std::vector<EpochLog> log;
};

// `made_with`: a JSON object that is kept under the key "heed", and says which program began the
// run; none if it is empty.
void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with = "");
TrainSettings load_settings(const std::string& run);
// Writes what may change in the middle of a run: max_epochs, max_norm and the schedule's rate. All
// else in settings.json stays as it is.
void change_settings(const std::string& run, const TrainSettings& settings);
// Checksum of config.json and of what may not change in settings.json: checkpoints keep it, so that
// a training goes on with the settings that it was started with only. None without settings.json.
std::optional<uint32_t> settings_checksum(const std::string& run);
// Writes what a run begins with; settings.json, which makes the directory a run, last.
void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with = "");
// The bounds of the examples that a model was trained on; none for a bare model directory.
ExampleOptions load_example_options(const std::string& run);

// Writes the checkpoint so that a kill at any instant leaves the one before or this one, and keeps
// the one before.
void save_checkpoint(const std::string& run, const TrainState& state, DialogModel& model,
                     const Optimizer& optimizer);
// The newest good checkpoint, loaded into model and optimiser; nothing if the run has none yet. If
// the newest one is damaged it is set aside, the one before is taken, and `warning` says so. Throws
// DataError where there is no good one.
std::optional<TrainState> load_checkpoint(const std::string& run, DialogModel& model,
                                          const Optimizer& optimizer,
                                          std::string* warning = nullptr);

// The crc32 of a file's bytes. Throws DataError.
uint32_t file_checksum(const std::string& path);

// One line an epoch; without times, so that equal runs have equal logs.
void save_log(const std::string& run, const std::vector<EpochLog>& log);
std::vector<EpochLog> load_log(const std::string& run);
// In validation, of the best epoch; infinite if there is none.
double best_perplexity(const std::vector<EpochLog>& log);
// Clearly worse than a uniform guess among all words, whose perplexity is their number and which a
// training begins with.
bool is_worse_than_a_guess(double perplexity, int64_t vocab_size);

struct RunIsLocked : DataError {
  using DataError::DataError;
};
// Keeps a second process off the run while it lives. The lock is the system's (flock), so it goes
// with its process, however that ends: a file "lock" that is left behind locks nothing, whoever has
// the process id in it by now. Throws RunIsLocked, with the owner's process id (and host, if that
// is another one), where another process has it.
class RunLock {
 public:
  explicit RunLock(const std::string& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace heed
