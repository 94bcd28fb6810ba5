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

// The step stands behind the time (nine bytes), the length and its checksum (twelve): seven bits a
// byte, the lowest ones first, with the eighth bit where more follow.
TEST(EventFile, AStepHasAsManyBytesAsItNeeds) {
  for (const auto& [step, bytes] : {std::pair<int64_t, std::string>{0, "00"},
                                    {127, "7f"},
                                    {128, "8001"},
                                    {129, "8101"},
                                    {16383, "ff7f"},
                                    {16384, "808001"},
                                    {int64_t{1} << 35, "808080808001"}}) {
    EventFile file(0);
    const size_t before = file.bytes().size();
    file.add("t", step, 0, 0);
    EXPECT_EQ(hex(file.bytes().substr(before + 21, 2 + bytes.size() / 2)), "10" + bytes + "2a")
        << step;
  }
}

// So has a length: of a name of 120 letters the point has 127 bytes, of one of 121 it has 128.
TEST(EventFile, ALengthHasAsManyBytesAsItNeeds) {
  for (const auto& [letters, bytes] : {std::pair{120, "2a81010a7f"}, {121, "2a83010a8001"}}) {
    EventFile file(0);
    const size_t before = file.bytes().size();
    file.add(std::string(letters, 'a'), 1, 0, 0);
    EXPECT_EQ(hex(file.bytes().substr(before + 23, std::string(bytes).size() / 2)), bytes);
  }
}

}  // namespace
}  // namespace heed
