#include "dialog/view/render.h"

#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "dialog/view/view_parts.h"

namespace heed {
namespace {

constexpr const char* kReset = "\x1b[0m";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kDim = "\x1b[2m";
// Blue and orange differ for every kind of colour vision (Okabe & Ito 2008).
constexpr const char* kBlue = "\x1b[38;5;32m";
constexpr const char* kOrange = "\x1b[38;5;208m";

constexpr int kNarrow = 60;   // below it, bars stand under the text
constexpr int kPercent = 7;   // " 1234 %"
constexpr int kMinText = 24;  // columns for the text beside the bars

class TerminalPage {
 public:
  TerminalPage(const std::vector<AttentionView::Model>& models, const TerminalStyle& style)
      : models_(models), style_(style), width_(std::max(style.width, 20)) {
    const int count = static_cast<int>(std::max<size_t>(models.size(), 1));
    beside_ = width_ >= kNarrow && width_ - count * (4 + kPercent + 2) >= kMinText;
    bar_ = beside_ ? std::clamp((width_ / 2) / count - kPercent - 2, 4, 16) : width_ / 3;
  }

  std::string text() && { return std::move(out_); }
  void line(const std::string& text = "") { out_ += text + "\n"; }

  void paragraph(const std::string& label, const std::string& text, const char* colour) {
    const bool alone = columns(label) > width_ / 3;  // a long label has its own line
    const int indent = alone ? 2 : columns(label) + 1;
    if (alone) line(paint(kDim, cut(label, width_)));
    const auto lines = wrap(text.empty() ? "(nothing)" : text, width_ - indent);
    for (size_t i = 0; i < lines.size(); ++i) {
      const bool beside = i == 0 && !alone;
      line((beside ? paint(kDim, label) + " " : std::string(indent, ' ')) +
           paint(colour, lines[i]));
    }
  }

  void attention(const DialogueView& dialogue) {
    header();
    if (dialogue.earlier_turns > 0) {
      for (const std::string& text : wrap(earlier_turns_text(dialogue), width_)) {
        line(paint(kDim, text));
      }
    }
    const double full = full_bar(dialogue);
    for (size_t k = 0; k < dialogue.context.size(); ++k) utterance(dialogue, k, full);
  }

  void results(const std::vector<ResultView>& results) {
    constexpr int kName = 17, kNumber = 12;
    const auto row = [&](const std::string& first, auto number) {
      std::string text = pad(first, kName);
      for (size_t m = 0; m < models_.size(); ++m) {
        const std::string cell = number(m);
        text += std::string(std::max(1, kNumber - columns(cell)), ' ') + cell;
      }
      return text.substr(0, text.find_last_not_of(' ') + 1);
    };
    line(paint(kBold, row("perplexity", [&](size_t m) { return name(m, kNumber - 1); })));
    for (const ResultView& r : results) {
      if (r.test_set == "none") {
        line(row("original", [&](size_t m) { return decimal(r.models[m].perplexity, 1); }));
      }
    }
    line(paint(kBold, row("DAS ratio", [](size_t) { return ""; })));
    for (const ResultView& r : results) {
      if (r.test_set == "none") continue;
      line(row(cut(printable(r.test_set), kName), [&](size_t m) {
        return r.models[m].das_ratio ? decimal(*r.models[m].das_ratio, 2) : "-";
      }));
    }
    line();
  }

  std::string paint(const char* colour, const std::string& text) const {
    return style_.colour && *colour ? colour + text + kReset : text;
  }

 private:
  void header() {
    if (!beside_) return;
    std::string names;
    for (size_t m = 0; m < models_.size(); ++m) {
      names += pad(name(m, bar_ + kPercent), bar_ + kPercent) + "  ";
    }
    names.erase(names.find_last_not_of(' ') + 1);
    line(paint(kBold, names));
  }

