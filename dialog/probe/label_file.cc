#include "dialog/probe/label_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.h"
#include "train/strict_json.h"

namespace heed::probe {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxName = 1024;  // bytes of a task and of a label: they stand in tables

std::string text(const LineReader& lines, const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
    lines.fail("\"" + std::string(key) + "\" must be a string that is not empty");
  }
  return found->get<std::string>();
}

std::vector<std::string> label_set(const LineReader& lines, const std::string& task,
                                   const Json& list) {
  if (!list.is_array()) lines.fail("the labels of " + in_quotes(task) + " must be a list");
  std::vector<std::string> labels;
  for (const Json& label : list) {
    if (!label.is_string()) lines.fail("a label of " + in_quotes(task) + " must be a string");
    labels.push_back(label.get<std::string>());
    if (labels.back().empty() || labels.back().size() > kMaxName) {
      lines.fail("a label of " + in_quotes(task) + " must have 1 to " + std::to_string(kMaxName) +
                 " bytes, got " + std::to_string(labels.back().size()));
    }
  }
  std::sort(labels.begin(), labels.end());
  const auto twice = std::adjacent_find(labels.begin(), labels.end());
  if (twice != labels.end()) {
    lines.fail("the label " + in_quotes(*twice) + " of " + in_quotes(task) + " is given twice");
  }
  return labels;
}

// Of the `before`-th example, from 0; the first line decides which tasks there are.
void read_tasks(const LineReader& lines, const Json& labels, size_t before,
                std::map<std::string, LabelSets>& tasks) {
  for (const auto& [task, list] : labels.items()) {
    if (task.empty() || task.size() > kMaxName) {
      lines.fail("the name of a task must have 1 to " + std::to_string(kMaxName) + " bytes");
    }
    if (before > 0 && !tasks.contains(task)) {
      lines.fail("the task " + in_quotes(task) + " is not in the lines before");
    }
    tasks[task].push_back(label_set(lines, task, list));
  }
  for (const auto& [task, sets] : tasks) {
    if (sets.size() == before) lines.fail("the task " + in_quotes(task) + " is missing");
  }
}

}  // namespace

LabelledExamples read_labels(const std::string& path) {
  LabelledExamples examples;
  std::set<std::string> seen;
  LineReader lines(path);
  const char* expected = "expected a JSON object {\"id\": ..., \"labels\": {TASK: [LABEL, ...]}}";
  for (Json json; next_object(lines, json, expected);) {
    const std::string id = text(lines, json, "id");
    if (!seen.insert(id).second) lines.fail("the id " + in_quotes(id) + " is given twice");
    const auto labels = json.find("labels");
    if (labels == json.end() || !labels->is_object() || labels->empty()) {
      lines.fail("\"labels\" must be an object with a list of labels for each task");
    }
    examples.keys.push_back(json.contains("key") ? text(lines, json, "key") : id);
    read_tasks(lines, *labels, examples.ids.size(), examples.tasks);
    examples.ids.push_back(id);
  }
  if (examples.ids.empty()) throw DataError(path + ": holds no example");
  return examples;
}

void write_labels(const std::string& path, const LabelledExamples& examples) {
  TextWriter writer(path);
  for (size_t i = 0; i < examples.ids.size(); ++i) {
    nlohmann::ordered_json line = {{"id", examples.ids[i]}};
    if (examples.keys[i] != examples.ids[i]) line["key"] = examples.keys[i];
    for (const auto& [task, sets] : examples.tasks) line["labels"][task] = sets[i];
    try {
      writer.write(line.dump() + "\n");
    } catch (const Json::type_error&) {
      throw DataError(path + ": cannot write labels that are not UTF-8, example " +
                      std::to_string(i + 1));
    }
  }
  writer.commit();
}

}  // namespace heed::probe
