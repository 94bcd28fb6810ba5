#include <filesystem>
#include <fstream>

#include "base/path.h"
#include "dialog/describe/info_json.h"
#include "experiments/experiment.h"
#include "heed/card.h"
#include "heed/command.h"
#include "heed/info_text.h"
#include "heed/progress.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct InfoOptions : CommandOptions {
  std::string path, json, card;
};

Json info_of_directory(const std::string& path, const OnReading& on_reading) {
  for (const Experiment& e : all_experiments()) {
    if (has_file(path, e.kind + ".json")) return info_of_folder(path, {e.kind});
  }
  if (has_file(path, "settings.json")) return info_of_run(path);
  if (has_file(path, "config.json")) return info_of_model(path);
  if (is_features_directory(path)) return info_of_features(path);
  if (is_data_directory(path)) return info_of_data(path, on_reading);
  if (is_folder_of_runs(path)) return info_of_folder(path, {});
  throw DataError(path +
                  ": holds nothing made by heed: no config.json (a model), settings.json (a run), "
                  "experiment.json, train.jsonl, or folders with one of them");
}

// Files that hold no dialogues, by the end of "/NAME", and the command that shows them.
const std::pair<std::string, std::string> kOtherFiles[] = {
    {"/vocab.txt", "a model's vocabulary, one token a line; heed info FOLDER describes the model"},
    {"/log.jsonl", "the log of a training; heed log FOLDER shows it, heed plot FOLDER draws it"},
    {"/steps.jsonl", "the steps of a training; heed log FOLDER --steps shows them"},
    {"/pool.txt", "responses to choose from, one a line; heed chat --pool FILE answers with them"},
    {".html", "a page; a browser shows it"}};

// The files of --json begin with a line that holds only a brace; a dialogue is one line.
bool is_json_file(const std::string& path) {
  if (path.ends_with(".json")) return true;
  char begin[2] = {};
  std::ifstream(path, std::ios::binary).read(begin, 2);
  return begin[0] == '{' && begin[1] == '\n';
}

Json info_of(const std::string& path) {
  Progress progress;
  const auto on_reading = [&](const std::string& file, size_t count) {
    show_reading(progress, file)(count);
  };
  if (is_folder(path)) return info_of_directory(path, on_reading);
  if (!path_exists(path)) throw DataError(path + ": no such file or directory");
  if (!is_regular(path)) throw DataError(path + ": neither a file nor a directory");
  if (path.ends_with(".safetensors")) return info_of_weights(path);
  std::string file = "/" + fs::path(path).filename().string();
  if (file.ends_with(".gz")) file.resize(file.size() - 3);
  for (const auto& [name, what] : kOtherFiles) {
    if (file.ends_with(name)) throw DataError(path + ": " + what);
  }
  return is_json_file(path) ? info_of_result(path) : info_of_dialogues(path, on_reading);
}

// The contents of a file, as if they were part of this object.
void print(Json info) {
  const Json contents = info.value("contents", Json::object());
  info.erase("contents");
  print_text(info_text(info, results_width()));
  if (contents.empty()) return;
  const std::string text = info_text(contents, results_width());
  print_text((text.starts_with('\n') ? "" : "\n") + text);
}

void run(const InfoOptions& o) {
  JsonOutput output(o.json), card(o.card);
  if (card.wanted()) card.write_text(model_card(o.path));
  if (card.to_stdout() && !output.wanted()) return;
  Json json = {{"path", o.path}};
  json.update(info_of(o.path));
  if (!output.to_stdout() && !card.to_stdout()) print(json);
  output.write(o, json);
}

}  // namespace

void add_info(CLI::App& app) {
  const auto [c, o] = declare<InfoOptions>(
      app, "info", "Describe a model, run, experiment, result or file of dialogues",
      "A model: its sizes, parameters and vocabulary. A run: also its settings, its log and "
      "whether it is complete. A folder of runs or an experiment: how far each is. A data "
      "directory or dialogues: counts and checksums. Features: examples, dimensions and tasks. A "
      ".json file: what made it, and its numbers.\n"
      "Examples:\n"
      "  heed info runs/first\n"
      "  heed info data/ubuntu-sample\n"
      "  heed info results.json --json -\n"
      "  heed info runs/first --card card.md",
      {.device = false, .seed = ""}, run);
  c.add_option("path", o.path, "The file or folder to describe")->required();
  add_json(c, o.json);
  c.add_option(
      "--card", o.card,
      "Write a model card of a run or a model, in Markdown, to this file, - for standard output");
}

}  // namespace heed
