// Lines for people. Text that they quote from files is escaped, so that it has no effect on a
// terminal (printable()).
#pragma once

#include <string>

namespace heed {

void print_error(const std::string& message);  // "heed: ..." on standard error, one line
void warn(const std::string& message);         // "heed: warning: ..."
void note(const std::string& message);         // "heed: note: ..."

}  // namespace heed
