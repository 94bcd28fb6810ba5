#pragma once

#include <cstdlib>
#include <string>

namespace heed {

// The name of Chromium's program; empty where there is none.
inline std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const std::string find = "command -v " + std::string(name) + " > /dev/null 2>&1";
    if (std::system(find.c_str()) == 0) return name;
  }
  return "";
}

}  // namespace heed
