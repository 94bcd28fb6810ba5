// Lines for people. Whatever they quote comes from files and other people and is shown, never
// obeyed (printable()).
#pragma once

#include <string>

namespace heed {

void print_error(const std::string& message);  // "heed: ..." on standard error, one line
void warn(const std::string& message);         // "heed: warning: ..."
void note(const std::string& message);         // "heed: note: ..."

}  // namespace heed
