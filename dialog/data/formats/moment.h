// The time of a message, as written in exported chats: "31.12.24, 23:59:58", "11:59 PM".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heed {

struct Moment {
  std::array<int, 3> date = {};  // its numbers in the order in which they are written; all 0: none
  int seconds = 0;               // of the day
  bool dated() const { return date[0] > 0; }
};

enum class MomentWords { kOfTimes, kAny };  // "PM", "Dec", "klo" only, or also "Today at"

// Nothing unless the whole text is a time, with or without a date. Digits may be Arabic.
std::optional<Moment> read_moment(std::string_view text, MomentWords words);

// The seconds of each moment since a common origin. Day, month and year are read in the order in
// which the span from the first to the last moment is the shortest. Without a date it is the day of
// the moment before, or the next day if the time falls by more than 12 hours.
std::vector<int64_t> seconds_of(const std::vector<Moment>& moments);

}  // namespace heed
