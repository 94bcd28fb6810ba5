// The common part of the runs of all systems: how a run begins, is loaded and is trained. A system
// defines its own part in a struct:
//
//   struct Own {
//     // ModelOptions or RunOptions, and more; visit_config(), or visit_model_config() of the
//     // `model` in them: config.json; visit_training(): settings.json; check(), check_model()
//     using Settings = ...;
//     using Data = ...;    // the training data, with fingerprint()
//     // Its `model`, and the parts that read texts for it. If there is much to read before the
//     // first step, `reads_ahead`: a function that is told how much is done and of how much, and
//     // says whether to go on.
//     using Loaded = ...;
//     static constexpr RunNames kNames = {...};
//     static std::vector<PresetOf<Settings>> presets();
//     static Data read(const Paths&, const Settings&, const std::string& run);  // by its words
//     static void take(Settings&, const Data&);  // the sizes that follow from the data
//     static void keep(const std::string& run, const Settings&, const Data&);  // vocabulary etc.
//     static double size(const Settings&);  // parameters, before a model is made
//     static Loaded blank(const std::string& directory, const Settings&);
//     static Task task(Loaded&, const Settings&, const Data&);  // refers to all three
//     // for the lines that training prints
//     static constexpr LineColumn kStep = {...}, kEpoch[] = {...};
//     // if there is a vocabulary that data.fingerprint() may not depend on:
//     static const Vocabulary& words(const Data&);
//     // if init() does not draw the initial weights:
//     static void draw(Loaded&, const std::string& run, const Settings&);
//   };
//   using Runs = RunsOf<Own>;
//
// and has `template struct RunsOf<Own>;` in one file, which includes dialog/system_runs.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dialog/system.h"
#include "dialog/text/vocabulary.h"
#include "train/preset.h"

