#include "dialog/render.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "dialog/render_shared.h"
#include "dialog/tokenizer.h"
#include "dialog/utf8.h"

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

bool changes_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Columns of a terminal: 2 for East Asian wide characters and emoji, 0 for marks on a character.
int columns(char32_t c) {
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F)) {
    return 0;
  }
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

int columns(const std::string& text) {
  int sum = 0;
  for (size_t at = 0; at < text.size();) sum += columns(next_code_point(text, at));
  return sum;
}

std::string pad(const std::string& text, int width) {
  return text + std::string(std::max(0, width - columns(text)), ' ');
}

// The longest beginning that fits into the width.
std::string cut(const std::string& text, int width) {
  int used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    used += columns(next_code_point(text, at));
    if (used > width) return text.substr(0, begin);
  }
  return text;
}

// Lines of at most `width` columns, broken at blanks; longer words are cut.
std::vector<std::string> wrap(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, blank - at);
    at = blank + 1;
    const bool fits = columns(lines.back()) + 1 + columns(word) <= width;
    if (!lines.back().empty() && !fits) lines.emplace_back();
    while (columns(word) > width) {
      const std::string head = cut(word, width);
      if (head.empty()) break;  // a wide character in a single column
      lines.back() = head;
      lines.emplace_back();
      word.erase(0, head.size());
    }
    if (!lines.back().empty() && !word.empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

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
  void paragraph(const std::string& label, const std::string& text, const char* colour);
  void attention(const DialogueView& dialogue);
  void results(const std::vector<ResultView>& results);
  std::string paint(const char* colour, const std::string& text) const {
    return style_.colour && *colour ? colour + text + kReset : text;
  }

 private:
  void header();
  void utterance(const DialogueView& dialogue, size_t k, double full);
  std::string bar(double as, double full, bool distraction) const;
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

// "██████▌    130 %": full / bar_ for each column, in steps of an eighth.
std::string TerminalPage::bar(double as, double full, bool distraction) const {
  static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double part = std::clamp(std::isfinite(as) && full > 0 ? as / full : 0.0, 0.0, 1.0);
  std::string blocks;
  if (style_.unicode) {
    const int eighths = static_cast<int>(std::lround(part * bar_ * 8));
    for (int i = 0; i < eighths / 8; ++i) blocks += distraction ? "▓" : "█";
    blocks += distraction && eighths % 8 ? (eighths % 8 < 4 ? "▏" : "▌") : kEighths[eighths % 8];
  } else {
    blocks.assign(static_cast<size_t>(std::lround(part * bar_)), distraction ? 'x' : '#');
  }
  const std::string percent = percent_text(as);
  const int before = std::max(0, kPercent - columns(percent));
  return paint(distraction ? kOrange : kBlue, pad(blocks, bar_)) + std::string(before, ' ') +
         percent;
}

void TerminalPage::header() {
  if (!beside_) return;
  std::string names;
  for (size_t m = 0; m < models_.size(); ++m) {
    names += pad(name(m, bar_ + kPercent), bar_ + kPercent) + "  ";
  }
  names.erase(names.find_last_not_of(' ') + 1);
  line(paint(kBold, names));
}

void TerminalPage::utterance(const DialogueView& dialogue, size_t k, double full) {
  const UtteranceView& u = dialogue.context[k];
  const bool query = k + 1 == dialogue.context.size();
  const std::string number = std::to_string(k + 1);
  const std::string sign = u.distraction ? (style_.unicode ? "✗" : "x") : query ? "?" : " ";
  const std::string label = std::string(number.size() < 2 ? 1 : 0, ' ') + number + " " + sign + " ";
  const int indent = columns(label);
  std::string bars;
  if (beside_) {
    for (const ModelView& m : dialogue.models) {
      bars += bar(m.as_scores[k], full, u.distraction) + "  ";
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
    line(std::string(indent, ' ') + bar(dialogue.models[m].as_scores[k], full, u.distraction) +
         " " + paint(kDim, name(m, room)));
  }
}

void TerminalPage::attention(const DialogueView& dialogue) {
  header();
  const double full = full_bar(dialogue);
  for (size_t k = 0; k < dialogue.context.size(); ++k) utterance(dialogue, k, full);
}

void TerminalPage::paragraph(const std::string& label, const std::string& text,
                             const char* colour) {
  const bool alone = columns(label) > width_ / 3;  // a long label has its own line
  const int indent = alone ? 2 : columns(label) + 1;
  if (alone) line(paint(kDim, cut(label, width_)));
  const auto lines = wrap(text.empty() ? "(nothing)" : text, width_ - indent);
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool beside = i == 0 && !alone;
    line((beside ? paint(kDim, label) + " " : std::string(indent, ' ')) + paint(colour, lines[i]));
  }
}

void TerminalPage::results(const std::vector<ResultView>& results) {
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

}  // namespace

std::string printable(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool obeyed = c < 0x20 || (c >= 0x7F && c < 0xA0) || changes_direction(c);
    if (c == kInvalid) {
      result += "\uFFFD";
    } else if (is_white_space(c)) {
      result += ' ';
    } else if (obeyed) {
      result += "\uFFFD";
    } else {
      char bytes[4];
      result.append(bytes, write_utf8(bytes, c));
    }
  }
  return result;
}

TerminalStyle terminal_style(std::FILE* stream) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const bool terminal = ::isatty(::fileno(stream));
  TerminalStyle style;
  style.colour = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  winsize size = {};
  if (terminal && ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
  } else if (const long columns = std::strtol(variable("COLUMNS").c_str(), nullptr, 10);
             columns > 0) {
    style.width = static_cast<int>(std::min(columns, 160L));
  }
  style.width = std::clamp(style.width, 20, 160);
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (locale.empty()) locale = variable(name);
  }
  const bool utf8 = locale.find("UTF") != locale.npos || locale.find("utf") != locale.npos;
  style.unicode = !terminal || locale.empty() || utf8;
  return style;
}

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
  if (!view.results.empty()) writer.results(view.results);
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
  return std::move(writer).text();
}

}  // namespace heed
