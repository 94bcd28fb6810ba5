#include "tensor/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tensor/compare.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// A file of the given header and data.
std::string file_of(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  const auto length = static_cast<uint32_t>(header.size());
  bytes.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return bytes + header + data;
}
std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
template <class T> std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Npy, GivesBackWhatWasSaved) {
  const TempDir dir;
  const std::string path = dir.path("t.npy");
  for (const Device device : test_devices()) {
    for (const Tensor& t :
         {Tensor::of({{1.5, -2, 3e-30}, {0, 5, 6}}, DType::f32, device),
          Tensor::of({0.1, INFINITY}, DType::f64, device),
          Tensor::of({{{-1}, {2147483647}}}, DType::i32, device), Tensor::of(7, DType::f32, device),
          Tensor::zeros({0, 4}, DType::f32, device), Tensor::zeros({1, 2, 3, 4, 5, 6})}) {
      save_npy(path, t);
      EXPECT_EQ(mismatch(load_npy(path), t, {.relative = 0, .absolute = 0}), "");
      EXPECT_EQ((dir.read("t.npy").size() - t.bytes()) % 64, 0u);
    }
  }
}

TEST(Npy, WritesWhatTheFormatSays) {
  const TempDir dir;
  const auto header = [&](const Tensor& t) {
    save_npy(dir.path("t.npy"), t);
    const std::string bytes = dir.read("t.npy");
    return bytes.substr(10, bytes.find('}') - 9);
  };
  EXPECT_EQ(header(Tensor::zeros({3})),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, ), }");
  EXPECT_EQ(header(Tensor::zeros({3, 4}, DType::f64)),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }");
  EXPECT_EQ(header(Tensor::zeros({}, DType::i32)),
            "{'descr': '<i4', 'fortran_order': False, 'shape': (), }");
}

TEST(Npy, WritesNoTensorThatIsUndefined) {
  const TempDir dir;
  EXPECT_EQ(error_of<UsageError>([&] { save_npy(dir.path("t"), Tensor()); }),
            dir.path("t") + ": the tensor is undefined");
  EXPECT_EQ(dir.count_files(), 0u);
}

TEST(Npy, ReadsOtherTypesVersionsAndSpelling) {
  const TempDir dir;
  const auto load = [&](const std::string& bytes) {
    return load_npy(dir.write("t.npy", bytes)).str();
  };
  EXPECT_EQ(load(file_of(header_of("<f2", "(2,)"), bytes_of<uint16_t>({0x3c00, 0xc000}))),
            "f32 (2) [1, -2]");
  EXPECT_EQ(load(file_of(header_of("<i8", "(1, 2)"), bytes_of<int64_t>({-5, 6}), 2)),
            "i32 (1, 2) [[-5, 6]]");
  EXPECT_EQ(load(file_of(header_of("|b1", "(3,)"), std::string("\0\1\0", 3), 3)),
            "i32 (3) [0, 1, 0]");
  EXPECT_EQ(load(file_of(R"({"shape":(2,),"fortran_order":True,"descr":"|u1"})", "\x01\xff")),
            "i32 (2) [1, 255]");
  EXPECT_EQ(load(file_of(header_of("<f4", "()"), bytes_of<float>({2.5}))), "f32 () 2.5");
}

