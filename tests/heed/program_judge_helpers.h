// What the tests of heed judge have in common.
#pragma once

#include "tests/heed/program_data.h"

namespace heed {

inline std::string judgement(int item, const std::string& annotator, const std::string& choice) {
  return nlohmann::json({{"item", item}, {"annotator", annotator}, {"choice", choice}}).dump() +
         "\n";
}

class JudgeTest : public testing::Test {
 protected:
  nlohmann::json json_of(const Arguments& command) const {
    const Result r = heed_program(command + Arguments{"--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return nlohmann::json::parse(r.out);
  }
  const TempDir dir;
};

}  // namespace heed
