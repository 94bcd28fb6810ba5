#include "experiment/results.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tensor/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// "hidden": 64 -> {"hidden", "64"}
std::vector<Setting> read_settings(const Json& json) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : json.items()) {
    settings.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return settings;
}

void read_samples(const Json& json, Results& results) {
  const Json& human = json.at("human");
  human.at("distinct_1").get_to(results.human.distinct_1);
  human.at("distinct_2").get_to(results.human.distinct_2);
  human.at("mean_length").get_to(results.human.mean_length);
  human.at("dialogues").get_to(results.human.dialogues);
  json.at("test_set").get_to(results.sample_set);
  for (const Json& d : json.at("dialogues")) {
    SampleDialogue dialogue{d.at("id").get<std::string>(), d.at("response").get<std::string>(), {}};
    for (const Json& u : d.at("context")) {
      dialogue.context.push_back(
          {u.at("text").get<std::string>(), u.at("distraction").get<bool>()});
    }
    results.samples.push_back(std::move(dialogue));
  }
}

template <class Read> void read_json(const fs::path& path, Read read) {
  try {
    read(Json::parse(read_file(path.string(), 1 << 26)));
  } catch (const Json::exception& e) {
    throw DataError(path.string() + ": not what heed writes there: " + e.what());
  }
}

// "static-ui-p0.7-seed1" -> the run, if the name is one
std::optional<ExperimentRun> run_of(const std::string& name) {
  const size_t at = name.rfind("-seed");
  if (at == name.npos) return std::nullopt;
  const std::string digits = name.substr(at + 5);
  if (digits.empty() || digits.size() > 19 ||
      digits.find_first_not_of("0123456789") != digits.npos) {
    return std::nullopt;
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const ExperimentRun run{v, std::stoull(digits)};
    if (run.name() == name) return run;
  }
  return std::nullopt;
}

// The dialogues of all runs must be the same ones.
void check_fits(const std::string& directory, const RunResult& run, const Results& results) {
  const Evaluation& e = run.evaluation;
  bool fits = results.runs.empty() || e.tokens == results.runs.front().evaluation.tokens;
  fits = fits && e.samples.size() == results.samples.size();
  for (size_t i = 0; fits && i < e.samples.size(); ++i) {
    fits = e.samples[i].as_scores.size() == results.samples[i].context.size();
  }
  if (!fits)
    throw DataError(directory + "/evaluation.json: of other dialogues than the other runs");
}

}  // namespace

std::vector<const RunResult*> Results::of(size_t variant) const {
  std::vector<const RunResult*> found;
  for (const RunResult& run : runs) {
    if (run.run.variant == variant) found.push_back(&run);
  }
  return found;
}

int64_t Results::test_dialogues() const {
  return static_cast<int64_t>(runs.front().evaluation.nll.size());
}

int Results::seeds() const {
  size_t most = 0;
  for (size_t v = 0; v < all_variants().size(); ++v) most = std::max(most, of(v).size());
  return static_cast<int>(most);
}

Results load_results(const std::string& folder) {
  Results results;
  results.folder = folder;
  if (!fs::exists(fs::path(folder) / "experiment.json")) {
    throw DataError(folder + ": holds no experiment.json; give the --out of heed reproduce");
  }
  read_json(fs::path(folder) / "experiment.json", [&](const Json& json) {
    results.settings = read_settings(json.at("settings"));
    results.data = read_settings(json.at("data"));
  });
  read_json(fs::path(folder) / "samples.json",
            [&](const Json& json) { read_samples(json, results); });
  std::vector<ExperimentRun> runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto run = run_of(entry.path().filename().string());
    if (run && is_evaluated(entry.path().string())) runs.push_back(*run);
  }
  std::sort(runs.begin(), runs.end(), [](const ExperimentRun& a, const ExperimentRun& b) {
    return std::pair(a.variant, a.seed) < std::pair(b.variant, b.seed);
  });
  for (const ExperimentRun& run : runs) {
    const std::string directory = (fs::path(folder) / run.name()).string();
    RunResult result{run, load_evaluation(directory), load_log(directory), load_times(directory)};
    if (result.log.empty()) throw DataError(directory + "/log.jsonl: no epoch");
    check_fits(directory, result, results);
    results.runs.push_back(std::move(result));
  }
  if (results.runs.empty()) throw DataError(folder + ": no run is finished yet");
  return results;
}

// Mean over the runs of what `get` gives; nothing if a run has none.
template <class Get>
static std::optional<double> mean_of(const std::vector<const RunResult*>& runs, Get get) {
  double sum = 0;
  for (const RunResult* run : runs) {
    const std::optional<double> value = get(run->evaluation);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return runs.empty() ? std::nullopt : std::optional(sum / static_cast<double>(runs.size()));
}

MainTable main_table(const Results& results) {
  MainTable table(all_variants().size());
  for (size_t v = 0; v < table.size(); ++v) {
    const auto runs = results.of(v);
    table[v].perplexity = mean_of(
        runs, [](const Evaluation& e) { return std::optional(e.sets[0].summary.perplexity); });
    table[v].history_as =
        mean_of(runs, [](const Evaluation& e) { return e.sets[0].summary.as_history; });
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      table[v].das_ratio[s] =
          mean_of(runs, [s](const Evaluation& e) { return e.sets[s + 1].summary.das_ratio; });
    }
  }
  return table;
}

namespace {

// The DAS ratios of a variant's dialogues, each the mean over the seeds; empty without runs.
Series das_series(const Results& results, size_t variant, size_t set) {
  std::vector<const Series*> of_seeds;
  for (const RunResult* run : results.of(variant)) {
    const Series& ratios = run->evaluation.sets[set + 1].das_ratios;
    if (!ratios.empty()) of_seeds.push_back(&ratios);
  }
  return of_seeds.empty() ? Series() : mean_series(of_seeds);
}

}  // namespace

Inference infer(const Results& results) {
  const size_t variants = all_variants().size(), sets = kTestSets.size();
  const Series nothing(static_cast<size_t>(results.test_dialogues()));
  std::vector<Series> series;  // [variant][set], then the changes
  for (size_t v = 0; v < variants; ++v) {
    for (size_t s = 0; s < sets; ++s) {
      Series ratios = das_series(results, v, s);
      if (ratios.empty()) ratios = nothing;
      series.push_back(std::move(ratios));
    }
  }
  for (size_t v = 0; v < variants; ++v) {
    const Variant base = all_variants()[v].baseline();
    const size_t b = *find_variant(base.structure.name, base.insert_prob, base.attention_loss);
    for (size_t s = 0; s < sets; ++s) {
      series.push_back(b == v ? nothing : difference(series[v * sets + s], series[b * sets + s]));
    }
  }
  const auto estimates = bootstrap(series);

  Inference inference;
  inference.das_ratio.resize(variants);
  inference.change.resize(variants);
  inference.corrected.resize(variants);
  std::vector<double> p_values;
  std::vector<double*> places;
  for (size_t v = 0; v < variants; ++v) {
    for (size_t s = 0; s < sets; ++s) {
      inference.das_ratio[v][s] = estimates[v * sets + s];
      inference.change[v][s] = estimates[(variants + v) * sets + s];
      inference.corrected[v][s] = 1;
      if (!inference.change[v][s]) continue;
      p_values.push_back(inference.change[v][s]->p_value);
      places.push_back(&inference.corrected[v][s]);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  for (size_t i = 0; i < places.size(); ++i) *places[i] = corrected[i];
  inference.comparisons = p_values.size();
  return inference;
}

}  // namespace heed
