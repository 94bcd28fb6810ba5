#include "heed/encode.h"

#include <algorithm>
#include <filesystem>

#include "dialog/probe/representations.h"
#include "dialog/probe/unannotated.h"
#include "dialog/respond/choose_epoch.h"
#include "dialog/text/format.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "train/run_directory.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

ExampleOptions bounds_of(const std::string& run) {
  ExampleOptions bounds = load_example_options(run);
  bounds.all_positions = true;  // positions in a dialogue are what several tasks ask for
  return bounds;
}

std::vector<Example> examples_of(const std::string& path, const std::vector<Dialogue>& dialogues,
                                 const Vocabulary& vocabulary, const ExampleOptions& bounds) {
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
EncodeInput annotated(const EncodeInput& input, const std::string& path) {
  const probe::LabelledExamples file = probe::read_labels(path);
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < file.ids.size(); ++i) places[file.ids[i]] = i;
  EncodeInput kept{input.name, {}, {}};
  for (size_t i = 0; i < input.examples.size(); ++i) {
    const auto found = places.find(input.labels.ids[i]);
    if (found == places.end()) continue;
    kept.examples.push_back(input.examples[i]);
    kept.labels.ids.push_back(input.labels.ids[i]);
    kept.labels.keys.push_back(input.labels.keys[i]);
    for (const auto& [task, sets] : input.labels.tasks) {
      if (!file.tasks.contains(task)) kept.labels.tasks[task].push_back(sets[i]);
    }
    for (const auto& [task, sets] : file.tasks) {
      kept.labels.tasks[task].push_back(sets[found->second]);
    }
  }
  if (kept.examples.empty()) {
    throw DataError(path + ": has labels of none of " + counted(input.examples.size(), "example") +
                    ", such as \"" + input.labels.ids[0] +
                    "\" (DIALOGUE#TURN, turns counted from 1)");
  }
  if (const size_t left_out = input.examples.size() - kept.examples.size(); left_out > 0) {
    note(counted(left_out, "example") + " of " + std::to_string(input.examples.size()) +
         " left out: " + path + " has no labels of them");
  }
  return kept;
}

// The epoch as load_epoch() knows it. Where it is to be chosen, `json` gets what it was chosen by.
std::string epoch_of(const EncodeFlags& flags, Device device, Json& json) {
  if (!chooses_epoch(flags.epoch)) return flags.epoch;
  const std::string path = find_part(flags.data, "valid");
  const std::vector<Dialogue> dialogues = read_dialogues(path, flags.limit);
  Progress progress;
  const ChosenEpoch chosen =
      choose_epoch(flags.model, flags.epoch, dialogues, flags.batch, device,
                   [&](int epoch, int64_t examples, int64_t) {
                     progress.show(flags.epoch + ": epoch " + std::to_string(epoch) + ", " +
                                   counted(static_cast<size_t>(examples), "example"));
                   });
  progress.done();
  const auto percent = [](double share) { return decimal(100 * share, 2); };
  const OverlapMeans& best = chosen.best.overlap;
  note(flags.epoch + ": epoch " + std::to_string(chosen.best.epoch) + " of " +
       std::to_string(chosen.epochs.size()) + " that were kept, with BLEU-2 " +
       percent(best.bleu_2) + ", ROUGE-L " + percent(best.rouge_l) + ", METEOR " +
       percent(best.meteor) + " on " + path);
  json["chosen"] = chosen.best.epoch;
  json["epochs"] = Json::array();
  for (const KeptEpoch& e : chosen.epochs) {
    json["epochs"].push_back({{"epoch", e.epoch},
                              {"bleu_2", e.overlap.bleu_2},
                              {"rouge_l", e.overlap.rouge_l},
                              {"meteor_exact_stem", e.overlap.meteor}});
  }
  return std::to_string(chosen.best.epoch);
}

}  // namespace

void EncodeFlags::declare(CLI::App& c, bool required) {
  c.add_option("--model", model, "Directory of a run or a model")->required(required);
  c.add_option(
       "--data", data,
       "Dialogues: a data directory with the parts train and test; its files PART.labels.jsonl, "
       "if there are any, add tasks")
      ->required(required);
  c.add_option("--epoch", epoch,
               "Which model of the run: best, last, untrained, the number of an epoch that "
               "--keep-every kept, or best-bleu, best-rouge, best-meteor: that of them whose own "
               "responses to the valid part have the most BLEU-2, ROUGE-L or METEOR")
      ->capture_default_str();
  c.add_option("--pool", pool,
               "How states become one vector: sum, mean or last, over an LSTM's layers or a "
               "transformer's positions; top: the top layer of an LSTM")
      ->check(CLI::IsMember({"sum", "mean", "last", "top"}))
      ->capture_default_str();
  c.add_option("--limit", limit, "Read only the first dialogues, of each part; 0: all")
      ->capture_default_str();
  c.add_option("--batch", batch, "Dialogues in a batch; changes no result")->capture_default_str();
}

Encoding::Encoding(const EncodeFlags& flags, const std::vector<std::string>& parts, Device device)
    : flags_(flags),
      device_(device),
      json_({{"model", {{"path", flags.model}, {"epoch", flags.epoch}, {"pool", flags.pool}}}}),
      loaded_(load_epoch(flags.model, epoch_of(flags, device, json_["model"]))) {
  move(*loaded_.model, device);
  const ExampleOptions bounds = bounds_of(flags.model);
  Vocabulary words;  // all of them: labels are the same whatever words the model knows
  probe::WordCounts mid_frequency;
  for (const std::string& name : parts) {
    const std::string path = find_part(flags.data, name);
    const std::vector<Dialogue> dialogues = read_dialogues(path, flags.limit);
    EncodeInput input{name, examples_of(path, dialogues, loaded_.vocabulary, bounds), {}};
    if (parts_.empty()) {
      words = Vocabulary::build(count_tokens(dialogues), {.max_size = Vocabulary::kMaxSize});
      mid_frequency = probe::mid_frequency_words(make_examples(dialogues, words, bounds));
    }
    input.labels =
        probe::unannotated_labels(make_examples(dialogues, words, bounds), words, mid_frequency);
    const std::string annotation = labels_path(flags.data, name);
    if (!annotation.empty()) input = annotated(input, annotation);
    json_["data"][name] = {{"path", path},
                           {"fingerprint", fingerprint(dialogues)},
                           {"dialogues", dialogues.size()},
                           {"examples", input.examples.size()}};
    parts_.push_back(std::move(input));
  }
  json_["limit"] = flags.limit;
}

const EncodeInput& Encoding::part(const std::string& name) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [&](const EncodeInput& input) { return input.name == name; });
}

probe::Part Encoding::encode(Responder& model, const EncodeInput& input) const {
  PassProgress progress(1, input.examples, "examples");
  const Tensor x = probe::encode(
      model, input.examples, parse_pooling(flags_.pool), flags_.batch,
      [&](int64_t examples, int64_t tokens) { progress.show(input.name, examples, tokens); });
  progress.done();
  return {x, input.labels};
}

probe::Part Encoding::encode_untrained(const EncodeInput& input) {
  if (!untrained_) {
    untrained_ = std::move(load_epoch(flags_.model, "untrained").model);
    move(*untrained_, device_);
  }
  return encode(*untrained_, input);
}

Json Encoding::to_json() const {
  return json_;
}

}  // namespace heed