// numpy.save(numpy.arange(6).reshape(2, 3).T) writes the numbers as they lie.
TEST(Npy, ReadsTheFirstAxisFastest) {
  const TempDir dir;
  const std::string data = bytes_of<int32_t>({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(load_npy(dir.write("t", file_of(header_of("<i4", "(3, 2)", "True"), data))).str(),
            "i32 (3, 2) [[0, 3], [1, 4], [2, 5]]");
  EXPECT_EQ(load_npy(dir.write("t", file_of(header_of("<i4", "(1, 2, 3)", "True"), data))).str(),
            "i32 (1, 2, 3) [[[0, 2, 4], [1, 3, 5]]]");
}

TEST(Npy, AgreesWithNumPy) {
  if (std::system("python3 -c 'import numpy' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "Python has no NumPy";
  }
  const TempDir dir;
  save_npy(dir.path("a.npy"), Tensor::of({{1, 2}, {3, 4.5}}));
  save_npy(dir.path("b.npy"), Tensor::of({-7}, DType::i32));
  dir.write("check.py", R"(
import sys, numpy as np
a, b = np.load(sys.argv[1] + "/a.npy"), np.load(sys.argv[1] + "/b.npy")
assert a.tolist() == [[1, 2], [3, 4.5]] and a.dtype == np.float32
assert b.tolist() == [-7] and b.dtype == np.int32
np.save(sys.argv[1] + "/c.npy", a.T.astype(np.float64))
np.save(sys.argv[1] + "/d.npy", np.arange(4, dtype=np.int64))
)");
  ASSERT_EQ(std::system(("python3 " + dir.path("check.py") + " " + dir.path("")).c_str()), 0);
  EXPECT_EQ(load_npy(dir.path("c.npy")).str(), "f64 (2, 2) [[1, 3], [2, 4.5]]");
  EXPECT_EQ(load_npy(dir.path("d.npy")).str(), "i32 (4) [0, 1, 2, 3]");
}

TEST(Npy, RefusesHostileFilesInOneLine) {
  const std::string eight(8, '\0'), good = header_of("<f4", "(2,)");
  const auto with = [&](const std::string& header) { return file_of(header, eight); };
  const struct {
    std::string bytes, rule;
  } hostile[] = {
      {"", "it does not begin as one"},
      {"\x93NUMPY\x01", "it does not begin as one"},
      {"PK\x03\x04" + std::string(100, 'x'), "it does not begin as one"},
      {file_of(good, eight, 4), "format version 4"},
      {file_of(good, "").substr(0, 30), "the header is longer than the file or 10000 bytes"},
      {file_of(std::string(10'001, ' '), eight), "longer than the file or 10000 bytes"},
      {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12) + good, "longer than the file"},
      {with(""), "not a Python dictionary"},
      {with("[]"), "not a Python dictionary"},
      {with("{"), "not a Python dictionary"},
      {with("{'descr"), "not a Python dictionary"},
      {with("{'descr': [('a', '<f4')], }"), "or its type is not a number"},
      {with("{'descr': '<f4' 'shape': (2,)}"), "not a Python dictionary"},
      {with("{'descr': '<f4'}"), "needs descr, fortran_order and shape"},
      {with("{}"), "needs descr, fortran_order and shape"},
      {with("{'descr': '<f4', 'descr': '<f4'}"), "unknown or given twice"},
      {with("{'a': '<f4'}"), "unknown or given twice"},
      {with(good + "{}"), "something behind"},
      {with(header_of(">f4", "(2,)")), "its element type is none of"},
      {with(header_of("<c8", "(1,)")), "its element type is none of"},
      {with(header_of("|O", "(1,)")), "its element type is none of"},
      {with(header_of("<f4", "(2,)", "0")), "not a Python dictionary"},
      {with(header_of("<f4", "(-2,)")), "a size is not a number"},
      {with(header_of("<f4", "(2.0,)")), "not a Python dictionary"},
      {with(header_of("<f4", "(two,)")), "a size is not a number"},
      {with(header_of("<f4", "(9223372036854775808,)")), "a size is not a number"},
      {with(header_of("<f4", "(4294967296, 4294967296, 4)")), "more than 2^59 elements"},
      {with(header_of("<f4", "(1, 1, 1, 1, 1, 1, 2)")), "at most 6 axes"},
      {with(header_of("<f4", "(" + std::string(9000, '1') + ",)")), "a size is not a number"},
      {with(header_of("<f4", "(3,)")), "its 8 bytes of data do not fill the shape (3)"},
      {with(header_of("<f8", "(2,)")), "its 8 bytes of data do not fill the shape (2)"},
      {with(header_of("<f4", "(1,)")), "its 8 bytes of data do not fill the shape (1)"},
      {with(header_of("<f4", "(576460752303423488,)")), "do not fill the shape"},
  };
  const TempDir dir;
  for (const auto& [bytes, rule] : hostile) {
    const std::string path = dir.write("h.npy", bytes);
    const std::string error = error_of<DataError>([&] { (void)load_npy(path); });
    EXPECT_TRUE(error.starts_with(path + ": not a usable .npy file: ")) << error;
    EXPECT_NE(error.find(rule), std::string::npos) << rule << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_EQ(error_of<DataError>([&] {
              (void)load_npy(dir.write(
                  "i", file_of(header_of("<i8", "(1,)"), bytes_of<int64_t>({1LL << 40}))));
            }),
            dir.path("i") + ": element 0 is 1099511627776, which does not fit into 32 bits");
  EXPECT_EQ(error_of<DataError>([&] { (void)load_npy(dir.path("no")); }),
            dir.path("no") + ": cannot open: No such file or directory");
}

TEST(Npy, SurvivesChangesOfEveryByte) {
  const TempDir dir;
  save_npy(dir.path("m"), Tensor::of({{1, 2, 3}, {4, 5, 6}}));
  const std::string good = dir.read("m");
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char to : {'\xff', '9', '('}) {
      std::string bytes = good;
      bytes[at] = to;
      try {
        (void)load_npy(dir.write("m", bytes));
      } catch (const DataError&) {
      }
    }
    EXPECT_NE(error_of<DataError>([&] { (void)load_npy(dir.write("m", good.substr(0, at))); }),
              "no error");
  }
}

}  // namespace
}  // namespace heed
