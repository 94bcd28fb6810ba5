// Probe sets on disk: the labels to predict from an example's representation, as JSON Lines, one
// example per line, plain or gzip. Anybody can add a task: it is a key.
//   {"id": "DIALOGUE#TURN", "labels": {"RecentTopic": ["hotel"], "AllSlots": ["hotel-area"]}}
// An optional "key" determines an example's label in the control task (control_labels()), such as
// the text of its last utterance: equal keys get equal control labels. Without it the id does.
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

// Every line has the same tasks; ids are unique, and so are labels within their set; other keys and
// blank lines are skipped. Throws DataError "file:line: ..." for anything else, and for a file
// without an example.
LabelledExamples read_labels(const std::string& path);

// Writes the file atomically, as gzip if the name ends in ".gz". Throws DataError if a text is not
// UTF-8.
void write_labels(const std::string& path, const LabelledExamples& examples);

}  // namespace heed::probe
