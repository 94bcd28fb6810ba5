// The definitions of dialog/runs_of.h, for each system's file with `template struct RunsOf<Own>;`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "dialog/runs_of.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/any_settings.h"
#include "train/loop.h"
#include "train/model_directory.h"

namespace heed {

// The settings of the files of a run, config.json and settings.json.
struct RunSettings {
  AnySettings config, training;
};
// Refers to the settings, which must outlive it.
template <class S> RunSettings settings_of_run(S& settings) {
  return {AnySettings(settings, [](auto& s, auto& v) { visit_config(s, v); }),
          AnySettings(settings, [](auto& s, auto& v) { visit_training(s, v); })};
}

// Writes both files, settings.json last. `kind`: config.json's "kind", or empty. Settings of later
// versions are left out if they equal `usual`.
void write_run(const std::string& run, const RunNames& names, const std::string& kind,
               const RunSettings& settings, const RunSettings& usual, const std::string& made_with);
// Read a file into the settings, then call check(). Throw DataError if the directory holds no such
// run, if a value is missing or wrong, and in place of a UsageError of check().
void read_config(const std::string& directory, const RunNames& names, const AnySettings& config,
                 const std::function<void()>& check);
void read_training(const std::string& run, const AnySettings& training,
                   const std::function<void()>& check);
bool is_begun(const std::string& directory);
// Throws DataError unless the settings of a run equal those that were asked for. A run of an older
// version need not have every fingerprint.
void check_same_run(const std::string& run, const AnySettings& there, const AnySettings& asked);

// The vocabulary of a run or a model; none if `run` is empty, for a run that does not exist yet.
std::optional<Vocabulary> words_of(const std::string& run, int64_t size);

template <class Own>
void RunsOf<Own>::start(const std::string& run, const Settings& s, const Data& data,
                        const std::string& made_with) {
  Own::keep(run, s, data);
  std::string kind = Own::kNames.kind;
  if constexpr (requires { Own::kind(s); }) kind = Own::kind(s);
  Settings settings = s, usual;
  write_run(run, Own::kNames, kind, settings_of_run(settings), settings_of_run(usual), made_with);
}

template <class Own>
void RunsOf<Own>::begin(const std::string& run, const Settings& s, const Data& data,
                        const std::string& made_with) {
  if (!is_begun(run)) return start(run, s, data, made_with);
  Settings there = settings(run), asked = s;
  for (Settings* one : {&there, &asked}) {  // the checksum of the data covers these
    one->limit = {}, one->preset = {};
    if constexpr (requires { one->vocabulary.reset(); }) one->vocabulary.reset();
  }
  check_same_run(run, AnySettings(there), AnySettings(asked));
}

template <class Own>
typename RunsOf<Own>::Settings RunsOf<Own>::config(const std::string& directory) {
  Settings s;
  read_config(directory, Own::kNames, settings_of_run(s).config, [&] { s.check_model(); });
  return s;
}

template <class Own> typename RunsOf<Own>::Settings RunsOf<Own>::settings(const std::string& run) {
  Settings s = config(run);  // first: it says what the directory holds
  read_training(run, settings_of_run(s).training, [&] {
    if constexpr (requires { s.vocabulary.reset(); }) {
      if (s.vocabulary == 0)
        s.vocabulary.reset();  // older versions wrote this if they had not kept it
    }
    s.check();
  });
  return s;
}

template <class Own> typename RunsOf<Own>::Loaded RunsOf<Own>::load(const std::string& directory) {
  check_is_model(directory);
  const Settings s = config(directory);
  const std::string weights = weights_of(directory, Own::size(s));
  Loaded loaded = Own::blank(directory, s);
  load_parameters(weights, loaded.model);
  name_parts(loaded.model);
  return loaded;
}

template <class Own>
typename RunsOf<Own>::Loaded RunsOf<Own>::first(const std::string& run, const Settings& s) {
  Loaded loaded = Own::blank(run, s);
  if constexpr (requires { Own::draw(loaded, run, s); }) {
    Own::draw(loaded, run, s);
  } else {
    init(loaded.model, s.loop.seed);
  }
  return loaded;
}

template <class Own>
std::shared_ptr<typename RunsOf<Own>::Loaded> RunsOf<Own>::of_epoch(const std::string& directory,
                                                                    const std::string& epoch) {
  if (epoch != "best" && epoch != "untrained") {
    throw UsageError(std::string("epoch: of ") + Own::kNames.what + " best or untrained, got '" +
                     epoch + "'");
  }
  return std::make_shared<Loaded>(epoch == "best" ? load(directory) : first(directory));
}

template <class Own>
bool RunsOf<Own>::train(Loaded loaded, const std::string& run, const Settings& s, const Data& data,
                        Device device, const TrainHooks& hooks) {
  s.check();
  move(loaded.model, device);
  return heed::train(run, s.loop, {Own::task(loaded, s, data)}, hooks);
}

}  // namespace heed
