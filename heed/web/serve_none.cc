// Replaces the other files in a build without cpp-httplib, or for the demo alone.
#include "base/error.h"
#include "heed/web/serve.h"

namespace heed {

void serve_live_page(const std::vector<std::string>&, const DecodeOptions&, Device, int,
                     const std::string&) {
  throw UsageError(
      "--web: not in this build; install libcpp-httplib-dev (scripts/setup.sh does), and make "
      "program builds it");
}

}  // namespace heed
