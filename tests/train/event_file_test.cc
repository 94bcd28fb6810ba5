// TensorBoard's event files, byte by byte.
#include "train/event_file.h"

#include <gtest/gtest.h>

#include "tests/file_helpers.h"

namespace heed {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    text += two;
  }
  return text;
}

// The examples of RFC 3720, appendix B.4, and the usual check value.
TEST(EventFile, TheChecksumIsCrc32c) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
}

// Written by TensorBoard 2.21.0 (RecordWriter, event_pb2, summary_pb2): two records.
const std::string kExpected =
    "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c"
    "200000000000000029eda950"
    "0900002040fc54d94110ac022a120a100a09737465702f6c6f73731500001040"
    "0c5735e0";

TEST(EventFile, IsWhatTensorBoardWrites) {
  EventFile file(1.5);
  file.add("step/loss", 300, 2.25, 1700000000.5);
  EXPECT_EQ(hex(file.bytes()), kExpected);
}

}  // namespace
}  // namespace heed
