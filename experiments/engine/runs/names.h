// Lists of names in files of experiments: "a,b".
#pragma once

#include <string>
#include <vector>

namespace heed {

std::string joined_names(const std::vector<std::string>& names);
std::vector<std::string> split_names(const std::string& list);  // "" is the empty list

}  // namespace heed
