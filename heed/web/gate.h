// Who may use the live page's server: only those who know the address, and nobody else on the
// machine or in another tab of the browser.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "heed/web/reply.h"

namespace heed {

// 128 random bits of the kernel as 32 hexadecimal digits. Throws std::system_error.
std::string random_token();

// Takes equal time wherever two texts of the same length differ.
bool same_text(std::string_view a, std::string_view b);

// The head of a request. `header` gives the value of the header with this name, empty if it is
// missing; several headers of one name are joined by ", ".
struct RequestHead {
  std::string_view method, target;  // as they were sent
  std::function<std::optional<std::string>(const char*)> header;
};

class Gate {
 public:
  static constexpr size_t kMaxBody = 64 << 10;  // bytes

  Gate(int port, std::string token) : port_(port), token_(std::move(token)) {}

  // "http://127.0.0.1:8080/TOKEN/"
  std::string address() const;

  // Nothing, and the place behind the token, for a request that may pass; or what to say instead:
  //   403  the host is not ours (a name that leads here: DNS rebinding), the token is missing or
  //        wrong, another site asks (Origin, Sec-Fetch-Site)
  //   405  neither GET nor POST
  //   411, 413, 415  of a POST: no length, more than kMaxBody, no JSON or packed
  std::optional<WebReply> refuse(const RequestHead& head, std::string& place) const;

 private:
  bool is_own_host(std::string_view host) const;
  std::optional<WebReply> refuse_body(const RequestHead& head) const;

  int port_;
  std::string token_;
};

}  // namespace heed
