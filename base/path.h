// Paths: display names, and what there is.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

namespace heed {

// "runs/first/" -> "first"; with two parts "runs/first".
inline std::string last_part(const std::string& path, int parts = 1) {
  const std::filesystem::path absolute = std::filesystem::absolute(path).lexically_normal(),
                              whole = absolute.has_filename() ? absolute : absolute.parent_path();
  const auto all = static_cast<int>(std::distance(whole.begin(), whole.end()));
  std::filesystem::path last;
  for (auto at = std::next(whole.begin(), std::max(0, all - parts)); at != whole.end(); ++at)
    last /= *at;
  return last.string();
}

// A path as pages show it. Pages are shared, so an absolute path is cut to its last part.
inline std::string shown_path(const std::string& path) {
  return path.starts_with('/') ? last_part(path) : path;
}

// What there is at a path; false also for what cannot be asked about.
inline bool path_exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}
inline bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}
inline bool is_regular(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}
inline bool has_file(const std::filesystem::path& folder, const std::string& name) {
  return path_exists(folder / name);
}

}  // namespace heed
