#include "dialog/open_run.h"

#include <filesystem>

#include "base/file.h"
#include "base/path.h"
#include "train/folder_of_runs.h"
#include "train/model_directory.h"
#include "train/step.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// A run begins with settings.json. Without it the folder of an experiment, a model from elsewhere,
// or what is left of another run: a training would replace the files, or go on from them. A run
// that was killed before it began leaves its lock, and files that it was to begin with.
void refuse_what_is_no_run(const std::string& out) {
  std::error_code ignored;
  const bool begun = has_file(out, "lock");
  for (fs::directory_iterator at(out, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string file = at->path().filename().string();
    if (file.ends_with(".json") && describes_runs(at->path().string())) {
      throw UsageError(out + ": holds " + file + ", and is a folder of runs; take another --out");
    }
    if (file.starts_with("train.jsonl")) {
      throw UsageError(out + ": holds " + file + ", dialogues; take another --out");
    }
    const bool weights = file.ends_with(".safetensors") && file != "embeddings.safetensors" &&
                         file != "init.safetensors" && file != "tables.safetensors";
    const bool ours = weights || file == "state.json" || file == "state.previous.json" ||
                      file == "log.jsonl" || file == kStepsFile;
    if (!ours && (begun || !belongs_to_a_folder(file))) continue;
    throw UsageError(out + ": holds " + file +
                     " but no settings.json: a model, or part of a run; take another --out");
  }
}

void refuse_run(const std::string& out) {
  if (!holds_run(out)) return;
  throw UsageError(out + ": already holds a run; --resume continues it, or take another --out");
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

OpenRun go_on(Training& training, const RunRequest& r) {
  OpenRun run{r.first ? std::make_unique<RunLock>(r.out) : nullptr, false};
  training.go_on(r.out, r.first ? r.take : Training::Take());
  check_ranks(r.ranks, training.loop().pieces);
  if (r.reads) training.read(r.data, r.out);
  if (r.first) change_settings(r.out, training.loop());
  return run;
}

OpenRun begin(Training& training, const RunRequest& r) {
  check_ranks(r.ranks, training.loop().pieces);
  training.read(r.data, "");
  training.prepare(r.talk);
  const bool made_folder = !path_exists(r.out);
  make_directory(r.out);
  OpenRun run{nullptr, true, names_in(r.out), made_folder};
  run.lock = std::make_unique<RunLock>(r.out);
  refuse_run(r.out);  // begun by somebody else, since we looked
  try {
    training.start(r.out, r.made_with);
  } catch (...) {
    run.take_back(r.out);
    throw;
  }
  return run;
}

}  // namespace

bool holds_run(const std::string& out) {
  return has_file(out, "settings.json");
}

void OpenRun::take_back(const std::string& out) const {
  if (!is_new || has_file(out, "state.json")) return;
  std::error_code ignored;
  for (const std::string& name : names_in(out)) {
    if (!others.contains(name)) fs::remove_all(fs::path(out) / name, ignored);
  }
  if (made_folder) fs::remove(out, ignored);  // if it is empty
}

OpenRun open_run(Training& training, const RunRequest& request) {
  if (!request.first || (request.resume && holds_run(request.out))) {
    return go_on(training, request);
  }
  refuse_run(request.out);
  refuse_what_is_no_run(request.out);
  if (request.resume) request.talk.note(request.out + ": holds no run; a new one begins");
  return begin(training, request);
}

}  // namespace heed
