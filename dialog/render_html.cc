#include <algorithm>
#include <cmath>

#include "dialog/render.h"
#include "dialog/render_shared.h"
#include "dialog/render_style.h"

namespace heed {
namespace {

// A bar from 0 to `full`, with a mark at 1.
std::string meter(double value, double full, const std::string& number, const std::string& label,
                  bool best = false) {
  const double part = std::isfinite(value) ? std::clamp(value / full, 0.0, 1.0) : 0.0;
  std::string html = "<div class=\"meter\">";
  if (!label.empty()) html += "<span class=\"small\">" + escape(label) + "</span>";
  html += "<span class=\"track\" aria-hidden=\"true\"><span class=\"fill\" style=\"width:" +
          decimal(100 * part, 1) + "%\"></span></span>";
  return html + "<span class=\"number" + (best ? " best" : "") + "\">" + number + "</span></div>";
}

// "--average:50.0%": where the mark at 1 stands.
std::string average_at(double full) {
  return "--average:" + decimal(100 / full, 1) + "%";
}

// "random:0.7" -> "random, p = 0.7", "rare:end" -> "rare, end"
std::string describe(const std::string& test_set) {
  if (test_set == "none") return "original dialogues";
  const size_t colon = test_set.find(':');
  if (colon == test_set.npos) return test_set;
  const std::string kind = test_set.substr(0, colon), rest = test_set.substr(colon + 1);
  return kind + (kind == "random" ? ", p = " : ", ") + rest;
}

constexpr int kDasDigits = 2, kPerplexityDigits = 1;

using Numbers = std::vector<std::optional<double>>;

// Which models have the lowest number, if not all have the same one, as they are printed.
std::vector<bool> lowest(const Numbers& numbers, int digits) {
  std::vector<double> printed;
  for (const auto& x : numbers) {
    printed.push_back(x ? std::round(*x * std::pow(10, digits)) : INFINITY);
  }
  const auto [low, high] = std::minmax_element(printed.begin(), printed.end());
  std::vector<bool> result;
  for (double x : printed) result.push_back(*low < *high && x == *low);
  return result;
}

Numbers das_ratios(const ResultView& row) {
  Numbers numbers;
  for (const ScoreSummary& s : row.models) numbers.push_back(s.das_ratio);
  return numbers;
}

// For each model the mean and the median of the dialogues' ratios, which are told when the pointer
// rests on the ratio of means.
std::vector<std::string> other_ratios(const ResultView& row) {
  std::vector<std::string> titles;
  for (const ScoreSummary& s : row.models) {
    titles.push_back(s.mean_das_ratio && s.median_das_ratio
                         ? " title=\"of the dialogues' ratios: mean " +
                               decimal(*s.mean_das_ratio, kDasDigits) + ", median " +
                               decimal(*s.median_das_ratio, kDasDigits) + "\""
                         : "");
  }
  return titles;
}

Numbers perplexities(const ResultView& row) {
  Numbers numbers;
  for (const ScoreSummary& s : row.models) numbers.push_back(s.perplexity);
  return numbers;
}

// The mean over the test sets that have one, for each model.
Numbers mean_das_ratios(const AttentionView& view) {
  Numbers means;
  for (size_t m = 0; m < view.models.size(); ++m) {
    double sum = 0;
    int count = 0;
    for (const ResultView& row : view.results) {
      if (row.models[m].das_ratio) sum += *row.models[m].das_ratio, ++count;
    }
    means.push_back(count ? std::optional(sum / count) : std::nullopt);
  }
  return means;
}

class Page {
 public:
  explicit Page(const AttentionView& view) : view_(view) {}
  std::string html() &&;

 private:
  void head();
  void introduction();
  void tile(const std::string& what, const Numbers& numbers, int digits);
  void tiles();
  void terms();
  void results();
  void results_row(const std::string& attributes, const std::string& name, const Numbers& das,
                   const std::vector<std::string>& titles, const Numbers& perplexity, double full);
  void dialogues();
  void dialogue(const DialogueView& d);
  void utterance(const DialogueView& d, size_t k);
  void answers(const DialogueView& d);
  std::string name(size_t model) const { return escape(view_.models[model].name); }

