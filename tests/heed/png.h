// Reads the pictures that a browser takes of a page.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace heed {

struct Picture {
  size_t width = 0, height = 0, channels = 0;  // 3 or 4, red first
  std::vector<uint8_t> bytes;                  // row after row
  const uint8_t* pixel(size_t x, size_t y) const { return &bytes[(y * width + x) * channels]; }
};

// What a filter of PNG (its specification, section 9) predicts a byte from: the ones to the left,
// above, and above to the left.
inline int png_prediction(int filter, int left, int above, int corner) {
  if (filter == 1) return left;
  if (filter == 2) return above;
  if (filter == 3) return (left + above) / 2;
  if (filter != 4) return 0;
  const int p = left + above - corner;  // Paeth
  const int a = std::abs(p - left), b = std::abs(p - above), c = std::abs(p - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

// 8 bits a channel, RGB or RGBA, not interlaced. Throws std::runtime_error for anything else.
inline Picture read_png(const std::string& file) {
  const auto number = [&](size_t at) {  // big-endian
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(file.at(at + i));
    return value;
  };
  constexpr size_t kHeader = 8;  // then length, name, data, checksum of each chunk
  Picture picture;
  picture.width = number(kHeader + 8), picture.height = number(kHeader + 12);
  const auto depth = static_cast<uint8_t>(file.at(kHeader + 16)),
             colour = static_cast<uint8_t>(file.at(kHeader + 17));
  if (depth != 8 || (colour != 2 && colour != 6) || file.at(kHeader + 20) != 0) {
    throw std::runtime_error("png: not 8-bit RGB or RGBA");
  }
  picture.channels = colour == 2 ? 3 : 4;
  std::string packed;
  for (size_t at = kHeader; at < file.size(); at += 12 + number(at)) {
    if (file.substr(at + 4, 4) == "IDAT") packed += file.substr(at + 8, number(at));
  }
  const size_t row = picture.width * picture.channels;
  std::vector<uint8_t> raw(picture.height * (row + 1));  // a byte for the filter before each row
  uLongf size = raw.size();
  const auto* data = reinterpret_cast<const Bytef*>(packed.data());
  if (uncompress(raw.data(), &size, data, packed.size()) != Z_OK || size != raw.size()) {
    throw std::runtime_error("png: damaged");
  }
  picture.bytes.resize(picture.height * row);
  for (size_t y = 0; y < picture.height; ++y) {
    uint8_t* out = &picture.bytes[y * row];
    const uint8_t* in = &raw[y * (row + 1)];
    for (size_t x = 0; x < row; ++x) {
      const bool first = x < picture.channels;
      const int left = first ? 0 : out[x - picture.channels], above = y == 0 ? 0 : out[x - row];
      const int corner = first || y == 0 ? 0 : out[x - row - picture.channels];
      out[x] = static_cast<uint8_t>(in[1 + x] + png_prediction(in[0], left, above, corner));
    }
  }
  return picture;
}

}  // namespace heed
