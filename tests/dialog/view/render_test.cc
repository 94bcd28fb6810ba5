#include "dialog/view/render.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

#include "base/error.h"
#include "dialog/text/terminal.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

AttentionView small_view() {
  AttentionView view;
  view.models = {{"old", ""}, {"new", "static-ui"}};
  view.data = "test.jsonl", view.test_set = "rare:begin";
  view.dialogues.resize(1);
  DialogueView& d = view.dialogues[0];
  d.id = "d1";
  d.context = {{"would you have lunch ?", true}, {"my disk is full", false}, {"which one?", false}};
  d.response = "the first one";
  d.models = {{{1, 0.5, 1.5}, 2.0, "yes"}, {{0.25, 0.75, 2}, 0.3333, ""}};
  return view;
}

AttentionView with_results() {
  AttentionView view = small_view();
  ScoreSummary none, rare;
  none.dialogues = rare.dialogues = 7;
  none.perplexity = 43.21, rare.perplexity = 50;
  rare.das_ratio = 0.5, rare.mean_das_ratio = 3.25, rare.median_das_ratio = 0.75;
  view.results = {{"none", {none, none}}, {"rare:begin", {rare, rare}}};
  view.results[1].models[1].das_ratio = 0.25;
  return view;
}

TEST(RenderText, DrawsBarsBesideTheText) {
  const std::string expected =
      "▸ d1\n"
      "  DAS ratio: old 2.00, new 0.33\n"
      "old                    new\n"
      "▓▓▓▓▓▓▓         100 %  ▓▌               25 %   1 ✗ would you have lunch ?\n"
      "███▌             50 %  █████▎           75 %   2   my disk is full\n"
      "██████████▌     150 %  ██████████████  200 %   3 ? which one?\n"
      "human: the first one\n"
      "old: yes\n"
      "new: (nothing)\n"
      "\n";
  EXPECT_EQ(render_text(small_view(), {92, false, true}), expected);
}

TEST(RenderText, NumbersAreThoseOfTheDialogue) {
  AttentionView view = small_view();
  view.dialogues[0].earlier_turns = 9;
  const std::string text = render_text(view, {92, false, true});
  EXPECT_TRUE(holds(text, "\n(9 earlier turns are not read)\n")) << text;
  for (const char* utterance : {"10 ✗ would you", "11   my disk", "12 ? which one"}) {
    EXPECT_TRUE(holds(text, utterance)) << text;
  }
  EXPECT_TRUE(holds(render_html(view), "(9 earlier turns are not read)"));
  EXPECT_TRUE(holds(render_html(view), "<span class=\"k\">12</span>"));
  view.dialogues[0].earlier_turns = 1;
  EXPECT_TRUE(holds(render_text(view, {20, false, true}), "(1 earlier turn is\nnot read)"));
  view.dialogues[0].earlier_turns = 0;
  EXPECT_FALSE(holds(render_html(view), "not read"));
}

TEST(RenderHtml, TheFootSaysWhatItIsMadeWith) {
  AttentionView view = small_view();
  EXPECT_FALSE(holds(render_html(view), "How this page was made"));
  view.made_with = {{"version", "<0.1>"}, {"commit", "abc"}};
  EXPECT_TRUE(holds(render_html(view),
                    "<tr><th scope=\"row\">version</th><td>&lt;0.1&gt;</td></tr>\n"
                    "<tr><th scope=\"row\">commit</th><td>abc</td></tr>\n"
                    "</tbody></table></details>\n</footer>"));
}

TEST(RenderText, DrawsBarsUnderTheTextWhereThereIsNoRoom) {
  const std::string expected =
      " 1 x would you have lunch\n"
      "     ?\n"
      "     xxxx      100 % old\n"
      "     x          25 % new\n"
      " 2   my disk is full\n"
      "     ##         50 % old\n"
      "     ###        75 % new\n"
      " 3 ? which one?\n"
      "     ######    150 % old\n"
      "     ########  200 % new\n";
  const AttentionView view = small_view();
  EXPECT_EQ(attention_text(view.dialogues[0], view.models, {26, false, false}), expected);
}

