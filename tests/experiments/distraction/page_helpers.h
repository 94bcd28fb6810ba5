// The page of a made-up experiment.
#pragma once

#include <string>

#include "experiments/distraction/experiment.h"
#include "tests/experiments/distraction/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {

inline std::string page_of(const Results& results, const Samples& samples = made_up_samples()) {
  return report_of(distraction_showing(), found_of(results, samples)).page;
}

// Two seeds of dynamic, one of all others.
inline const Results& full_results() {
  static const Results results = made_up_results(2, {"dynamic"});
  return results;
}

inline const std::string& full_page() {
  static const std::string page = page_of(full_results());
  return page;
}

inline size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

}  // namespace heed
