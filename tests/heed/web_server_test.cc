// The server of the live page, attacked: by who has no token, by other sites, by sheer size.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "base/error.h"
#include "heed/web/server.h"
#include "tests/file_helpers.h"
#include "tests/heed/web_helpers.h"
#include "tests/wait.h"

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;

class Web : public testing::Test {
 protected:
  Web() : thread([this] { server.run(stop); }) {}
  ~Web() override {
    stop = true;
    thread.join();
  }
  static Site site() {
    return {.pages = {{"/", {.type = "text/html; charset=utf-8", .body = "<p>page</p>"}}},
            .calls = {{"/api/echo", [](const std::string& body) { return WebReply{.body = body}; }},
                      {"/api/wait",
                       [](const std::string& body) {
                         asked = true;
                         EXPECT_TRUE(wait_until([] { return answers.load(); }));
                         return WebReply{.body = body};
                       }},
                      {"/api/fail", [](const std::string&) -> WebReply {
                         throw DataError("/secret/path: broken");
                       }}}};
  }
  std::string say(const std::string& bytes) const { return tell(at.port, bytes); }
  int status(const std::string& bytes) const { return status_of(say(bytes)); }
  // The owner's page works, and at once.
  void expect_owner_is_served(const std::string& while_what) const {
    const auto begin = Clock::now();
    EXPECT_EQ(status(get_request(at)), 200) << while_what;
    EXPECT_EQ(body_of(say(post_request(at, "api/echo", "{}"))), "{}") << while_what;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3)) << while_what;
  }

  inline static std::atomic<bool> asked{false}, answers{false};  // of api/wait
  std::atomic<bool> stop{false};
  WebServer server{site(), 0};
  const Address at{server.address()};
  std::thread thread;
};

TEST_F(Web, ServesWhoHasTheAddress) {
  const std::string page = say(get_request(at));
  EXPECT_EQ(status_of(page), 200);
  EXPECT_EQ(body_of(page), "<p>page</p>");
  for (const char* header : {"Content-Type: text/html; charset=utf-8\r\n",
                             "Content-Security-Policy: default-src 'none';",
                             "X-Content-Type-Options: nosniff\r\n", "X-Frame-Options: DENY\r\n",
                             "Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n"}) {
    EXPECT_TRUE(has(page, header)) << page;
  }
  EXPECT_FALSE(has(page, "Access-Control-"));
  EXPECT_EQ(body_of(say(post_request(at, "api/echo", "{\"a\": 1}"))), "{\"a\": 1}");
  Address local = at;
  local.host = "localhost:" + std::to_string(at.port);
  EXPECT_EQ(status(get_request(local)), 200);
  EXPECT_EQ(status(post_request(at, "api/echo", "{}", "Origin: http://" + at.host + "\r\n")), 200);
  EXPECT_EQ(status(get_request(at, "other")), 404);
  EXPECT_EQ(status(post_request(at, "api/other", "{}")), 404);
  EXPECT_EQ(status(post_request(at, "", "{}")), 404);  // a page
  EXPECT_EQ(status(get_request(at, "api/echo")), 404);
}

TEST_F(Web, SendsWhatItSaysOnceAndAsAWhole) {
  std::string often = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) often += ",0-";
  Address stranger = at;
  stranger.path = "/x/";
  for (const Address& a : {at, stranger}) {
    for (const std::string& ranges : {often, std::string("Range: bytes=0-3")}) {
      std::string request = get_request(a);
      request.insert(request.size() - 2, ranges + "\r\n");
      EXPECT_EQ(body_of(say(request)), body_of(say(get_request(a)))) << ranges.substr(0, 20);
    }
  }
}

