#include "dialog/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "dialog/run_json.h"
#include "tensor/file.h"

namespace heed {

using Json = nlohmann::json;

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

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// The lock file holds "PID HOST", both of the last owner. Where folders are shared between machines
// the number alone would say little.
std::string owner_text(const std::string& content) {
  std::istringstream words(content);
  std::string id, host;
  words >> id >> host;
  return host.empty() || host == host_name() ? id : id + " on " + host;
}

}  // namespace

double default_rate(const std::string& optimizer) {
  return optimizer == "adam" ? 0.003 : 1.0;
}

void OptimizerSettings::check() const {
  if (name != "sgd" && name != "adam") {
    throw UsageError("optimizer: expected sgd or adam, got '" + name + "'");
  }
  if (!(weight_decay >= 0) || std::isinf(weight_decay)) {
    throw UsageError("weight_decay: expected 0 or more, got " + std::to_string(weight_decay));
  }
  if (warm_up < 0) throw UsageError("warm_up: expected 0 steps or more");
}

void TrainSettings::check() const {
  const auto rule = [](bool ok, const char* what, double got) {
    if (ok) return;
    std::ostringstream text;
    text << what << ", got " << got;
    throw UsageError(text.str());
  };
  model.check();
  optimizer.check();
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
  TrainSettings settings = read_json<TrainSettings>(file_inside(run, "settings.json"));
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
  const std::string path = file_inside(run, "settings.json");
  if (std::filesystem::exists(path)) return read_json<TrainSettings>(path).examples;
  return {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0};
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
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0) {
    throw DataError(path + ": cannot be opened: " + std::strerror(errno));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    char owner[512] = {};
    const ssize_t bytes = ::read(descriptor_, owner, sizeof owner - 1);
    ::close(descriptor_);
    if (error != EWOULDBLOCK) {
      throw DataError(path + ": cannot be locked: " + std::strerror(error));
    }
    throw RunIsLocked(run + ": another process trains here (process id " +
                      (bytes > 0 ? owner_text(owner) : "unknown") + ")");
  }
  const std::string id = std::to_string(::getpid()) + " " + host_name();
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
