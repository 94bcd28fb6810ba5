// What the commands that measure a model read, the same for all of them: dialogues, a pool of
// utterances to insert, and the bounds of the examples.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/run.h"
#include "train/alike.h"
#include "train/neighbours.h"

namespace heed {

// The model of a directory at an epoch (load_epoch()). Throws UsageError for one of a system that
// cannot respond.
LoadedModel load_responder(const std::string& directory, const std::string& epoch = "best");

// The example options of the first of some models, with conditions if any of them has some: for
// dialogues that all of them read, each with its own conditions.
ExampleOptions options_of_first(const std::vector<std::string>& models);

// As options of a sub-command.
struct InputFlags {
  mutable std::string data;  // check() fills in the bundled sample where none was given
  std::string pool, examples;
  size_t limit = 0;
  std::optional<int> max_turns, min_turns, max_utterance, max_response, max_context;
  std::optional<std::string> speaker;
  PhraseText phrases;

  // Declares --data, --limit, --examples, --max-turns and --min-turns.
  void declare(CLI::App& command);
  // Declares --max-utterance, --max-response and --max-context, in the group of --max-turns.
  void declare_tokens(CLI::App& command);
  // Declares --pool, --frequent and --rare.
  void declare_insertion(CLI::App& command);

  // Whether there is something to draw random distractions from.
  bool has_pool() const;
  // Throws DataError if there are no such dialogues; UsageError if random distractions are asked
  // for and there is nothing to draw them from, and for --pool, --frequent or --rare that none of
  // the sets is made with; before the long work.
  void check(const std::vector<TestSet>& sets) const;

 private:
  const CLI::App* command_ = nullptr;  // knows which options were given
};

struct Inputs {
  std::string data_path, pool_path;  // of the files that were read
  std::vector<Dialogue> dialogues, pool;
  size_t limit = 0;
  ExampleOptions bounds;
  std::vector<TestSet> sets;  // the pool is empty if none of them draws from it
  PhraseText phrases;

  // What is counted: with --examples all a dialogue gives several examples.
  std::string unit(size_t count) const;
  // Throws DataError if there is none.
  std::vector<Example> examples(const Vocabulary& vocabulary) const;
};
// The bounds are the flags', and where these say nothing those of the training. Throws DataError.
// The pool may be left to another process, see EncodedInputs::share().
Inputs read_inputs(const InputFlags& flags, const ExampleOptions& training,
                   const std::vector<TestSet>& sets = {}, bool with_pool = true);

// Inputs in the numbers of a vocabulary. What is inserted where is the same for any vocabulary.
struct EncodedInputs {
  EncodedInputs(const Inputs& inputs, const Vocabulary& vocabulary);
  // Has the pool of the first rank of the machine, in memory that its ranks share.
  void share(const Neighbours& neighbours) { neighbours.share_list(pool); }

  std::vector<Example> examples;
  Pool pool;
  Phrases phrases;
};

// Says which words of the sets' phrases the model does not know: there it reads <unk>.
void note_unknown_phrases(const Inputs& inputs, const Vocabulary& vocabulary);

// What ranks that measure a model together must have alike: the model, the dialogues in their
// order, the pool where this rank reads it, and the options of inputs_json().
std::vector<Given> given_inputs(const Inputs& inputs, const std::string& model, Responder& loaded,
                                uint64_t seed);
// The weights that were loaded, and the files that say how they are used.
std::vector<Given> given_model(const std::string& model, const Module& loaded);
// The members of an object as options: {"seed": 1} is --seed with the value 1.
std::vector<Given> given_options(const nlohmann::ordered_json& options);

// The key "inputs" of a result: models, dialogues and pool with their checksums, and all options
// that decide what a model is given. The seed is that of the insertion.
nlohmann::ordered_json inputs_json(const Inputs& inputs, const std::vector<std::string>& models,
                                   uint64_t seed);

}  // namespace heed
