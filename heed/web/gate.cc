#include "heed/web/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace heed {

std::string random_token() {
  std::array<unsigned char, 16> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

std::string Gate::address() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + token_ + "/";
}

bool Gate::is_own_host(std::string_view host) const {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (host == std::string(name) + ":" + std::to_string(port_)) return true;
    if (port_ == 80 && host == name) return true;
  }
  return false;
}

// The size of a body is checked before it is read: it must have a length, and come unpacked.
std::optional<WebReply> Gate::refuse_body(const RequestHead& head) const {
  const std::string type = head.header("Content-Type").value_or("");
  if (type != "application/json" && type != "application/json; charset=utf-8") {
    return web_error(415, "expected Content-Type: application/json");
  }
  if (head.header("Content-Encoding")) return web_error(415, "expected a body without compression");
  const std::string length = head.header("Content-Length").value_or("");
  const bool number = !length.empty() && length.size() < 16 &&
                      length.find_first_not_of("0123456789") == std::string::npos;
  if (!number || head.header("Transfer-Encoding")) {
    return web_error(411, "expected one Content-Length");
  }
  if (std::stoull(length) > kMaxBody) {
    return web_error(413, "more than " + std::to_string(kMaxBody) + " bytes");
  }
  return std::nullopt;
}

std::optional<WebReply> Gate::refuse(const RequestHead& head, std::string& place) const {
  if (!is_own_host(head.header("Host").value_or(""))) {
    return web_error(403, "the host of this server is 127.0.0.1");
  }
  const std::string_view target = head.target;
  const size_t end = std::min(target.find('/', 1), target.size());
  if (!target.starts_with('/') || !same_text(target.substr(1, end - 1), token_)) {
    return web_error(403, "open the address that `heed chat --web` printed, all of it");
  }
  const std::string origin = head.header("Origin").value_or("");
  const std::string site = head.header("Sec-Fetch-Site").value_or("");
  const bool own_origin = origin.starts_with("http://") && is_own_host(origin.substr(7));
  if ((!origin.empty() && !own_origin) || site == "cross-site" || site == "same-site") {
    return web_error(403, "only this server's own page may ask");
  }
  place = target.substr(end);
  if (head.method == "GET") return std::nullopt;
  if (head.method != "POST") return web_error(405, "expected GET or POST");
  return refuse_body(head);
}

}  // namespace heed
