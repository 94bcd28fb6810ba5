// Event files of TensorBoard: scalars over steps. A file is a sequence of records (TFRecord), each
// of them an Event of TensorFlow's event.proto, encoded as a protocol buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

// CRC-32C (Castagnoli; RFC 3720, appendix B.4): polynomial 0x1EDC6F41, reflected.
uint32_t crc32c(std::string_view bytes);

// The bytes of a record: length (8 bytes, little-endian), its masked checksum, the data, its
// masked checksum. Masked: ((crc >> 15) | (crc << 17)) + 0xa282ead8 modulo 2^32.
std::string event_record(std::string_view data);

// Collects the bytes of an event file.
class EventFile {
 public:
  explicit EventFile(double time);  // seconds since 1970, of the file
  // A point of the curve `tag`. Numbers are kept as f32.
  void add(const std::string& tag, int64_t step, double value, double time);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace heed
