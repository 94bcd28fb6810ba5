// Training a model of gaps. A model is a directory with
//   config.json         "system": "gaps", "kind": "gaps", sizes, bounds of examples
//   vocab.txt, model.safetensors
//   encoder/            of a pretrained encoder: the model that it began with
#pragma once

#include <string>
#include <vector>

#include "dialog/pretrained/training.h"
#include "dialog/rewrite/settings.h"
#include "train/loop.h"

namespace heed::rewrite {

// Of the units of contexts, turns and full forms.
uint32_t fingerprint(const std::vector<GapExample>& examples, uint32_t crc = 0);

struct TrainData {
  Vocabulary vocabulary;
  std::vector<GapExample> train, valid;
  size_t left_out = 0;

  uint32_t fingerprint() const { return rewrite::fingerprint(valid, rewrite::fingerprint(train)); }
};
// Of parts that were read with notes. The vocabulary is that of the training dialogues unless one
// is given.
TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary = {});

// Columns of the log. The loss is the mean of the training objective, without |W|.
constexpr const char *kValidLoss = "valid_loss", *kValidF1 = "valid_f1", *kValidFirst = "valid_p1",
                     *kValidExact = "valid_exact", *kTrainLoss = "train_loss";

struct Own : pretrained::OwnOfWords<Settings, TrainData, GapModel> {  // dialog/runs_of.h
  static constexpr RunNames kNames = {.system = "gaps",
                                      .kind = "gaps",
                                      .what = "a model of gaps",
                                      .command = "gaps",
                                      .usual = "laptop",
                                      .rate_ends = true};
  static constexpr LineColumn kStep = {"loss", kTrainLoss, 3},
                              kEpoch[] = {{"loss", kTrainLoss, 4},
                                          {"valid loss", kValidLoss, 4},
                                          {"labels F1", kValidF1, 3},
                                          {"P@1", kValidFirst, 3},
                                          {"exact", kValidExact, 3}};

  static std::vector<PresetOf<Settings>> presets();
  static Data read(const Paths& data, const Settings& s, const std::string& run);
  static Task task(Loaded& loaded, const Settings& s, const TrainData& data);
};
using Runs = RunsOf<Own>;
using LoadedGaps = Own::Loaded;

// `loss`: what it has learned.
std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedGaps> gaps,
                                           const LossSettings& loss = {});

}  // namespace heed::rewrite
