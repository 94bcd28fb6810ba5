#include "dialog/data/formats/moment.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

namespace heed {
namespace {

constexpr size_t kMostBytes = 60;
constexpr int64_t kDay = 86'400;
constexpr std::string_view kMonths = " jan feb mar apr may jun jul aug sep oct nov dec ";
constexpr std::string_view kBeforeNumbers = " klo kl um at ";  // klo: Finnish
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

// Of two letters, or of one and a sign: "pm", "p.m.", "p"; not the months "apr" and "aug".
bool is_half(std::string_view text, char first) {
  return text.starts_with(first) &&
         (text.size() == 1 || text[1] == 'm' || kLetters.find(text[1]) == kLetters.npos);
}

// A text in lower case with a '#' for each number: "12/31/24, 11:58 PM" is "#/#/#, #:# pm".
struct Shape {
  std::string text;
  std::vector<int> numbers;

  explicit Shape(std::string_view given) {
    for (size_t i = 0; i < given.size(); ++i) {
      const auto c = static_cast<unsigned char>(given[i]);
      const int next = i + 1 < given.size() ? static_cast<unsigned char>(given[i + 1]) : 0;
      const int arabic = c == 0xD9 ? next - 0xA0 : c == 0xDB ? next - 0xB0 : -1;  // or Persian
      const bool is_arabic = arabic >= 0 && arabic <= 9;
      const int digit = is_arabic ? arabic : c - '0';
      i += is_arabic;
      if (digit < 0 || digit > 9) {
        const int small = c >= 'A' && c <= 'Z' ? c + 32 : c == '#' ? '!' : c;
        text += static_cast<char>(small);
        continue;
      }
      if (!text.ends_with('#')) numbers.push_back(0), text += '#';
      numbers.back() = std::min(10 * numbers.back() + digit, 10'000);
    }
  }

  bool holds(std::string_view what) const { return text.find(what) != text.npos; }

  // Whether a word stands where times have it; otherwise it is a name: "12:34 A", "12:34 At".
  bool is_of_time(const std::string& word, size_t at) const {
    const size_t end = at + word.size();
    if (word == "am" || word == "pm") return true;
    if (word.size() > 1) {
      return kBeforeNumbers.find(" " + word + " ") != kBeforeNumbers.npos &&
             text.find('#', end) != text.npos;
    }
    const auto letter = [&](size_t place) { return place < text.size() ? text[place] : ' '; };
    const char last = at == 0 ? ' ' : letter(text.find_last_of(kLetters, at - 1)),
               next = letter(text.find_first_of(kLetters, end));
    if (word == "m") return last == 'a' || last == 'p';  // a. m.
    const bool half = word == "a" || word == "p";
    return (half && next == 'm') || ((half || word == "t" || word == "z") && letter(at - 1) == '#');
  }

  // Whether nothing else is in it than what times are written with; and the month, if it is a word.
  bool is_time(MomentWords words, int& month) const {
    if (text.find_first_of("!\"$%&'()*;<=>?@[]_{|}~") != text.npos) return false;
    for (size_t at = 0; (at = text.find_first_of(kLetters, at)) != text.npos;) {
      const size_t end = std::min(text.find_first_not_of(kLetters, at), text.size());
      const std::string word = text.substr(at, end - at);
      if (const size_t found = kMonths.find(" " + word + " "); found != kMonths.npos) {
        if (std::exchange(month, static_cast<int>(found / 4) + 1) > 0) return false;
      } else if (words == MomentWords::kOfTimes && !is_of_time(word, at)) {
        return false;
      }
      at = end;
    }
    return true;
  }
};

// 0 to 23, by the "am" or "pm" behind the time or its like in East Asia and Arabic.
int hour_of_day(int hour, const Shape& shape, size_t end_of_time) {
  const size_t word = shape.text.find_first_of(kLetters, end_of_time);
  const std::string_view half =
      std::string_view(shape.text).substr(std::min(word, shape.text.size()));
  const auto holds = [&](std::initializer_list<const char*> marks) {
    return std::any_of(marks.begin(), marks.end(), [&](auto mark) { return shape.holds(mark); });
  };
  const bool pm = is_half(half, 'p') || holds({"下午", "午後", "오후", "م"});
  const bool am = is_half(half, 'a') || holds({"上午", "午前", "오전", "ص"});
  if (pm && hour < 12) return hour + 12;
  return am && hour == 12 ? 0 : hour;
}

// The day of a date whose year, month and day stand at these places; -1 if there is none.
int64_t day_of(const std::array<int, 3>& date, const std::array<int, 3>& places) {
  const int year = date[places[0]], month = date[places[1]], day = date[places[2]];
  if (month < 1 || month > 12 || day < 1 || day > 31) return -1;
  const auto first = std::chrono::year(year < 100 ? year + 2000 : year) / month / 1;
  return std::chrono::sys_days(first).time_since_epoch().count() + day + 1'000'000;
}

std::array<int, 3> order_of(const std::vector<Moment>& moments) {
  const std::array<int, 3> orders[] = {{2, 1, 0}, {2, 0, 1}, {0, 1, 2}};
  std::array<int, 3> best = orders[0];
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (const auto& order : orders) {
    int64_t way = 0, last = 0;
    for (const Moment& moment : moments) {
      if (!moment.dated()) continue;
      const int64_t day = day_of(moment.date, order);
      if (last != 0) way += std::abs(day - last);
      if (day < 0) way += int64_t{1} << 30;
      last = day;
    }
    if (way < shortest) best = order;
    shortest = std::min(shortest, way);
  }
  return best;
}

}  // namespace

std::optional<Moment> read_moment(std::string_view text, MomentWords words) {
  if (text.size() > kMostBytes) return {};
  const Shape shape(text);
  const std::vector<int>& n = shape.numbers;
  int month = 0;
  if (n.size() < 2 || n.size() > 9 || !shape.is_time(words, month)) return {};
  size_t at = shape.text.find("#:#");
  if (at == shape.text.npos) at = shape.text.rfind(n.size() > 5 ? "#.#.#" : "#.#");
  if (at == shape.text.npos) return {};
  const size_t time = std::count(shape.text.begin(), shape.text.begin() + std::ptrdiff_t(at), '#');
  const bool has_second = shape.text.substr(at + 3).starts_with(shape.text.substr(at + 1, 2));
  const int second = has_second ? n[time + 2] : 0;
  if (n[time] > 24 || n[time + 1] > 59 || second > 60) return {};
  const int hour = hour_of_day(n[time], shape, at + 3);
  Moment moment{.seconds = 3600 * hour + 60 * n[time + 1] + second};
  const size_t behind = time + (has_second ? 3 : 2), others = n.size() - behind + time;
  const size_t date = time > 0 ? 0 : behind;  // where it begins: [11:59 PM, 12/31/2024]
  const bool says_day = month > 0 && others > 0 && time < 3;
  if (words == MomentWords::kOfTimes && month > 0 && !says_day) return {};  // May speaks
  if (time >= 3 || (time == 0 && others == 3)) {
    moment.date = {n[date], n[date + 1], n[date + 2]};
  } else if (says_day) {  // 31 Dec 2024 1:59, Dec 31 1:59:59 2024, Dec 31 1:59
    const int year = time == 2 ? n[1] : n.back() > 999 ? n.back() : 0;
    moment.date = {year < 100 ? year + 2000 : year, month, n[date]};
  } else if (!shape.holds(":")) {
    return {};
  }
  const auto [least, most] = std::minmax_element(moment.date.begin(), moment.date.end());
  if (*most > 9999 || (*most > 0 && *least == 0)) return {};
  return moment;
}

std::vector<int64_t> seconds_of(const std::vector<Moment>& moments) {
  const std::array<int, 3> order = order_of(moments);
  std::vector<int64_t> result;
  int64_t day = 0, last = 0;
  for (const Moment& moment : moments) {
    if (moment.dated()) {
      day = day_of(moment.date, order);
    } else if (moment.seconds < last - kDay / 2) {
      ++day;
    }
    last = moment.seconds;
    result.push_back(day * kDay + moment.seconds);
  }
  return result;
}

}  // namespace heed
