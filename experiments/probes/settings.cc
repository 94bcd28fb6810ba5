#include "experiments/probes/settings.h"

#include <algorithm>

#include "base/list.h"
#include "dialog/respond/responses.h"

namespace heed {
namespace {

std::vector<std::string> task_names(const probe::LabelledPart& part) {
  std::vector<std::string> tasks;
  for (const auto& [task, sets] : part.labels.tasks) tasks.push_back(task);
  return tasks;
}

}  // namespace

const std::vector<ProbeReading>& readings() {
  using Kind = probe::ProbeOptions::Kind;
  static const std::vector<ProbeReading> kReadings = {
      {"raw", Pooling::kSum, false, Kind::kLogistic},
      {"standardised", Pooling::kMean, true, Kind::kLogistic},
      {"mlp", Pooling::kSum, false, Kind::kMlp}};
  return kReadings;
}

std::vector<ProbeReading> parse_readings(const std::string& names) {
  std::vector<std::string> wanted = split(names, ',');
  std::vector<ProbeReading> found;
  for (const ProbeReading& reading : readings()) {
    const auto name = std::find(wanted.begin(), wanted.end(), reading.name);
    if (name == wanted.end()) continue;
    wanted.erase(name);
    found.push_back(reading);
  }
  if (!found.empty() && wanted.empty()) return found;
  throw UsageError("--readings: expected some of raw, standardised and mlp, each once, with " +
                   std::string("commas, got '") + names + "'");
}

ProbesData load_probes_data(const ProbesSettings& s) {
  const std::string& directory = s.data;
  ProbesData data;
  ExampleOptions bounds = s.train.at(0).examples;
  data.train = load_train_data(directory, s.train[0].vocabulary_options(), bounds, s.limit);
  bounds.all_positions = true;
  const size_t test_limit = s.test_limit ? s.test_limit : s.limit;
  auto parts = probe::read_labelled_parts(directory, {"train", "test"}, data.train.vocabulary,
                                          bounds, {s.limit, test_limit});
  data.fit = std::move(parts[0]);
  data.test = std::move(parts[1]);
  data.tasks = task_names(data.fit);
  if (data.tasks != task_names(data.test)) {
    throw DataError(directory + ": train has labels of " + joined(data.tasks, ",") + ", test of " +
                    joined(task_names(data.test), ",") + "; both need the same tasks");
  }
  data.dialogues = probe::dialogues_of(data.test.labels.ids);
  const size_t spoken = std::min(data.test.examples.size(), static_cast<size_t>(s.responses));
  for (size_t i = 0; i < spoken; ++i) data.spoken.push_back(data.test.examples[i]);
  data.references = human_responses(data.spoken, data.train.vocabulary);
  if (s.choose > 0) data.valid = read_dialogues(find_part(directory, "valid"), s.choose);
  return data;
}

}  // namespace heed
