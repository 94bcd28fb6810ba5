#include "experiments/distraction/page.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/distraction/figures.h"
#include "experiments/distraction/page_parts.h"
#include "experiments/engine/page_style.h"

namespace heed {
namespace {

// What the page is put together from.
struct Contents {
  const Results& results;
  const Inference& inference;
  const std::vector<Table>& tables;
  MainTable ours;
};

std::string setting(const Results& results, const std::string& name) {
  for (const auto* list : {&results.settings, &results.data}) {
    for (const Setting& s : *list) {
      if (s.name == name) return s.value;
    }
  }
  return "?";
}

std::string fact(const std::string& what, const std::string& value, const std::string& more = "") {
  return "<div><dt>" + escape(what) + "</dt><dd>" + escape(value) +
         (more.empty() ? "" : "<small>" + escape(more) + "</small>") + "</dd></div>\n";
}

// "0.71–1.02"
std::string range_of(const std::vector<double>& values, int digits) {
  if (values.empty()) return "-";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return decimal(*low, digits) + "–" + decimal(*high, digits);
}

std::string facts(const Contents& c) {
  std::vector<double> perplexities, ratios;
  for (const VariantNumbers& v : c.ours) {
    if (v.perplexity) perplexities.push_back(*v.perplexity);
    for (const auto& ratio : v.das_ratio) {
      if (ratio) ratios.push_back(*ratio);
    }
  }
  double hours = 0;
  for (const RunResult& run : c.results.runs) {
    for (double seconds : run.times.epochs) hours += seconds / 3600;
    hours += run.times.evaluation / 3600;
  }
  const auto get = [&](const char* name) { return setting(c.results, name); };
  return "<dl class=\"facts\">\n" +
         fact("trainings", std::to_string(c.results.runs.size()),
              "23 variants, seeds: " + std::to_string(c.results.seeds())) +
         fact("model", get("layers") + " × " + get("hidden"),
              "layers × size, vocabulary " + get("vocabulary")) +
         fact("training dialogues", get("train_examples"), "at most " + get("epochs") + " epochs") +
         fact("test dialogues", std::to_string(c.results.test_dialogues()),
              "of " + std::to_string(c.results.conversations()) +
                  " conversations, behind every number, less those without a distraction") +
         fact("perplexity", range_of(perplexities, 1), "original test set") +
         fact("DAS ratio", range_of(ratios, 2), "variants and sets") +
         fact("computed in", hours < 1 ? decimal(60 * hours, 0) + " min" : decimal(hours, 1) + " h",
              "all workers together") +
         "</dl>\n";
}

std::string introduction(const Contents& c) {
  std::string html =
      "<h1>Where do dialogue models look?</h1>\n<p class=\"lead\">Five structures of LSTM "
      "sequence-to-sequence models, trained with and without self-contained distractions, and "
      "tested on dialogues with utterances in them that do not belong there. The <strong>DAS "
      "ratio</strong> is the attention on these distractions over the attention on the real "
      "history: the lower, the less a model is distracted. An experiment of Xing &amp; Gulla "
      "(2022), done again with heed.</p>\n" +
      facts(c);
  size_t missing = 0;
  for (const VariantNumbers& v : c.ours) missing += !v.perplexity;
  if (missing > 0) {
    html += "<p class=\"warn\">" + std::to_string(missing) +
            " of the 23 variants are not finished: they are missing below.</p>\n";
  }
  return html;
}

struct Section {
  const char *id, *title;
  std::string (*body)(const Contents&);
};

std::string note(const std::string& text) {
  return "<p class=\"note\">" + escape(text) + "</p>\n";
}

std::string with_table(const Contents& c, const std::string& id, bool intervals = false) {
  const Table& table = table_of(c.tables, id);
  return note(table.note) + table_html(table, intervals);
}

const Section kSections[] = {
    {"claims", "Does the paper hold here?",
     [](const Contents& c) {
       return note(
                  "Each claim of the paper as a rule that a program can check. The same rule is "
                  "applied to the paper's own table, which shows whether it says what was meant, "
                  "and to ours by each way to take the DAS ratio: the paper's, a ratio of means, "
                  "and the mean and the median of the dialogues' ratios. "
                  "A model that has hardly begun to learn has DAS ratios near 1 everywhere, and "
                  "differences in the third digit say little: see the intervals.") +
              claims_html(check_claims(c.results));
     }},
    {"figure2", "Figure 2: static-ui on the nine test sets",
     [](const Contents& c) {
       return note(
                  "Bars with 95 % confidence intervals; the dashed line is at 1, where "
                  "distractions get as much attention as the history.") +
              bars_figure(c.ours, c.inference);
     }},
    {"t3", "Table 3: the 23 variants",
     [](const Contents& c) {
       return with_table(c, "table3") +
              note(
                  "Bold: better than all others of a column by more than the intervals. Intervals, "
                  "and mean and median of the ratios, appear when the pointer rests on a number, "
                  "and are in tables/table3.csv. Click a column to sort by it.");
     }},
    {"ratios", "Three ways to take the DAS ratio",
     [](const Contents& c) { return with_table(c, "ratios"); }},
    {"probability", "DAS ratio by insertion probability",
     [](const Contents& c) {
       return note("All panels have the same scale. Bars are 95 % confidence intervals.") +
              probability_figure(c.ours, c.inference);
     }},
    {"change", "Is it more than chance?",
     [](const Contents& c) {
       return with_table(c, "changes", true) +
              note("* and bold: corrected p < 0.05. Negative is better.");
     }},
    {"random", "Table 4: random distractions",
     [](const Contents& c) { return with_table(c, "table4"); }},
    {"frequent", "Table 5: frequent distractions",
     [](const Contents& c) { return with_table(c, "table5"); }},
    {"rare", "Table 6: rare distractions",
     [](const Contents& c) { return with_table(c, "table6"); }},
    {"beside", "Beside the paper's numbers",
     [](const Contents& c) {
       return with_table(c, "paper3") + with_table(c, "paper4") + with_table(c, "paper6") +
              note(
                  "All variants on all sets; marks and colours as in the figure \"DAS ratio by "
                  "insertion probability\".") +
              agreement_figure(c.ours);
     }},
    {"learning", "Learning curves",
     [](const Contents& c) {
       return note(
                  "Validation perplexity after each epoch. The mark is the best epoch, whose "
                  "model is tested; what is above a panel is drawn at its edge.") +
              learning_figure(c.results);
     }},
    {"quality-of-responses", "Quality of the responses",
     [](const Contents& c) { return with_table(c, "quality"); }},
    {"dialogues", "Dialogue by dialogue",
     [](const Contents& c) {
       if (c.results.samples.empty()) return note("The texts are not kept with these results.");
       return note("The first short dialogues of the test part, with distractions (" +
                   c.results.sample_set +
                   "). Numbers are attention scores in %: 100 is an average utterance; the "
                   "stronger the colour, the more attention. no loss: p = 0.7 without the "
                   "attention loss. Responses are greedy, to the "
                   "dialogue without distractions.") +
              dialogues_html(c.results);
     }},
    {"trainings", "The trainings", [](const Contents& c) { return with_table(c, "runs"); }},
    {"sources", "Where every number is from",
     [](const Contents& c) {
       return note(
                  "All numbers are computed from files in the folder of the experiment: "
                  "evaluation.json of each run, which also holds the attention scores of every "
                  "dialogue's distractions and history; log.jsonl for the learning curves; "
                  "responses.jsonl for the quality "
                  "of the responses; samples.json for the dialogues; data/paper-tables.json of "
                  "heed for the paper. With several seeds a number is the mean over the files of "
                  "its row. heed report writes this page and the tables anew from them.") +
              sources_html(c.tables);
     }},
    {"settings", "Settings", [](const Contents& c) { return settings_html(c.results); }}};

// The stripes of Figure 2, for all bars.
constexpr char kPatterns[] =
    "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" style=\"position:absolute\"><defs>"
    "<pattern id=\"stripes\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\"/><path d=\"M2 0v7\"/>"
    "</pattern></defs></svg>\n";

}  // namespace

std::string render_page(const Results& results, const Inference& inference,
                        const std::vector<Table>& tables) {
  const Contents contents{results, inference, tables, main_table(results)};
  std::string html = html_head("Where do dialogue models look?", kPageStyle, true) + kPatterns +
                     introduction(contents) + "<nav aria-label=\"Contents\"><ul>\n";
  for (const Section& s : kSections) {
    html += std::string("<li><a href=\"#") + s.id + "\">" + escape(s.title) + "</a></li>\n";
  }
  html += "</ul></nav>\n";
  for (const Section& s : kSections) {
    html += std::string("<section id=\"") + s.id + "\">\n<h2>" + escape(s.title) + "</h2>\n" +
            s.body(contents) + "</section>\n";
  }
  return html +
         "<footer>Written by <code>heed report</code>. Xing &amp; Gulla, <cite>Evaluating and "
         "Improving Context Attention Distribution on Multi-Turn Response Generation using "
         "Self-Contained Distractions</cite>, 2022.</footer>\n</main>\n<script>" +
         std::string(kPageScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace heed
