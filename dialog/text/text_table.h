#pragma once

#include <string>
#include <vector>

namespace heed {

// A table for people, of columns of cells with a title first: the first column is left-aligned, the
// others right-aligned. Columns that do not fit into `width` follow below, with the first column
// again.
std::string text_table(std::vector<std::vector<std::string>> columns, int width);

}  // namespace heed