namespace heed {

// The setting of a model's size.
inline Setting size_of(const char* option, const char* key, const char* help,
                       const char* group = kSizes) {
  return setting(option, key, help,
                 {.group = group, .least = 1, .most = kMaxModelSize, .required = true});
}

// The settings of config.json, if they are those of the model alone, whose visit_model_config() has
// a line for each.
inline constexpr auto kVisitModelConfig = [](auto& model, auto& v) {
  visit_model_config(model, v);
};
template <class S, class V> void visit_config(S& s, V& v) requires requires {
  visit_model_config(s.model, v);
}
{ visit_model_config(s.model, v); }

// The key of a fingerprint of the vocabulary: in config.json of a response model, in settings.json
// of other runs.
constexpr const char* kWordsFingerprint = "words_fingerprint";
// Of the other labels of a model, such as a tracker's acts and values, in settings.json.
constexpr const char* kLabelsFingerprint = "labels_fingerprint";

// What the settings of all systems have.
struct RunOptions {
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  uint32_t data_fingerprint = 0;  // of the data: a run is resumed only with the same data
  std::optional<int64_t> words_fingerprint = {};  // of the vocabulary; older versions had none
  std::string init = {};  // the pretrained encoder, or another model, with which it began
  // The preset from which the numbers above started. Runs of older versions did not keep it.
  std::optional<std::string> preset = {};
};
// With the model, and the vocabulary size that was requested, which texts may not fill.
template <class Config> struct ModelOptions : RunOptions {
  Config model = {};
  std::optional<int64_t> vocabulary = {};  // runs of older versions did not keep it

  void check_model() const { model.check(); }
};

// Their lines in a visit_training(), and that of the requested vocabulary size, if there is one.
template <class S, class V> void visit_run_options(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  if constexpr (requires { *s.vocabulary; }) {
    v(setting("vocab", "vocabulary", "Vocabulary size, including special tokens",
              {.group = kSizes,
               .least = kSpecialTokens + 1,
               .most = Vocabulary::kMaxSize,
               .of_data = true}),
      s.vocabulary);
  }
  v({.option = "init", .key = "init"}, s.init);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint", .required = true}, s.data_fingerprint);
  v({.key = kWordsFingerprint}, s.words_fingerprint);
}

// A task whose functions are members of a learner.
template <class L>
Task task_of(Module& module, std::vector<int64_t> sizes, std::shared_ptr<const L> learning) {
  Task task;
  task.module = &module;
  task.sizes = std::move(sizes);
  task.loss = [learning](const std::vector<int64_t>& examples, const StepKey& key) {
    return learning->loss(examples, key);
  };
  task.measure = L::measure;
  task.validate = [learning](const OnValidation& on_batch) { return learning->validate(on_batch); };
  if constexpr (requires { learning->describe({}); }) {
    task.describe = [learning](const std::vector<int64_t>& examples) {
      return learning->describe(examples);
    };
  }
  return task;
}

// The training of most presets: Adam, and a rate that is halved after an epoch that is not better.
inline LoopSettings adam_loop(int64_t batch, int epochs, double rate, int stop_after) {
  return {
      .batch_size = batch,
      .optimizer = {.name = "adam"},
      .max_norm = 5,
      .max_epochs = epochs,
      .schedule = {.rate = rate, .min_rate = rate / 1000, .patience = 1, .stop_after = stop_after}};
}

template <class S> struct PresetOf {
  std::string name;
  S settings;
  std::string help;
};

struct RunNames {
  const char* system;      // in config.json
  const char* kind;        // "kind" there; empty: ignored
  const char* what;        // for people: "a ranker"
  const char* command;     // heed train COMMAND
  const char* usual;       // the default preset
  bool rate_ends = false;  // unless --min-rate is given, training ends at a 1000th of the rate
};

// "loss 0.123": a metric in a line for people; "loss" is the epoch's loss.
struct LineColumn {
  const char *title, *metric;
  int digits;
};
std::string line_text(const LineColumn& column, double value);
// "epoch  3  loss 0.1234  valid F1 0.512  best"
std::string epoch_line(const EpochLog& epoch, bool best, const LineColumn* begin,
                       const LineColumn* end);

// The vocabulary of a run or a model. Throws DataError as load_vocabulary() does, and as
// check_words().
Vocabulary load_words(const std::string& directory, int64_t size);
// Throws DataError if these are not the words that the model was trained with: each row of its
// tables would be that of another word. Models of older versions do not tell.
void check_words(const std::string& directory, const Vocabulary& words);
// The same of other files of a model: what was found in them, against the fingerprint that its
// config.json or settings.json has under the key.
void check_lines(const std::string& directory, const std::string& files, const char* key,
                 uint32_t found);

// Checksums of the words in their order; of numbers and how many there are.
uint32_t fingerprint(const Vocabulary& words, uint32_t crc = 0);
uint32_t fingerprint(const std::vector<int32_t>& numbers, uint32_t crc = 0);

template <class Own> struct RunsOf {
  using Settings = typename Own::Settings;
  using Data = typename Own::Data;
  using Loaded = typename Own::Loaded;

  static const std::vector<PresetOf<Settings>>& presets() {
    static const std::vector<PresetOf<Settings>> kPresets = Own::presets();
    return kPresets;
  }
  static const Settings& preset(const std::string& name) {  // throws UsageError, with the names
    return find_preset_in(presets(), name).settings;
  }
  static std::string preset_table() {  // a line for each, for --help
    return preset_lines(presets(), [](const auto& preset) { return preset.help; });
  }

  // Writes the initial files of a run; settings.json, which makes the directory a run, comes last.
  // `made_with` is a JSON object that says which program began it, or empty.
  static void start(const std::string& run, const Settings& settings, const Data& data,
                    const std::string& made_with);
  // For an experiment: the same unless the run exists. Throws DataError if it is a different one.
  static void begin(const std::string& run, const Settings& settings, const Data& data,
                    const std::string& made_with);
  // Sets the settings that follow from the data.
  static void take(Settings& settings, const Data& data) {
    Own::take(settings, data);
    settings.data_fingerprint = data.fingerprint();
    settings.words_fingerprint = words_fingerprint(data);
  }
  static std::optional<int64_t> words_fingerprint(const Data& data) {
    if constexpr (requires { Own::words(data); }) return fingerprint(Own::words(data));
    return {};
  }

  // These throw DataError if the directory holds no such run (yet), or if its files do not fit
  // together. config() returns the settings of config.json for a model, and all for a run.
  static Settings config(const std::string& directory);
  static Settings settings(const std::string& run);
  static Loaded load(const std::string& directory);                       // the best model
  static Loaded first(const std::string& run, const Settings& settings);  // before the first step
  static Loaded first(const std::string& run) { return first(run, settings(run)); }
  // "best" or "untrained"; throws UsageError for another epoch.
  static std::shared_ptr<Loaded> of_epoch(const std::string& directory, const std::string& epoch);

  // Trains the model with the loop of train/loop.h, whose return value and exceptions it has.
  static bool train(const std::string& run, const Settings& settings, const Data& data,
                    Device device, const TrainHooks& hooks = {}) {
    return train(first(run, settings), run, settings, data, device, hooks);
  }
  static bool train(Loaded loaded, const std::string& run, const Settings& settings,
                    const Data& data, Device device, const TrainHooks& hooks);
};

// A LoadedSystem for a model without bounds; the caller adds its encoder and other capabilities.
template <class Loaded> LoadedSystem without_bounds(const std::shared_ptr<Loaded>& loaded) {
  return {.module = {loaded, &loaded->model},
          .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
}

}  // namespace heed
