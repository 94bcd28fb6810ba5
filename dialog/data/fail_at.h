// An error about one dialogue of a file that was read.
#pragma once

#include <string>

#include "base/error.h"
#include "dialog/data/dialogue.h"
#include "dialog/text/text_file.h"

namespace heed {

// Throws DataError "PATH:LINE: rule" for the line of the n-th dialogue of read_dialogues(), from 0.
[[noreturn]] inline void fail_at(const std::string& path, size_t n, const std::string& rule) {
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (!is_blank(line) && n-- == 0) reader.fail(rule);
  }
  throw DataError(path + ": " + rule);  // of a file that has changed since
}

}  // namespace heed
