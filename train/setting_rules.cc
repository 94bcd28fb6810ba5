#include "train/setting_rules.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/list.h"

namespace heed {
namespace {

[[noreturn]] void refuse(const std::string& who, const Setting& s, const std::string& expected,
                         const std::string& got) {
  throw UsageError((who.empty() ? "" : who + ": ") + (s.key.empty() ? s.option : s.key) +
                   ": expected " + expected + ", got " + got);
}

}  // namespace

bool permits(const Setting& s, double value) {
  if (std::isfinite(s.least) && !std::isfinite(value)) return false;
  return (s.above ? value > s.least : value >= s.least) &&
         (s.below ? value < s.most : value <= s.most);
}

std::string permitted_numbers(const Setting& s) {
  const std::string least = (s.above ? "above " : "from ") + text_of(s.least);
  if (!std::isfinite(s.most)) return least + (s.above ? "" : " on");
  return least + (s.below ? " to below " : " to ") + text_of(s.most);
}

void check_number(const std::string& who, const Setting& s, double value, bool whole) {
  if (permits(s, value)) return;
  refuse(who, s, (whole ? "a whole number " : "a number ") + permitted_numbers(s), text_of(value));
}

void check_word(const std::string& who, const Setting& s, const std::string& value) {
  if (s.words.empty() || std::find(s.words.begin(), s.words.end(), value) != s.words.end()) return;
  refuse(who, s, "one of " + joined(s.words), "'" + value + "'");
}

}  // namespace heed
