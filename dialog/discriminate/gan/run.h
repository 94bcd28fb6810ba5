// A run of adversarial training: a run of its generator, which every command reads, and besides
//   adversary.json                what the two are trained with, and what they were before
//   generator/, discriminator/    the models that it began with: it goes on without the others
//   discriminator.safetensors     that of the best epoch; epoch-N-discriminator.safetensors of all
#pragma once

#include <memory>
#include <string>

#include "dialog/discriminate/gan/gan.h"

namespace heed::gan {

// Settings of a generator's further training: its sizes and examples, and if the folder is a run
// what else it was trained with. Throws DataError where there is no model that writes responses.
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

// Of the folders that a run begins with, copied into it; settings.json, which makes the directory a
// run, last. `before`: what was measured before the training.
struct Start {
  std::string generator, discriminator;
  Metrics before = {};
  std::string made_with = {};  // see start_run() of dialog/respond/run.h
};
void start(const std::string& run, const Settings& settings, const Start& start);
// Throws DataError where the directory holds no such run.
Settings load_settings_of(const std::string& run);
// Whether the model of a directory is the one that the run began with as "generator" or
// "discriminator" (by its weights; a run of an older version that says nothing of them takes any).
// Throws DataError.
bool began_with(const std::string& run, const std::string& player, const std::string& model);
bool is_adversary(const std::string& run);

// Trains the two of a run with the loop of train/loop.h, which says what is returned and thrown.
bool train_players(const std::string& run, const Settings& settings, const TrainData& data,
                   Device device, const TrainHooks& hooks = {});

}  // namespace heed::gan
