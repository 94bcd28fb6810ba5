// A small ranker, for the tests of what ranks and of what answers out of a pool.
#pragma once

#include <string>

#include "tests/heed/program_helpers.h"

namespace heed {

// One run for all tests: 300 dialogues, some seconds.
inline const std::string& ranker() {
  static const TempDir dir;
  static const std::string run = [] {
    const std::string out = dir.path("ranker");
    const Result r = heed_program({"train", "retrieval", "--data", kSample, "--preset", "smoke",
                                   "--limit", "300", "--epochs", "2", "--out", out});
    EXPECT_EQ(r.code, 0) << r.err;
    return out;
  }();
  return run;
}

}  // namespace heed