  void utterance(const DialogueView& dialogue, size_t k, double full) {
    const UtteranceView& u = dialogue.context[k];
    const bool query = k + 1 == dialogue.context.size();
    const std::string number = std::to_string(dialogue.earlier_turns + k + 1);
    const std::string sign = u.distraction ? (style_.unicode ? "✗" : "x") : query ? "?" : " ";
    const std::string label =
        std::string(number.size() < 2 ? 1 : 0, ' ') + number + " " + sign + " ";
    const int indent = columns(label);
    std::string bars;
    if (beside_) {
      for (const ModelView& m : dialogue.models) {
        bars += bar(score_of(m, k), full, u.distraction) + "  ";
      }
    }
    const int bars_width =
        beside_ ? static_cast<int>(dialogue.models.size()) * (bar_ + kPercent + 2) : 0;
    const auto lines = wrap(printable(u.text), width_ - bars_width - indent);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string left = i == 0 ? bars + label : std::string(bars_width + indent, ' ');
      line(left + paint(u.distraction ? kOrange : "", lines[i]));
    }
    for (size_t m = 0; !beside_ && m < dialogue.models.size(); ++m) {
      const int room = std::max(1, width_ - indent - bar_ - kPercent - 1);
      line(std::string(indent, ' ') + bar(score_of(dialogue.models[m], k), full, u.distraction) +
           " " + paint(kDim, name(m, room)));
    }
  }

  // "██████▌    130 %": full / bar_ for each column, in steps of an eighth.
  std::string bar(std::optional<double> as, double full, bool distraction) const {
    static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const bool filled = as && std::isfinite(*as) && full > 0;
    const double part = filled ? std::clamp(*as / full, 0.0, 1.0) : 0.0;
    std::string blocks;
    if (style_.unicode) {
      const int eighths = static_cast<int>(std::lround(part * bar_ * 8));
      for (int i = 0; i < eighths / 8; ++i) blocks += distraction ? "▓" : "█";
      blocks += distraction && eighths % 8 ? (eighths % 8 < 4 ? "▏" : "▌") : kEighths[eighths % 8];
    } else {
      blocks.assign(static_cast<size_t>(std::lround(part * bar_)), distraction ? 'x' : '#');
    }
    const std::string percent = as ? percent_text(*as) : "-";
    const int before = std::max(0, kPercent - columns(percent));
    return paint(distraction ? kOrange : kBlue, pad(blocks, bar_)) + std::string(before, ' ') +
           percent;
  }

  std::string name(size_t model, int width) const {
    return cut(printable(models_[model].name), width);
  }

  const std::vector<AttentionView::Model>& models_;
  const TerminalStyle style_;
  const int width_;
  bool beside_;  // bars beside the text
  int bar_;      // columns of a bar
  std::string out_;
};

}  // namespace

std::string attention_text(const DialogueView& dialogue,
                           const std::vector<AttentionView::Model>& models,
                           const TerminalStyle& style) {
  check_view(dialogue, models.size());
  TerminalPage writer(models, style);
  writer.attention(dialogue);
  return std::move(writer).text();
}

std::string render_text(const AttentionView& view, const TerminalStyle& style) {
  check_view(view);
  TerminalPage writer(view.models, style);
  for (const DialogueView& d : view.dialogues) {
    std::string ratios;
    for (size_t m = 0; m < view.models.size(); ++m) {
      if (!d.models[m].das_ratio) continue;
      ratios += (ratios.empty() ? "" : ", ") + printable(view.models[m].name) + " " +
                decimal(*d.models[m].das_ratio, 2);
    }
    writer.paragraph(style.unicode ? "▸" : ">", printable(d.id), kBold);
    if (!ratios.empty()) writer.paragraph("  DAS ratio:", ratios, "");
    writer.attention(d);
    writer.paragraph("human:", printable(d.response), "");
    for (size_t m = 0; m < view.models.size(); ++m) {
      writer.paragraph(printable(view.models[m].name) + ":", printable(d.models[m].response), "");
    }
    writer.line();
  }
  if (!view.results.empty()) writer.results(view.results);
  if (view.lower.all > 0) {
    for (const std::string& text : wrap(printable(lower_text(view)), std::max(style.width, 20)))
      writer.line(text);
  }
  return std::move(writer).text();
}

}  // namespace heed
