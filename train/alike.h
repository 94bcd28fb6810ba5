// What ranks must have alike before they share out work: results of ranks that differ are those of
// no rank.
#pragma once

#include <string>
#include <vector>

#include "train/ranks.h"

namespace heed {

// A value that a rank was given, under the name that it has on all ranks: an option, or a file.
struct Given {
  std::string name;
  std::string value;  // an option's, or a checksum; empty: another rank reads it for this one
  std::string of_what = {};  // the file's path, for the message
};

// To be called by all ranks together. Throws DataError on all of them where one has another value
// than rank 0: the message names the value, both ranks and the files.
void check_alike(Ranks& ranks, const std::vector<Given>& given);

}  // namespace heed
