// Command lines: the input's lines are the arguments. Commands are parsed and not run.
#include "tests/fuzz/options.h"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> arguments;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(lines, line);) {
    // It would read whatever file is named; files of options have a target of their own.
    if (line.find("--config") != line.npos) return 0;
    arguments.push_back(line);
  }
  heed::fuzz::parse_options(arguments);
  return 0;
}
