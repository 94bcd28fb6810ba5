#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "dialog/data/example.h"
#include "dialog/describe/info_json.h"
#include "dialog/probe/feature_file.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/vocabulary.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kParts[] = {"train", "valid", "test"};

// Of each label of turns or dialogues, how many have it, and how many different values it has. One
// that both have is counted for both.
Json labels_json(const std::vector<Dialogue>& dialogues) {
  std::map<std::string, std::pair<size_t, std::set<std::string>>> found;
  const auto add = [&](const Labels& labels) {
    for (const auto& [name, values] : labels) {
      found[name].first += 1;
      found[name].second.insert(values.begin(), values.end());
    }
  };
  for (const Dialogue& d : dialogues) {
    add(d.notes->labels);
    for (const Turn& turn : d.turns) add(turn.notes->labels);
  }
  Json json = Json::array();
  for (const auto& [name, of] : found) {
    json.push_back({{"name", name}, {"labelled", of.first}, {"values", of.second.size()}});
  }
  return json;
}

Json counts_json(const std::string& path, const OnReading& on_reading) {
  const auto progress = [&](size_t count) {
    if (on_reading) on_reading(path, count);
  };
  const std::vector<Dialogue> dialogues =
      read_dialogues(path, {.progress = progress, .notes = true});
  size_t turns = 0, longest = 0, too_short = 0, distractions = 0;
  std::set<std::string> speakers;
  for (const Dialogue& d : dialogues) {
    turns += d.turns.size();
    longest = std::max(longest, d.turns.size());
    too_short += d.turns.size() < static_cast<size_t>(kMinTurns);
    for (const Turn& turn : d.turns) {
      distractions += turn.distraction;
      if (!turn.speaker.empty()) speakers.insert(turn.speaker);
    }
  }
  int64_t tokens = 0;
  const TokenCounts words = count_tokens(dialogues);
  for (const auto& [word, count] : words) tokens += count;
  return {{"path", path},
          {"bytes", fs::file_size(path)},
          {"fingerprint", fingerprint(dialogues)},
          {"dialogues", dialogues.size()},
          {"too_short", too_short},
          {"turns", turns},
          {"mean_turns", static_cast<double>(turns) / static_cast<double>(dialogues.size())},
          {"most_turns", longest},
          {"speakers", speakers.size()},
          {"distractions", distractions},
          {"tokens", tokens},
          {"words", words.size()},
          {"labels", labels_json(dialogues)}};
}

bool has_features(const std::string& directory, const std::string& part) {
  return has_file(directory, part + ".safetensors") && has_part(directory, part);
}

Json features_json(const std::string& directory, const std::string& part) {
  const probe::Part read = probe::read_part(directory, part);
  Json tasks = Json::array();
  for (const auto& [task, sets] : read.examples.tasks) {
    std::set<std::string> labels;
    for (const auto& set : sets) labels.insert(set.begin(), set.end());
    tasks.push_back({{"task", task}, {"labels", labels.size()}});
  }
  return {{"examples", read.x.shape()[0]}, {"dimensions", read.x.shape()[1]}, {"tasks", tasks}};
}

}  // namespace

bool is_data_directory(const std::string& directory) {
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const char* part) { return has_part(directory, part); });
}

Json info_of_data(const std::string& directory, const OnReading& on_reading) {
  Json info = {{"kind", "data"}, {"parts", Json::object()}};
  for (const char* part : kParts) {
    if (!has_part(directory, part)) continue;
    info["parts"][part] = counts_json(find_part(directory, part), on_reading);
  }
  return info;
}

bool is_features_directory(const std::string& directory) {
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const char* part) { return has_features(directory, part); });
}

Json info_of_features(const std::string& directory) {
  Json info = {{"kind", "features"}, {"parts", Json::object()}};
  for (const char* part : kParts) {
    if (has_features(directory, part)) info["parts"][part] = features_json(directory, part);
  }
  if (has_file(directory, "features.json")) {
    info["contents"] = parse_json<Json>((fs::path(directory) / "features.json").string());
  }
  return info;
}

Json info_of_dialogues(const std::string& file, const OnReading& on_reading) {
  Json info = {{"kind", "dialogues"}};
  info.update(counts_json(file, on_reading));
  return info;
}

Json info_of_result(const std::string& file) {
  Json json = parse_json<Json>(file);
  if (!json.is_object()) throw DataError(file + ": not a JSON object");
  const bool is_result = json.contains("heed") && json["heed"].is_object();
  return {{"kind", is_result ? "result" : "json"}, {"contents", std::move(json)}};
}

}  // namespace heed
