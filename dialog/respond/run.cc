#include "dialog/respond/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>

#include "dialog/respond/run_json.h"
#include "tensor/file.h"

namespace heed {

using Json = nlohmann::json;

namespace {

std::string in(const std::string& run, const std::string& file) {
  return (std::filesystem::path(run) / file).string();
}

// What `use` makes of the JSON of a file; everything that does not fit is a DataError.
template <class Use> auto with_json(const std::string& path, Use use) {
  try {
    Json json = Json::parse(read_file(path, 1 << 28));
    return use(json);
  } catch (const Json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
}

TrainSettings settings_from(const Json& json) {
  TrainSettings settings = json.get<TrainSettings>();
  if (json.contains("limit")) settings.limit = json["limit"].get<size_t>();
  if (json.contains("vocabulary")) settings.vocabulary = json["vocabulary"].get<int64_t>();
  if (json.contains("preset")) settings.preset = json["preset"].get<std::string>();
  return settings;
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

void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with) {
  Json json = settings;
  if (settings.limit) json["limit"] = *settings.limit;
  if (settings.vocabulary) json["vocabulary"] = *settings.vocabulary;
  if (settings.preset) json["preset"] = *settings.preset;
  if (!made_with.empty()) json["heed"] = Json::parse(made_with);
  write_file(in(run, "settings.json"), json.dump(2) + "\n");
}

TrainSettings load_settings(const std::string& run) {
  TrainSettings settings = with_json(file_inside(run, "settings.json"), settings_from);
  settings.model = load_config(run);
  return settings;
}

void change_settings(const std::string& run, const TrainSettings& settings) {
  const std::string path = file_inside(run, "settings.json");
  with_json(path, [&](Json& json) {
    json["max_epochs"] = settings.max_epochs;
    json["max_norm"] = settings.max_norm;
    json["schedule"]["rate"] = settings.schedule.rate;
    write_file(path, json.dump(2) + "\n");
  });
}

std::optional<uint32_t> settings_checksum(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string settings = with_json(path, [](Json& json) {
    json.erase("heed");
    json.erase("max_epochs");
    json.erase("max_norm");
    json.at("schedule").erase("rate");
    return json.dump();
  });
  const std::string model =
      with_json(file_inside(run, "config.json"), [](Json& json) { return json.dump(); });
  const std::string text = settings + model;
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  save_config(run, settings.model);
  vocabulary.save(in(run, "vocab.txt"));
  save_settings(run, settings, made_with);
}

ExampleOptions load_example_options(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  if (std::filesystem::exists(path)) return with_json(path, settings_from).examples;
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

double best_perplexity(const std::vector<EpochLog>& log) {
  double best = std::numeric_limits<double>::infinity();
  for (const EpochLog& e : log) best = std::min(best, e.valid_perplexity);
  return best;
}

bool is_worse_than_a_guess(double perplexity, int64_t vocab_size) {
  return perplexity > 1.05 * static_cast<double>(vocab_size);
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
    const int error = errno;
    ::close(descriptor_);
    throw DataError(path + ": cannot be written: " + std::strerror(error));
  }
}

RunLock::~RunLock() {
  ::close(descriptor_);
}  // which gives the lock back, as does any exit

}  // namespace heed
