#include "heed/web/server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "heed/messages.h"

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;

// False if the time is later than `until`, or the connection is closed.
bool wait_for(int socket, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    pollfd one = {socket, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(left.count()) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// A connection with bounds on the bytes that are read from it, and on the total time.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(int socket, size_t bytes)
      : socket_(socket), left_(bytes), until_(Clock::now() + WebServer::kRequestTime) {}

  void allow(size_t more_bytes) { left_ += more_bytes; }

  bool is_readable() const override { return begin_ < end_ || left_ > 0; }
  bool is_writable() const override { return true; }

  ssize_t read(char* to, size_t size) override {
    if (begin_ == end_ && !fill()) return -1;
    const size_t count = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, count, to);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    const Clock::time_point until = Clock::now() + WebServer::kRequestTime;
    for (size_t done = 0; done < size;) {
      if (!wait_for(socket_, POLLOUT, until)) return -1;
      const ssize_t n = ::send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return -1;
      done += static_cast<size_t>(std::max<ssize_t>(n, 0));
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "", port = 0; }
  socket_t socket() const override { return socket_; }

  // Ends the connection so that the reply arrives: closing before everything is read would discard
  // it.
  void finish() {
    ::shutdown(socket_, SHUT_WR);
    const Clock::time_point until = Clock::now() + std::chrono::seconds(1);
    constexpr int kReads = 256;
    for (int i = 0; i < kReads && wait_for(socket_, POLLIN, until); ++i) {
      if (::recv(socket_, buffer_.data(), buffer_.size(), 0) <= 0) return;
    }
  }

 private:
  bool fill() {
    if (left_ == 0 || !wait_for(socket_, POLLIN, until_)) return false;
    const ssize_t n = ::recv(socket_, buffer_.data(), std::min(buffer_.size(), left_), 0);
    if (n <= 0) return false;
    begin_ = 0, end_ = static_cast<size_t>(n), left_ -= end_;
    return true;
  }

  const int socket_;
  size_t left_;  // bytes that may still be read
  const Clock::time_point until_;
  std::array<char, 4096> buffer_ = {};
  size_t begin_ = 0, end_ = 0;  // bytes in the buffer
};

struct Connection {
  explicit Connection(int socket) : stream(socket, WebServer::kMaxHead) {}
  BoundedStream stream;
  bool stranger = true;  // has not shown the token
  bool shut = false;
};

// The connection that this thread serves.
thread_local Connection* current = nullptr;
// Tells this thread to turn the connection away instead of serving it.
thread_local bool turns_away = false;

// The open connections, oldest first.
class Connections {
 public:
  void add(Connection& c) {
    const std::scoped_lock lock(mutex_);
    open_.push_back(&c);
    if (closing_) shut(c);
  }
  void remove(Connection& c) {
    const std::scoped_lock lock(mutex_);
    open_.remove(&c);
  }
  void know(Connection& c) {
    const std::scoped_lock lock(mutex_);
    c.stranger = false;
  }
  void make_room() {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [](const Connection* c) { return c->stranger && !c->shut; });
    if (found != open_.end()) shut(**found);
  }
  void close_all() {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    for (Connection* c : open_) shut(*c);
  }

 private:
  static void shut(Connection& c) {
    c.shut = true;
    ::shutdown(c.stream.socket(), SHUT_RDWR);
  }

  std::mutex mutex_;
  std::list<Connection*> open_;
  bool closing_ = false;
};

// A fixed number of threads, and a fixed number of waiting connections. The newest is served first,
// and if too many wait the oldest is turned away: a crowd of strangers that came before the owner
// does not block the owner.
class Workers : public httplib::TaskQueue {
 public:
  explicit Workers(Connections& connections) : connections_(connections) {
    for (size_t i = 0; i < WebServer::kThreads; ++i) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> serve) override {
    std::function<void()> oldest;
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(serve));
      if (waiting_.size() > idle_) connections_.make_room();
      if (waiting_.size() > WebServer::kWaiting) {
        oldest = std::move(waiting_.front());
        waiting_.pop_front();
      }
    }
    come_.notify_one();
    if (!oldest) return;
    turns_away = true;
    oldest();
    turns_away = false;
  }

  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    come_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      ++idle_;
      come_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const std::function<void()> serve = std::move(waiting_.back());
      waiting_.pop_back();
      lock.unlock();
      serve();
      lock.lock();
    }
  }

  Connections& connections_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<std::function<void()>> waiting_;
  size_t idle_ = 0;  // threads
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// Headers of every reply: run only the page's own files, show the page in no frame, tell no other
// site its address, keep nothing.
const httplib::Headers kHeaders = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

