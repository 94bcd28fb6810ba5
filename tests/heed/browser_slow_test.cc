// The pages in a real browser: no errors, no requests, tables sort, nothing is cut off on any
// screen, and all of it is drawn. Skipped where there is no Chromium.
#include <algorithm>
#include <set>

#include "dialog/view/curves.h"
#include "dialog/view/passages.h"
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
    if (chromium().empty())
      GTEST_SKIP() << "no chromium here; apt install chromium to run this test";
  }
  bool open(const std::string& html, const std::string& options) const {
    return open_page(dir, html, options);
  }
  const TempDir dir;
};

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
  ASSERT_TRUE(open(with_script(kCountRequests, full_page()), "--dump-dom"));
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
  ASSERT_TRUE(open(with_script(script, full_page()), "--dump-dom"));
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
      log.push(table.id.replace("table-", "") + ":" + up + down + back + table.tBodies[0].rows.length);
    }
    document.title = log.join(" ");)js",
                               full_page()),
                   "--dump-dom"));
  EXPECT_TRUE(has(dir.read("stdout"),
                  "<title>table3:truetruetrue23 ratios:truetruetrue23 shares:truetruetrue23 "
                  "changes:truetruetrue18 "
                  "table4:truetruetrue23 table5:truetruetrue23 table6:truetruetrue23 "
                  "paper3:truetruetrue23 paper4:truetruetrue23 paper6:truetruetrue23 "
                  "quality:truetruetrue24 runs:truetruetrue27</title>"))
      << title_of(dir.read("stdout"));
  EXPECT_FALSE(has(dir.read("stderr"), "CONSOLE")) << dir.read("stderr");
}

// ---- screens

// Perplexities of a training that has hardly begun, and long texts.
std::string wide_report() {
  Results results = made_up_results(2, {"dynamic"});
  Samples samples = made_up_samples();
  samples.dialogues[0].context[0].text = std::string(200, 'x');
  const std::string perplexity = key_of(0, "perplexity");
  for (RunResult& run : results.runs) {
    run.numbers.set(perplexity, 40 * *run.numbers.value(perplexity));
  }
  return page_of(results, samples);
}

TEST_F(Browser, NothingIsCutOffOnAnyScreen) {
  EXPECT_EQ(page_problems(wide_report()), "");
  for (int models : {1, 2}) {
    EXPECT_EQ(page_problems(attention_page(models, true)), "") << models;
    EXPECT_EQ(page_problems(attention_page(models, false)), "") << models;
  }
  const std::string word(80, 'w');
  EXPECT_EQ(page_problems(render_passages(
                {"runs/" + word,
                 "data/" + word,
                 {{"commit", word}},
                 {{"d1", {{{word, 1}, {"half", 0.5}}, {{"ok", 0.2}, {"none", 0}}}, true, 0.9}}})),
            "");
}

TEST_F(Browser, CurvesFitAnyScreen) {
  CurvePlot plot{"epoch", "loss", false};
  plot.curves = {{"first", {{1, 3}, {2, 2}}}, {std::string(80, 'n'), {{1, 4}, {2, 1}}}};
  EXPECT_EQ(page_problems(curves_svg(plot)), "");
}

// The check of the checks.
TEST_F(Browser, WouldSeeAPageThatDoesNotFit) {
  const auto problems = [](const std::string& html) {
    return page_problems(
        "<!DOCTYPE html><html lang=\"en\"><head><title>t</title></head><body><main><h1>t</h1>" +
        html + "</main></body></html>");
  };
  EXPECT_EQ(problems("<p>fine</p>"), "");
  EXPECT_TRUE(has(problems("<div style=\"width:1000px\">a</div>"), "768: the page is 10"));
  EXPECT_TRUE(has(problems("<div class=\"card\" style=\"width:40px\">wwwwwwwwww</div>"),
                  "over the edge: wwwwwwwwww"));
  const std::string scrolls = problems("<div style=\"overflow-x:auto; white-space:nowrap\">" +
                                       std::string(2000, 'w') + "</div>");
  EXPECT_TRUE(has(scrolls, "scrolls without a word"));
  EXPECT_TRUE(has(scrolls, "no key reaches"));
  const std::string grey = problems("<p style=\"color:#777\">grey</p>");
  EXPECT_TRUE(has(grey, "contrast 4.48: grey")) << grey;
  EXPECT_TRUE(has(problems("<p style=\"opacity:.5\">pale</p>"), "contrast 3."));
  const std::string region = "<div role=\"region\" aria-label=\"same\">a</div>";
  EXPECT_TRUE(has(problems(region + region), "regions of one name"));
  EXPECT_EQ(has(problems("<button></button>"), "axe: button-name"), !axe().empty());
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
