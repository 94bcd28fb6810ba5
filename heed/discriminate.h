// Declarations that the commands of `heed discriminate` share.
#pragma once

#include <CLI/App.hpp>

namespace heed {

void add_discriminate_test(CLI::App& discriminate);

}  // namespace heed
