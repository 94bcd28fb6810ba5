#include "experiments/engine/runs/results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/engine/stats/statistics.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// "hidden": 64 -> {"hidden", "64"}
std::vector<ShownSetting> read_settings(const Json& json) {
  std::vector<ShownSetting> settings;
  for (const auto& [name, value] : json.items()) {
    settings.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return settings;
}

void read_experiment(const std::string& folder, const ResultsLayout& layout, Results& results) {
  const std::string file = layout.kind + ".json", path = (fs::path(folder) / file).string();
  if (!fs::exists(path)) {
    throw DataError(folder + ": holds no " + file + "; give the --out of " + layout.made_by);
  }
  read_kind(folder, layout.kind, [&](const Json& json) {
    if (json.value("format", Json()) != layout.format) {
      throw DataError(path +
                      ": written by another version of heed, whose results lack what the tables "
                      "are made of now; run " +
                      layout.made_by + " anew");
    }
    results.settings = read_settings(json.at("settings"));
    results.data = read_settings(json.at("data"));
  });
}

// The cluster of each item. Nothing unless they are numbered in order of appearance, so that no
// index is out of bounds.
std::optional<std::vector<int>> read_clusters(const Series& series) {
  std::vector<int> clusters;
  int next = 0;
  for (const auto& number : series) {
    if (!number || !(*number >= 0 && *number <= next) || *number != std::floor(*number)) {
      return std::nullopt;
    }
    clusters.push_back(static_cast<int>(*number));
    next = std::max(next, clusters.back() + 1);
  }
  return clusters.empty() ? std::nullopt : std::optional(std::move(clusters));
}

// Checks that the numbers match the layout; returns the clusters of the items. A run that was not
// trained need not have all values.
std::vector<int> check_layout(const std::string& path, const Numbers& numbers,
                              const ResultsLayout& layout, bool trained) {
  const auto missing = [&](const std::string& name) {
    return DataError(path + ": not what heed writes there: there is no \"" + name + "\"");
  };
  for (const std::string& name : layout.values) {
    if (trained && !numbers.has(name)) throw missing(name);
  }
  if (layout.clusters.empty()) return {};
  std::vector<std::string> lists = layout.items;
  lists.push_back(layout.clusters);
  for (const std::string& name : lists) {
    if (!numbers.has_series(name)) throw missing(name);
  }
  auto clusters = read_clusters(numbers.series(layout.clusters));
  for (const std::string& name : layout.items) {
    const size_t size = numbers.series(name).size();
    if (clusters && (size == 0 || size == clusters->size())) continue;
    clusters.reset();
  }
  if (!clusters) throw DataError(path + ": the lists of its dialogues do not fit together");
  return *clusters;
}

// What the run records about the program that made it.
std::string made_with_of(const Numbers& numbers) {
  const auto text = [&](const char* key, const std::string& before, const std::string& after = "") {
    const std::string name = std::string("heed.") + key;
    return numbers.has_text(name) ? before + numbers.text(name) + after : "";
  };
  return text("version", "heed ") + text("commit", " (", ")") + text("device", ", ") +
         text("matmul", ", ") + text("kernels", ", kernels ");
}

RunResult load_run(const std::string& folder, const PlannedRun& run, const ResultsLayout& layout,
                   Results& results) {
  const std::string directory = (fs::path(folder) / run.name).string(),
                    path = (fs::path(directory) / kEvaluationFile).string();
  const bool trained = layout.variants[run.variant].trained;
  const bool logged = trained && fs::exists(fs::path(directory) / "log.jsonl");
  Numbers numbers = load_numbers(path);
  RunResult result{run, made_with_of(numbers), std::move(numbers),
                   logged ? load_log(directory) : std::vector<EpochLog>(), load_times(directory)};
  for (const std::string& file : layout.additions) {
    const fs::path addition = fs::path(directory) / file;
    if (fs::exists(addition)) add_numbers(addition.string(), result.numbers);
  }
  if (logged && result.log.empty()) throw DataError(directory + "/log.jsonl: no epoch");
  const std::vector<int> clusters = check_layout(path, result.numbers, layout, trained);
  if (results.runs.empty()) results.clusters = clusters;
  bool fits = clusters == results.clusters;
  for (const std::string& name : layout.same) {
    if (results.runs.empty()) break;
    fits &= result.numbers.series(name) == results.runs.front().numbers.series(name);
  }
  if (!fits) throw DataError(path + ": of other dialogues than the other runs");
  return result;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<VariantName>& variants) {
  std::vector<std::string> names;
  for (const VariantName& variant : variants) names.push_back(variant.name);
  return names;
}

std::string source_of(const RunResult& run, const std::string& file) {
  return run.run.name + "/" + file;
}

std::vector<const RunResult*> Results::of(size_t variant) const {
  std::vector<const RunResult*> found;
  for (const RunResult& run : runs) {
    if (run.run.variant == variant) found.push_back(&run);
  }
  return found;
}

size_t Results::cluster_count() const {
  return clusters.empty() ? 0 : 1 + *std::max_element(clusters.begin(), clusters.end());
}

std::string Results::clusters_text(const std::string& noun) const {
  return std::to_string(cluster_count()) + " " + noun + ", the largest of " +
         std::to_string(largest_cluster(clusters));
}

std::vector<std::pair<std::string, size_t>> Results::made_with() const {
  std::map<std::string, size_t> counts;
  for (const RunResult& run : runs) ++counts[run.made_with];
  return {counts.begin(), counts.end()};
}

int Results::seeds() const {
  size_t most = 0;
  for (size_t v = 0; v < variants.size(); ++v) most = std::max(most, of(v).size());
  return static_cast<int>(most);
}

std::string Results::setting(const std::string& name) const {
  for (const auto* list : {&settings, &data}) {
    for (const ShownSetting& s : *list) {
      if (s.name == name) return s.value;
    }
  }
  return "?";
}

std::string Results::epochs_text() const {
  const std::string epochs = setting("epochs");
  return "at most " + epochs + (epochs == "1" ? " epoch" : " epochs");
}

void read_kind(const std::string& folder, const std::string& kind,
               const std::function<void(const Json&)>& read) {
  const std::string path = (fs::path(folder) / (kind + ".json")).string();
  try {
    read(Json::parse(read_file(path, 1 << 26)));
  } catch (const Json::exception& e) {
    throw damaged(path, e.what());
  }
}

Results load_results(const std::string& folder, const ResultsLayout& layout) {
  Results results;
  results.folder = folder;
  results.variants = layout.variants;
  read_experiment(folder, layout, results);
  const std::vector<std::string> names = names_of(layout.variants);
  std::vector<PlannedRun> runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto run = find_run(names, entry.path().filename().string());
    if (run && fs::exists(entry.path() / kEvaluationFile)) runs.push_back(*run);
  }
  std::sort(runs.begin(), runs.end(), [](const PlannedRun& a, const PlannedRun& b) {
    return std::pair(a.variant, a.seed) < std::pair(b.variant, b.seed);
  });
  for (const PlannedRun& run : runs) {
    results.runs.push_back(load_run(folder, run, layout, results));
  }
  if (results.runs.empty()) throw DataError(folder + ": no run is finished yet");
  return results;
}

