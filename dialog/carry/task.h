// Training slot carryover, and deciding with it. A model is a directory with
//   config.json         "system": "carryover", "kind": the decoder, sizes, its inputs
//   vocab.txt, model.safetensors
//   encoder/            of a pretrained encoder: the model that it began with
#pragma once

#include <string>
#include <vector>

#include "dialog/carry/rules.h"
#include "dialog/carry/settings.h"
#include "dialog/pretrained/training.h"
#include "train/loop.h"

namespace heed::carry {

struct TrainData {
  Vocabulary vocabulary;
  std::vector<Encoded> train;  // items with candidates
  std::vector<Item> valid;     // at most kMeasured, evenly spread
  size_t empty = 0;            // training items without a candidate, which are left out

  uint32_t fingerprint() const;
};
uint32_t fingerprint(const std::vector<Item>& items);  // of all that their file says
constexpr size_t kMeasured = 3000;

// Reads train and valid of a directory of items. The vocabulary is that of the training items
// unless one is given. Throws DataError, also if no item has a candidate.
TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary = {});

// Columns of the log: F1 over all candidates, over those at a distance of at least 1; the mean
// loss.
constexpr const char *kValidF1 = "valid_f1", *kValidFarF1 = "valid_f1_far",
                     *kTrainLoss = "train_loss";

// Decisions on items, in order, independent of the batch; none on items without candidates. A
// random order of slots is a function of the item alone.
std::vector<Decision> decide(const Carryover& model, const Vocabulary& vocabulary,
                             const std::vector<Item>& items, int64_t batch_size = 64,
                             const OnValidation& progress = {});

// The distribution of attention over groups of distances: of the attention on candidates, and so
// without that on a pointer's end, the share of each group, and the group's share of the
// candidates; means over the items whose decisions have looks. The quotient is 1 for uniform
// attention. Empty if no decision has looks.
struct LookShare {
  double of_attention = 0, of_slots = 0;
  double of_even() const { return of_slots > 0 ? of_attention / of_slots : 0; }
};
std::map<std::string, LookShare> look_by_distance(const std::vector<Item>& items,
                                                  const std::vector<Decision>& decisions);

struct Own : pretrained::OwnOfWords<Settings, TrainData, Carryover> {  // dialog/runs_of.h
  static constexpr RunNames kNames = {.system = "carryover",
                                      .kind = "",
                                      .what = "slot carryover",
                                      .command = "carryover",
                                      .usual = "laptop"};
  static constexpr LineColumn kStep = {"loss", kTrainLoss, 3},
                              kEpoch[] = {{"loss", "loss", 4},
                                          {"valid F1", kValidF1, 4},
                                          {"distance >= 1", kValidFarF1, 4}};

  static std::vector<PresetOf<Settings>> presets();
  static Data read(const Paths& data, const Settings& s, const std::string& run);
  static std::string kind(const Settings& s) { return s.model.decoder; }
  static Task task(Loaded& loaded, const Settings& s, const TrainData& data);
};
using Runs = RunsOf<Own>;
using LoadedCarryover = Own::Loaded;

// Annotates by the model, which may be null, and by rules.
std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedCarryover> loaded);

}  // namespace heed::carry
