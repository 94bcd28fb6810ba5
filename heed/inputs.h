// The inputs that all measuring commands share: dialogues, a pool of utterances to insert, and the
// bounds of the examples.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/run.h"
#include "heed/setting_flags.h"
#include "train/alike.h"
#include "train/neighbours.h"

namespace heed {

// The model of a directory at an epoch (load_epoch()). Throws UsageError for one of a system that
// cannot respond.
LoadedModel load_responder(const std::string& directory, const std::string& epoch = "best");

// As options of a sub-command.
struct InputFlags {
  mutable std::string data;  // check() fills in the bundled sample if none was given
  std::string pool;
  size_t limit = 0;
  SettingFlags bounds;  // of the examples (dialog/respond/settings.h)
  bool labels = false;  // dialogues have theirs, also if no model reads them
  PhraseText phrases;

  // Declares --data, --limit, --examples, --max-turns and --min-turns.
  void declare(CLI::App& command);
  // Declares --max-utterance, --max-response and --max-context, in the group of --max-turns.
  void declare_tokens(CLI::App& command);
  // Declares --pool, --frequent and --rare.
  void declare_insertion(CLI::App& command);

  // Whether there are dialogues to draw random distractions from.
  bool has_pool() const;
  // Checks the options before the long work. Throws DataError if a file does not exist. Throws
  // UsageError if random distractions are asked for without dialogues to draw them from, and for a
  // --pool, --frequent or --rare that none of the sets uses.
  void check(const std::vector<TestSet>& sets) const;
  // Throws UsageError for any of the options of examples and distractions that was given.
  void refuse(const std::string& is_for) const;

 private:
  const CLI::App* command_ = nullptr;  // knows which options were given
};

struct Inputs {
  std::string data_path, pool_path;  // the files that were read
  std::vector<Dialogue> dialogues, pool;
  size_t limit = 0;
  ExampleOptions bounds;
  // a model without the settings of its run, and no flag bounds the lengths
  bool unbounded = false;
  std::vector<TestSet> sets;  // the pool is empty if no set draws from it
  PhraseText phrases;

  // The unit of counts: with --examples all, a dialogue gives several examples.
  std::string unit(size_t count) const;
  // Throws DataError if there is none.
  std::vector<Example> examples(const Vocabulary& vocabulary) const;
};
// Length limits come from the flags, or else from the training of the first model; dialogues have
// conditions if any model has some, and each reads its own. Throws DataError. Another process may
// read the pool, see EncodedInputs::share().
Inputs read_inputs(const InputFlags& flags, const std::vector<std::string>& models,
                   const std::vector<TestSet>& sets = {}, bool with_pool = true);

// Inputs as ids of a vocabulary. The inserted utterances and their places are the same for any
// vocabulary.
struct EncodedInputs {
  EncodedInputs(const Inputs& inputs, const Vocabulary& vocabulary);
  // Gets the pool of the first rank of the machine, in memory that its ranks share.
  void share(const Neighbours& neighbours) { neighbours.share_list(pool); }

  std::vector<Example> examples;
  Pool pool;
  Phrases phrases;
};

// Names the words of the sets' phrases that the model does not know and reads as <unk>.
void note_unknown_phrases(const Inputs& inputs, const Vocabulary& vocabulary);

// The inputs that must be equal on all ranks that measure a model together: the model, the
// dialogues in order, the pool if this rank reads it, and the options of inputs_json().
std::vector<Given> given_inputs(const Inputs& inputs, const std::string& model, Responder& loaded,
                                uint64_t seed);
// The loaded weights, and the files that say how to use them.
std::vector<Given> given_model(const std::string& model, const Module& loaded);
// The members of an object as options: {"seed": 1} is --seed with the value 1.
std::vector<Given> given_options(const nlohmann::ordered_json& options);

// The name, the fingerprint and the number of the dialogues of a file, for "inputs" of results.
nlohmann::ordered_json file_json(const std::string& path, const std::vector<Dialogue>& dialogues);
// The checksum of a model's weights.
nlohmann::ordered_json weights_fingerprint(const std::string& model);
// The key "inputs" of a result: models, dialogues and pool with their checksums, and all options
// that determine the input of a model. The seed is that of the insertion.
nlohmann::ordered_json inputs_json(const Inputs& inputs, const std::vector<std::string>& models,
                                   uint64_t seed);

}  // namespace heed
