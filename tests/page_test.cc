// The page of an experiment: what is on it, that it needs nothing else, and that a browser agrees.
#include "experiment/page.h"

#include <nlohmann/json.hpp>

#include "tests/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::string page_of(const Results& results) {
  const Inference inference = infer(results);
  return render_page(results, inference, all_tables(results, inference));
}

const std::string& full_page() {
  static const std::string page = page_of(made_up_results(2));
  return page;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// ---- the text of the page

TEST(Page, HoldsEveryTableAndFigure) {
  const std::string& page = full_page();
  for (const char* id :
       {"table3", "table4", "table5", "table6", "paper", "changes", "quality", "runs"}) {
    EXPECT_EQ(count(page, "<table class=\"numbers\" id=\"" + std::string(id) + "\">"), 1u) << id;
  }
  EXPECT_EQ(count(page, "<table class=\"claims\">"), 1u);
  EXPECT_GE(count(page, "<svg role=\"img\""), 1u + 9 + 5 + 1);
  EXPECT_FALSE(has(page, "nan"));
  EXPECT_FALSE(has(page, "inf\""));
}

TEST(Page, NamesTheFileOfEveryNumber) {
  const std::string& page = full_page();
  for (const Variant& v : all_variants()) {
    for (const char* seed : {"1", "2"}) {
      EXPECT_TRUE(has(page, "<code>" + v.name() + "-seed" + seed + "/evaluation.json</code>"));
    }
  }
  EXPECT_TRUE(has(page, "<code>test_sets.frequent:begin.as_first</code>"));
}

TEST(Page, NeedsNothingElse) {
  const std::string& page = full_page();
  EXPECT_TRUE(has(page, "default-src 'none'"));
  for (const char* reference : {"http:", "https:", " src=", "@import", "<link", "<img", "<iframe",
                                "<object", "fetch(", "XMLHttp", "import("}) {
    EXPECT_FALSE(has(page, reference)) << reference;
  }
  EXPECT_EQ(count(page, "url("), count(page, "url(#stripes)"));
  EXPECT_EQ(count(page, "href="), count(page, "href=\"#"));
  EXPECT_EQ(count(page, "<script>"), 1u);
}

TEST(Page, TagsAreClosed) {
  Results unfinished = made_up_results();
  unfinished.runs.resize(1);
  for (const std::string& page : {full_page(), page_of(unfinished)}) {
    for (const char* tag :
         {"div",  "span",    "table", "thead", "tbody", "tr",      "th",      "td",     "dl",
          "dt",   "dd",      "ul",    "li",    "p",     "h1",      "h2",      "h3",     "article",
          "main", "section", "bdi",   "small", "svg",   "details", "summary", "button", "text",
          "nav",  "footer",  "code",  "title", "html",  "body",    "head",    "script", "style"}) {
      const std::string name(tag);
      EXPECT_EQ(count(page, "<" + name + ">") + count(page, "<" + name + " "),
                count(page, "</" + name + ">"))
          << tag;
    }
  }
}

TEST(Page, NothingInTheTextsIsObeyed) {
  Results results = made_up_results();
  const std::string hostile =
      "</script><script>alert('1')</script>\"& onload=x \x1b[1m \xe2\x80\xae";
  const std::string escaped =
      "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp; onload=x "
      "\uFFFD[1m \uFFFD";
  results.sample_set = results.samples[0].id = results.samples[0].response = hostile;
  results.samples[0].context[0].text = hostile;
  results.settings[0] = {hostile, hostile};
  for (RunResult& run : results.runs) run.evaluation.samples[0].response = hostile;
  const std::string page = page_of(results);
  EXPECT_EQ(count(page, "<script"), 1u);
  EXPECT_FALSE(has(page, "alert('"));
  EXPECT_GE(count(page, escaped), 6u + 11);
}

TEST(Page, SaysWhatIsMissing) {
  Results results = made_up_results();
  EXPECT_FALSE(has(page_of(results), "are not finished"));
  results.runs.resize(20);
  EXPECT_TRUE(has(page_of(results), "3 of the 23 variants are not finished"));
}

// ---- in a browser

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
                  "<title>table3:truetruetrue23 changes:truetruetrue18 table4:truetruetrue23 "
                  "table5:truetruetrue23 table6:truetruetrue23 paper:truetruetrue23 "
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
