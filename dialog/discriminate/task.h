// Training a discriminator: its data, and the task for the training loop.
// A model is a directory with
//   config.json         "system": "adversarial", "kind": "discriminator", sizes, its inputs
//   vocab.txt, model.safetensors
//   encoder/            for a pretrained encoder: the model with which training began
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/responses_file.h"
#include "dialog/discriminate/settings.h"
#include "dialog/pretrained/training.h"
#include "train/loop.h"
#include "train/neighbours.h"

namespace heed::discriminate {

// A part of one or more corpora: passages that have a replacement for their response, and the
// replacements.
struct Part {
  std::vector<Passage> passages = {};
  Responses responses = {};  // if they are generated
  int64_t other_length = 0;  // runs of turns that are no passage: see add_passages()
  UnfitResponses unfit = {};
  int64_t irreplaceable = 0;        // passages that were left out, without a replacement
  std::vector<uint32_t> read = {};  // fingerprints of the data

  // The result refers to this part, which must outlive it.
  Replacements replacements(Negatives::Kind kind) const;
};
// Reads one part ("train") of each data directory; a path that is a file is read as it is. Throws
// DataError if no passage is left.
Part read_part(const std::vector<std::string>& data, const std::string& part,
               const Vocabulary& vocabulary, const PassageOptions& options,
               const Negatives& negatives, size_t limit = 0);

struct TrainData {
  Vocabulary vocabulary;
  Part train, valid;

  uint32_t fingerprint() const;
  // Takes over the data of the machine's first rank; not for training on generated responses.
  void share(const Neighbours& neighbours);
};
// The vocabulary is that of the training dialogues of all directories, unless one is given.
TrainData load_train_data(const std::vector<std::string>& directories, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary = {});

// Columns of the log. The loss is the mean of -ln p of the truth.
constexpr const char *kValidLoss = "valid_loss", *kValidAccuracy = "valid_accuracy",
                     *kTrainAccuracy = "train_accuracy";

// What a step learns from passages: the mean of -ln p of the truth, counts "right" and "passages".
Loss loss_on(const Discriminator& model, const std::vector<Passage>& passages, const StepKey& key);

// Notes what was left out, in a line each: passages without a replacement, and responses of a file
// that replace none.
void note_left_out(const Part& part, const std::string& name, const Talk& talk);

struct Own : pretrained::OwnOfWords<Settings, TrainData, Discriminator> {  // dialog/runs_of.h
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
  // Each passage is an example twice: with its real response, and with another one, drawn anew in
  // every epoch; in validation always the same.
  static Task task(Loaded& loaded, const Settings& s, const TrainData& data);
};
using Runs = RunsOf<Own>;
using LoadedDiscriminator = Own::Loaded;

}  // namespace heed::discriminate
