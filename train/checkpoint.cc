#include "train/checkpoint.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "train/folder_of_runs.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *kNewest = "state.json", *kBefore = "state.previous.json",
                     *kDamaged = "state.damaged.json";

struct Saved {
  TrainState state;
  std::string checkpoint;  // a file name
  uint32_t checksum = 0;
  std::optional<uint32_t> settings;  // settings_checksum(); older versions did not keep it
};

// Everything but the sums is checked for what a training can leave behind; the number of steps is
// checked by the loop, which knows the examples.
Saved read_state(const std::string& path) {
  const auto fail = [&](const std::string& what) {
    throw DataError(path + ": not what heed writes there: " + what);
  };
  const Saved saved = with_json(path, [&](Json& json) {
    Saved read;
    read.checksum = json.at("checksum").get<uint32_t>();
    json.at("checkpoint").get_to(read.checkpoint);
    json.get_to(read.state);
    if (json.contains("settings_checksum")) {
      read.settings = json["settings_checksum"].get<uint32_t>();
    }
    if (json.contains("state_checksum")) {
      const auto own = json["state_checksum"].get<uint32_t>();
      json.erase("state_checksum");
      if (checksum(json.dump()) != own) fail("its checksum is another one");
    }
    return read;
  });
  const TrainState& state = saved.state;
  if (state.epoch < 0 || state.step < 0 || state.schedule.halvings < 0 ||
      !(state.schedule.rate > 0)) {
    fail("epoch, step, halvings or rate is out of range");
  }
  return saved;
}

// The checkpoint that goes with what is saved under a name, whole.
std::string good_checkpoint(const std::string& run, const char* name, const Saved& saved) {
  std::string weights = file_inside(run, saved.checkpoint);
  if (file_checksum(weights) != saved.checksum) {
    throw DataError(weights + ": damaged: its checksum is not the one in " + name);
  }
  return weights;
}

TrainState load_saved(const std::string& run, const char* name,
                      const std::vector<NamedTensor>& tensors) {
  const Saved saved = read_state(file_inside(run, name));
  const std::string weights = good_checkpoint(run, name, saved);
  // No DataError, for which the checkpoint before would be tried: it belongs to the same settings.
  const auto settings = settings_checksum(run);
  if (settings && saved.settings && *settings != *saved.settings) {
    throw Error(in(run, name) + ": belongs to other settings than those in settings.json and " +
                "config.json; put back what was there, or take another folder");
  }
  load_into(weights, tensors);
  return saved.state;
}

// None if there is no such file or it cannot be read.
std::optional<Saved> readable(const std::string& path) {
  try {
    return read_state(path);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

// The checkpoint that a state file names.
std::string named_by(const std::string& path) {
  return readable(path).value_or(Saved()).checkpoint;
}

// True for what a killed training can leave half written (see AtomicFile).
bool is_half_written(const std::string& name) {
  const size_t end = name.find(".tmp-");
  return end != name.npos && belongs_to_a_folder(name.substr(0, end));
}

// checkpoint-E-S.safetensors; other files that are called so are the user's.
bool is_checkpoint(const std::string& name) {
  constexpr std::string_view kBefore = "checkpoint-";
  const size_t end = name.find_first_not_of("0123456789-", kBefore.size());
  return name.starts_with(kBefore) && end != name.npos && name.substr(end) == ".safetensors";
}

// Removes checkpoints that no state names, and half written files. The caller holds the lock of the
// run, so nobody else writes here.
void remove_leftovers(const std::string& run, const std::string& newest) {
  const std::string before = named_by(in(run, kBefore));
  for (const auto& entry : fs::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    const bool old = is_checkpoint(name) && name != newest && name != before;
    if (!old && !is_half_written(name)) continue;
    std::error_code ignored;  // an old file that stays does no harm
    fs::remove(entry.path(), ignored);
  }
}

}  // namespace

std::vector<NamedTensor> checkpoint_tensors(Module& module, const Optimizer& optimizer,
                                            const std::string& name) {
  const std::string prefix = name.empty() ? "" : name + ".";
  std::vector<NamedTensor> tensors;
  for (const NamedTensor& t : parameter_tensors(module)) {
    tensors.push_back({prefix + t.name, t.tensor});
  }
  for (const NamedTensor& t : optimizer.state()) {
    tensors.push_back({prefix + "optimizer." + t.name, t.tensor});
  }
  return tensors;
}

void save_checkpoint(const std::string& run, const TrainState& state,
                     const std::vector<NamedTensor>& tensors) {
  const std::string name = "checkpoint-" + std::to_string(state.epoch) + "-" +
                           std::to_string(state.step) + ".safetensors";
  const std::string newest = in(run, kNewest);
  save_tensors(in(run, name), tensors, {{"format", "pt"}});
  Json json = state;
  json["checkpoint"] = name;
  json["checksum"] = file_checksum(in(run, name));
  const auto last = readable(newest);
  // Those that the training began with, whatever has become of their file since.
  const auto settings = last && last->settings ? last->settings : settings_checksum(run);
  if (settings) json["settings_checksum"] = *settings;
  json["state_checksum"] = checksum(json.dump());
  // What state.json says now becomes the checkpoint before, unless it is this one.
  if (last && last->checkpoint != name) {
    write_file(in(run, kBefore), read_file(newest, kMaxRunFileBytes));
  }
  write_file(newest, json.dump(1) + "\n");
  remove_leftovers(run, name);
}

// A run may be killed between the log of its first epoch and a checkpoint. After two epochs there
// is one, or it was lost.
static void refuse_trained(const std::string& run) {
  const size_t epochs = fs::exists(in(run, "log.jsonl")) ? load_log(run).size() : 0;
  if (epochs < 2) return;
  throw DataError(in(run, kNewest) + ": is missing, as is " + kBefore + ": the training of " +
                  std::to_string(epochs) + " epochs cannot go on; take another --out");
}

std::optional<TrainState> load_checkpoint(const std::string& run,
                                          const std::vector<NamedTensor>& tensors,
                                          std::string* warning) {
  const std::string newest = in(run, kNewest), before = in(run, kBefore);
  const bool has_newest = fs::exists(newest), has_before = fs::exists(before);
  if (!has_newest && !has_before) {
    refuse_trained(run);
    return std::nullopt;
  }
  std::string problem = newest + ": is missing";
  try {
    if (has_newest) return load_saved(run, kNewest, tensors);
  } catch (const DataError& e) {
    if (!has_before) throw;
    problem = e.what();
  }
  TrainState state;
  try {
    state = load_saved(run, kBefore, tensors);
  } catch (const DataError& e) {
    throw DataError(problem + "; and the checkpoint before it: " + e.what());
  }
  if (has_newest && std::rename(newest.c_str(), in(run, kDamaged).c_str()) != 0) {
    throw DataError(newest + ": cannot be set aside: " + std::strerror(errno));
  }
  if (warning) {
    *warning = problem + "; going on from the checkpoint before it (" + named_by(before) + ")";
  }
  return state;
}

std::string newest_checkpoint(const std::string& run) {
  return good_checkpoint(run, kNewest, read_state(file_inside(run, kNewest)));
}

std::optional<TrainState> look_at_checkpoint(const std::string& run) {
  const std::string newest = in(run, kNewest), before = in(run, kBefore);
  const bool has_newest = fs::exists(newest), has_before = fs::exists(before);
  if (!has_newest && !has_before) return std::nullopt;
  try {
    if (has_newest) return read_state(file_inside(run, kNewest)).state;
  } catch (const DataError&) {
    if (!has_before) throw;
  }
  return read_state(file_inside(run, kBefore)).state;
}

}  // namespace heed