TEST_F(Web, RefusesWhoHasNoToken) {
  const auto with_path = [&](const std::string& path) {
    Address other = at;
    other.path = path;
    return other;
  };
  std::string wrong = at.path;
  wrong[1] = wrong[1] == 'a' ? 'b' : 'a';
  for (const std::string& path :
       {std::string("/"), wrong, at.path.substr(0, 20), at.path + "x/", "/" + at.path,
        "/x" + at.path, std::string("/../") + at.path.substr(1), std::string("//"),
        std::string("/%2e%2e/etc/passwd"), "/api/" + at.path.substr(1), "/?" + at.path}) {
    const std::string page = say(get_request(with_path(path)));
    const bool known = path.starts_with(at.path);  // what is behind the token is not there
    EXPECT_EQ(status_of(page), known ? 404 : 403) << path;
    EXPECT_FALSE(has(page, at.path.substr(1, 32))) << path;
    EXPECT_EQ(status(post_request(with_path(path), "api/echo", "{}")), known ? 404 : 403) << path;
  }
  for (const char* place : {"../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "page.js%00", "?x"}) {
    EXPECT_EQ(status(get_request(at, place)), 404) << place;
  }
}

// A name of somebody's own that leads to 127.0.0.1 (DNS rebinding), and pages of other sites.
TEST_F(Web, RefusesOtherSites) {
  const std::string get = "GET " + at.path + " HTTP/1.1\r\n", own = "Host: " + at.host + "\r\n";
  const std::string port = ":" + std::to_string(at.port);
  for (const std::string& host :
       {"evil.example" + port, std::string("127.0.0.1"), std::string("127.0.0.1:1"),
        "127.0.0.1.evil.example" + port, "[::1]" + port, "127.0.0.1" + port + ".evil",
        std::string(""), at.host + "@evil.example", at.host + ", " + at.host}) {
    EXPECT_EQ(status(get + "Host: " + host + "\r\n\r\n"), 403) << host;
  }
  EXPECT_EQ(status(get + "\r\n"), 403);
  EXPECT_EQ(status(get + own + own + "\r\n"), 403);
  EXPECT_EQ(status(get + own + "Host: evil.example\r\n\r\n"), 403);
  EXPECT_EQ(status(get + own + "\r\n"), 200);
  const std::string https = "Origin: https://" + at.host + "\r\n";  // not the page that we serve
  for (const char* header :
       {"Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: https://127.0.0.1\r\n",
        "Origin: http://127.0.0.1:1\r\n", https.c_str(), "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n"}) {
    const std::string reply = say(post_request(at, "api/echo", "{}", header));
    EXPECT_EQ(status_of(reply), 403) << header;
    EXPECT_FALSE(has(reply, "Access-Control-"));
    EXPECT_EQ(status(get + own + header + "\r\n"), 403) << header;
  }
  EXPECT_EQ(status("OPTIONS " + at.path + "api/echo HTTP/1.1\r\n" + own +
                   "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"),
            403);
}

TEST_F(Web, TakesNothingButGetAndPostOfJson) {
  const std::string own = " HTTP/1.1\r\nHost: " + at.host + "\r\n";
  for (const char* method : {"HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    EXPECT_EQ(status(method + std::string(" ") + at.path + own + "Content-Length: 0\r\n\r\n"), 405)
        << method;
  }
  const std::string post = "POST " + at.path + "api/echo" + own;
  const auto typed = [&](const std::string& type) {
    return status(post + "Content-Type: " + type + "\r\nContent-Length: 2\r\n\r\n{}");
  };
  EXPECT_EQ(typed("application/json"), 200);
  EXPECT_EQ(typed("application/json; charset=utf-8"), 200);
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonp",
                           "", "multipart/form-data; boundary=x", "text/plain; application/json"}) {
    EXPECT_EQ(typed(type), 415) << type;
  }
  EXPECT_EQ(status(post + "Content-Length: 2\r\n\r\n{}"), 415);
  const std::string json = post + "Content-Type: application/json\r\n";
  EXPECT_EQ(status(json + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), 415);
  EXPECT_EQ(status(json + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(status(json + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"), 411);
  for (const char* length : {"-1", "x", "0x2", "2, 2", "99999999999999999999", ""}) {
    EXPECT_EQ(status(json + "Content-Length: " + length + "\r\n\r\n{}"), 411) << length;
  }
  EXPECT_EQ(status(json + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), 411);
  EXPECT_EQ(status(json + "Content-Length: 65537\r\n\r\n{}"), 413);
  expect_owner_is_served("after that");
}

TEST_F(Web, ReadsNoMoreThanItsBounds) {
  const std::string most(Gate::kMaxBody, 'a');
  EXPECT_EQ(body_of(say(post_request(at, "api/echo", most))).size(), most.size());
  const std::string huge(10 << 20, 'a');
  const std::string reply = say(post_request(at, "api/echo", huge));
  EXPECT_TRUE(status_of(reply) == 413 || reply.empty()) << reply;  // it hangs up while we talk
  // No end of the head, of a line of it, of the request line.
  const std::string get = "GET " + at.path + " HTTP/1.1\r\nHost: " + at.host + "\r\n";
  EXPECT_NE(status(get + "X: " + huge), 200);
  EXPECT_NE(status(get + huge), 200);
  EXPECT_NE(status("GET /" + huge), 200);
  std::string headers;
  for (int i = 0; i < 100'000; ++i) headers += "a: b\r\n";
  EXPECT_NE(status(get + headers + "\r\n"), 200);
  std::string ranges = "Range: bytes=0-0";
  while (ranges.size() < 8000) ranges += ",0-0";
  status(get + ranges + "\r\n\r\n");
  expect_owner_is_served("after that");
}

TEST_F(Web, SurvivesWhatIsNoHttp) {
  const std::string zero(1, '\0'), get = "GET " + at.path;
  for (const std::string& bytes :
       {std::string(), zero, std::string("\r\n\r\n"), std::string("\n"),
        "GET" + zero + " / HTTP/1.1\r\n\r\n",
        get + zero + " HTTP/1.1\r\nHost: " + at.host + "\r\n\r\n", get + "\r\n\r\n",
        get + " HTTP/9.9\r\nHost: " + at.host + "\r\n\r\n",
        get + " HTTP/1.1\r\nHost: 127" + zero + at.host.substr(3) + "\r\n\r\n",
        get + " HTTP/1.1\r\nHost : " + at.host + "\r\n\r\n",
        get + " HTTP/1.1\r\n:::\r\n: x\r\n\r\n", std::string("\x16\x03\x01\x02\x00\x01\x00", 7),
        std::string(5000, '\xff')}) {
    const Client client(at.port);
    client.send(bytes);
    client.end();
    EXPECT_NE(status_of(client.receive()), 200) << bytes.substr(0, 60);
  }
  // A body that ends before its length, or goes on behind it.
  std::string more = post_request(at, "api/echo", "{}");
  EXPECT_EQ(body_of(say(more + get_request(at))), "{}");
  more.replace(more.find("Length: 2"), 9, "Length: 9");
  const Client less(at.port);
  less.send(more);
  less.end();
  EXPECT_NE(status_of(less.receive()), 200);
  expect_owner_is_served("after that");
}

// Nothing of the inside goes out.
TEST_F(Web, KeepsItsErrorsToItself) {
  testing::internal::CaptureStderr();
  const std::string reply = say(post_request(at, "api/fail", "{}"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heed: /secret/path: broken\n");
  EXPECT_EQ(status_of(reply), 500);
  EXPECT_EQ(body_of(reply), R"({"error":"an internal error; the terminal shows it"})");
}

// Who connects and says nothing, or not enough, keeps nobody out.
TEST_F(Web, ServesItsOwnerBesideTwoHundredOthers) {
  for (const std::string& begun :
       {std::string(), "GET " + at.path.substr(0, 9), std::string("GET / HTTP/1.1\r\nX: ")}) {
    std::vector<Client> others;
    for (int i = 0; i < 200; ++i) {
      others.emplace_back(at.port);
      others.back().send(begun);
    }
    expect_owner_is_served("200 connections that said '" + begun + "'");
  }
}

// What the owner has asked for and waits for is answered, whoever comes meanwhile.
TEST_F(Web, AnswersItsOwnerThoughACrowdComes) {
  asked = answers = false;
  const Client owner(at.port);
  owner.send(post_request(at, "api/wait", "{}"));
  ASSERT_TRUE(wait_until([] { return asked.load(); }));
  std::vector<Client> others;
  for (int i = 0; i < 200; ++i) others.emplace_back(at.port);
  expect_owner_is_served("200 connections");  // so all of them have come
  answers = true;
  EXPECT_EQ(body_of(owner.receive()), "{}");
}

TEST_F(Web, SpeaksToThisMachineOnly) {
  EXPECT_FALSE(Client(at.port, "127.0.0.2").connected());
}

TEST_F(Web, APortIsTakenOnce) {
  const std::string says = error_of<DataError>([&] { WebServer(site(), at.port); });
  EXPECT_EQ(says, "--port " + std::to_string(at.port) +
                      ": is taken, or not allowed; --port 0 takes a free one");
}

TEST(Gate, TokensAreRandom) {
  std::set<std::string> seen;
  int equal = 0;  // neighbours: one of 16
  for (int i = 0; i < 100; ++i) {
    const std::string token = random_token();
    for (size_t k = 1; k < token.size(); ++k) equal += token[k] == token[k - 1];
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos);
    EXPECT_TRUE(seen.insert(token).second);
  }
  EXPECT_NEAR(equal, 3100 / 16.0, 100);  // seven standard deviations
  EXPECT_TRUE(same_text("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "bbc", "abcd"}) EXPECT_FALSE(same_text("abc", other));
}

}  // namespace
}  // namespace heed
