// Lists of names, "a,b" in files of experiments.
#pragma once

#include <string>
#include <vector>

namespace heed {

std::string joined_names(const std::vector<std::string>& names, const char* between = ",");
std::vector<std::string> split_names(const std::string& list);  // "" is the empty list

}  // namespace heed
