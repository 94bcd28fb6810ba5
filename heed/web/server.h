// A web server for one person: on the loopback address, behind a token (heed/web/gate.h), and with
// bounds on everything that a stranger could use up.
//
//   bytes of a request      kMaxHead + Gate::kMaxBody, whatever its head says
//   time to send it         kRequestTime as a whole, not from one byte to the next
//   connections             kThreads at once and kWaiting behind them, one request each. The newest
//                           is served first, in the place of the oldest that has not shown the
//                           token yet: who sends slowly, or nothing, keeps nobody out.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "heed/web/gate.h"
#include "heed/web/reply.h"

namespace heed {

// The files and functions by their path after the token: "/", "/api/models".
struct Site {
  std::map<std::string, WebReply> pages;                                          // GET
  std::map<std::string, std::function<WebReply(const std::string& body)>> calls;  // POST
};

class WebServer {
 public:
  static constexpr size_t kMaxHead = 16 << 10;
  static constexpr std::chrono::seconds kRequestTime{10};
  static constexpr size_t kThreads = 16, kWaiting = 64;

  // Listens on 127.0.0.1; port 0: a free one. Throws DataError where the port is taken.
  WebServer(Site site, int port);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // "http://127.0.0.1:8080/TOKEN/"
  std::string address() const;

  // Serves until `stop` is set.
  void run(const std::atomic<bool>& stop);

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace heed
