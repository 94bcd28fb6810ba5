// What must be equal on all ranks before they share work: the results of ranks that differ would
// belong to none of them.
#pragma once

#include <string>
#include <vector>

#include "train/ranks.h"

namespace heed {

// A value that a rank was given, under the name that it has on all ranks: an option, or a file.
struct Given {
  std::string name;
  std::string value;  // of an option, or a checksum; empty: another rank reads it for this one
  std::string of_what = {};  // the file's path, for the message
};

// All ranks call it together. It throws DataError on all of them if a rank's value differs from
// that of rank 0; the message names the value, both ranks and the files.
void check_alike(Ranks& ranks, const std::vector<Given>& given);

}  // namespace heed
