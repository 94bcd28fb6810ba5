// Probe sets on disk: what is to be read off an example's representation, as JSON Lines, one
// example a line, plain or gzip. Anybody can add a task: it is a key.
//   {"id": "DIALOGUE#TURN", "labels": {"RecentTopic": ["hotel"], "AllSlots": ["hotel-area"]}}
// An optional "key" is what the control task of an example is drawn by (controls.h), such as the
// text of its last utterance: equal keys get equal control labels. Without it the id is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialog/text/text_file.h"

namespace heed::probe {

// The labels of every example for one task: a set, sorted.
using LabelSets = std::vector<std::vector<std::string>>;

struct LabelledExamples {
  std::vector<std::string> ids, keys;
  std::map<std::string, LabelSets> tasks;  // each as long as `ids`
};

// Every line has the same tasks, ids are not repeated, nor is a label within its set; other keys
// and blank lines are skipped. Throws DataError "file:line: ..." for anything else, and for a file
// without an example.
LabelledExamples read_labels(const std::string& path);

// Writes the file whole or not at all, gzip if the name ends in ".gz". Throws DataError where a
// text is not UTF-8.
void write_labels(const std::string& path, const LabelledExamples& examples);

}  // namespace heed::probe
