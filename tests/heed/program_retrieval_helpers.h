#pragma once

#include <nlohmann/json.hpp>

#include "tests/heed/program_helpers.h"

namespace heed {

inline nlohmann::json json_of_ranks(const Arguments& arguments) {
  const Result r = heed_program(Arguments{"rank"} + arguments + Arguments{"--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  return nlohmann::json::parse(r.out, nullptr, false);
}

}  // namespace heed
