// The page of an experiment in a real browser: no errors, no requests, tables sort, something is
// drawn. Skipped where there is no Chromium.
#include "tests/file_helpers.h"
#include "tests/page_helpers.h"

namespace heed {
namespace {

// Chromium without a window; empty where there is none.
std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const std::string find = "command -v " + std::string(name) + " > /dev/null 2>&1";
    if (std::system(find.c_str()) == 0) return name;
  }
  return "";
}

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = chromium();
    if (browser_.empty()) {
      GTEST_SKIP() << "no chromium here; apt install chromium to run this test";
    }
  }
  // Runs it on a page; what it prints is in stdout, and what it complains of in stderr.
  bool open(const std::string& html, const std::string& options) const {
    const std::string page = dir.write("page.html", html);
    const std::string command =
        "timeout 120 " + browser_ +
        " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
        " --disable-background-networking --disable-component-update --disable-sync"
        " --user-data-dir=" +
        dir.path("profile") + " --enable-logging=stderr " + options + " file://" + page + " > " +
        dir.path("stdout") + " 2> " + dir.path("stderr");
    return std::system(command.c_str()) == 0;
  }
  std::string browser_;
  const TempDir dir;
};

std::string title_of(const std::string& page) {
  const size_t begin = page.find("<title>");
  return page.substr(begin, page.find("</title>", begin) - begin);
}

// The page with another script behind its own.
std::string with_script(const std::string& script) {
  std::string page = full_page();
  page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
  return page;
}

// A resource that the page asked for is in the browser's list, or is an error of the policy.
constexpr char kCountRequests[] =
    "onload = () => document.title = performance.getEntriesByType('resource').length;";

TEST_F(Browser, OpensThePageWithoutAnErrorOrARequest) {
  ASSERT_TRUE(open(with_script(kCountRequests), "--dump-dom"));
  EXPECT_TRUE(has(dir.read("stdout"), "<html lang=\"en\" class=\"script\">"));  // the script ran
  EXPECT_TRUE(has(dir.read("stdout"), "<title>0</title>"));
  EXPECT_FALSE(has(dir.read("stderr"), "CONSOLE")) << dir.read("stderr");
}

// The check of the check: an error and a request are seen.
TEST_F(Browser, WouldSeeAnError) {
  const std::string script = "fetch('http://localhost:1/x'); no_such_function();";
  ASSERT_TRUE(open(with_script(script), "--dump-dom"));
  EXPECT_TRUE(has(dir.read("stderr"), "no_such_function"));
  EXPECT_TRUE(has(dir.read("stderr"), "Content Security Policy")) << dir.read("stderr");
}

TEST_F(Browser, SortsTables) {
  ASSERT_TRUE(open(with_script(R"js(
    const log = [];
    for (const table of document.querySelectorAll("table.numbers")) {
      const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
      const column = heads.length - 1;
      const read = () => [...table.tBodies[0].rows].map(r => parseFloat(r.cells[column].dataset.v));
      const before = JSON.stringify(read()), click = () => heads[column].querySelector("button").click();
      const sorted = (v, sign) => v.every((x, i) => i == 0 || isNaN(x) || sign * (x - v[i - 1]) >= 0);
      click(); const up = sorted(read(), 1) && heads[column].ariaSort == "ascending";
      click(); const down = sorted(read(), -1) && heads[column].ariaSort == "descending";
      click(); const back = JSON.stringify(read()) == before && !heads[column].ariaSort;
      log.push(table.id + ":" + up + down + back + table.tBodies[0].rows.length);
    }
    document.title = log.join(" ");)js"),
                   "--dump-dom"));
  EXPECT_TRUE(has(dir.read("stdout"),
                  "<title>table3:truetruetrue23 ratios:truetruetrue23 changes:truetruetrue18 "
                  "table4:truetruetrue23 table5:truetruetrue23 table6:truetruetrue23 "
                  "paper3:truetruetrue23 paper4:truetruetrue23 paper6:truetruetrue23 "
                  "quality:truetruetrue24 runs:truetruetrue46</title>"))
      << title_of(dir.read("stdout"));
  EXPECT_FALSE(has(dir.read("stderr"), "CONSOLE")) << dir.read("stderr");
}

TEST_F(Browser, DoesNotOverflowSideways) {
  ASSERT_TRUE(open(with_script("document.title = document.documentElement.scrollWidth <= "
                               "document.documentElement.clientWidth;"),
                   "--dump-dom --window-size=400,800"));
  EXPECT_TRUE(has(dir.read("stdout"), "<title>true</title>"));
}

// Blank pages compress to next to nothing.
TEST_F(Browser, DrawsThePage) {
  const auto size_of = [&](const std::string& html, const std::string& options) {
    const std::string picture = dir.path("picture.png");
    EXPECT_TRUE(open(html, "--window-size=1300,3000 --screenshot=" + picture + " " + options));
    return dir.read("picture.png").size();
  };
  const size_t blank = size_of("<!DOCTYPE html><title>blank</title>", "");
  ASSERT_GT(blank, 0u);
  const size_t light = size_of(full_page(), "--blink-settings=preferredColorScheme=1"),
               dark = size_of(full_page(), "--blink-settings=preferredColorScheme=0");
  EXPECT_GT(light, 8 * blank);
  EXPECT_GT(dark, 8 * blank);
  EXPECT_NE(light, dark);
  ASSERT_TRUE(open(full_page(), "--print-to-pdf=" + dir.path("page.pdf")));
  const std::string pdf = dir.read("page.pdf");
  EXPECT_GE(count(pdf, "/Type /Page\n") + count(pdf, "/Type /Page "), 4u);
}

}  // namespace
}  // namespace heed
