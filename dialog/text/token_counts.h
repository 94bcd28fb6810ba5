// Token frequencies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace heed {

// For hash tables keyed by std::string that are searched by std::string_view without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using TokenCounts = std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>>;

}  // namespace heed
