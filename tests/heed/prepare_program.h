// heed prepare, and what it writes.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/heed/program_data.h"
#include "tests/heed/program_helpers.h"

namespace heed {

class Prepare : public testing::Test {
 protected:
  Result prepare(const std::string& corpus, const std::string& in, const std::string& out,
                 const Arguments& more = {}) {
    return heed_program(Arguments{"prepare", corpus, "--in", in, "--out", dir.path(out)} + more);
  }
  // The dialogues of a file, one a line.
  std::vector<nlohmann::json> read(const std::string& name) {
    std::vector<nlohmann::json> all;
    std::istringstream lines(dir.read(name));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  TempDir dir;
};

}  // namespace heed
