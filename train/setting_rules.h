// What the line of a setting permits (train/setting.h), wherever its value comes from.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "train/setting.h"

namespace heed {

// Whether least <= value <= most, without the ends that `above` and `below` leave out. Not NaN, nor
// an infinite value where there is a least one.
bool permits(const Setting& setting, double value);
// "from 0 to below 1", "above 0", "from 0 on"
std::string permitted_numbers(const Setting& setting);

// Throw UsageError "WHO: KEY: expected a number from 1 to 16, got 17" for a value that is not
// permitted.
void check_number(const std::string& who, const Setting& setting, double value, bool whole);
void check_word(const std::string& who, const Setting& setting, const std::string& value);

// The same for each of the settings that visit(settings, visitor) goes through, in their order.
template <class S, class Visit>
void check_values(const std::string& who, const S& settings, Visit visit) {
  const auto one = [&who](const auto& self, const Setting& setting, const auto& value) -> void {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (requires { value.has_value(); }) {
      if (value) self(self, setting, *value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      check_word(who, setting, value);
    } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      check_number(who, setting, static_cast<double>(value), std::is_integral_v<T>);
    }  // the others have no bounds, or a function that reads their names
  };
  const auto visitor = [&](const Setting& setting, const auto& value) { one(one, setting, value); };
  visit(settings, visitor);
}

}  // namespace heed
