// Lines for people. Whatever they quote comes from files and other people and is shown, never
// obeyed (printable()).
#pragma once

#include <cstddef>
#include <string>

namespace heed {

void print_error(const std::string& message);  // "heed: ..." on standard error, one line
void warn(const std::string& message);         // "heed: warning: ..."
void note(const std::string& message);         // "heed: note: ..."

// "850 parameters", "12.3 thousand parameters", "4.6 million parameters".
std::string size_of_model(size_t parameters);

// "  123.45", or "6.61e+11" where it would be a long row of digits.
std::string perplexity_text(double perplexity);

}  // namespace heed
