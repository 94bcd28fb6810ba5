#include "dialog/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "nn/safetensors.h"
#include "tensor/file.h"

namespace heed {

using Json = nlohmann::json;

// What stands in the files: the fields, under their own names.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExampleOptions, all_positions, max_turns, max_utterance_tokens,
                                   max_response_tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::Options, rate, min_rate, min_improvement,
                                   patience, max_halvings, halve_after)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::State, rate, best, epoch, bad_epochs, halvings,
                                   finished)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainSettings, examples, insert_prob, attention_weight,
                                   batch_size, max_norm, max_epochs, seed, data_fingerprint,
                                   schedule)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EpochLog, epoch, loss, train_perplexity, valid_perplexity, rate,
                                   grad_norm, steps, tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainState, epoch, step, loss_sum, nll_sum, norm_sum, tokens,
                                   predicted, schedule, log)

namespace {

std::string in(const std::string& run, const std::string& file) {
  return (std::filesystem::path(run) / file).string();
}

// Reads a JSON file into a value; everything that does not fit is a DataError.
template <class T> T read_json(const std::string& path) {
  try {
    return Json::parse(read_file(path, 1 << 28)).get<T>();
  } catch (const Json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
}

uint32_t file_checksum(const std::string& path) {
  const std::string bytes = read_file(path, uint64_t{1} << 36);
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Bounds of what a training can leave behind; the number of steps is checked by the trainer.
void check_state(const std::string& path, const TrainState& state) {
  if (state.epoch < 0 || state.step < 0 || !(state.schedule.rate > 0)) {
    throw DataError(path + ": not what heed writes there: epoch, step or rate is out of range");
  }
}

}  // namespace

void TrainSettings::check() const {
  const auto rule = [](bool ok, const char* what, double got) {
    if (ok) return;
    std::ostringstream text;
    text << what << ", got " << got;
    throw UsageError(text.str());
  };
  model.check();
  rule(insert_prob >= 0 && insert_prob <= 1, "insert_prob: expected 0 to 1", insert_prob);
  rule(attention_weight >= 0 && std::isfinite(attention_weight),
       "attention_weight: expected 0 or more", attention_weight);
  rule(batch_size >= 1, "batch: expected at least 1", static_cast<double>(batch_size));
  rule(max_norm > 0, "max_norm: expected a positive number", max_norm);
  rule(max_epochs >= 1, "epochs: expected at least 1", max_epochs);
  HalvingSchedule{schedule};
}

void save_settings(const std::string& run, const TrainSettings& settings) {
  write_file(in(run, "settings.json"), Json(settings).dump(2) + "\n");
}

TrainSettings load_settings(const std::string& run) {
  TrainSettings settings = read_json<TrainSettings>(in(run, "settings.json"));
  settings.model = load_config(run);
  return settings;
}

void start_run(const std::string& run, const TrainSettings& settings,
               const Vocabulary& vocabulary) {
  save_config(run, settings.model);
  vocabulary.save(in(run, "vocab.txt"));
  save_settings(run, settings);
}

ExampleOptions load_example_options(const std::string& run) {
  const std::string path = in(run, "settings.json");
  if (std::filesystem::exists(path)) return read_json<TrainSettings>(path).examples;
  return {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0};
}

void save_checkpoint(const std::string& run, const TrainState& state, DialogModel& model) {
  // The number tells a checkpoint from the one before; both exist until state.json has changed.
  const std::string path = in(run, "state.json");
  const std::string name = "checkpoint-" + std::to_string(state.epoch) + "-" +
                           std::to_string(state.step) + ".safetensors";
  save_parameters(in(run, name), model);
  Json json = state;
  json["checkpoint"] = name;
  json["checksum"] = file_checksum(in(run, name));
  write_file(path, json.dump(1) + "\n");
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    const std::string other = entry.path().filename().string();
    if (other.rfind("checkpoint-", 0) == 0 && other != name) {
      std::error_code ignored;  // an old file that stays does no harm
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

std::optional<TrainState> load_checkpoint(const std::string& run, DialogModel& model) {
  const std::string path = in(run, "state.json");
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json json = read_json<Json>(path);
  std::string name;
  uint32_t checksum = 0;
  TrainState state;
  try {
    json.get_to(state);
    json.at("checkpoint").get_to(name);
    json.at("checksum").get_to(checksum);
  } catch (const Json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
  check_state(path, state);
  if (name.find('/') != std::string::npos) throw DataError(path + ": checkpoint names a path");
  if (file_checksum(in(run, name)) != checksum) {
    throw DataError(in(run, name) + ": damaged: its checksum is not the one in state.json");
  }
  load_parameters(in(run, name), model);
  return state;
}

void save_log(const std::string& run, const std::vector<EpochLog>& log) {
  std::string text;
  for (const EpochLog& line : log) text += Json(line).dump() + "\n";
  write_file(in(run, "log.jsonl"), text);
}

std::vector<EpochLog> load_log(const std::string& run) {
  const std::string path = in(run, "log.jsonl");
  std::istringstream lines(read_file(path, 1 << 28));
  std::vector<EpochLog> log;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      log.push_back(Json::parse(line).get<EpochLog>());
    } catch (const Json::exception& e) {
      throw DataError(path + ":" + std::to_string(number) +
                      ": not what heed writes there: " + e.what());
    }
  }
  return log;
}

RunLock::RunLock(const std::string& run) {
  const std::string path = in(run, "lock");
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw DataError(path + ": cannot be opened: " + std::strerror(errno));
  }
  char owner[32] = {};
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      const int error = errno;
      ::close(descriptor_);
      throw DataError(path + ": cannot be locked: " + std::strerror(error));
    }
    const ssize_t bytes = ::read(descriptor_, owner, sizeof owner - 1);
    ::close(descriptor_);
    throw RunIsLocked(run + ": another process trains here (process id " +
                      (bytes > 0 ? owner : "unknown") + ")");
  }
  const std::string id = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) != 0 ||
      ::write(descriptor_, id.data(), id.size()) != static_cast<ssize_t>(id.size())) {
    ::close(descriptor_);
    throw DataError(path + ": cannot be written: " + std::strerror(errno));
  }
}

RunLock::~RunLock() {
  ::close(descriptor_);
}  // which gives the lock back, as does any exit

}  // namespace heed
