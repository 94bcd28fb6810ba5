#include "heed/open_run.h"

#include <filesystem>

#include "base/file.h"
#include "heed/train_flags.h"
#include "train/model_directory.h"
#include "train/step.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& directory, const std::string& file) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / file, ignored);
}

// A run begins with settings.json. Without it weights, under whatever name, are a model from
// elsewhere, and the other files what is left of another run: a training would replace them, or go
// on from them.
void refuse_what_is_no_run(const std::string& out) {
  std::error_code ignored;
  for (fs::directory_iterator at(out, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string file = at->path().filename().string();
    if (file == kWordVectorFile || file == kInitFile)
      continue;  // of a run that was killed before it began
    const bool ours = file.ends_with(".safetensors") || file == "state.json" ||
                      file == "state.previous.json" || file == "log.jsonl" || file == kStepsFile;
    if (!ours) continue;
    throw UsageError(out + ": holds " + file +
                     " but no settings.json: a model, or part of a run; take another --out");
  }
}

void refuse_run(const std::string& out) {
  throw UsageError(out + ": holds a run already; --resume goes on with it, or take another --out");
}

std::string limit_text(const TrainSettings& settings) {
  if (!settings.limit) return "an unknown --limit";
  return *settings.limit == 0 ? "no --limit" : "--limit " + std::to_string(*settings.limit);
}

TrainSettings settings_to_go_on(const RunRequest& r) {
  TrainSettings settings = load_settings(r.out);
  take_given(r.command, r.out, r.settings, settings);
  settings.check();
  return settings;
}

OpenRun go_on(const RunRequest& r) {
  OpenRun run{r.first ? std::make_unique<RunLock>(r.out) : nullptr, {}, {}, false};
  run.settings = r.first ? settings_to_go_on(r) : load_settings(r.out);
  check_ranks(r.ranks, run.settings.loop.pieces);
  const TrainSettings& s = run.settings;
  if (!r.reads) return run;
  const auto words = Vocabulary::load(file_inside(r.out, "vocab.txt"), s.model.vocab_size);
  const size_t limit = s.limit.value_or(r.settings.limit.value_or(0));
  run.data = load_train_data(r.data, {}, s.examples, limit, &words);
  if (run.data.fingerprint() != s.data_fingerprint) {
    throw DataError(r.data + ": not the dialogues that the run " + r.out +
                    " was started with: another --data, files that have changed since, or another "
                    "limit (the run had " +
                    limit_text(s) + ")");
  }
  if (r.first) change_settings(r.out, s.loop);
  return run;
}

// The rows of the tables of another model are those of its words.
std::optional<Vocabulary> vocabulary_of_init(const RunRequest& r) {
  const std::string& init = r.settings.init;
  if (init.empty()) return {};
  check_is_model(init);
  for (const char* option : {"--vocab", "--tokens", "--embeddings"}) {
    if (r.command.count(option) == 0) continue;
    throw UsageError(std::string(option) + ": with --init the words are those of " + init +
                     "; leave the option out");
  }
  return Vocabulary::load(file_inside(init, "vocab.txt"));
}

OpenRun begin(const RunRequest& r) {
  OpenRun run{nullptr, r.settings, {}, true};
  TrainSettings& s = run.settings;
  s.check();
  check_ranks(r.ranks, s.loop.pieces);
  const std::optional<Vocabulary> words = vocabulary_of_init(r);
  if (words) s.tokens = words->kind();
  run.data = load_train_data(r.data, s.vocabulary_options(), s.examples, s.limit.value_or(0),
                             words ? &*words : nullptr);
  s.model.vocab_size = run.data.vocabulary.size();
  s.data_fingerprint = run.data.fingerprint();
  if (r.command.count("--batch") == 0) s.loop.batch_size = batch_size_for(s, run.data.train.size());
  check_training(s, run.data);
  make_directory(r.out);
  run.lock = std::make_unique<RunLock>(r.out);
  if (has(r.out, "settings.json")) refuse_run(r.out);  // by somebody else, since we looked
  start_run(r.out, s, run.data.vocabulary, r.made_with);
  return run;
}

}  // namespace

int64_t batch_size_for(const TrainSettings& s, size_t examples) {
  constexpr int64_t kSteps = 100, kSmallest = 4;
  int64_t size = s.loop.batch_size;
  while (s.loop.optimizer.name == "adam" && size / 2 >= kSmallest &&
         static_cast<int64_t>(examples) < kSteps * size) {
    size /= 2;
  }
  return size;
}

void refuse_other_run(const std::string& out) {
  if (has(out, "settings.json")) refuse_run(out);
  refuse_what_is_no_run(out);
}

OpenRun open_run(const RunRequest& request) {
  if (!request.first) return go_on(request);
  if (has(request.out, "settings.json")) {
    if (!request.resume) refuse_run(request.out);
    return go_on(request);
  }
  refuse_what_is_no_run(request.out);
  return begin(request);
}

}  // namespace heed
