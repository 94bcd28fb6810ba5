// Files of small sweeps, and the command that runs one.
#pragma once

#include "tests/heed/program_helpers.h"

namespace heed {

inline const char* const kFixed[] = {
    "preset = \"smoke\"", "limit = 40",    "vocab = 150",        "hidden = 8",         "epochs = 2",
    "batch = 4",          "max-turns = 4", "max-utterance = 10", "examples = \"last\""};

inline std::string file_of(const std::string& grid, const std::string& sweep = "") {
  std::string text = "[train]\ndata = \"" + kSample + "\"\n";
  for (const char* line : kFixed) text += std::string(line) + "\n";
  return text + "[grid]\n" + grid + "[sweep]\n" + sweep;
}
inline Arguments sweep_command(const std::string& file, const std::string& out) {
  return {"sweep", file, "--out", out, "--threads", "1", "--jobs", "2"};
}

}  // namespace heed
