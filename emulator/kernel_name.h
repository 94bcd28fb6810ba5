// The name of a kernel, for messages. Plain C++: nvcc compiles it too.
#pragma once

#include <string_view>

namespace emulator {

// "gpu::fill<float>" out of the __PRETTY_FUNCTION__ of a template <auto kernel, ...>:
// "... [with auto kernel = gpu::fill<float>; ...]".
constexpr std::string_view kernel_name(std::string_view function) {
  constexpr std::string_view kBefore = "kernel = ";
  const size_t begin = function.find(kBefore);
  if (begin == function.npos) return function;
  function.remove_prefix(begin + kBefore.size());
  if (function.starts_with('&')) function.remove_prefix(1);
  return function.substr(0, function.find_first_of(";]"));
}

}  // namespace emulator
