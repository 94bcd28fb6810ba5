// A run that failed, or that its worker died of: left alone by all workers of all machines until
// the next time that somebody starts the experiment.
#pragma once

#include <optional>
#include <string>

namespace heed {

// Writes failed.json into the run's directory: why, on which machine, by which process.
void save_failure(const std::string& directory, const std::string& message);
// Why it failed; nothing where it did not.
std::optional<std::string> load_failure(const std::string& directory);
void clear_failure(const std::string& directory);

}  // namespace heed
