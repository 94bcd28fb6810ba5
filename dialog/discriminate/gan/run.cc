#include "dialog/discriminate/gan/run.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/respond/config.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed::gan {
namespace {

constexpr auto kVisitPlayers = [](auto& settings, auto& v) { visit_players(settings, v); };

// The files of a model.
void copy_model(const std::string& from, const std::string& to) {
  make_directory(to);
  for (const char* file : {"config.json", "vocab.txt", kTableFile, "model.safetensors"}) {
    if (file == std::string(kTableFile) && !std::filesystem::exists(in(from, file))) continue;
    copy_model_file(file_inside(from, file), in(to, file));
  }
}

nlohmann::ordered_json model_json(const std::string& directory) {
  return {{"path", directory},
          {"fingerprint", file_checksum(file_inside(directory, "model.safetensors"))}};
}

}  // namespace

TrainSettings settings_to_start_from(const std::string& model) {
  check_is_model(model);
  TrainSettings settings{.attention_weight = 0};
  if (std::filesystem::exists(in(model, "settings.json"))) {
    settings = load_settings(model);
  } else {
    settings.model = load_config(model);
    settings.examples = load_example_options(model);
  }
  settings.init = model;  // and what that one began with is of no use any more
  settings.word_vectors.clear();
  return settings;
}

LoadedPlayers load_players(const std::string& generator, const std::string& discriminator,
                           Device device) {
  LoadedModel loaded = load_model(generator);
  LoadedPlayers players{std::move(loaded.model), std::move(loaded.vocabulary),
                        discriminate::Runs::load(discriminator)};
  move(*players.generator, device);
  move(players.discriminator.model, device);
  return players;
}

void start(const std::string& run, const Settings& settings, const Start& start) {
  copy_model(start.generator, in(run, "generator"));
  copy_model(start.discriminator, in(run, "discriminator"));
  const std::string encoder = pretrained::encoder_folder(start.discriminator);
  if (encoder != start.discriminator) pretrained::keep_encoder(encoder, in(run, "discriminator"));
  nlohmann::ordered_json json = {{"format", kRunFormat}};
  json.update(settings_to_json(settings, kVisitPlayers));
  json["generator"] = model_json(start.generator);
  json["discriminator"] = model_json(start.discriminator);
  for (const Metric& m : start.before) json["before"][m.name] = m.value;
  write_file(in(run, "adversary.json"), json.dump(2) + "\n");
  const Vocabulary words = load_words(start.generator, settings.generator.model.vocab_size);
  start_run(run, settings.generator, words, start.made_with);
}

bool is_adversary(const std::string& run) {
  return std::filesystem::exists(in(run, "adversary.json"));
}

bool began_with(const std::string& run, const std::string& player, const std::string& model) {
  const nlohmann::json kept =
      with_json(file_inside(run, "adversary.json"), [&](const nlohmann::json& json) {
        return json.contains(player) ? json.at(player).at("fingerprint") : nlohmann::json();
      });
  return kept.is_null() || kept == nlohmann::json(model_json(model).at("fingerprint"));
}

Settings load_settings_of(const std::string& run) {
  const std::string path = file_inside(run, "adversary.json");
  if (!is_adversary(run))
    throw DataError(run + ": not a run of heed adversary (no adversary.json)");
  const TrainSettings generator = load_settings(run);
  return with_json(path, [&](const nlohmann::json& json) {
    auto settings = settings_from_json<Settings>(json, kVisitPlayers);
    settings.generator = generator;
    settings.check();
    return settings;
  });
}

bool train_players(const std::string& run, const Settings& settings, const TrainData& data,
                   Device device, const TrainHooks& hooks) {
  settings.check();
  LoadedPlayers loaded = load_players(in(run, "generator"), in(run, "discriminator"), device);
  const Players players = loaded.players();
  return train(run, settings.generator.loop, adversary_tasks(players, settings, data), hooks,
               {settings.generator_steps, settings.discriminator_steps});
}

}  // namespace heed::gan
