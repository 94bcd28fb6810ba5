// A run of a response model (train/run_directory.h): besides what every run has
//   config.json, vocab.txt, model.safetensors   the best model (dialog/respond/config.h)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/config.h"
#include "train/run_directory.h"

namespace heed {

struct TrainSettings {
  ModelConfig model = {};
  ExampleOptions examples = {};
  TokenKind tokens = TokenKind::kWords;  // of the vocabulary that the training makes
  double insert_prob = 0;                // of each of the two distractions
  bool own_distractions = false;         // flagged in the dialogue itself, a placebo
  double attention_weight = 1;           // lambda; 0: "Non-atten-loss"
  double inverse_frequency = 0;          // exponent of inverse_frequency_weights()
  LoopSettings loop = {};
  uint32_t data_fingerprint = 0;  // of the examples: a run goes on with the same ones only
  // What was asked for: dialogues to read of each part (0: all), words of the vocabulary, which may
  // have fewer, and the preset that the numbers above began with. Runs of older versions did not
  // keep them.
  std::optional<size_t> limit = {};
  std::optional<int64_t> vocabulary = {};
  std::optional<std::string> preset = {};
  // A file of word vectors (dialog/text/word_vectors.h) that the embeddings begin with; empty:
  // none. What the run needs of it is kept in the run.
  std::string word_vectors = {};
  // A file of words and their sentiment (dialog/text/lexicon.h); empty: none.
  std::string lexicon = {};
  // A model or run whose weights this one begins with, where name and shape are the same; empty:
  // none. Its vocabulary is the run's, and its weights are copied into the run.
  std::string init = {};

  VocabularyOptions vocabulary_options() const {
    return {.max_size = model.vocab_size, .kind = tokens, .lexicon = lexicon};
  }
  // Throws UsageError for what no training can be made with.
  void check() const;
};

// `made_with`: a JSON object that is kept under the key "heed", and says which program began the
// run; none if it is empty.
void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with = "");
TrainSettings load_settings(const std::string& run);
// Writes what a run begins with, tables too (with_tables()); settings.json, which makes the
// directory a run, last. Throws DataError for a file of word vectors that is not one, or whose
// vectors are not as wide as the model's embeddings.
void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with = "");
constexpr const char *kWordVectorFile = "embeddings.safetensors", *kInitFile = "init.safetensors";
// The model of a run before its first step: weights drawn by the seed and, where the run has word
// vectors, these in the rows of their words. Throws DataError.
// With `init` the weights of that model.
std::unique_ptr<Responder> first_model(const std::string& run, const TrainSettings& settings);
// Which parameters of a model a file has, by name and shape: what a run with `init` took, what it
// drew by its seed, and what it has no use for.
struct TakenWeights {
  std::vector<std::string> taken, drawn, unused;
};
TakenWeights taken_weights(const std::string& run, const TrainSettings& settings);
// The bounds of the examples that a model was trained on; none for a bare model directory.
ExampleOptions load_example_options(const std::string& run);

// A run's model of an epoch: "best"; "untrained" or "0", as it was before the first step; "last",
// that of the newest checkpoint; or the number of one that was kept (--keep-every). Throws
// DataError.
LoadedModel load_epoch(const std::string& run, const std::string& epoch);

// Perplexities of the training and of the validation, columns of the log.
constexpr const char *kTrainPerplexity = "train_perplexity", *kValidPerplexity = "valid_perplexity";
constexpr const char* kValidBitsPerCharacter = "valid_bits_per_character";  // see ScoreSummary
double train_perplexity(const EpochLog& log);
double valid_perplexity(const EpochLog& log);
// In validation, of the best epoch; infinite if there is none.
double best_perplexity(const std::vector<EpochLog>& log);
// Clearly worse than a uniform guess among all words, whose perplexity is their number and which a
// training begins with.
bool is_worse_than_a_guess(double perplexity, int64_t vocab_size);

}  // namespace heed
