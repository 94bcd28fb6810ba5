// The tasks of Parthasarathi, Pineau & Chandar 2020 (Table 1) for annotated corpora, as sets of
// labels for each example. Their program is not public, and the paper has one line per task: these
// definitions are ours (docs/probes.md). Tasks without annotation are in unannotated.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/probe/label_file.h"

namespace heed::probe {

struct LabelOptions {
  size_t location_buckets = 5;      // of UtteranceLoc
  bool recent_is_new = false;       // a changed value of a known slot is not recent
  bool repeats_have_value = false;  // a slot is repeated only with the same value
};

using State = std::map<std::string, std::string>;  // "hotel-area" -> "north"
using Values = std::set<std::string>;

// One example: the system's response to the user's last turn, the t-th of its dialogue's n
// examples. S_t is the state after the user's turn, S_0 is empty.
struct Moment {
  size_t t = 0, n = 0;                 // t from 1
  State recent;                        // R_t: pairs of S_t that are new or changed against S_t-1
  State all;                           // A_t: keys of S_1..S_t, with their latest values
  State all_before;                    // A_t-1
  std::string topic;                   // of the last R that is not empty, "none" before
  Values all_topics;                   // of A_n, which is the whole dialogue
  Values acts, act_slots, act_values;  // of the response
  Values persona_words;                // of the answering speaker
};

// The annotation that a task needs.
enum class Needs {
  kStates,   // the label "state" of the user's turns
  kActs,     // the label "act" (or "call") of the system's turns
  kSlots,    // slots in these
  kPersonas  // sentences about the speakers
};

// A task: the labels of an example; an empty set becomes the label "none".
struct LabelTask {
  const char* name;
  Needs needs;
  Values (*labels)(const Moment&, const LabelOptions&);
};
const std::vector<LabelTask>& label_tasks();

// The labels of the tasks for which the dialogues have annotation. With states the examples are the
// system's turns that follow a turn of the user, else all turns from the second on. The id is
// "DIALOGUE#TURN", turns from 1, the key the text of the turn before. Throws DataError if there is
// no annotation.
LabelledExamples annotated_labels(const std::vector<Dialogue>& dialogues,
                                  const LabelOptions& options = {});

// A task in short: the number of labels, their average number per example, and the most frequent
// one (the first of several) with its share of the examples.
struct LabelStatistics {
  size_t labels = 0;
  double per_example = 0;
  std::string most_frequent;
  double share = 0;
};
LabelStatistics statistics(const LabelSets& sets);

}  // namespace heed::probe