TEST(RenderText, TheTableOfResults) {
  const std::string expected =
      "perplexity                old         new\n"
      "original                 43.2        43.2\n"
      "DAS ratio\n"
      "rare:begin               0.50        0.25\n"
      "\n";
  AttentionView view = with_results();
  view.dialogues.clear();
  EXPECT_EQ(render_text(view, {80, false, true}), expected);
}

TEST(RenderText, EndsWithTheResultsAndInHowManyExamplesTheRatioIsLower) {
  AttentionView view = with_results();
  const std::string before = render_text(view, {130, false, true});
  EXPECT_TRUE(before.ends_with("rare:begin               0.50        0.25\n\n")) << before;
  view.lower = {5, 7};
  const std::string says =
      "On rare:begin the DAS ratio of new is lower than that of old in 5 of 7 examples";
  EXPECT_EQ(render_text(view, {130, false, true}),
            before + says + "; these are the first ones, not chosen\n");
  EXPECT_TRUE(holds(render_html(view), says + "; these are the first ones, not chosen. "));
  view.chosen = true;
  EXPECT_EQ(render_text(view, {130, false, true}), before + says + "\n");
  EXPECT_FALSE(holds(render_html(view), "not chosen"));
}

TEST(RenderText, NoLineIsWiderThanTheTerminal) {
  AttentionView view = with_results();
  view.lower = {5, 7};
  std::string& text = view.dialogues[0].context[1].text;
  text.assign(300, 'x');
  text += " 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 short";
  view.models[0].name = std::string(200, 'n');
  for (int width = 20; width <= 130; width += 5) {
    std::istringstream lines(render_text(view, {width, false, false}));
    for (std::string line; std::getline(lines, line);) {
      int columns = 0;
      for (char c : line)
        columns += (c & 0xC0) != 0x80 && !(c & 0x80) ? 1 : (c & 0xC0) == 0xC0 ? 2 : 0;
      EXPECT_LE(columns, std::max(width, 41)) << width << ": " << line;  // 41: the table of results
    }
  }
}

TEST(RenderText, ColourOnlyIfAsked) {
  const AttentionView view = with_results();
  EXPECT_FALSE(holds(render_text(view, {80, false, true}), "\x1b"));
  const std::string coloured = render_text(view, {80, true, true});
  EXPECT_EQ(count(coloured, "\x1b["), 2 * count(coloured, "\x1b[0m"));
  EXPECT_GT(count(coloured, "\x1b[0m"), 10u);
}

TEST(RenderText, NothingInTheTextsIsObeyed) {
  AttentionView view = small_view();
  const std::string hostile =
      "\x1b[2J\x1b]0;owned\x07 a\tb\nc\rd \x9b\xc2\x9b"
      "31m \xe2\x80\xae";
  DialogueView& d = view.dialogues[0];
  view.models[0].name = hostile;
  d.id = d.response = d.context[0].text = d.models[0].response = hostile;
  const std::string text = render_text(view, {150, false, true});
  for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_FALSE(holds(text, "\xc2\x9b"));
  EXPECT_FALSE(holds(text, "\xe2\x80\xae"));
  EXPECT_TRUE(holds(text, "\uFFFD[2J\uFFFD]0;owned\uFFFD a b c d \uFFFD\uFFFD31m \uFFFD"));
}

TEST(RenderText, NumbersThatAreNone) {
  AttentionView view = small_view();
  view.dialogues[0].models[0].as_scores = {NAN, INFINITY, 1e300};
  const std::string text = render_text(view, {92, false, true});
  EXPECT_TRUE(holds(text, "- "));
  EXPECT_TRUE(holds(text, "9999 %"));
  const std::string html = render_html(view);
  EXPECT_FALSE(holds(html, "nan"));
  EXPECT_FALSE(holds(html, "width:-"));  // no bar
}

