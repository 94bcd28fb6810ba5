#pragma once

#include <string>

namespace heed {

// Whether a JSON file describes a folder of runs, of an experiment or a sweep. Its content decides.
bool describes_runs(const std::string& path);

// Whether a file or a folder of this name is a part of models, runs or folders of dialogues.
bool belongs_to_a_folder(const std::string& name);

}  // namespace heed
