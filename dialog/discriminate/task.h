// Training a discriminator: what it learns from, and the task that the training loop runs. A model
// is a directory with
//   config.json         "system": "adversarial", "kind": "discriminator", sizes, what it reads
//   vocab.txt, model.safetensors
//   encoder/            of a pretrained encoder: the model that it began with
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/responses_file.h"
#include "dialog/discriminate/settings.h"
#include "dialog/pretrained/training.h"
#include "train/loop.h"
#include "train/neighbours.h"

namespace heed::discriminate {

// A part of one or more corpora: passages that have something to stand in the place of their
// response, and what does.
struct Part {
  std::vector<Passage> passages = {};
  Responses responses = {};  // if they are generated
  PassageCounts counts = {};
  UnfitResponses unfit = {};
  int64_t irreplaceable = 0;        // passages that were left out: nothing could stand there
  std::vector<uint32_t> read = {};  // fingerprints of what was read

  // Refers to this part, which must outlive it.
  Replacements replacements(Negatives::Kind kind) const;
};
// Reads one part ("train") of each data directory; a path that is a file is read as it is. Throws
// DataError where no passage is left.
Part read_part(const std::vector<std::string>& data, const std::string& part,
               const Vocabulary& vocabulary, const PassageOptions& options,
               const Negatives& negatives, size_t limit = 0);

struct TrainData {
  Vocabulary vocabulary;
  Part train, valid;

  uint32_t fingerprint() const;
  // Has what the first rank of the machine has: a training without generated responses.
  void share(const Neighbours& neighbours);
};
// The vocabulary is that of the training dialogues of all directories, unless one is given.
TrainData load_train_data(const std::vector<std::string>& directories, const Settings& settings,
                          const Vocabulary* vocabulary = nullptr);

// Columns of the log. The loss is the mean of -ln p of what is true.
constexpr const char *kValidLoss = "valid_loss", *kValidAccuracy = "valid_accuracy",
                     *kTrainAccuracy = "train_accuracy";

// Each passage is an example twice: as it was said, and with another response, drawn anew in every
// epoch; in the validation always the same. Refers to the three, which must outlive it.
Task discriminator_task(Discriminator& model, const Settings& settings, const TrainData& data);

// What became no passage, and which responses of a file stand in no passage's place, in a line
// each.
void note_left_out(const Part& part, const std::string& name, const Talk& talk);

struct LoadedDiscriminator {
  Discriminator model;
  Vocabulary vocabulary;
};

struct Own : pretrained::OwnOfWords<Settings, TrainData, LoadedDiscriminator> {  // dialog/runs_of.h
  static constexpr RunNames kNames = {.system = "adversarial",
                                      .kind = "discriminator",
                                      .what = "a discriminator",
                                      .command = "discriminate",
                                      .usual = "laptop"};
  static constexpr LineColumn kStep = {"accuracy", kTrainAccuracy, 3},
                              kEpoch[] = {{"loss", "loss", 4},
                                          {"accuracy", kTrainAccuracy, 3},
                                          {"valid loss", kValidLoss, 4},
                                          {"valid accuracy", kValidAccuracy, 3}};

  static std::vector<PresetOf<Settings>> presets();
  static Data read(const Paths& data, const Settings& s, const std::string& run);
  static double size(const Settings& s) { return parameter_count(s.model); }
  static Loaded blank(const std::string& directory, const Settings& s);
  static void draw(Loaded& loaded, const std::string& run, const Settings& s);
  static Task task(Loaded& loaded, const Settings& s, const Data& data) {
    return discriminator_task(loaded.model, s, data);
  }
};
using Runs = RunsOf<Own>;

}  // namespace heed::discriminate
