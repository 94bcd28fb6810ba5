#include "dialog/probe/labelled_parts.h"

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "dialog/probe/unannotated.h"
#include "dialog/text/format.h"

namespace heed::probe {
namespace {

namespace fs = std::filesystem;

std::vector<Example> examples_of(const std::string& path, const std::vector<Dialogue>& dialogues,
                                 const Vocabulary& vocabulary, const ExampleOptions& bounds,
                                 const Numbers& numbers) {
  std::vector<Example> examples = make_examples(dialogues, vocabulary, bounds);
  if (examples.empty()) {
    throw DataError(path + ": " + no_example(bounds));
  }
  std::set<std::string> ids;
  for (const Example& e : examples) {
    if (ids.insert(e.id).second) continue;
    throw DataError(path + ": two dialogues have the id \"" + e.dialogue_id +
                    "\", by which labels are found; give every dialogue its own");
  }
  if (!numbers) return examples;
  std::map<std::string_view, const Dialogue*> by_id;
  for (const Dialogue& d : dialogues) by_id[d.id] = &d;
  for (Example& e : examples) {
    const std::vector<Turn>& turns = by_id.at(e.dialogue_id)->turns;
    for (size_t k = 0; k < e.context.size(); ++k) {
      e.context[k] = numbers(turns[static_cast<size_t>(e.cut.turns) + k].text);
    }
  }
  return examples;
}

// PART.labels.jsonl or .gz; empty if there is neither.
std::string labels_path(const std::string& directory, const std::string& part) {
  for (const char* ending : {".labels.jsonl", ".labels.jsonl.gz"}) {
    const fs::path path = fs::path(directory) / (part + ending);
    if (fs::exists(path)) return path.string();
  }
  return "";
}

// Adds the tasks of a label file, by the ids of the examples; they replace those of the same names.
// Examples that it has no line of are left out: in many corpora only one side's turns are labelled.
void annotate(LabelledPart& part) {
  const LabelledExamples file = read_labels(part.label_file);
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < file.ids.size(); ++i) places[file.ids[i]] = i;
  PackedList<Example> examples;
  LabelledExamples labels;
  for (size_t i = 0; i < part.examples.size(); ++i) {
    const auto found = places.find(part.labels.ids[i]);
    if (found == places.end()) continue;
    examples.push_back(part.examples[i]);
    labels.ids.push_back(part.labels.ids[i]);
    labels.keys.push_back(part.labels.keys[i]);
    for (const auto& [task, sets] : part.labels.tasks) {
      if (!file.tasks.contains(task)) labels.tasks[task].push_back(sets[i]);
    }
    for (const auto& [task, sets] : file.tasks) {
      labels.tasks[task].push_back(sets[found->second]);
    }
  }
  if (examples.empty()) {
    throw DataError(part.label_file + ": has labels of none of " +
                    counted(part.examples.size(), "example") + ", such as \"" + part.labels.ids[0] +
                    "\" (DIALOGUE#TURN, turns counted from 1)");
  }
  part.left_out = part.examples.size() - examples.size();
  part.examples = std::move(examples);
  part.labels = std::move(labels);
}

}  // namespace

std::vector<LabelledPart> read_labelled_parts(const std::string& directory,
                                              const std::vector<std::string>& parts,
                                              const Vocabulary& vocabulary,
                                              const ExampleOptions& bounds,
                                              const std::vector<size_t>& limits,
                                              const Numbers& numbers) {
  ExampleOptions options = bounds;
  options.all_positions = true;  // positions in a dialogue are what several tasks ask for
  std::vector<LabelledPart> result;
  Vocabulary words;  // all of them: labels are the same whatever words the model knows
  WordCounts mid_frequency;
  for (size_t i = 0; i < parts.size(); ++i) {
    LabelledPart part{.name = parts[i], .path = find_part(directory, parts[i])};
    const std::vector<Dialogue> dialogues = read_dialogues(part.path, limits.at(i));
    part.examples = examples_of(part.path, dialogues, vocabulary, options, numbers);
    part.fingerprint = fingerprint(dialogues);
    part.dialogues = dialogues.size();
    if (i == 0)
      words = Vocabulary::build(count_tokens(dialogues), {.max_size = Vocabulary::kMaxSize});
    const std::vector<Example> texts = make_examples(dialogues, words, options);
    if (i == 0) mid_frequency = mid_frequency_words(texts);
    part.labels = unannotated_labels(texts, words, mid_frequency);
    part.label_file = labels_path(directory, part.name);
    if (!part.label_file.empty()) annotate(part);
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<int> dialogues_of(const std::vector<std::string>& ids) {
  std::map<std::string, int> numbers;
  std::vector<int> result;
  for (const std::string& id : ids) {
    const size_t end = id.find_last_not_of("0123456789");
    const bool has_turn = end != id.npos && id[end] == '#' && end + 1 < id.size();
    result.push_back(
        numbers.emplace(has_turn ? id.substr(0, end) : id, static_cast<int>(numbers.size()))
            .first->second);
  }
  return result;
}

}  // namespace heed::probe