std::vector<RunPair> paired_runs(const Results& results, size_t variant, size_t baseline) {
  const bool all = !results.variants[variant].of_seeds || !results.variants[baseline].of_seeds;
  const auto runs_of = [&](size_t v) {
    std::vector<const RunResult*> runs = results.of(v);
    if (!results.variants[v].of_seeds && runs.size() > 1) runs.resize(1);
    return runs;
  };
  std::vector<RunPair> pairs;
  for (const RunResult* run : runs_of(variant)) {
    for (const RunResult* base : runs_of(baseline)) {
      if (all || base->run.seed == run->run.seed) pairs.push_back({run, base});
    }
  }
  return pairs;
}

VariantNumbers mean_numbers(const Results& results) {
  VariantNumbers means;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    const auto runs = results.of(v);
    std::set<std::string> names;
    for (const RunResult* run : runs) {
      for (const std::string& name : run->numbers.names()) names.insert(name);
    }
    for (const std::string& name : names) {
      double sum = 0;
      bool all = true;
      for (const RunResult* run : runs) {
        const auto value = run->numbers.value(name);
        all = all && value.has_value();
        sum += value.value_or(0);
      }
      if (all) means.set(v, name, sum / static_cast<double>(runs.size()));
    }
  }
  return means;
}

}  // namespace heed
