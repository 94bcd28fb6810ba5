#include <algorithm>
#include <cstdio>

#include "nn/module.h"

namespace heed {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

std::string percent(int64_t part, int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%",
                100 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1)));
  return text;
}

}  // namespace

std::string summary(const Module& module) {
  std::vector<std::vector<std::string>> rows = {{"name", "shape", "numbers", "share", "type", ""}};
  const int64_t all = parameter_count(module);
  int64_t frozen = 0, buffers = 0, bytes = 0;
  for (const NamedParameter& p : parameters(module)) {
    const int64_t numbers = p.var.shape().numel();
    const bool buffer = p.var.is_buffer();
    rows.push_back({p.name, p.var.shape().str(), std::to_string(numbers),
                    buffer ? "" : percent(numbers, all), name_of(p.var.dtype()),
                    buffer           ? "buffer"
                    : p.var.frozen() ? "frozen"
                                     : ""});
    for (const std::string& alias : p.aliases) rows.push_back({alias, "is " + p.name});
    (buffer ? buffers : frozen) += p.var.frozen() ? numbers : 0;
    bytes += numbers * size_of(p.var.dtype());
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    if (row.size() < widths.size()) continue;  // of an alias: it may stick out
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const std::string more = buffers ? " and " + std::to_string(buffers) + " in buffers" : "";
  return text + std::to_string(all) + " numbers" + more + ", " + std::to_string(bytes) +
         " bytes; " + std::to_string(frozen) + " numbers frozen\n";
}

}  // namespace heed
