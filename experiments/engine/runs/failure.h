// A run that failed or killed its worker: all workers on all machines skip it until the experiment
// is started again.
#pragma once

#include <optional>
#include <string>

namespace heed {

// Writes failed.json into the run's directory: why, on which machine, by which process.
void save_failure(const std::string& directory, const std::string& message);
// Why it failed; nothing if it did not.
std::optional<std::string> load_failure(const std::string& directory);
void clear_failure(const std::string& directory);

}  // namespace heed