TEST(RenderHtml, EscapesEveryText) {
  AttentionView view = with_results();
  const std::string hostile = "</style><script>alert('1')</script>\"& onload=x \x1b[1m \xff";
  const std::string escaped =
      "&lt;/style&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp; onload=x "
      "\uFFFD[1m \uFFFD";
  DialogueView& d = view.dialogues[0];
  view.data = view.test_set = view.models[0].name = view.models[0].description = hostile;
  view.results[1].test_set = hostile;
  d.id = d.response = d.context[0].text = d.context[1].text = d.context[2].text = hostile;
  d.models[0].response = d.models[1].response = hostile;
  const std::string html = render_html(view);
  EXPECT_FALSE(holds(html, "<script"));
  EXPECT_FALSE(holds(html, "alert('"));
  EXPECT_EQ(count(html, "</style>"), 1u);
  EXPECT_GE(count(html, escaped), 12u);
  for (char c : html) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(RenderHtml, NeedsNothingElse) {
  const std::string html = render_html(with_results());
  for (const char* reference : {"http:", "https:", "src=", "href=", "@import", "<link", "<img",
                                "<script", "<iframe", "file:"}) {
    EXPECT_FALSE(holds(html, reference)) << reference;
  }
  EXPECT_EQ(count(html, "url("), count(html, "url(#"));
  EXPECT_TRUE(holds(html, "default-src 'none'"));
  EXPECT_TRUE(holds(html, "prefers-color-scheme: dark"));
  EXPECT_TRUE(holds(html, "@media print"));
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
}

TEST(RenderHtml, TagsAreClosed) {
  for (const AttentionView& view : {small_view(), with_results(), AttentionView{}}) {
    const std::string html = render_html(view);
    for (const char* tag :
         {"div",     "span", "table",  "thead",  "tbody", "tr",       "th",     "td",   "dl",
          "dt",      "dd",   "ul",     "li",     "p",     "h1",       "h2",     "h3",   "article",
          "section", "main", "header", "footer", "bdi",   "colgroup", "strong", "html", "body"}) {
      const std::string name(tag);
      EXPECT_EQ(count(html, "<" + name + ">") + count(html, "<" + name + " "),
                count(html, "</" + name + ">"))
          << tag;
    }
  }
}

TEST(RenderHtml, SaysInWordsWhatColoursSay) {
  const std::string html = render_html(with_results());
  EXPECT_EQ(count(html, "&#10007; distraction</span>"), 1u);
  EXPECT_EQ(count(html, "\">query</span>"), 1u);
  EXPECT_TRUE(holds(html,
                    "<tr class=\"alien\"><th scope=\"row\" dir=\"auto\"><span class=\"k\">1</span> "
                    "<span class=\"tag\">&#10007; distraction</span> "
                    "<bdi>would you have lunch ?</bdi></th>"
                    "<td class=\"score\"><div class=\"meter\"><span class=\"small\">old</span>"
                    "<span class=\"track\" aria-hidden=\"true\">"
                    "<span class=\"fill\" style=\"width:50.0%\"></span></span>"
                    "<span class=\"number\">100 %</span></div></td>"));
  EXPECT_EQ(count(html, "<td title=\"of the dialogues' ratios: mean 3.25, median 0.75\">"), 2u);
  EXPECT_TRUE(holds(html, "(nothing)"));
}

// On a phone a number has no column's head above it.
TEST(RenderHtml, NamesEveryNumber) {
  const std::string html = render_html(with_results());
  EXPECT_TRUE(holds(html, "<span class=\"small\">DAS ratio, new</span>"));
  EXPECT_TRUE(
      holds(html, "<td class=\"ppl\"><span class=\"small\">perplexity, old</span>43.2</td>"));
  AttentionView one = with_results();
  one.models.pop_back();
  for (DialogueView& d : one.dialogues) d.models.pop_back();
  for (ResultView& r : one.results) r.models.pop_back();
  EXPECT_TRUE(holds(render_html(one), "<span class=\"small\">DAS ratio</span>"));
}

// Of two models and three test sets: each number stands at its own, means are over the sets that
// have a ratio, and bars are parts of the largest one.
TEST(RenderHtml, EveryModelHasItsOwnNumbers) {
  AttentionView view = with_results();
  view.results.push_back(view.results[1]);
  ResultView& last = view.results[2];
  last.test_set = "rare:end";
  last.models[0].das_ratio = 2, last.models[1].das_ratio = 0.75;
  last.models[1].mean_das_ratio = 1.5;
  last.models[1].perplexity = 61;
  const std::string html = render_html(view);
  const auto bar = [](const char* width, const char* number) {
    return "style=\"width:" + std::string(width) + "%\"></span></span><span class=\"number\">" +
           number + "</span>";
  };
  for (const auto& [width, number] : {std::pair("25.0", "0.50"),
                                      {"12.5", "0.25"},
                                      {"100.0", "2.00"},
                                      {"37.5", "0.75"},
                                      {"62.5", "1.25"}}) {  // the last one: a mean
    EXPECT_EQ(count(html, bar(width, number)), number == std::string("0.50") ? 2u : 1u) << number;
  }
  EXPECT_TRUE(holds(html, "<table class=\"results\" style=\"--average:50.0%\">"));
  EXPECT_TRUE(holds(html, "<dt>old</dt><dd>1.25</dd></div><div><dt>new</dt><dd>0.50</dd>"));
  EXPECT_EQ(count(html, "Perplexity, original test set"), 1u);
  EXPECT_EQ(count(html, " title=\"of the dialogues' ratios: mean 1.50, median 0.75\""), 1u);
  EXPECT_TRUE(holds(html, "perplexity, new</span>61.0"));
  EXPECT_EQ(count(html, "<tr class=\"das group\">"), 1u);  // not before each set of a kind
  EXPECT_TRUE(holds(html, "DAS ratio: old <strong>2.00</strong>, new <strong>0.33</strong>"));
  EXPECT_TRUE(holds(html, "<dt>old</dt><dd dir=\"auto\">yes</dd>"));
  for (const char* score : {"100 %", "50 %", "150 %", "25 %", "75 %", "200 %"}) {
    EXPECT_EQ(count(html, "<span class=\"number\">" + std::string(score)), 1u) << score;
  }
}

// There are no intervals, so nobody can say whether a difference is more than chance.
TEST(RenderHtml, MarksNoNumberAsTheBest) {
  EXPECT_FALSE(holds(render_html(with_results()), "class=\"best"));
}

TEST(RenderHtml, SaysWhetherAnythingWasSlippedIn) {
  AttentionView view = with_results();
  EXPECT_TRUE(holds(render_html(view), "were slipped in"));
  EXPECT_TRUE(holds(render_html(view), "&#10007; distraction</li>"));
  view.dialogues[0].context[0].distraction = false;
  view.test_set = "none";
  const std::string tests_only = render_html(view);
  EXPECT_FALSE(holds(tests_only, "were slipped in"));
  EXPECT_TRUE(holds(tests_only, "The dialogues below are as they were."));
  EXPECT_FALSE(holds(tests_only, "&#10007; distraction"));
  view.results.clear();
  EXPECT_FALSE(holds(render_html(view), "slipped in"));
}

TEST(RenderHtml, CountsDialogues) {
  AttentionView view = with_results();
  EXPECT_TRUE(holds(render_html(view), ">7 dialogues. Inserted"));
  view.results[0].models[0].dialogues = 1;
  EXPECT_TRUE(holds(render_html(view), ">1 dialogue. Inserted"));
}

// Scores above 2 make the scale of their dialogue: a bar is the part of the highest one, and the
// average stands where 1 is.
TEST(Render, TheHighestScoreIsAFullBar) {
  AttentionView view = small_view();
  view.dialogues[0].models[0].as_scores = {4, 1, 3};
  view.dialogues[0].models[1].as_scores = {0.6, 2, 3.5};
  const std::string html = render_html(view), text = render_text(view, {92, false, true});
  const auto cell = [](const char* name, const char* width, const char* number) {
    return "<span class=\"small\">" + std::string(name) +
           "</span><span class=\"track\" aria-hidden=\"true\"><span class=\"fill\" style=\"width:" +
           width + "%\"></span></span><span class=\"number\">" + number + "</span>";
  };
  for (const auto& [name, width, number] : {std::tuple("old", "100.0", "400 %"),
                                            {"old", "25.0", "100 %"},
                                            {"old", "75.0", "300 %"},
                                            {"new", "15.0", "60 %"},
                                            {"new", "50.0", "200 %"},
                                            {"new", "87.5", "350 %"}}) {
    EXPECT_EQ(count(html, cell(name, width, number)), 1u) << number;
  }
  EXPECT_TRUE(holds(html, "<table class=\"talk\" style=\"--average:25.0%\">"));
  EXPECT_TRUE(holds(text,
                    "▓▓▓▓▓▓▓▓▓▓▓▓▓▓  400 %  ▓▓▏              60 %   1 ✗ would you have lunch ?\n"
                    "███▌            100 %  ███████         200 %   2   my disk is full\n"
                    "██████████▌     300 %  ████████████▎   350 %   3 ? which one?\n"))
      << text;
}

// One example, one turn that is not read, a model of which nothing is told, a scale of small
// ratios.
TEST(Render, SaysOnlyWhatThereIs) {
  AttentionView view = with_results();
  view.lower = {1, 1};
  view.dialogues[0].earlier_turns = 1;
  std::string html = render_html(view);
  EXPECT_TRUE(holds(render_text(view, {130, false, true}), "that of old in 1 of 1 examples;"));
  EXPECT_TRUE(holds(html, "that of old in 1 of 1 examples;"));
  EXPECT_TRUE(holds(html, "<p class=\"note\">(1 earlier turn is not read)</p>"));
  EXPECT_EQ(count(html, "<p class=\"note\"><strong>"), 1u);
  EXPECT_TRUE(holds(html, "<strong>new</strong>: static-ui</p>"));
  EXPECT_TRUE(holds(html, "<table class=\"results\" style=\"--average:80.0%\">"));
  EXPECT_TRUE(holds(html, "Dialogues of test.jsonl. Distractions: rare, begin. On rare"));
  view.test_set = "none";
  EXPECT_FALSE(holds(render_html(view), "Distractions: "));
  view.dialogues[0].context[2].distraction = true;
  view.dialogues[0].models[1].as_scores[2] = 1;  // an average bar never looks full
  EXPECT_TRUE(holds(render_html(view), "<table class=\"talk\" style=\"--average:50.0%\">"));
  html = render_html(view);
  EXPECT_EQ(count(html, "<span class=\"tag\">query"), 0u);
  EXPECT_EQ(count(html, "<span class=\"tag\">&#10007; distraction"), 2u);
}

// A model without attention looked at nothing: no bar, and no average one.
TEST(Render, WithoutAttentionThereIsNoScore) {
  AttentionView view = small_view();
  view.dialogues[0].models[1].as_scores.clear();
  view.dialogues[0].models[1].das_ratio.reset();
  const std::string dash = ">&#8211;</span></div></td>";
  const std::string html = render_html(view);
  size_t dashes = 0;
  for (size_t at = 0; (at = html.find(dash, at)) != std::string::npos; ++at) ++dashes;
  EXPECT_EQ(dashes, view.dialogues[0].context.size());
  EXPECT_TRUE(holds(render_text(view, {}), "-"));
}

TEST(RenderHtml, ViewsMustFit) {
  AttentionView view = small_view();
  view.dialogues[0].models.pop_back();
  EXPECT_EQ(error_of<InternalError>([&] { render_html(view); }),
            "internal error: a view lacks a model");
  view = small_view();
  view.dialogues[0].models[0].as_scores.pop_back();
  EXPECT_EQ(error_of<InternalError>([&] { render_text(view, {}); }),
            "internal error: a view lacks attention scores");
}

}  // namespace
}  // namespace heed
