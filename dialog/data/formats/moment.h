// When a message was sent, as exports of chats say it: "31.12.24, 23:59:58", "11:59 PM".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heed {

struct Moment {
  std::array<int, 3> date = {};  // its numbers in the order in which they stand; all 0: none
  int seconds = 0;               // of the day
  bool dated() const { return date[0] > 0; }
};

enum class MomentWords { kOfTimes, kAny };  // "PM", "Dec", "klo" only, or also "Today at"

// Nothing if the whole text is no time, with or without a date. Digits may be Arabic.
std::optional<Moment> read_moment(std::string_view text, MomentWords words);

// Of each moment the seconds since one that is the same for all. Day, month and year stand in the
// order in which the way from the first to the last moment is the shortest. Without a date it is
// the day of the moment before, or the next one where the time falls by more than 12 hours.
std::vector<int64_t> seconds_of(const std::vector<Moment>& moments);

}  // namespace heed
