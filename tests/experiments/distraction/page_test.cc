// The page of an experiment: what is on it, and that it needs nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "tests/experiments/distraction/page_helpers.h"

namespace heed {
namespace {

TEST(Page, HoldsEveryTableAndFigure) {
  const std::string& page = full_page();
  for (const char* id : {"table3", "table4", "table5", "table6", "ratios", "shares", "changes",
                         "quality", "runs", "paper3", "paper4", "paper6"}) {
    EXPECT_EQ(count(page, "<table class=\"numbers\" id=\"table-" + std::string(id) + "\">"), 1u)
        << id;
  }
  EXPECT_EQ(count(page, "<table class=\"claims\">"), 2u);  // the other ratios are behind a click
  for (const char* kind : {"ratio of means", "mean of ratios", "median of ratios"}) {
    EXPECT_EQ(count(page, "Here, " + std::string(kind) + "</th>"), 1u) << kind;
  }
  EXPECT_EQ(count(page, "; mean of ratios "), 23u * 9 * 2 + 18 * 9);  // beside every DAS ratio
  EXPECT_GE(count(page, "<svg role=\"img\""), 1u + 9 + 5 + 1);
  EXPECT_FALSE(has(page, "nan"));
  EXPECT_FALSE(has(page, "inf\""));
}

TEST(Page, NamesTheFileOfEveryNumber) {
  const std::string& page = full_page();
  ASSERT_EQ(full_results().runs.size(), 23u + 4);
  for (const Variant& v : all_variants()) {
    for (const char* seed : {"1", "2"}) {
      const bool there = *seed == '1' || std::string_view(v.structure.name) == "dynamic";
      EXPECT_EQ(has(page, "<code>" + v.name.name + "-seed" + seed + "/evaluation.json</code>"),
                there);
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
  Samples samples = made_up_samples();
  samples.set = samples.dialogues[0].id = samples.dialogues[0].response = hostile;
  samples.dialogues[0].context[0].text = hostile;
  results.settings[0] = {hostile, hostile};
  for (RunResult& run : results.runs) run.numbers.set_text(sample_key(0, "response"), hostile);
  const std::string page = page_of(results, samples);
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

// Runs of several programs in one folder: which, and how many each, on the page and in the table.
TEST(Page, SaysWhichProgramsMadeTheRuns) {
  Results results = made_up_results();
  for (RunResult& run : results.runs) run.made_with = "heed 1 (abc), cpu, f32";
  EXPECT_FALSE(has(page_of(results), "programs or kinds of machine"));
  EXPECT_EQ(mixed_programs(results), "");
  for (size_t i = 0; i < 3; ++i) results.runs[i].made_with = "heed 2 (def), cpu, f32";
  const std::string says =
      "The runs were made by 2 programs or kinds of machine, which may differ "
      "in the last digits (heed 1 (abc), cpu, f32: " +
      std::to_string(results.runs.size() - 3) + " runs; heed 2 (def), cpu, f32: 3 runs).";
  EXPECT_EQ(mixed_programs(results), says);
  const std::string page = page_of(results);
  EXPECT_TRUE(has(page, says));
  EXPECT_TRUE(has(page, "<dd>heed 2 (def), cpu, f32: 3 runs</dd>"));
  EXPECT_TRUE(has(trainings_table(results, "valid_perplexity", "perplexity").note, says));
}

// Columns of one group stand below one header, whichever group it is.
TEST(Page, GroupsOfColumnsHaveHeaders) {
  Table table{.id = "t", .title = "T", .note = ""};
  for (const char* group : {"first", "first", "", "last", "last", "last"}) {
    table.columns.push_back({group, "x", "x", 1});
  }
  const std::string html = table_html(table, false);
  EXPECT_TRUE(has(html,
                  "scope=\"colgroup\" colspan=\"2\">first</th><td colspan=\"1\"></td>"
                  "<th class=\"group\" scope=\"colgroup\" colspan=\"3\">last</th></tr>"))
      << html;
}

TEST(Page, TheTableOfTrainingsHasTheNumbersOfEachRun) {
  Results results = made_up_results();
  results.runs[2].times.epochs = {60, 150};
  results.runs[2].times.evaluation = 30;
  results.runs[0].times = {};
  const Table table = trainings_table(results, "valid_perplexity", "perplexity");
  const double expected[] = {1, 3, 2, 50, 0.123456, 3.5, 0.5};
  ASSERT_EQ(table.columns.size(), std::size(expected));
  for (size_t c = 0; c < std::size(expected); ++c) {
    EXPECT_EQ(table.rows.at(2).cells.at(c).value, expected[c]) << table.columns[c].name;
  }
  for (const size_t c : {5, 6}) {  // of a run that kept no times
    EXPECT_FALSE(table.rows.at(0).cells.at(c).value) << table.columns[c].name;
  }
  EXPECT_EQ(table.columns[1].name, "epochs");
  EXPECT_EQ(table.columns[2].name, "best epoch");
  EXPECT_EQ(table.columns[5].name, "training, minutes");
}

// What is best, and what is more than chance, is marked; a line stands before another group.
TEST(Page, MarksNumbersAndGroups) {
  Table table{.id = "t", .title = "T", .note = "", .columns = {{"", "x", "x", 1}}};
  for (const auto& [group, p] : {std::pair("a", 0.01), {"a", 0.5}, {"b", 0.5}}) {
    table.rows.push_back({group, "row", {{.value = 1, .p_value = p, .best = p < 0.1}}, {}});
  }
  const std::string html = table_html(table, false);
  EXPECT_EQ(count(html, "<td class=\"n best sure\""), 1u) << html;
  EXPECT_EQ(count(html, "<td class=\"n\""), 2u);
  EXPECT_EQ(count(html, ">1.0*<"), 1u);
  EXPECT_EQ(count(html, "<tr class=\"begin\">"), 1u);
}

TEST(Page, SaysWhyAClaimIsOpen) {
  const auto says = [](const ClaimResult& result) {
    return claims_html({{"ours"}, {Claim{"t", "r", {}, {result}}}});
  };
  EXPECT_TRUE(has(says({}), "numbers are missing"));
  EXPECT_TRUE(has(says({{}, "0.5"}), "undecided"));
  EXPECT_TRUE(has(says({true, "0.5"}), "&#10003; holds"));
  EXPECT_TRUE(has(says({false, "0.5"}), "does not hold"));
  const ClaimResult printed{true, "0.5"}, here{true, "0.6"};
  const std::string both =
      claims_html({{"ours"}, {Claim{"t", "r", printed, {here}}, Claim{"u", "r", {}, {here}}}});
  EXPECT_TRUE(has(both, "not printed") && !has(both, "missing")) << both;
}

// ---- figures, and the sample dialogues

TEST(DistractionFigures, BarsAndPairsHaveTheNumbersOfTheirVariants) {
  Results results = made_up_results();
  results.runs[0].numbers.set(key_of(1, "das_ratio"), 0.2);
  const DistractionFound found = found_of(results);
  const std::string bars = bars_figure(found), pairs = agreement_figure(found);
  const auto ours = [&](double p, bool loss) {
    return decimal(
        found.ours.get(*find_variant("static-ui", p, loss), key_of(1, "das_ratio")).value(), 3);
  };
  EXPECT_TRUE(has(bars, "in training (p = 0), random, p = 0.5: " + ours(0, true)));
  EXPECT_TRUE(has(bars, "without the attention loss, random, p = 0.5: " + ours(0.7, false)));
  EXPECT_TRUE(has(bars, "with the attention loss, random, p = 0.5: " + ours(0.7, true)));
  EXPECT_TRUE(has(bars, "paper: 0.67"));
  EXPECT_FALSE(has(pairs, "pairs: 1.00"));
  EXPECT_TRUE(has(pairs, ">0.5</text>"));  // the axes begin below the lowest number
}

// The first epoch can be far off, and the best one is the second.
TEST(DistractionFigures, CurvesMarkTheBestEpochWithinTheirAxes) {
  Results results = made_up_results();
  for (RunResult& run : results.runs) {
    run.log[0].metrics = {{kTrainPerplexity, 9e5}, {kValidPerplexity, 1e6}};
  }
  const DistractionFound found = found_of(results);
  const std::string learning = learning_figure(found);
  EXPECT_EQ(count(learning, " after epoch 2</title>"), 23u);
  EXPECT_FALSE(has(learning, ">1000</text>"));
  EXPECT_TRUE(has(learning, ">50</text>") || has(learning, ">100</text>"));
  // Without the loss a line begins at the baseline that there is, and has four points.
  const std::string lines = probability_figure(found);
  const size_t begin = lines.rfind("points=\"", lines.find(" dash\"")) + 8;
  const std::string points = lines.substr(begin, lines.find('"', begin) - begin);
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 4) << points;
}

TEST(DistractionFigures, SampleDialoguesHaveTheScoresOfEachModel) {
  Results results = made_up_results();
  Samples samples = made_up_samples();
  samples.dialogues.push_back(samples.dialogues[0]);
  for (RunResult& run : results.runs) {
    run.numbers.set_series(sample_key(0, "as_scores"), {0.5, 1, 3});
    run.numbers.set_series(sample_key(1, "as_scores"), {0.2, 0.8, 2});
    run.numbers.set(sample_key(1, "das_ratio"), 0.4);
    run.numbers.set_text(sample_key(1, "response"), "the second");
  }
  RunResult another = results.runs[0];  // of a second seed nothing is shown
  ++another.run.seed;
  for (const size_t d : {0, 1}) another.numbers.set_series(sample_key(d, "as_scores"), {9, 9, 9});
  results.runs.push_back(std::move(another));
  const std::string html = dialogues_html(found_of(results, samples));
  for (const char* part : {"--heat:0.25\">50<", "--heat:0.50\">100<", "--heat:1.00\">300<",
                           "--heat:0.10\">20<", "--heat:0.40\">80<", "--heat:1.00\">200<",
                           ">0.80</td>", ">0.40</td>", ">the second</dd>"}) {
    EXPECT_EQ(count(html, part), 11u) << part;  // models
  }
  EXPECT_EQ(count(html, "<tr class=\"query\">"), 2u);
  EXPECT_LT(html.find(">50<"), html.find(">100<"));  // from the first utterance to the query
  EXPECT_LT(html.find(">100<"), html.find(">300<"));
}

}  // namespace
}  // namespace heed
