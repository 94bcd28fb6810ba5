#pragma once

#include <string>

namespace heed {

// The reply of a web server. `type` is a MIME type.
struct WebReply {
  int status = 200;
  std::string type = "application/json", body;
};

// {"error": message}
WebReply web_error(int status, const std::string& message);

}  // namespace heed