  const AttentionView& view_;
  std::string out_;
};

void Page::head() {
  out_ +=
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Where the model looks</title>\n<style>";
  out_ += kAttentionStyle;
  out_ += "</style>\n</head>\n<body>\n<main>\n";
}

void Page::introduction() {
  out_ +=
      "<h1>Which utterances does the model look at?</h1>\n"
      "<p class=\"lead\">To answer, a dialogue model spreads its attention over everything "
      "that was said. Here, utterances that do not belong to the conversation, "
      "<strong>distractions</strong>, were slipped in. A model that understands the "
      "conversation looks past them.</p>\n";
  for (const AttentionView::Model& m : view_.models) {
    if (m.description.empty()) continue;
    out_ += "<p class=\"note\"><strong>" + escape(m.name) + "</strong>: " + escape(m.description) +
            "</p>\n";
  }
}

void Page::tile(const std::string& what, const Numbers& numbers, int digits) {
  const std::vector<bool> low = lowest(numbers, digits);
  const bool equal = std::find(low.begin(), low.end(), true) == low.end();
  out_ += "<div class=\"card tile\"><div class=\"what\">" + what + "</div><dl class=\"values\">";
  for (size_t m = 0; m < numbers.size(); ++m) {
    out_ += "<div" + std::string(low[m] || equal ? "" : " class=\"worse\"") + "><dt>" + name(m) +
            "</dt><dd>" + (numbers[m] ? decimal(*numbers[m], digits) : "-") + "</dd></div>";
  }
  out_ += "</dl></div>\n";
}

void Page::tiles() {
  out_ += "<div class=\"tiles\">\n";
  tile("DAS ratio, mean of the distracting sets &middot; lower is better", mean_das_ratios(view_),
       kDasDigits);
  for (const ResultView& row : view_.results) {
    if (row.test_set != "none") continue;
    tile("Perplexity, original test set &middot; lower is better", perplexities(row),
         kPerplexityDigits);
  }
  out_ += "</div>\n";
}

void Page::terms() {
  out_ +=
      "<section>\n<h2>How to read this</h2>\n<dl class=\"terms\">\n"
      "<div><dt>Attention score (AS)</dt><dd>The attention on one utterance while the model "
      "predicts the human response, word by word; 100&nbsp;% is what an utterance gets if "
      "all get the same.</dd></div>\n"
      "<div><dt>DAS ratio</dt><dd>Mean AS of the distractions, divided by the mean AS of the "
      "utterances that belong to the history; of a test set both are means over its dialogues. 1: "
      "distractions are looked at like everything else. 0: they are ignored. The query, which is "
      "the last utterance, is in neither.</dd></div>\n"
      "<div><dt>Perplexity</dt><dd>Among how many equally likely words the model seems to "
      "choose: how well it predicts human responses.</dd></div>\n</dl>\n</section>\n";
}

void Page::results_row(const std::string& attributes, const std::string& label, const Numbers& das,
                       const std::vector<std::string>& titles, const Numbers& perplexity,
                       double full) {
  const std::vector<bool> best_das = lowest(das, kDasDigits),
                          best = lowest(perplexity, kPerplexityDigits);
  out_ += "<tr" + attributes + "><th scope=\"row\">" + label + "</th>";
  for (size_t m = 0; m < das.size(); ++m) {
    out_ += das[m]
                ? "<td" + titles[m] + ">" +
                      meter(*das[m], full, decimal(*das[m], kDasDigits), "", best_das[m]) + "</td>"
                : "<td class=\"none\">&ndash;</td>";
  }
  for (size_t m = 0; m < perplexity.size(); ++m) {
    out_ += "<td class=\"ppl" + std::string(best[m] ? " best" : "") + "\">" +
            (perplexity[m] ? decimal(*perplexity[m], kPerplexityDigits) : "") + "</td>";
  }
  out_ += "</tr>\n";
}

void Page::results() {
  const std::string count = std::to_string(view_.models.size());
  double full = 1.25;
  for (const ResultView& row : view_.results) {
    for (const auto& x : das_ratios(row)) full = std::max(full, x.value_or(0));
  }
  out_ += "<section>\n<h2>Results</h2>\n<p class=\"note\">" +
          std::to_string(view_.results[0].models[0].dialogues) +
          " dialogues. Inserted are two utterances of other dialogues, each with probability p, or "
          "frequent or rare phrases at the begin, middle or end of the history. " +
          (view_.models.size() > 1 ? "The lowest number is bold. " : "") +
          "The dashed line marks a DAS ratio of 1.</p>\n"
          "<div class=\"card scroll\"><table class=\"results\" style=\"" +
          average_at(full) + "\">\n<colgroup><col class=\"first\"><col span=\"" + count +
          "\"><col class=\"numbers\" span=\"" + count +
          "\"></colgroup>\n<thead><tr><th rowspan=\"2\" scope=\"col\">Test set</th>"
          "<th scope=\"colgroup\" colspan=\"" +
          count +
          "\">DAS ratio</th>"
          "<th class=\"ppl\" scope=\"colgroup\" colspan=\"" +
          count + "\">Perplexity</th></tr>\n<tr>";
  for (const char* css : {"", " class=\"ppl\""}) {
    for (size_t m = 0; m < view_.models.size(); ++m) {
      out_ += "<th scope=\"col\"" + std::string(css) + ">" + name(m) + "</th>";
    }
  }
  out_ += "</tr></thead>\n<tbody>\n";
  std::string kind;
  for (const ResultView& row : view_.results) {
    const std::string its_kind = row.test_set.substr(0, row.test_set.find(':'));
    const bool first = its_kind != kind && !kind.empty();
    kind = its_kind;
    results_row(first ? " class=\"das group\"" : " class=\"das\"", escape(describe(row.test_set)),
                das_ratios(row), other_ratios(row), perplexities(row), full);
  }
  const size_t models = view_.models.size();
  results_row(" class=\"mean das\"", "mean", mean_das_ratios(view_),
              std::vector<std::string>(models), Numbers(models), full);
  out_ += "</tbody></table></div>\n</section>\n";
}

void Page::utterance(const DialogueView& d, size_t k) {
  const UtteranceView& u = d.context[k];
  const bool query = k + 1 == d.context.size();
  out_ += u.distraction ? "<tr class=\"alien\">" : query ? "<tr class=\"query\">" : "<tr>";
  out_ += "<th scope=\"row\" dir=\"auto\"><span class=\"k\">" + std::to_string(k + 1) + "</span>";
  if (u.distraction) out_ += "<span class=\"tag\">&#10007; distraction</span>";
  if (query && !u.distraction) out_ += "<span class=\"tag\">query</span>";
  out_ += "<bdi>" + escape(u.text) + "</bdi></th>";
  for (size_t m = 0; m < d.models.size(); ++m) {
    const double as = d.models[m].as_scores[k];
    out_ += "<td class=\"score\">" +
            meter(as, full_bar(d), percent_text(as), view_.models[m].name) + "</td>";
  }
  out_ += "</tr>\n";
}

void Page::answers(const DialogueView& d) {
  const auto answer = [&](const std::string& who, const std::string& text) {
    out_ += "<dt>" + who + "</dt><dd dir=\"auto\">" +
            (text.empty() ? "<span class=\"none\">(nothing)</span>" : escape(text)) + "</dd>\n";
  };
  out_ += "<dl class=\"answers\">\n";
  answer("human response", d.response);
  for (size_t m = 0; m < d.models.size(); ++m) answer(name(m), d.models[m].response);
  out_ += "</dl>\n";
}

void Page::dialogue(const DialogueView& d) {
  out_ += "<article class=\"card dialogue\">\n<header><h3>" + escape(d.id) + "</h3>";
  std::string ratios;
  for (size_t m = 0; m < d.models.size(); ++m) {
    if (!d.models[m].das_ratio) continue;
    ratios += (ratios.empty() ? "DAS ratio: " : ", ") + name(m) + " <strong>" +
              decimal(*d.models[m].das_ratio, 2) + "</strong>";
  }
  if (!ratios.empty()) out_ += "<p>" + ratios + "</p>";
  out_ += "</header>\n<table class=\"talk\" style=\"" + average_at(full_bar(d)) +
          "\">\n<thead><tr><th scope=\"col\">Utterance</th>";
  for (size_t m = 0; m < d.models.size(); ++m) {
    out_ += "<th scope=\"col\" class=\"score\">" + name(m) + "</th>";
  }
  out_ += "</tr></thead>\n<tbody>\n";
  for (size_t k = 0; k < d.context.size(); ++k) utterance(d, k);
  out_ += "</tbody></table>\n";
  answers(d);
  out_ += "</article>\n";
}

void Page::dialogues() {
  out_ += "<h2>Utterance by utterance</h2>\n<p class=\"note\">";
  if (!view_.data.empty()) out_ += "Dialogues of " + escape(view_.data) + ". ";
  const bool inserted = !view_.test_set.empty() && view_.test_set != "none";
  if (inserted) out_ += "Distractions: " + escape(describe(view_.test_set)) + ". ";
  out_ +=
      "Each bar is an attention score; all bars of a dialogue have the same scale.</p>\n"
      "<ul class=\"legend\">"
      "<li><span class=\"fill\"></span>belongs to the history</li>"
      "<li class=\"alien\"><span class=\"fill\"></span>&#10007; distraction</li>"
      "<li class=\"query\"><span class=\"fill\"></span>query, which is answered</li>"
      "<li><span class=\"dash\"></span>100 %: an average utterance</li></ul>\n";
  for (const DialogueView& d : view_.dialogues) dialogue(d);
}

std::string Page::html() && {
  head();
  introduction();
  if (!view_.results.empty()) tiles();
  out_ += view_.results.empty() ? "<div>\n" : "<div class=\"overview\">\n";
  if (!view_.results.empty()) results();
  terms();
  out_ += "</div>\n";
  if (!view_.dialogues.empty()) dialogues();
  out_ +=
      "<footer>Drawn by <code>heed show</code>. AS and DAS ratio: Xing &amp; Gulla, "
      "<cite>Evaluating and Improving Context Attention Distribution on Multi-Turn Response "
      "Generation using Self-Contained Distractions</cite>, 2022.</footer>\n"
      "</main>\n</body>\n</html>\n";
  return std::move(out_);
}

}  // namespace

std::string render_html(const AttentionView& view) {
  check_view(view);
  return Page(view).html();
}

}  // namespace heed
