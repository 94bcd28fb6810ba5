// Where things are on this machine. tests/main.cc alone is compiled with it, so that what a
// compiler cache keeps of a test serves every checkout.
#pragma once

#include <string>

namespace heed {

extern const char* const kSourceDir;
extern const char* const kProgramPath;   // of the program heed
extern const char* const kExamplesPath;  // the folder, built where HEED_HAVE_EXAMPLES

inline std::string source_dir() {
  return kSourceDir;
}

}  // namespace heed
