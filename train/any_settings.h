// The settings of a system, for callers that do not know its struct: an AnySettings is visited like
// the struct (train/setting.h), so that options, files and comparisons take either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "train/settings.h"

namespace heed {

// The types that settings have.
using SettingValue =
    std::variant<bool*, int*, int64_t*, uint32_t*, uint64_t*, double*, std::string*,
                 std::optional<int64_t>*, std::optional<uint64_t>*, std::optional<std::string>*,
                 std::vector<ParameterGroup>*, Words<bool>, Unless<bool>, Named>;

class AnySettings {
 public:
  using Use = std::function<void(const Setting&, SettingValue)>;

  // Refers to the struct, which must outlive it.
  template <class S>
  requires(!std::is_same_v<std::remove_const_t<S>, AnySettings>) explicit AnySettings(S& settings)
      : AnySettings(settings, [](auto& s, auto& v) { visit_settings(s, v); }) {}
  // The settings of one file only.
  template <class S, class Visit>
  AnySettings(S& settings, Visit visit)
      : each_([&settings, visit](const Use& use) {
          const auto visitor = [&](const Setting& setting, auto&& value) {
            if constexpr (std::is_constructible_v<SettingValue, decltype(&value)>) {
              use(setting, &value);
            } else {
              use(setting, value);
            }
          };
          visit(settings, visitor);
        }) {}

  void each(const Use& use) const { each_(use); }

 private:
  std::function<void(const Use&)> each_;
};

template <class S, class V>
requires std::is_same_v<std::remove_const_t<S>, AnySettings>
void visit_settings(S& settings, V& v) {
  settings.each([&](const Setting& setting, SettingValue value) {
    std::visit(
        [&](auto& one) {
          if constexpr (std::is_pointer_v<std::remove_reference_t<decltype(one)>>) {
            v(setting, *one);
          } else {
            v(setting, one);
          }
        },
        value);
  });
}

}  // namespace heed
