#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "dialog/view/render.h"
#include "dialog/view/view_parts.h"

namespace heed {
namespace {

// A bar from 0 to `full`, with a mark at 1. The label is HTML, and shown on small screens only.
std::string meter(double value, double full, const std::string& number, const std::string& label) {
  const double part = std::isfinite(value) ? std::clamp(value / full, 0.0, 1.0) : 0.0;
  return "<div class=\"meter\"><span class=\"small\">" + label +
         "</span><span class=\"track\" aria-hidden=\"true\"><span class=\"fill\" style=\"width:" +
         decimal(100 * part, 1) + "%\"></span></span><span class=\"number\">" + number +
         "</span></div>";
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

// Of each model.
Numbers numbers_of(const ResultView& row, auto ScoreSummary::*number) {
  Numbers numbers;
  for (const ScoreSummary& s : row.models) numbers.push_back(s.*number);
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

  std::string html() && {
    out_ = html_head("Where the model looks", "attention");
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
        "Generation using Self-Contained Distractions</cite>, 2022." +
        made_with_html(view_.made_with) + "</footer>\n</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  bool shows_distractions() const {
    const auto has_one = [](const DialogueView& d) {
      return std::any_of(d.context.begin(), d.context.end(),
                         [](const UtteranceView& u) { return u.distraction; });
    };
    return std::any_of(view_.dialogues.begin(), view_.dialogues.end(), has_one);
  }

  void introduction() {
    out_ +=
        "<h1>Which utterances does the model look at?</h1>\n"
        "<p class=\"lead\">To answer, a dialogue model spreads its attention over everything "
        "that was said. ";
    if (shows_distractions()) {
      out_ +=
          "Here, utterances that do not belong to the conversation, <strong>distractions</strong>, "
          "were slipped in. Does the model look past them?";
    } else if (!view_.results.empty()) {
      out_ +=
          "In the tests, utterances that do not belong to the conversation, "
          "<strong>distractions</strong>, are slipped in: does the model look past them? The "
          "dialogues "
          "below are as they were.";
    }
    out_ += "</p>\n";
    for (const AttentionView::Model& m : view_.models) {
      if (m.description.empty()) continue;
      out_ += "<p class=\"note\"><strong>" + escape(m.name) +
              "</strong>: " + escape(m.description) + "</p>\n";
    }
  }

  void tile(const std::string& what, const Numbers& numbers, int digits) {
    out_ += "<div class=\"card tile\"><div class=\"what\">" + what + "</div><dl class=\"values\">";
    for (size_t m = 0; m < numbers.size(); ++m) {
      out_ += "<div><dt>" + name(m) + "</dt><dd>" +
              (numbers[m] ? decimal(*numbers[m], digits) : "-") + "</dd></div>";
    }
    out_ += "</dl></div>\n";
  }

  void tiles() {
    out_ += "<div class=\"tiles\">\n";
    tile("DAS ratio, mean of the distracting sets &middot; lower is better", mean_das_ratios(view_),
         kDasDigits);
    for (const ResultView& row : view_.results) {
      if (row.test_set != "none") continue;
      tile("Perplexity, original test set &middot; lower is better",
           numbers_of(row, &ScoreSummary::perplexity), kPerplexityDigits);
    }
    out_ += "</div>\n";
  }

  void terms() {
    out_ +=
        "<section>\n<h2>How to read this</h2>\n<dl class=\"terms\">\n"
        "<div><dt>Attention score (AS)</dt><dd>The attention on one utterance while the model "
        "predicts the human response, word by word; 100&nbsp;% is what an utterance gets if "
        "all get the same.</dd></div>\n"
        "<div><dt>DAS ratio</dt><dd>Mean AS of the distractions, divided by the mean AS of the "
        "utterances that belong to the history; of a test set both are means over its dialogues. "
        "1: "
        "distractions are looked at like everything else. 0: they are ignored. The query, which is "
        "the last utterance, is in neither.</dd></div>\n"
        "<div><dt>Perplexity</dt><dd>Among how many equally likely words the model seems to "
        "choose: how well it predicts human responses.</dd></div>\n</dl>\n</section>\n";
  }

  void results() {
    double full = 1.25;
    for (const ResultView& row : view_.results) {
      for (const auto& x : numbers_of(row, &ScoreSummary::das_ratio))
        full = std::max(full, x.value_or(0));
    }
    out_ +=
        "<section>\n<h2>Results</h2>\n<p class=\"note\">" +
        counted(view_.results[0].models[0].dialogues, view_.unit) +
        ". Inserted are two utterances of other dialogues, each with probability p, or "
        "frequent or rare phrases at the beginning, in the middle or at the end of the history. "
        "The dashed line "
        "marks a DAS ratio of 1.</p>\n";
    std::string table =
        "<table class=\"results\" style=\"" + average_at(full) + "\">\n" + results_head();
    std::string kind;
    for (const ResultView& row : view_.results) {
      const std::string its_kind = row.test_set.substr(0, row.test_set.find(':'));
      const bool first = its_kind != kind && !kind.empty();
      kind = its_kind;
      table +=
          results_row(first ? " class=\"das group\"" : " class=\"das\"",
                      escape(describe(row.test_set)), numbers_of(row, &ScoreSummary::das_ratio),
                      other_ratios(row), numbers_of(row, &ScoreSummary::perplexity), full);
    }
    const size_t models = view_.models.size();
    table += results_row(" class=\"mean das\"", "mean", mean_das_ratios(view_),
                         std::vector<std::string>(models), Numbers(models), full);
    out_ += scroll_html("Results", table + "</tbody></table>") + "</section>\n";
  }

  std::string results_head() const {
    const std::string count = std::to_string(view_.models.size());
    std::string html = "<colgroup><col><col span=\"" + count + "\"><col span=\"" + count +
                       "\"></colgroup>\n<thead><tr><th rowspan=\"2\" scope=\"col\">Test set</th>"
                       "<th scope=\"colgroup\" colspan=\"" +
                       count + "\">DAS ratio</th><th class=\"ppl\" scope=\"colgroup\" colspan=\"" +
                       count + "\">Perplexity</th></tr>\n<tr>";
    for (const char* css : {"", " class=\"ppl\""}) {
      for (size_t m = 0; m < view_.models.size(); ++m) {
        html += "<th scope=\"col\"" + std::string(css) + ">" + name(m) + "</th>";
      }
    }
    return html + "</tr></thead>\n<tbody>\n";
  }

  std::string results_row(const std::string& attributes, const std::string& set, const Numbers& das,
                          const std::vector<std::string>& titles, const Numbers& perplexity,
                          double full) const {
    const auto label = [&](const char* what, size_t m) {
      return what + (view_.models.size() > 1 ? ", " + name(m) : "");
    };
    std::string html = "<tr" + attributes + "><th scope=\"row\">" + set + "</th>";
    for (size_t m = 0; m < das.size(); ++m) {
      html += das[m]
                  ? "<td" + titles[m] + ">" +
                        meter(*das[m], full, decimal(*das[m], kDasDigits), label("DAS ratio", m)) +
                        "</td>"
                  : "<td class=\"none\">&ndash;</td>";
    }
    for (size_t m = 0; m < perplexity.size(); ++m) {
      html += "<td class=\"ppl\">";
      if (perplexity[m]) {
        html += "<span class=\"small\">" + label("perplexity", m) + "</span>" +
                decimal(*perplexity[m], kPerplexityDigits);
      }
      html += "</td>";
    }
    return html + "</tr>\n";
  }

  void dialogues() {
    out_ += "<h2>Utterance by utterance</h2>\n<p class=\"note\">";
    if (!view_.data.empty()) out_ += "Dialogues of " + escape(view_.data) + ". ";
    const bool inserted = !view_.test_set.empty() && view_.test_set != "none";
    if (inserted) out_ += "Distractions: " + escape(describe(view_.test_set)) + ". ";
    if (view_.lower.all > 0) out_ += escape(lower_text(view_)) + ". ";
    out_ +=
        "Each bar is an attention score; all bars of a dialogue have the same scale.</p>\n"
        "<ul class=\"legend\">"
        "<li><span class=\"fill\"></span>belongs to the history</li>";
    if (shows_distractions()) {
      out_ += "<li class=\"alien\"><span class=\"fill\"></span>&#10007; distraction</li>";
    }
    out_ +=
        "<li class=\"query\"><span class=\"fill\"></span>query, which is answered</li>"
        "<li><span class=\"dash\"></span>100 %: an average utterance</li></ul>\n";
    for (const DialogueView& d : view_.dialogues) dialogue(d);
  }

  void dialogue(const DialogueView& d) {
    out_ += "<article class=\"card dialogue\">\n<header><h3>" + escape(d.id) + "</h3>";
    std::string ratios;
    for (size_t m = 0; m < d.models.size(); ++m) {
      if (!d.models[m].das_ratio) continue;
      ratios += (ratios.empty() ? "DAS ratio: " : ", ") + name(m) + " <strong>" +
                decimal(*d.models[m].das_ratio, 2) + "</strong>";
    }
    if (!ratios.empty()) out_ += "<p>" + ratios + "</p>";
    if (d.earlier_turns > 0) out_ += "<p class=\"note\">" + earlier_turns_text(d) + "</p>";
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

  void utterance(const DialogueView& d, size_t k) {
    const UtteranceView& u = d.context[k];
    const bool query = k + 1 == d.context.size();
    out_ += u.distraction ? "<tr class=\"alien\">" : query ? "<tr class=\"query\">" : "<tr>";
    out_ += "<th scope=\"row\" dir=\"auto\"><span class=\"k\">" +
            std::to_string(d.earlier_turns + k + 1) + "</span> ";
    if (u.distraction) out_ += "<span class=\"tag\">&#10007; distraction</span> ";
    if (query && !u.distraction) out_ += "<span class=\"tag\">query</span> ";
    out_ += "<bdi>" + escape(u.text) + "</bdi></th>";
    for (size_t m = 0; m < d.models.size(); ++m) {
      const auto as = score_of(d.models[m], k);
      out_ += "<td class=\"score\">" +
              meter(as.value_or(0), full_bar(d), as ? percent_text(*as) : "&#8211;", name(m)) +
              "</td>";
    }
    out_ += "</tr>\n";
  }

  void answers(const DialogueView& d) {
    out_ += "<dl class=\"answers\">\n" + answer_html("human response", d.response);
    for (size_t m = 0; m < d.models.size(); ++m)
      out_ += answer_html(view_.models[m].name, d.models[m].response);
    out_ += "</dl>\n";
  }

  std::string name(size_t model) const { return escape(view_.models[model].name); }

  const AttentionView& view_;
  std::string out_;
};

}  // namespace

std::string render_html(const AttentionView& view) {
  check_view(view);
  return Page(view).html();
}

}  // namespace heed
