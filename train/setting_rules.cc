#include "train/setting_rules.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"

namespace heed {
namespace {

std::string short_text(double value) {
  std::ostringstream text;
  text.precision(10);
  text << value;
  return text.str();
}

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
  const std::string least = (s.above ? "above " : "from ") + short_text(s.least);
  if (!std::isfinite(s.most)) return least + (s.above ? "" : " on");
  return least + (s.below ? " to below " : " to ") + short_text(s.most);
}

void check_number(const std::string& who, const Setting& s, double value, bool whole) {
  if (permits(s, value)) return;
  refuse(who, s, (whole ? "a whole number " : "a number ") + permitted_numbers(s),
         short_text(value));
}

void check_word(const std::string& who, const Setting& s, const std::string& value) {
  if (s.words.empty() || std::find(s.words.begin(), s.words.end(), value) != s.words.end()) return;
  std::string all;
  for (const std::string& word : s.words) all += (all.empty() ? "" : ", ") + word;
  refuse(who, s, "one of " + all, "'" + value + "'");
}

}  // namespace heed