void set(httplib::Response& response, const WebReply& reply) {
  response.status = reply.status;
  response.set_content(reply.body, reply.type.c_str());
}

// Internal errors are only for the owner.
void say_in_terminal(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    print_error(e.what());
  } catch (...) {
    print_error("the web server caught an object that is not an exception");
  }
}

RequestHead head_of(const httplib::Request& request) {
  return {request.method, request.target, [&](const char* name) -> std::optional<std::string> {
            const size_t count = request.get_header_value_count(name);
            if (count == 0) return std::nullopt;
            std::string all = request.get_header_value(name);
            for (size_t i = 1; i < count; ++i) all += ", " + request.get_header_value(name, i);
            return all;
          }};
}

}  // namespace

class WebServer::Listener : public httplib::Server {
 public:
  Listener(Site site, int port) : site_(std::move(site)), gate_(listen_on(port), random_token()) {
    using Answer = HandlerResponse;
    set_default_headers(kHeaders);
    set_payload_max_length(Gate::kMaxBody);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return receive(request, response) ? Answer::Unhandled : Answer::Handled;
    });
    // What receive() let pass.
    Post("/[0-9a-f]+(/[a-z/]+)",
         [this](const httplib::Request& request, httplib::Response& response) {
           set(response, site_.calls.at(request.matches[1])(request.body));
         });
    set_exception_handler([](const auto&, httplib::Response& response, std::exception_ptr error) {
      say_in_terminal(error);
      set(response, web_error(500, "an internal error; the terminal shows it"));
    });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) set(response, web_error(response.status, "not understood"));
    });
    new_task_queue = [this] { return new Workers(connections_); };
  }

  const Gate& gate() const { return gate_; }

  void serve_until(const std::atomic<bool>& stop) {
    std::thread accepting([this] { listen_after_bind(); });
    const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    while (!is_running()) nap();
    while (is_running() && !stop) nap();
    Server::stop();
    connections_.close_all();
    accepting.join();
  }

 private:
  // Without SO_REUSEPORT, which is what the library sets: another program could listen beside us.
  int listen_on(int port) {
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    const std::string host = "127.0.0.1";
    const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    if (bound < 0) {
      throw DataError(
          "--port " + std::to_string(port) + ": " +
          (port == 0 ? "no port is free" : "is taken, or not allowed; --port 0 takes a free one"));
    }
    ::listen(svr_sock_, WebServer::kWaiting);  // the library asks for a queue of five
    return bound;
  }

  bool process_and_close_socket(socket_t socket) override {
    if (turns_away) {
      constexpr std::string_view kBusy =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      ::send(socket, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      return ::close(socket) == 0;
    }
    Connection connection(socket);
    connections_.add(connection);
    current = &connection;
    bool closed = false;
    // A reply is sent as a whole: a line of ranges could ask for it a thousand times.
    const auto whole = [](httplib::Request& request) { request.ranges.clear(); };
    const bool good = process_request(connection.stream, /*close_connection=*/true, closed, whole);
    connection.stream.finish();
    current = nullptr;
    connections_.remove(connection);
    ::close(socket);
    return good;
  }

  // Called once the head has been read. False if the request is answered, true if its body is to be
  // read.
  bool receive(const httplib::Request& request, httplib::Response& response) {
    std::string place;
    if (const auto refusal = gate_.refuse(head_of(request), place)) {
      set(response, *refusal);
      return false;
    }
    connections_.know(*current);
    if (request.method == "POST" && site_.calls.contains(place)) {
      current->stream.allow(Gate::kMaxBody);
      return true;
    }
    const auto page = site_.pages.find(place);
    const bool found = request.method == "GET" && page != site_.pages.end();
    set(response, found ? page->second : web_error(404, "there is nothing here"));
    return false;
  }

  Site site_;
  Connections connections_;
  const Gate gate_;
};

WebServer::WebServer(Site site, int port)
    : listener_(std::make_unique<Listener>(std::move(site), port)) {}
WebServer::~WebServer() = default;

std::string WebServer::address() const {
  return listener_->gate().address();
}

void WebServer::run(const std::atomic<bool>& stop) {
  listener_->serve_until(stop);
  if (!stop) throw DataError("the web server can no longer accept connections");
}

}  // namespace heed
