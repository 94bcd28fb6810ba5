// A browser that is driven as a person drives it: typing, clicking, looking. Chromium reads
// commands of its DevTools protocol from file 3 and writes what happens to file 4, as JSON with a
// zero byte behind each message.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/file_helpers.h"
#include "tests/heed/chromium.h"

namespace heed {

class DevTools {
 public:
  using Json = nlohmann::json;

  DevTools(const std::string& browser, const TempDir& dir) {
    int to[2], from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe");
    id_ = ::fork();
    if (id_ == 0) run(browser, dir, to[0], from[1]);
    ::close(to[0]), ::close(from[1]);
    write_ = to[1], read_ = from[0];
    const Json target = call("Target.createTarget", {{"url", "about:blank"}});
    const Json attached = call("Target.attachToTarget",
                               {{"targetId", target.value("targetId", "")}, {"flatten", true}});
    session_ = attached.value("sessionId", "");
    for (const char* domain : {"Page", "Runtime", "Log"}) call(domain + std::string(".enable"));
  }
  ~DevTools() {
    ::close(write_), ::close(read_);
    ::kill(id_, SIGTERM);
    ::waitpid(id_, nullptr, 0);
  }
  DevTools(const DevTools&) = delete;
  DevTools& operator=(const DevTools&) = delete;

  // Errors that the page or the browser complained of, in its console.
  std::vector<std::string> complaints;

  Json call(const std::string& method, const Json& parameters = Json::object()) {
    Json message = {{"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump();
    if (::write(write_, text.c_str(), text.size() + 1) < 0) return {};
    for (;;) {
      const Json reply = receive();
      if (reply.is_null()) {
        ADD_FAILURE() << method << ": the browser says nothing";
        return Json::object();
      }
      if (reply.value("id", 0) != last_) continue;
      if (reply.contains("error")) ADD_FAILURE() << method << ": " << reply["error"];
      return reply.value("result", Json::object());
    }
  }

  void open(const std::string& url) {
    call("Page.navigate", {{"url", url}});
    EXPECT_TRUE(wait("document.readyState === 'complete'")) << url;
  }
  // The value of an expression of the page; of a promise what it comes to.
  Json value(const std::string& expression) {
    const Json result =
        call("Runtime.evaluate",
             {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    if (result.contains("exceptionDetails")) {
      return "thrown: " + result["exceptionDetails"]["exception"].value("description", "");
    }
    return result.value("result", Json::object()).value("value", Json());
  }
  bool wait(const std::string& expression, int seconds = 60) {
    for (int i = 0; i < 20 * seconds; ++i) {
      if (value(expression) == true) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  // With the mouse, in the middle of the first element that the selector finds.
  void click(const std::string& selector) {
    const Json at =
        value("(() => { const e = document.querySelector(`" + selector +
              "`); if (!e) return null; e.scrollIntoView({block: 'center'}); const r = "
              "e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()");
    ASSERT_TRUE(at.is_array()) << "there is no " << selector << " to click";
    for (const char* type : {"mousePressed", "mouseReleased"}) {
      call("Input.dispatchMouseEvent",
           {{"type", type}, {"x", at[0]}, {"y", at[1]}, {"button", "left"}, {"clickCount", 1}});
    }
  }
  void type(const std::string& text) { call("Input.insertText", {{"text", text}}); }
  void press(const std::string& key, int code) {
    const std::string text = key == "Enter" ? "\r" : "";
    for (const char* type : {"keyDown", "keyUp"}) {
      call("Input.dispatchKeyEvent", {{"type", type},
                                      {"key", key},
                                      {"code", key},
                                      {"windowsVirtualKeyCode", code},
                                      {"text", type == std::string("keyDown") ? text : ""}});
    }
  }
  // As a person does it with the keyboard, less the keys.
  void choose(const std::string& selector, const std::string& option) {
    value("(() => { const e = document.querySelector('" + selector + "'); e.value = '" + option +
          "'; e.dispatchEvent(new Event('change', {bubbles: true})); })()");
  }
  void screen(int width, int height, bool dark) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    call("Emulation.setEmulatedMedia",
         {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
  }
  // The whole page, as the bytes of a PNG file.
  std::string picture() {
    return decoded(
        call("Page.captureScreenshot", {{"captureBeyondViewport", true}}).value("data", ""));
  }

 private:
  [[noreturn]] static void run(const std::string& browser, const TempDir& dir, int in, int out) {
    const int quiet = ::open(dir.path("browser.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int commands = ::fcntl(in, F_DUPFD, 10), events = ::fcntl(out, F_DUPFD, 10);
    ::dup2(commands, 3), ::dup2(events, 4), ::dup2(quiet, 1), ::dup2(quiet, 2);
    const std::string profile = "--user-data-dir=" + dir.path("profile");
    ::alarm(300);
    ::execlp(browser.c_str(), browser.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--remote-debugging-pipe", profile.c_str(), nullptr);
    ::_exit(127);
  }

  // The next message; null where none comes for a minute.
  Json receive() {
    for (;;) {
      const size_t end = buffer_.find('\0');
      if (end != buffer_.npos) {
        Json message = Json::parse(buffer_.substr(0, end), nullptr, false);
        buffer_.erase(0, end + 1);
        note(message);
        return message;
      }
      pollfd one = {read_, POLLIN, 0};
      char part[65536];
      const ssize_t n = ::poll(&one, 1, 60'000) > 0 ? ::read(read_, part, sizeof part) : 0;
      if (n <= 0) return {};
      buffer_.append(part, static_cast<size_t>(n));
    }
  }
  void note(const Json& message) {
    const std::string method = message.value("method", "");
    const bool error = method == "Log.entryAdded" && message["params"]["entry"]["level"] == "error";
    if (error || method == "Runtime.exceptionThrown") complaints.push_back(message.dump());
  }

  static std::string decoded(const std::string& base64) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    uint32_t bits = 0;
    int count = 0;
    for (const char c : base64) {
      const size_t digit = digits.find(c);
      if (digit == digits.npos) break;
      bits = bits << 6 | static_cast<uint32_t>(digit);
      if ((count += 6) < 8) continue;
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
    return bytes;
  }

  pid_t id_ = -1;
  int write_ = -1, read_ = -1, last_ = 0;
  std::string session_, buffer_;
};

}  // namespace heed
