#include "experiments/distraction/results.h"

#include <algorithm>
#include <cmath>
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
  bool fits = true;
  if (!results.runs.empty()) {
    const Evaluation& first = results.runs.front().evaluation;
    fits = e.tokens == first.tokens && e.conversations == first.conversations;
  }
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

int64_t Results::conversations() const {
  const std::vector<int>& all = runs.front().evaluation.conversations;
  return 1 + *std::max_element(all.begin(), all.end());
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
    if (json.value("format", Json()) != kExperimentFormat) {
      throw DataError(folder +
                      "/experiment.json: written by another version of heed, whose results "
                      "lack what the tables are made of now; run heed reproduce anew");
    }
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

// Mean over the runs of what `get` gives; nothing if a run has none or it is not finite.
template <class Get>
static std::optional<double> mean_of(const std::vector<const RunResult*>& runs, Get get) {
  double sum = 0;
  for (const RunResult* run : runs) {
    const std::optional<double> value = get(run->evaluation);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    sum += *value;
  }
  return runs.empty() ? std::nullopt : std::optional(sum / static_cast<double>(runs.size()));
}

MainTable main_table(const Results& results, SummaryNumber ratio) {
  MainTable table(all_variants().size());
  for (size_t v = 0; v < table.size(); ++v) {
    const auto runs = results.of(v);
    table[v].perplexity = mean_of(
        runs, [](const Evaluation& e) { return std::optional(e.sets[0].summary.perplexity); });
    table[v].history_as =
        mean_of(runs, [](const Evaluation& e) { return e.sets[0].summary.as_history; });
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      const auto of_set = [&](SummaryNumber number) {
        return mean_of(runs, [&](const Evaluation& e) { return e.sets[s + 1].summary.*number; });
      };
      table[v].das_ratio[s] = of_set(ratio);
      table[v].as_distraction[s] = of_set(&ScoreSummary::as_distraction);
      table[v].as_history[s] = of_set(&ScoreSummary::as_history);
      table[v].as_first[s] = of_set(&ScoreSummary::as_first);
      table[v].as_last[s] = of_set(&ScoreSummary::as_last);
    }
  }
  return table;
}

}  // namespace heed
