// What the two pictures of attention have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "dialog/render.h"
#include "tensor/error.h"

namespace heed {

inline std::string decimal(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  const bool zero = std::string_view(text).find_first_of("123456789") == std::string_view::npos;
  return zero && text[0] == '-' ? text + 1 : text;  // no "-0.0"
}

// "1 dialogue", "2 dialogues"
inline std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Text as it may stand in HTML, in an attribute too.
inline std::string escape(const std::string& text) {
  std::string result;
  for (char c : printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

inline std::string percent_text(double as) {
  return std::isfinite(as) ? decimal(100 * std::clamp(as, 0.0, 99.99), 0) + " %" : "-";
}

// "(4 earlier turns are not read)"
inline std::string earlier_turns_text(const DialogueView& dialogue) {
  const bool one = dialogue.earlier_turns == 1;
  return "(" + std::to_string(dialogue.earlier_turns) +
         (one ? " earlier turn is not read)" : " earlier turns are not read)");
}

// The attention score of a full bar: at least twice the average, so that an average bar never looks
// full, and the same for all bars of a dialogue.
inline double full_bar(const DialogueView& dialogue) {
  double full = 2;
  for (const ModelView& m : dialogue.models) {
    for (double as : m.as_scores) {
      if (std::isfinite(as)) full = std::max(full, as);
    }
  }
  return full;
}

inline void check_view(const DialogueView& dialogue, size_t models) {
  check_internal(dialogue.models.size() == models, "a view lacks a model");
  for (const ModelView& m : dialogue.models) {
    check_internal(m.as_scores.size() == dialogue.context.size(), "a view lacks attention scores");
  }
}

inline void check_view(const AttentionView& view) {
  for (const DialogueView& d : view.dialogues) check_view(d, view.models.size());
  for (const ResultView& r : view.results) {
    check_internal(r.models.size() == view.models.size(), "a view lacks results");
  }
}

}  // namespace heed
