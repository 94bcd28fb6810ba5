#include "train/event_file.h"

#include <array>
#include <bit>

namespace heed {
namespace {

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrc = crc_table();

template <class Unsigned> std::string little_endian(Unsigned value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::string masked_crc(std::string_view bytes) {
  return little_endian(std::rotr(crc32c(bytes), 15) + 0xa282ead8U);
}

// ---- protocol buffers: a field is its number and wire type, then its value

enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string key(int field, Wire wire) {
  return varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire));
}
std::string bytes_field(int field, std::string_view value) {
  return key(field, Wire::kBytes) + varint(value.size()) + std::string(value);
}
std::string double_field(int field, double value) {
  return key(field, Wire::kFixed64) + little_endian(std::bit_cast<uint64_t>(value));
}
std::string float_field(int field, float value) {
  return key(field, Wire::kFixed32) + little_endian(std::bit_cast<uint32_t>(value));
}
std::string int_field(int field, int64_t value) {
  return key(field, Wire::kVarint) + varint(static_cast<uint64_t>(value));
}

// Numbers of the fields.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
}
constexpr int kSummaryValue = 1, kValueTag = 1, kValueSimple = 2;

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrc[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::string event_record(std::string_view data) {
  const std::string length = little_endian(static_cast<uint64_t>(data.size()));
  return length + masked_crc(length) + std::string(data) + masked_crc(data);
}

EventFile::EventFile(double time)
    : bytes_(event_record(double_field(event::kWallTime, time) +
                          bytes_field(event::kFileVersion, "brain.Event:2"))) {}

void EventFile::add(const std::string& tag, int64_t step, double value, double time) {
  const std::string point =
      bytes_field(kValueTag, tag) + float_field(kValueSimple, static_cast<float>(value));
  bytes_ += event_record(double_field(event::kWallTime, time) + int_field(event::kStep, step) +
                         bytes_field(event::kSummary, bytes_field(kSummaryValue, point)));
}

}  // namespace heed
