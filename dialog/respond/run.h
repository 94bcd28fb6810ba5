// A run of a response model (train/run_directory.h): besides the files of every run it has
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
  TokenKind tokens = TokenKind::kWords;  // of the vocabulary that training makes
  int64_t min_count = 1;                 // of its words in the training dialogues
  double insert_prob = 0;                // of each of the two distractions
  bool own_distractions = false;         // flagged in the dialogue itself, a placebo
  double attention_weight = 1;           // lambda; 0: "Non-atten-loss"
  bool attention_mass = false;           // of the loss: AttentionLoss::kMass
  double inverse_frequency = 0;          // exponent of inverse_frequency_weights()
  bool xavier = false;                   // matrices begin by init_again_xavier()
  LoopSettings loop = {};
  uint32_t data_fingerprint = 0;  // of the examples: a run is resumed with the same ones only
  // The requested values: dialogues to read of each part (0: all), words of the vocabulary, which
  // may have fewer, and the preset from which the numbers above started. Runs of older versions did
  // not keep them.
  std::optional<size_t> limit = {};
  std::optional<int64_t> vocabulary = {};
  std::optional<std::string> preset = {};
  // A file of word vectors (dialog/text/word_vectors.h) with which the embeddings begin; empty:
  // none. The run keeps the vectors that it needs.
  std::string word_vectors = {};
  // A file of words and their sentiment (dialog/text/lexicon.h); empty: none.
  std::string lexicon = {};
  // A file with the words of each topic, a line each, the most probable first; empty: LDA learns
  // them.
  std::string topics_file = {};
  // A model or run with whose weights this one begins, if name and shape are the same; empty: none.
  // The run takes over its vocabulary and keeps a copy of its weights.
  std::string init = {};

  VocabularyOptions vocabulary_options() const {
    return {
        .max_size = model.vocab_size, .min_count = min_count, .kind = tokens, .lexicon = lexicon};
  }
  // Throws UsageError for invalid settings.
  void check() const;
};

// `made_with` is a JSON object, kept under the key "heed", that says which program began the run;
// it may be empty.
void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with = "");
TrainSettings load_settings(const std::string& run);
// Writes the initial files of a run, including tables (with_tables()); settings.json, which makes
// the directory a run, comes last. Throws DataError for an invalid file of word vectors, or if they
// are not as wide as the model's embeddings.
void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with = "");
constexpr const char *kWordVectorFile = "embeddings.safetensors", *kInitFile = "init.safetensors";
// The model of a run before its first step: weights drawn by the seed and, if the run has word
// vectors, these in the rows of their words. Throws DataError. With `init`, the weights of that
// model.
std::unique_ptr<Responder> first_model(const std::string& run, const TrainSettings& settings);
// The result of comparing a file with a model's parameters by name and shape: the weights that a
// run with `init` took, those that it drew by its seed, and those of the file that it ignored.
struct TakenWeights {
  std::vector<std::string> taken, drawn, unused;
};
TakenWeights taken_weights(const std::string& run, const TrainSettings& settings);
// The bounds of a model's training examples; none for a bare model directory.
ExampleOptions load_example_options(const std::string& run);

// The name of a response model's task where another model is trained beside it.
constexpr const char* kGenerator = "generator";
// A run's model of an epoch: "best"; "untrained" or "0", the model before the first step; "last",
// the model of the newest checkpoint; or the number of a kept epoch (--keep-every).
// Throws DataError.
LoadedModel load_epoch(const std::string& run, const std::string& epoch);

// Perplexities of training and validation, columns of the log.
constexpr const char *kTrainPerplexity = "train_perplexity", *kValidPerplexity = "valid_perplexity";
constexpr const char* kValidBitsPerCharacter = "valid_bits_per_character";  // see ScoreSummary
double train_perplexity(const EpochLog& log);
double valid_perplexity(const EpochLog& log);
// The best epoch's in validation; infinite if there is none.
double best_perplexity(const std::vector<EpochLog>& log);
// Clearly worse than a uniform guess among all words, whose perplexity is their number; training
// begins there.
bool is_worse_than_a_guess(double perplexity, int64_t vocab_size);

}  // namespace heed
