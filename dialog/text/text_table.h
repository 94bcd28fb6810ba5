#pragma once

#include <string>
#include <vector>

namespace heed {

// A table for people, of columns of cells with a title first: the first column to the left, the
// others to the right. As many columns beside each other as fit into `width`; those that do not
// follow below, with the first column again.
std::string text_table(std::vector<std::vector<std::string>> columns, int width);

}  // namespace heed
