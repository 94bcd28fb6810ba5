// The common part of the readers of published corpora.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

// The dialogues of a published corpus, and counts of what was left out: "turns without text" -> how
// many.
struct Published {
  std::vector<Dialogue> dialogues;
  std::map<std::string, size_t> left_out;
};

// Appends a turn to the last dialogue, or counts it as left out if its text is blank and returns
// false.
bool add_turn(Published& corpus, Turn turn);

// The form of labels: lower case (ASCII), without white space (Unicode) at the ends; each run of it
// inside becomes one '_'.
std::string label_value(std::string_view text);

// The values of a label; none if it is not there.
const std::vector<std::string>& values_in(const Labels& labels, const std::string& label);

// The two sides of the first '=': "hotel-area=north". Without one the value is empty.
struct NameAndValue {
  std::string name, value;
};
NameAndValue split_value(const std::string& label);

// The sorted paths of the files below the folder with this ending, which .gz may follow. Throws
// DataError if the folder cannot be listed.
std::vector<std::string> find_files(const std::string& folder, const std::string& ending);

}  // namespace heed
