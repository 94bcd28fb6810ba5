// A folder for a run, and settings of a short training.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/file_helpers.h"
#include "tests/train/point_helpers.h"
#include "train/loop.h"

namespace heed {

struct LoopTest : testing::Test {
  LoopTest() { std::filesystem::create_directory(run); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  const TempDir dir;
  const std::string run = dir.path("run");
  LoopSettings settings = {.batch_size = 2, .max_epochs = 3, .schedule = {.rate = 0.1}};
};

}  // namespace heed
