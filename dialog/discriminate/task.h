// Training a discriminator: what it learns from, and the task that the training loop runs.
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/responses_file.h"
#include "dialog/discriminate/run.h"
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

// Trains the discriminator of a run with the loop of train/loop.h, which says what is returned and
// thrown.
bool train(const std::string& run, const Settings& settings, const TrainData& data, Device device,
           const TrainHooks& hooks = {});

}  // namespace heed::discriminate
