// A run of adversarial training: a run of its generator, which every command reads, and in addition
//   adversary.json                the settings of the two, and their measurements before
//   generator/, discriminator/    the initial models: the run does not need the original folders
//   discriminator.safetensors     that of the best epoch; epoch-N-discriminator.safetensors of all
#pragma once

#include <memory>
#include <string>

#include "dialog/discriminate/gan/gan.h"

namespace heed::gan {

// Settings for a generator's further training: its sizes and examples and, if the folder is a run,
// its other training settings. Throws DataError if there is no model that writes responses.
TrainSettings settings_to_start_from(const std::string& model);

// Both players of two folders, ready to play.
struct LoadedPlayers {
  std::unique_ptr<Responder> generator;
  Vocabulary words;
  discriminate::LoadedDiscriminator discriminator;

  Players players() { return {*generator, words, discriminator.model, discriminator.vocabulary}; }
};
LoadedPlayers load_players(const std::string& generator, const std::string& discriminator,
                           Device device = {});

// Copies the initial folders into a run; settings.json, which makes the directory a run, comes
// last. `before`: the measurements before training.
struct Start {
  std::string generator, discriminator;
  Metrics before = {};
  std::string made_with = {};  // see start_run() of dialog/respond/run.h
};
void start(const std::string& run, const Settings& settings, const Start& start);
// Throws DataError if the directory holds no such run.
Settings load_settings_of(const std::string& run);
// Whether the model of a directory is the run's initial "generator" or "discriminator" (by its
// weights; a run of an older version that did not record them accepts any). Throws DataError.
bool began_with(const std::string& run, const std::string& player, const std::string& model);
bool is_adversary(const std::string& run);

// Trains the two of a run with the loop of train/loop.h, whose return value and exceptions it has.
bool train_players(const std::string& run, const Settings& settings, const TrainData& data,
                   Device device, const TrainHooks& hooks = {});

}  // namespace heed::gan
