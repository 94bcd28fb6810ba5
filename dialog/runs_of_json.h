// The definitions of dialog/runs_of.h, for each system's file with `template struct RunsOf<Own>;`.
#pragma once

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/runs_of.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/loop.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed {

inline constexpr auto kVisitConfig = [](auto& s, auto& v) { visit_config(s, v); };
inline constexpr auto kVisitTraining = [](auto& s, auto& v) { visit_training(s, v); };

// The vocabulary of a run or a model; none for a run that does not exist yet.
inline std::optional<Vocabulary> words_of(const std::string& run, int64_t size) {
  if (run.empty()) return {};
  return load_vocabulary(file_inside(run, "vocab.txt"), size);
}

template <class Own>
void RunsOf<Own>::start(const std::string& run, const Settings& s, const Data& data,
                        const std::string& made_with) {
  Own::keep(run, s, data);
  nlohmann::ordered_json config = {{"system", Own::kNames.system}};
  if constexpr (requires { Own::kind(s); }) {
    config["kind"] = Own::kind(s);
  } else if (*Own::kNames.kind) {
    config["kind"] = Own::kNames.kind;
  }
  config.update(settings_to_json(s, kVisitConfig));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, s, kVisitTraining, made_with);
}

template <class Own>
void RunsOf<Own>::begin(const std::string& run, const Settings& s, const Data& data,
                        const std::string& made_with) {
  begin_or_go_on(
      run, s, [](const std::string& there) { return settings(there); },
      [&] { start(run, s, data, made_with); });
}

template <class Own>
typename RunsOf<Own>::Settings RunsOf<Own>::config(const std::string& directory) {
  constexpr RunNames names = Own::kNames;
  const std::string path = file_inside(directory, "config.json");
  return with_json(path, [&](const nlohmann::json& json) {
    const bool by_kind = *names.kind;
    const char* key = by_kind ? "kind" : "system";
    if (json.value(key, nlohmann::json()) != (by_kind ? names.kind : names.system)) {
      throw DataError(path + ": not " + names.what + ", which heed train " + names.command +
                      " makes");
    }
    auto s = settings_from_json<Settings>(json, kVisitConfig);
    s.check_model();
    return s;
  });
}

template <class Own> typename RunsOf<Own>::Settings RunsOf<Own>::settings(const std::string& run) {
  Settings s = config(run);  // first: it says what the directory holds
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    const SettingReader reader(json);
    visit_training(s, reader);
    if constexpr (requires { s.vocabulary.reset(); }) {
      if (s.vocabulary == 0)
        s.vocabulary.reset();  // older versions wrote this if they had not kept it
    }
    s.check();
    return s;
  });
}

template <class Own> typename RunsOf<Own>::Loaded RunsOf<Own>::load(const std::string& directory) {
  check_is_model(directory);
  const Settings s = config(directory);
  const std::string weights = weights_of(directory, Own::size(s));
  Loaded loaded = Own::blank(directory, s);
  load_parameters(weights, loaded.model);
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
