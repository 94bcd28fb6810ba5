// A client that says what it likes to a server, byte by byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace heed {

class Client {
 public:
  explicit Client(int port, const char* host = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, host, &address.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }
  Client(Client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // False where the server has had enough.
  bool send(const std::string& bytes) const {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }
  void end() const { ::shutdown(socket_, SHUT_WR); }
  // All that comes until the server closes; what has come after so many seconds if it does not.
  std::string receive(int seconds = 15) const {
    std::string all;
    char part[4096];
    for (pollfd one = {socket_, POLLIN, 0}; ::poll(&one, 1, 1000 * seconds) > 0;) {
      const ssize_t n = ::recv(socket_, part, sizeof part, 0);
      if (n <= 0) break;
      all.append(part, static_cast<size_t>(n));
    }
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

inline std::string tell(int port, const std::string& bytes) {
  const Client client(port);
  client.send(bytes);
  return client.receive();
}

// 0 where there is none.
inline int status_of(const std::string& response) {
  if (!response.starts_with("HTTP/1.1 ")) return 0;
  return static_cast<int>(std::strtol(response.c_str() + 9, nullptr, 10));
}

inline std::string body_of(const std::string& response) {
  const size_t end = response.find("\r\n\r\n");
  return end == response.npos ? "" : response.substr(end + 4);
}

// "http://127.0.0.1:8080/TOKEN/" in its parts.
struct Address {
  explicit Address(const std::string& url) {
    const size_t colon = url.find(':', 7), slash = url.find('/', 7);
    if (slash == url.npos || colon == url.npos) return;
    port = static_cast<int>(std::strtol(url.c_str() + colon + 1, nullptr, 10));
    host = url.substr(7, slash - 7);
    path = url.substr(slash, url.find_first_of(" \n", slash) - slash);
  }
  int port = 0;
  std::string host, path;
};

inline std::string get_request(const Address& a, const std::string& place = "") {
  return "GET " + a.path + place + " HTTP/1.1\r\nHost: " + a.host + "\r\n\r\n";
}

inline std::string post_request(const Address& a, const std::string& place, const std::string& body,
                                const std::string& headers = "") {
  return "POST " + a.path + place + " HTTP/1.1\r\nHost: " + a.host +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

}  // namespace heed
