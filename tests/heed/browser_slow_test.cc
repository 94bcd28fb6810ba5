// The pages in a real browser: no errors, no requests, tables sort, nothing is cut off on any
// screen, and all of it is drawn. Skipped where there is no Chromium.
#include <algorithm>
#include <set>

#include "dialog/view/render.h"
#include "tests/experiments/distraction/page_helpers.h"
#include "tests/file_helpers.h"
#include "tests/heed/chromium.h"
#include "tests/heed/png.h"

namespace heed {
namespace {

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

// The page with a script at its end, which its policy may have to allow.
std::string with_script(const std::string& script, std::string page = full_page()) {
  const std::string no_script = "style-src 'unsafe-inline'\">";
  if (const size_t policy = page.find(no_script); policy != page.npos) {
    page.replace(policy, no_script.size(),
                 "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">");
  }
  return page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
}

// A page of two dialogues, with names and words that do not fit on a phone.
std::string attention_page(int models, bool distractions) {
  AttentionView view;
  view.data = "test.jsonl";
  view.test_set = distractions ? "random:1.0" : "none";
  DialogueView d{
      .id = "linked/2005-07-06_14/1015", .context = {}, .response = "none", .models = {}};
  const std::string url = "http://example.org/" + std::string(80, 'x');
  d.context = {
      {"what java applet window?", false}, {url, distractions}, {"okay, what site?", false}};
  ScoreSummary score;
  score.perplexity = 12345.678;
  for (int m = 0; m < models; ++m) {
    view.models.push_back({m == 0 ? "baseline" : "with-distractions-and-a-long-name", "static-ui"});
    d.models.push_back({{0.5, 1.5, 1}, 3, url});
  }
  view.dialogues = {d, d};
  for (const char* set : {"none", "random:0.5", "rare:middle"}) {
    view.results.push_back({set, std::vector<ScoreSummary>(view.models.size(), score)});
    score.das_ratio = 1.07;
  }
  return render_html(view);
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

TEST_F(Browser, OpensTheAttentionPageWithoutAnErrorOrARequest) {
  ASSERT_TRUE(open(attention_page(2, true), "--dump-dom"));
  EXPECT_TRUE(has(dir.read("stdout"), "Which utterances does the model look at?"));
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

// ---- screens

// What is wrong with the page as it is laid out: text outside of the window, or outside of a card
// or of a box that scrolls; a box that scrolls and does not say so.
constexpr char kFindProblems[] = R"js(
  onload = () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
    const problems = [], root = document.documentElement;
    if (root.scrollWidth > innerWidth) problems.push("the page is " + root.scrollWidth + " wide");
    const ancestor = (e, test) => { while (e && !test(e)) e = e.parentElement; return e; };
    const scrolls = e => getComputedStyle(e).overflowX == "auto";
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const e = texts.currentNode.parentElement;
      if (!e.checkVisibility() || ancestor(e, x => getComputedStyle(x).clipPath != "none")) continue;
      const box = ancestor(e, x => scrolls(x) || x.matches(".card, .facts div")) ?? root;
      const left = box.getBoundingClientRect().left - box.scrollLeft;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      for (const r of range.getClientRects()) {
        if (r.left < left - 1 || r.right > left + Math.max(box.scrollWidth, box.clientWidth) + 1)
          problems.push("outside: " + range);
        if (box.matches(".card, .facts div") && r.right > box.getBoundingClientRect().right)
          problems.push("over the edge: " + range);
      }
    }
    for (const box of document.querySelectorAll("*")) {
      if (!scrolls(box) || box.scrollWidth <= box.clientWidth + 1) continue;
      if (!getComputedStyle(box, "::before").content.includes("more to the side"))
        problems.push("scrolls without a word: " + box.textContent.slice(0, 40));
    }
    parent.postMessage(innerWidth + ": " + (problems.slice(0, 5).join(", ") || "fine") + "; ", "*");
  };)js";

// Three screens beside each other. A frame may be narrower than any window that Chromium opens.
constexpr char kScreens[] =
    "<!DOCTYPE html><title></title><script>onmessage = e => document.title += e.data;</script>";

// Perplexities of a training that has hardly begun, and long texts.
std::string wide_report() {
  DistractionResults results = made_up_results(2);
  results.samples[0].context[0].text = std::string(200, 'x');
  const std::string perplexity = key_of(0, "perplexity");
  for (RunResult& run : results.runs) {
    run.numbers.set(perplexity, 40 * *run.numbers.value(perplexity));
  }
  return page_of(results);
}

TEST_F(Browser, NothingIsCutOffOnAnyScreen) {
  const auto problems = [&](const std::string& page) {
    const std::string inner = dir.write("inner.html", with_script(kFindProblems, page));
    std::string screens = kScreens;
    for (const char* width : {"390", "768", "1200"}) {
      screens += "<iframe src=\"file://" + inner +
                 "\" style=\"border:0; height:900px; width:" + width + "px\"></iframe>";
    }
    EXPECT_TRUE(open(screens, "--dump-dom --virtual-time-budget=5000 --window-size=2500,1000"));
    const std::string title = title_of(dir.read("stdout"));
    for (const char* width : {"390: fine", "768: fine", "1200: fine"}) {
      if (!has(title, width)) return title;
    }
    return std::string();
  };
  EXPECT_EQ(problems(wide_report()), "");
  for (int models : {1, 2}) {
    EXPECT_EQ(problems(attention_page(models, true)), "") << models;
    EXPECT_EQ(problems(attention_page(models, false)), "") << models;
  }
  const auto page_with = [](const std::string& html) {
    return "<html><head><title></title></head><body><main>" + html + "</main></body></html>";
  };
  EXPECT_TRUE(has(problems(page_with("<div style=\"width:1000px\">a</div>")), "the page is 10"));
  EXPECT_TRUE(has(problems(page_with("<div class=\"card\" style=\"width:40px\">wwwwwwwwww</div>")),
                  "over the edge: wwwwwwwwww"));
  EXPECT_TRUE(has(problems(page_with("<div style=\"overflow-x:auto; white-space:nowrap\">" +
                                     std::string(2000, 'w') + "</div>")),
                  "scrolls without a word"));
}

// ---- pictures

// The sum of the three colours, from 0 to 765.
int brightness(const Picture& picture, size_t x, size_t y) {
  const uint8_t* p = picture.pixel(x, y);
  return p[0] + p[1] + p[2];
}

// The smallest share of pixels, of all bands of 200 rows, that are not as bright as the margin.
double emptiest_band(const Picture& picture) {
  constexpr size_t kRows = 200;
  double emptiest = 1;
  const int margin = brightness(picture, 0, 0);
  for (size_t begin = 0; begin + kRows <= picture.height; begin += kRows) {
    size_t drawn = 0;
    for (size_t y = begin; y < begin + kRows; ++y) {
      for (size_t x = 0; x < picture.width; ++x) {
        drawn += std::abs(brightness(picture, x, y) - margin) > 60;
      }
    }
    const auto all = static_cast<double>(kRows * picture.width);
    emptiest = std::min(emptiest, static_cast<double>(drawn) / all);
  }
  return emptiest;
}

size_t count_colours(const Picture& picture) {
  std::set<uint32_t> colours;
  for (size_t y = 0; y < picture.height; ++y) {
    for (size_t x = 0; x < picture.width; ++x) {
      const uint8_t* p = picture.pixel(x, y);
      colours.insert(static_cast<uint32_t>(p[0] << 16 | p[1] << 8 | p[2]));
    }
  }
  return colours.size();
}

TEST_F(Browser, DrawsThePages) {
  const auto picture = [&](const std::string& html, const std::string& scheme) {
    const std::string path = dir.path("picture.png");
    EXPECT_TRUE(open(html, "--hide-scrollbars --window-size=1300,3000 --screenshot=" + path +
                               " --blink-settings=preferredColorScheme=" + scheme));
    return read_png(dir.read("picture.png"));
  };
  for (const std::string& page : {full_page(), attention_page(2, true)}) {
    const Picture light = picture(page, "1"), dark = picture(page, "0");
    EXPECT_GT(brightness(light, 0, 0), 3 * 220);
    EXPECT_LT(brightness(dark, 0, 0), 3 * 50);
    EXPECT_GT(count_colours(light), 100u);
    EXPECT_GT(count_colours(dark), 100u);
  }
  // the report is longer than the picture: text and figures in each band of it
  EXPECT_GT(emptiest_band(picture(full_page(), "1")), 0.005);
  EXPECT_EQ(emptiest_band(picture("<!DOCTYPE html><title>blank</title>", "1")), 0);
  ASSERT_TRUE(open(full_page(), "--print-to-pdf=" + dir.path("page.pdf")));
  const std::string pdf = dir.read("page.pdf");
  EXPECT_GE(count(pdf, "/Type /Page\n") + count(pdf, "/Type /Page "), 4u);
}

}  // namespace
}  // namespace heed
