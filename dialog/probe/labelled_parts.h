// The parts of a data directory for probes: examples with their labels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/data/packed_list.h"
#include "dialog/probe/label_file.h"
#include "train/neighbours.h"

namespace heed::probe {

// A part: its examples as ids of a vocabulary, and their labels.
struct LabelledPart {
  std::string name;  // "train"
  PackedList<Example> examples = {};
  LabelledExamples labels = {};
  std::string path = {};  // of its dialogues
  uint32_t fingerprint = 0;
  size_t dialogues = 0;
  std::string label_file = {};  // empty if there is none
  size_t left_out = 0;          // examples without labels

  // Takes over the examples of the machine's first rank, in memory that its ranks share.
  void share(const Neighbours& neighbours) { neighbours.share_list(examples); }
};

// The ids of an utterance's text, for models without a Vocabulary.
using Numbers = std::function<std::vector<int32_t>(const std::string& utterance)>;

// Reads parts of a data directory, "train" first. Every turn from the min_turns-th on is an
// example, within the other bounds of `bounds`; `limits` dialogues of each part are read (0: all).
// The labels are those of the tasks that need no annotation (unannotated.h; mid-frequency words are
// those of the first part) and, if there is a file PART.labels.jsonl or .gz, those of the file,
// which then decides which of these turns are examples. Throws DataError for parts without an
// example, for dialogues with the same id, and if a file has labels for no example. With `numbers`
// the contexts are whole utterances in these ids instead of the vocabulary's.
std::vector<LabelledPart> read_labelled_parts(const std::string& directory,
                                              const std::vector<std::string>& parts,
                                              const Vocabulary& vocabulary,
                                              const ExampleOptions& bounds,
                                              const std::vector<size_t>& limits,
                                              const Numbers& numbers = {});

// The dialogue of each example, numbered from 0 in order of appearance: examples of a dialogue are
// not independent. "d7#3" belongs to "d7"; an id without a turn is a dialogue of its own.
std::vector<int> dialogues_of(const std::vector<std::string>& ids);

}  // namespace heed::probe
