// Declarations that the commands of `heed prepare` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "heed/commands.h"

namespace heed {

// Warns if one dialogue is so long that a border between dialogues may have been missed.
void note_long_dialogue(const std::vector<Dialogue>& dialogues);

// How dialogues are divided into the parts of a data directory.
struct SplitOptions : CommandOptions {
  std::string by;  // "": not divided
  double valid = 0.1, test = 0.1;
  CLI::Option *valid_given = nullptr, *test_given = nullptr;
};

// Declares the option that chooses the way, --split or --by, and --valid and --test.
CLI::Option* add_split_options(CLI::App& command, const char* name, SplitOptions& o);
// Called before the long work. Throws UsageError if the options contradict each other, and
// DataError if the folder already holds parts.
void check_split(const SplitOptions& o, const std::string& folder);
void require_no_parts(const std::string& folder);  // throws DataError
// Writes the parts of the dialogues from `in` into a folder, either all or none (gzip if the name
// of `in` ends in .gz), and reports their contents.
void write_split(const SplitOptions& o, const std::vector<Dialogue>& dialogues,
                 const std::string& in, const std::string& folder);

// For the commands that read files in other formats.
struct PrepareOptions {
  std::string in, out, form = "auto";  // format of the file: --form or --layout
  size_t limit = 0;
  int min_turns = 3;
  bool keep_wrong = false;
  int gap_minutes = 60;
  CLI::Option* gap_given = nullptr;
  std::string text, speaker, dialogue;  // columns of a table
  SplitOptions split;
};

// The dialogues, and sentences about how they were read.
struct Prepared {
  std::vector<Dialogue> dialogues;
  std::vector<std::string> remarks;
};
using PrepareReader = Prepared (*)(const PrepareOptions&, const Reading&);

// Declares the options of all commands that convert a file into dialogues.
std::shared_ptr<PrepareOptions> add_reader(CLI::App& command, PrepareReader read, const char* in);

void add_prepare_published(CLI::App& prepare);  // one command for each corpus
void add_prepare_labels(CLI::App& prepare);
void add_prepare_carryover(CLI::App& prepare);
void add_prepare_because(CLI::App& prepare);
void add_prepare_pairs(CLI::App& prepare);

}  // namespace heed
