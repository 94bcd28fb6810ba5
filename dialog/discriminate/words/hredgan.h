// A generator and a word-level discriminator that are trained together (Olabiyi et al. 2019,
// section 3.3), in turns:
//
//   generator      L_MLE, and with soft and straight-through L_MLE - ln D(fake) if the
//                  discriminator classifies enough of the batch correctly
//   discriminator  L_D, and a step if it does not classify nearly all of the batch correctly; E and
//                  cRNN belong to the generator and stay fixed
//
// The paper does not say how ln D of sampled words reaches the generator, so there are three modes
// (Fake of word_discriminator.h): a ranker learns without any effect on the generator.
//
// A run is a run of its generator, which every command reads, with these additional files:
//   discriminator.json          the settings of the two
//   discriminator.safetensors   that of the best epoch; epoch-N-discriminator.safetensors of all
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialog/discriminate/words/word_discriminator.h"
#include "dialog/parts/encoder.h"
#include "dialog/respond/task.h"

namespace heed::words {

constexpr const char *kRanker = "ranker", *kSoft = "soft", *kStraightThrough = "straight-through";

struct Settings {
  std::string mode = kRanker;
  bool by_word = false;                                      // see loss_of()
  double discriminator_until = 0.99, generator_from = 0.75;  // shares classified correctly
  int generator_steps = 1, discriminator_steps = 1;  // of a round; generator 0: it learns nothing
  double adversary_decay = 1;                        // rate_factor()
  int64_t measured = 500;  // validation examples that are answered after each epoch, 0: all

  void check() const;  // throws UsageError
};

// Columns of the log, besides those of a generator's training. For the first validation examples:
// the share classified correctly with sampled words, the area under the ROC curve of D between real
// and sampled words, and between real words and an answer that the generator writes itself.
constexpr const char* kTrainTold = "train_told";    // of the epoch's real and fake
constexpr const char* kTrainMade = "train_made";    // share of the steps with an open gate
constexpr const char* kTrainHeard = "train_heard";  // of the generator's steps with -ln D
constexpr const char* kTold = "valid_told";
constexpr const char* kAucTaught = "valid_auc_taught";
constexpr const char* kAucFree = "valid_auc_free";
constexpr const char* kSurprise = "valid_minus_log_d";  // mean -ln D of those answers
constexpr const char* kDistinct2 = "valid_distinct_2";
// L_D with whole answers and sampled words, at most 100 for each logarithm.
constexpr const char* kAdversarialLoss = "valid_adversarial_loss";

// The paper's rule for the learning rate: `decay` for each epoch in which kAdversarialLoss has
// risen for the second time in a row. The paper says "iterations". The loss of single batches would
// rise so in one of six steps by chance alone.
double rate_factor(const std::vector<EpochLog>& log, double decay);

// The first validation examples, without those whose response has no word. Throws DataError if none
// is left.
std::vector<Example> measured_examples(const TrainData& data, const Settings& settings);

Metrics measure_words(HredResponder& generator, const WordDiscriminator& discriminator,
                      const std::vector<Example>& examples, const Vocabulary& vocabulary,
                      const LoopSettings& loop, const OnValidation& on_batch = {});

// The tasks for the training loop, generator first; its validation perplexity decides which epoch
// is the best, or kAucTaught if the generator makes no steps. They refer to their arguments, which
// must outlive them.
std::vector<Task> hredgan_tasks(HredResponder& generator, WordDiscriminator& discriminator,
                                const Settings& settings, const TrainSettings& training,
                                const TrainData& data);

// Call it before start_run() of dialog/respond/run.h.
void save_settings(const std::string& run, const Settings& settings);
// Throws DataError if the directory holds no such run.
Settings load_settings_of(const std::string& run);
// Trains the two of a run with the loop of train/loop.h, whose return value and exceptions it has.
bool train(const std::string& run, const TrainSettings& training, const Settings& settings,
           const TrainData& data, Device device, const TrainHooks& hooks = {});
// The discriminator of a run, with the generator's sizes and device. Throws DataError if the
// directory holds none.
WordDiscriminator load_discriminator(const std::string& run, const HredResponder& generator);
// D of a run as a ranker of its generator's answers; it refers to the generator. Throws UsageError
// for one of another structure.
Judge load_judge(const std::string& run, const Responder& generator);
// Whether it is such a run, and not one of a generator alone.
bool has_discriminator(const std::string& directory);
void require_discriminator(const std::string& run);  // throws UsageError
// D of a run as a ranker of any responses, such as those of another model: ln D of each, read by
// the run's own generator. Contexts are cut like those of the training examples, responses are not
// cut. Throws as load_judge().
std::shared_ptr<const Ranker> load_ranker(const std::string& run, Device device);

}  // namespace heed::words
