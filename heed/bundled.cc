#include "heed/bundled.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/data/corpus.h"
#include "dialog/system.h"
#include "heed/messages.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Searched from the program upwards: share/heed of an installation, or data of the checkout.
std::optional<std::string> find(const fs::path& what, const char* file) {
  constexpr int kLevels = 5;  // the path of build/release/bin/heed, with some room
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level < kLevels && folder.has_relative_path(); ++level) {
    for (const char* place : {"share/heed", "data"}) {
      const fs::path path = folder / place / what;
      if (!has_file(path, file)) continue;
      const fs::path shorter = fs::proximate(path, error);
      return error || shorter.string().starts_with("..") ? path.string() : shorter.string();
    }
    folder = folder.parent_path();
  }
  return std::nullopt;
}

[[noreturn]] void throw_none_bundled() {
  throw UsageError(
      "--model is required: no bundled models are found, neither in share/heed nor in data/models "
      "above the program");
}

}  // namespace

std::optional<std::string> find_bundled_model(const std::string& name) {
  return find(fs::path("models") / name, "model.safetensors");
}

std::optional<std::string> find_bundled_data(const std::string& name) {
  return find(name, "train.jsonl.gz");
}

static void note_bundled(const std::string& text) {
  note("no --model is given: taking the bundled " + text);
}

static std::string bundled(const char* name) {
  const auto found = find_bundled_model(name);
  if (!found) throw_none_bundled();
  return *found;
}

void take_bundled(std::string& model, std::string* baseline) {
  if (!model.empty()) return;
  model = bundled("trained");
  std::string text = model;
  if (baseline && baseline->empty()) {
    if (const auto other = find_bundled_model("baseline")) text += " and " + (*baseline = *other);
  }
  note_bundled(text);
}

void take_bundled_for_chat(std::string& model) {
  if (!model.empty()) return;
  note_bundled(model = bundled(find_bundled_model("larger") ? "larger" : "trained"));
}

void take_bundled_ranker(std::string& model) {
  note_bundled(model = bundled("ranker"));
}

// The first one is the best in conversation.
static std::vector<std::string> find_bundled_models() {
  std::vector<std::string> models;
  const std::optional<std::string> trained = find_bundled_model("trained");
  if (!trained) return models;
  for (const auto& entry : fs::directory_iterator(fs::canonical(*trained).parent_path())) {
    const auto model = find_bundled_model(entry.path().filename().string());
    if (!model) continue;
    try {
      system_of(*model);
      models.push_back(*model);
    } catch (const DataError&) {  // the bundled model needs a system that a build for the demo
                                  // alone does not have
    }
  }
  const auto place = [](const std::string& model) {
    const std::string name = fs::path(model).filename().string();
    return std::pair(name == "larger" ? 0 : name == "trained" ? 1 : 2, name);
  };
  std::sort(models.begin(), models.end(),
            [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return models;
}

void take_bundled(std::vector<std::string>& models) {
  if (!models.empty()) return;
  models = find_bundled_models();
  if (models.empty()) throw_none_bundled();
  note_bundled(joined(models));
}

void check_exists(const std::string& data) {
  if (path_exists(data)) return;
  const std::optional<std::string> sample = find_bundled_data("ubuntu-sample");
  throw DataError(data + ": cannot open: No such file or directory" +
                  (sample ? "; the bundled dialogues are in " + *sample : ""));
}

void check_dialogues(const std::string& data, const std::string& part) {
  check_exists(data);
  find_dialogues(data, part);
}

void find_data(std::string& data, const CLI::App& command, Corpora corpora) {
  if (command.count("--data") == 0 && data.empty()) {
    const std::optional<std::string> found = find_bundled_data("ubuntu-sample");
    if (!found) {
      throw UsageError(
          "--data is required: no bundled dialogues are found, neither in share/heed nor in data "
          "above the program");
    }
    data = *found;
    note("no --data is given: taking the bundled " + data);
  }
  if (corpora == Corpora::kOne) return check_exists(data);
  for (const std::string& corpus : comma_list("--data", data)) check_exists(corpus);
}

std::string shell_word(const std::string& path) {
  const bool plain = !path.empty() &&
                     path.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:") ==
                         std::string::npos;
  if (plain) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string first_steps() {
  const std::string data = shell_word(find_bundled_data("ubuntu-sample").value_or("DATA"));
  std::string text =
      "heed trains dialogue models and shows where they look. Commands to begin with:\n";
  if (find_bundled_model("trained")) {
    text +=
        "  heed chat                  talk to a small model that is bundled\n"
        "  heed show --data " +
        data +
        "\n"
        "                             see where it looks, beside a baseline\n";
  }
  return text + "  heed train --data " + data +
         " --out runs/first --preset smoke\n"
         "                             train a model of your own in a few minutes\n"
         "  heed help                  all commands; heed help COMMAND explains one\n";
}

}  // namespace heed
