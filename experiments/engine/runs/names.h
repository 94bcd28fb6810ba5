// Lists of names as files of experiments have them: "a,b".
#pragma once

#include <string>
#include <vector>

namespace heed {

std::string joined_names(const std::vector<std::string>& names);
std::vector<std::string> split_names(const std::string& list);  // "" is a list of none

}  // namespace heed
