#include "heed/inputs.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/file.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/respond/settings.h"
#include "dialog/system.h"
#include "dialog/text/tokenizer.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "train/run_directory.h"
#include "train/run_json.h"

namespace heed {

namespace {

constexpr const char *kExamples = "Examples (default: as in training)",
                     *kDistractions = "Distractions";

AnySettings settings_of(ExampleOptions& bounds) {
  return AnySettings(bounds, [](auto& s, auto& v) { visit_examples(s, v); });
}

bool is_of_tokens(const Setting& setting) {
  return setting.option.starts_with("max-") && setting.option != "max-turns";
}

}  // namespace

Json file_json(const std::string& path, const std::vector<Dialogue>& dialogues) {
  return {{"path", path}, {"fingerprint", fingerprint(dialogues)}, {"dialogues", dialogues.size()}};
}

Json weights_fingerprint(const std::string& model) {
  return file_checksum(file_inside(model, "model.safetensors"));
}

LoadedModel load_responder(const std::string& directory, const std::string& epoch) {
  require(directory, Capability::kRespond);
  return load_epoch(directory, epoch);
}

void InputFlags::declare(CLI::App& c) {
  command_ = &c;
  c.add_option("--data", data,
               "Dialogues: a data directory (its test part is read), or a file, JSON Lines, plain "
               "or gzip. If not given: the bundled sample");
  option(c, "--limit", limit, "Read only the first N dialogues; 0: all");
  ExampleOptions usual;
  bounds.declare_in(c, settings_of(usual), std::not_fn(is_of_tokens), kExamples);
}

void InputFlags::declare_tokens(CLI::App& c) {
  ExampleOptions usual;
  bounds.declare_in(c, settings_of(usual), is_of_tokens, kExamples);
}

void InputFlags::refuse(const std::string& is_for) const {
  refuse_group(*command_, kExamples, is_for);
  refuse_group(*command_, kDistractions, is_for);
}

void InputFlags::declare_insertion(CLI::App& c) {
  const InGroup group(c, kDistractions);
  c.add_option("--pool", pool,
               "Dialogues from which random: draws distractions: a data directory (its train "
               "part), or a file.\nIf not given: the train part of a --data directory");
  option(c, "--frequent", phrases.frequent, "Utterances of the frequent: sets");
  option(c, "--rare", phrases.rare, "Utterances of the rare: sets");
}

bool InputFlags::has_pool() const {
  return !pool.empty() || is_folder(data);
}

void InputFlags::check(const std::vector<TestSet>& sets) const {
  find_data(data, *command_);
  using Kind = TestSet::Kind;
  const std::pair<const char*, Kind> uses[] = {
      {"--pool", Kind::kRandom}, {"--frequent", Kind::kFrequent}, {"--rare", Kind::kRare}};
  for (const auto& [option, kind] : uses) {
    const bool used = std::any_of(sets.begin(), sets.end(),
                                  [k = kind](const TestSet& set) { return set.kind == k; });
    if (used || sets.empty()) continue;
    const std::string name = option + 2;
    refuse_given(*command_, option, "to test sets " + (name == "pool" ? "random" : name) + ":");
  }
  for (const auto& [option, texts] :
       {std::pair("--frequent", &phrases.frequent), {"--rare", &phrases.rare}}) {
    for (const std::string& text : *texts) {
      if (!tokenize(text).empty()) continue;
      throw UsageError(std::string(option) + ": expected an utterance, got '" + text + "'");
    }
  }
  if (!needs_pool(sets) || has_pool()) return;
  throw UsageError(
      "random distractions need dialogues to be drawn from: give --pool FILE or DIR, or --data DIR "
      "(its train part); --test none, frequent and rare need none");
}

std::string Inputs::unit(size_t count) const {
  const std::string one = bounds.all_positions ? "example" : "dialogue";
  return count == 1 ? one : one + "s";
}

std::vector<Example> Inputs::examples(const Vocabulary& vocabulary) const {
  std::vector<Example> result = make_examples(dialogues, vocabulary, bounds);
  if (result.empty()) {
    throw DataError(data_path + ": " + no_example(bounds));
  }
  return result;
}

// Of the first model, with conditions if any model has some.
static ExampleOptions options_of(const std::vector<std::string>& models) {
  ExampleOptions options = models.empty() ? ExampleOptions() : load_example_options(models[0]);
  for (const std::string& model : models) {
    if (options.conditions.empty()) options.conditions = load_example_options(model).conditions;
  }
  return options;
}

Inputs read_inputs(const InputFlags& flags, const std::vector<std::string>& models,
                   const std::vector<TestSet>& sets, bool with_pool) {
  flags.check(sets);
  const ExampleOptions training = options_of(models);
  Inputs inputs{.data_path = find_dialogues(flags.data, "test"),
                .pool_path = {},
                .dialogues = {},
                .pool = {},
                .limit = flags.limit,
                .bounds = training,
                .sets = sets,
                .phrases = flags.phrases};
  AnySettings bounds = settings_of(inputs.bounds);
  flags.bounds.apply(bounds);
  const ExampleOptions& b = inputs.bounds;
  inputs.unbounded = !models.empty() && !has_file(models[0], "settings.json") &&
                     !(b.max_turns || b.max_context_tokens || b.max_utterance_tokens);
  make_examples({}, Vocabulary(),
                inputs.bounds);  // throws for bounds that contradict each other, before reading
  inputs.dialogues =
      read_dialogues(inputs.data_path,
                     {.limit = flags.limit, .notes = flags.labels || !training.conditions.empty()});
  if (with_pool && needs_pool(sets)) {
    inputs.pool_path = find_dialogues(flags.pool.empty() ? flags.data : flags.pool, "train");
    inputs.pool = read_dialogues(inputs.pool_path);
  }
  return inputs;
}

EncodedInputs::EncodedInputs(const Inputs& inputs, const Vocabulary& vocabulary)
    : examples(inputs.examples(vocabulary)),
      pool(make_pool(inputs.pool, vocabulary, inputs.bounds.max_utterance_tokens)),
      phrases(encode_phrases(inputs.phrases, vocabulary, inputs.bounds.max_utterance_tokens)) {}

void note_unknown_phrases(const Inputs& inputs, const Vocabulary& vocabulary) {
  const auto say = [&](TestSet::Kind kind, const std::string& name,
                       const std::vector<std::string>& phrases) {
    const auto used = [kind](const TestSet& set) { return set.kind == kind; };
    if (std::none_of(inputs.sets.begin(), inputs.sets.end(), used)) return;
    std::set<std::string> unknown;
    for (const std::string& phrase : phrases) {
      for (std::string& word : unknown_words(phrase, vocabulary)) unknown.insert(std::move(word));
    }
    if (unknown.empty()) return;
    note("test sets " + name + ": the model does not know " + joined(unknown) +
         ", and reads <unk> there; --" + name + " takes other phrases");
  };
  say(TestSet::Kind::kFrequent, "frequent", inputs.phrases.frequent);
  say(TestSet::Kind::kRare, "rare", inputs.phrases.rare);
}

Json inputs_json(const Inputs& inputs, const std::vector<std::string>& models, uint64_t seed) {
  Json json = {{"models", Json::array()}, {"data", file_json(inputs.data_path, inputs.dialogues)}};
  for (const std::string& model : models) {
    json["models"].push_back({{"path", model}, {"fingerprint", weights_fingerprint(model)}});
  }
  json["limit"] = inputs.limit;
  json["examples"] = inputs.bounds.all_positions ? "all" : "last";
  json["max_turns"] = inputs.bounds.max_turns;
  json["max_utterance"] = inputs.bounds.max_utterance_tokens;
  json["max_response"] = inputs.bounds.max_response_tokens;
  if (inputs.bounds.max_context_tokens > 0) json["max_context"] = inputs.bounds.max_context_tokens;
  if (inputs.bounds.min_turns != kMinTurns) json["min_turns"] = inputs.bounds.min_turns;
  if (!inputs.bounds.speaker.empty()) json["speaker"] = inputs.bounds.speaker;
  if (inputs.sets.empty()) return json;
  json["test"] = Json::array();
  for (const TestSet& set : inputs.sets) json["test"].push_back(set.name);
  json["pool"] = inputs.pool.empty() ? Json() : file_json(inputs.pool_path, inputs.pool);
  json["frequent"] = inputs.phrases.frequent;
  json["rare"] = inputs.phrases.rare;
  json["seed"] = seed;
  return json;
}

std::vector<Given> given_options(const Json& options) {
  std::vector<Given> given;
  for (const auto& [key, value] : options.items()) {
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    given.push_back({name, value.dump()});
  }
  return given;
}

std::vector<Given> given_model(const std::string& model, const Module& loaded) {
  uint32_t crc = 0;
  for (const NamedParameter& p : parameters(loaded)) {
    const Tensor value = p.var.value().to(Device{});
    crc = checksum({reinterpret_cast<const char*>(value.raw()), static_cast<size_t>(value.bytes())},
                   crc);
  }
  std::vector<Given> given = {{"the weights", std::to_string(crc), model}};
  for (const char* name : {"config.json", "vocab.txt"}) {
    const std::string path = file_inside(model, name);
    given.push_back({name, std::to_string(file_checksum(path)), path});
  }
  return given;
}

std::vector<Given> given_inputs(const Inputs& inputs, const std::string& model, Responder& loaded,
                                uint64_t seed) {
  std::vector<Given> given = given_model(model, loaded);
  const auto file = [&](const char* name, const std::string& path) {
    given.push_back({name, path.empty() ? "" : std::to_string(file_checksum(path)), path});
  };
  file("the dialogues", inputs.data_path);
  file("the pool", inputs.pool_path);
  Json options = inputs_json(inputs, {}, seed);
  for (const char* of_files : {"models", "data", "pool"}) options.erase(of_files);
  for (Given& option : given_options(options)) given.push_back(std::move(option));
  return given;
}

}  // namespace heed
