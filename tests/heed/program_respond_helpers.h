// heed respond on 20 dialogues of the sample.
#pragma once

#include "tests/heed/program_data.h"

namespace heed {

class Respond : public ProgramWithRun {
 protected:
  static Arguments command(const std::string& out) {
    return {"respond", "--model", run(), "--data", kSample, "--limit", "20", "--out", out};
  }
  static std::vector<nlohmann::json> lines(const std::string& text) {
    std::vector<nlohmann::json> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

}  // namespace heed
