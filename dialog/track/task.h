// The training data of a tracker, and its task for the training loop. A model is a directory with
//   config.json         "system": "tracker", "kind": "tracker", sizes, its inputs
//   vocab.txt, acts.txt, values.txt, model.safetensors
//   init.safetensors    in a run that began with another tracker (--init): its weights
//   encoder/            of a pretrained encoder: the model that it began with
#pragma once

#include "dialog/track/metrics.h"
#include "dialog/track/settings.h"
#include "train/loop.h"

namespace heed::track {

// Of what a tracker reads: words, acts and states by their numbers.
uint32_t fingerprint(const std::vector<Conversation>& conversations, uint32_t crc = 0);

struct TrainData {
  Reader reader;
  std::vector<Conversation> train, valid;

  uint32_t fingerprint() const;
};

// The train and valid parts of a data directory. With `from`, a directory of a tracker, it uses
// that tracker's words, acts and values; else new ones. Throws DataError, also if a value of the
// training dialogues is not among them.
TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const std::string& from = {});
// Takes the sizes of the features of --init, and its inputs; call it before the data are read.
void take_from_init(Settings& settings);

constexpr const char *kTrainJoint = "train_joint", *kValidJoint = "valid_joint",
                     *kValidSet = "valid_set", *kValidChange = "valid_change";

struct LoadedTracker {
  Tracker model;
  Reader reader;
};

struct Own {  // dialog/runs_of.h
  using Settings = track::Settings;
  using Data = TrainData;
  using Loaded = LoadedTracker;
  static constexpr RunNames kNames = {.system = "tracker",
                                      .kind = "tracker",
                                      .what = "a tracker of states",
                                      .command = "tracker",
                                      .usual = "laptop"};
  static constexpr LineColumn kStep = {"joint accuracy", kTrainJoint, 3},
                              kEpoch[] = {{"loss", "loss", 4},
                                          {"joint accuracy", kTrainJoint, 3},
                                          {"valid", kValidJoint, 3},
                                          {"set", kValidSet, 3}};

  static std::vector<PresetOf<Settings>> presets();
  static Data read(const Paths& data, const Settings& s, const std::string& run);
  static void take(Settings& s, const Data& data);
  static void keep(const std::string& run, const Settings& s, const Data& data);
  static const Vocabulary& words(const Data& data) { return data.reader.words; }
  static double size(const Settings& s);
  static Loaded blank(const std::string& directory, const Settings& s);
  static void draw(Loaded& loaded, const std::string& run, const Settings& s);
  static Task task(Loaded& loaded, const Settings& s, const Data& data);
};
using Runs = RunsOf<Own>;

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedTracker> loaded);

}  // namespace heed::track
