#include "nn/safetensors.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "nn/init.h"
#include "nn/layers.h"
#include "tensor/compare.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// A file with the given header and that many bytes of data.
std::string file_of(const std::string& header, size_t data_bytes, int64_t header_bytes = -1) {
  const uint64_t length = header_bytes < 0 ? header.size() : static_cast<uint64_t>(header_bytes);
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(data_bytes, '\0');
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

struct TwoLayers : Module {
  TwoLayers() : a(2, 3), b(3, 1, /*with_bias=*/false) { init(*this, /*seed=*/1); }
  void visit(Visitor& v) override {
    v("a", a);
    v("b", b);
  }
  Linear a, b;
};

// The data begins at a multiple of 8 bytes, as the format asks.
TEST(Safetensors, DataIsAligned) {
  const TempDir dir;
  for (size_t length = 1; length <= 8; ++length) {
    save_tensors(dir.path("t"), {{std::string(length, 'x'), Tensor::zeros({1})}});
    uint64_t header = 0;
    std::memcpy(&header, dir.read("t").data(), sizeof header);
    EXPECT_EQ(header % 8, 0u) << length;
  }
}

TEST(Safetensors, AFileTakesOneTensorOfEachName) {
  const TempDir dir;
  EXPECT_EQ(error_of<UsageError>([&] {
              save_tensors(dir.path("t"), {{"a", Tensor::zeros({1})},
                                           {"b", Tensor::zeros({2})},
                                           {"a", Tensor::zeros({1})}});
            }),
            dir.path("t") + ": two tensors are called \"a\"; a file takes one of each name");
  EXPECT_EQ(error_of<UsageError>([&] {
              save_tensors(dir.path("t"), {{"a", Tensor()}});
            }),
            dir.path("t") + ": tensor \"a\" is undefined");
  EXPECT_FALSE(std::filesystem::exists(dir.path("t")));
}

// A header of many tensors is read in a time that grows with it, not with its square: 100,000 took
// minutes.
TEST(Safetensors, ManyTensorsAreReadInLinearTime) {
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i) {
    header += (i ? ",\"t" : "\"t") + std::to_string(i) + "\":" + entry("F32", "[0]", "[0,0]");
  }
  const TempDir dir;
  dir.write("t", file_of(header + "}", 0));
  EXPECT_EQ(load_tensors(dir.path("t")).size(), 100'000u);
}

TEST(Safetensors, GivesBackWhatWasSaved) {
  TempDir dir;
  const std::string path = dir.path("t.safetensors");
  const Tensor single = Tensor::from(std::vector<float>{1.5f, -2, 3e-30f}, {3, 1});
  const Tensor whole = Tensor::from(std::vector<int32_t>{-1, 2147483647}, {2});
  const Tensor fine = Tensor::from(std::vector<double>{0.1}, {}), none = Tensor::zeros({0, 4});
  save_tensors(path, {{"f32", single}, {"i32", whole}, {"scalar.f64", fine}, {"none", none}},
               {{"note", "a \"quoted\"\nword"}});
  TensorMap loaded = load_tensors(path);
  ASSERT_EQ(loaded.size(), 4u);
  for (const auto& [name, tensor] : std::map<std::string, Tensor>{
           {"f32", single}, {"i32", whole}, {"scalar.f64", fine}, {"none", none}}) {
    EXPECT_EQ(loaded[name].dtype(), tensor.dtype()) << name;
    EXPECT_EQ(loaded[name].shape().str(), tensor.shape().str()) << name;
    EXPECT_EQ(loaded[name].to_vector(), tensor.to_vector()) << name;
  }
  save_tensors(path, {});
  EXPECT_TRUE(load_tensors(path).empty());
}

TEST(Safetensors, RefusesNamesThatAreNotUtf8) {
  const TempDir dir;
  const std::string path = dir.path("x.safetensors");
  EXPECT_EQ(error_of<DataError>([&] {
              save_tensors(path, {{"a\xff", Tensor::zeros({1})}});
            }),
            path + ": a tensor's name or the metadata is not UTF-8");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, SavesAndLoadsTheParametersOfAModule) {
  TempDir dir;
  const std::string path = dir.path("m.safetensors");
  TwoLayers model, other;
  other.a.weight.value().fill(7);
  save_parameters(path, model);
  load_parameters(path, other);
  EXPECT_EQ(other.a.weight.value().to_vector(), model.a.weight.value().to_vector());
  convert(other, DType::f64);  // f32 numbers in a f64 model
  other.b.weight.value().fill(7);
  load_parameters(path, other);
  EXPECT_EQ(other.b.weight.value().to_vector(), model.b.weight.value().to_vector());
  save_parameters(path, other);
  EXPECT_EQ(load_tensors(path)["a.bias"].dtype(), DType::f64);
}

TEST(Safetensors, LoadsInPython) {
  if (std::system("python3 -c 'import numpy, safetensors' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "Python has no safetensors";
  }
  TempDir dir;
  save_tensors(dir.path("t.safetensors"),
               {{"a", Tensor::from(std::vector<float>{1, 2, 3, 4.5f}, {2, 2})},
                {"b", Tensor::from(std::vector<int32_t>{-7}, {1})},
                {"c", Tensor::from(std::vector<double>{0.1}, {})}});
  dir.write("check.py", R"(
import sys
from safetensors.numpy import load_file, save_file
t = load_file(sys.argv[1])
assert t["a"].tolist() == [[1, 2], [3, 4.5]] and t["a"].dtype.name == "float32"
assert t["b"].tolist() == [-7] and t["b"].dtype.name == "int32"
assert t["c"].tolist() == 0.1 and t["c"].dtype.name == "float64"
save_file({"x.y": t["a"] + 1, "z": t["c"]}, sys.argv[2], {"format": "np"})
)");
  const std::string command = "python3 " + dir.path("check.py") + " " + dir.path("t.safetensors") +
                              " " + dir.path("back.safetensors");
  ASSERT_EQ(std::system(command.c_str()), 0);
  TensorMap back = load_tensors(dir.path("back.safetensors"));
  EXPECT_EQ(back["x.y"].to_vector(), (std::vector<double>{2, 3, 4, 5.5}));
  EXPECT_EQ(back["z"].item(), 0.1);
}

struct Hostile {
  std::string what, bytes, rule;
};

const std::vector<Hostile>& hostile() {
  const std::string good = entry("F32", "[2]", "[0,8]");
  const auto one = [](const std::string& e, size_t data = 8) {
    return file_of(R"({"t":)" + e + "}", data);
  };
  static const std::vector<Hostile> list = {
      {"empty", "", "shorter than 8 bytes"},
      {"short", "1234567", "shorter than 8 bytes"},
      {"header longer than the file", file_of("{}", 0, 3), "the header is longer"},
      {"huge header", file_of("{}", 0, int64_t{1} << 62), "the header is longer"},
      {"no header", file_of("", 0), "not a JSON object"},
      {"not JSON", file_of("{\"t\":", 8), "not a JSON object"},
      {"not an object", file_of("[1]", 0), "not a JSON object"},
      {"not UTF-8", file_of("{\"\xff\":{}}", 0), "not a JSON object"},
      {"text after the object", file_of("{} {}", 0), "not a JSON object"},
      {"deep", file_of("{\"t\":" + std::string(100'000, '['), 0), "nests too deep"},
      {"deep in what is skipped", file_of("{\"__metadata__\":" + std::string(100'000, '['), 0),
       "nests too deep"},
      {"deep objects",
       file_of(R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}}})", 0),
       "nests too deep"},
      {"entry is a number", one("7"), "tensor \"t\": needs dtype, shape and data_offsets"},
      {"no offsets", one(R"({"dtype":"F32","shape":[2]})"), "needs dtype, shape and data_offsets"},
      {"dtype is a number", one(R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})"), "needs dtype"},
      {"other dtype", one(entry("F8_E5M2", "[8]", "[0,8]")),
       "element type \"F8_E5M2\", expected F16, BF16, F32, F64, BOOL or I8 to U64"},
      {"half as many halves", one(entry("F16", "[2]", "[0,8]")), "does not fit its data_offsets"},
      {"a wide type", one(entry("I64", "[2]", "[0,8]")), "does not fit its data_offsets"},
      {"negative size", one(entry("F32", "[-2]", "[0,8]")), "a size is not a number"},
      {"fraction", one(entry("F32", "[2.0]", "[0,8]")), "a size is not a number"},
      {"text as size", one(entry("F32", "[\"2\"]", "[0,8]")), "a size is not a number"},
      {"size beyond 64 bits", one(entry("F32", "[36893488147419103232]", "[0,8]")), "a size is no"},
      {"size of 2^63", one(entry("F32", "[9223372036854775808]", "[0,8]")),
       "a size is not a number"},
      {"product overflows", one(entry("F32", "[4294967296,4294967296,4]", "[0,8]")),
       "tensor \"t\""},
      {"product wraps to 2", one(entry("F32", "[4294967298,4294967296]", "[0,8]")), "tensor \"t\""},
      {"too many axes", one(entry("F32", "[1,1,1,1,1,1,1,2]", "[0,8]")), "tensor \"t\""},
      {"negative offset", one(entry("F32", "[2]", "[-8,0]")), "a size is not a number"},
      {"offset behind the end", one(entry("F32", "[2]", "[8,16]")), "outside of the file"},
      {"offsets swapped", one(entry("F32", "[2]", "[8,0]")), "outside of the file"},
      {"one offset", one(entry("F32", "[2]", "[8]")), "outside of the file"},
      {"shape and offsets differ", one(entry("F32", "[3]", "[0,8]")),
       "does not fit its data_offsets"},
      {"type and offsets differ", one(entry("F64", "[2]", "[0,8]")),
       "does not fit its data_offsets"},
      {"data that is not named", one(good, 12), "data that no tensor names"},
      {"a hole",
       file_of(R"({"a":)" + entry("F32", "[1]", "[0,4]") + R"(,"b":)" +
                   entry("F32", "[1]", "[8,12]") + "}",
               12),
       "data that no tensor names"},
      {"overlap", file_of(R"({"a":)" + good + R"(,"b":)" + entry("F32", "[2]", "[4,12]") + "}", 12),
       "tensors overlap"},
      {"overlap and hole of one size", file_of(R"({"a":)" + good + R"(,"b":)" + good + "}", 16),
       "tensors overlap"},
      {"given twice", file_of(R"({"t":)" + good + R"(,"t":)" + good + "}", 8),
       "tensor \"t\" is given twice"},
      {"a name with line ends", file_of(R"({"a\nb\u001b":7})", 0),
       "tensor \"a\\nb\\u001b\": needs"},
  };
  return list;
}

TEST(Safetensors, RefusesHostileFilesInOneLine) {
  TempDir dir;
  for (const Hostile& h : hostile()) {
    const std::string path = dir.write("h.safetensors", h.bytes);
    const std::string error = error_of<DataError>([&] { (void)load_tensors(path); });
    EXPECT_TRUE(error.starts_with(path + ": not a usable safetensors file: ")) << h.what << error;
    EXPECT_NE(error.find(h.rule), std::string::npos) << h.what << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << h.what;
  }
  EXPECT_EQ(error_of<DataError>([&] { (void)load_tensors(dir.path("no")); }),
            dir.path("no") + ": cannot open: No such file or directory");
}

// A header of many tensors without data costs time in proportion to their number: 100,000 of them
// took minutes.
TEST(Safetensors, ManyEmptyTensorsAreReadAtOnce) {
  const TempDir dir;
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i) {
    header += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + "\":" + entry("F32", "[0]", "[0,0]");
  }
  const std::string path = dir.write("many.safetensors", file_of(header + "}", 0));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(load_tensors(path).size(), 100'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// The bytes of numbers, one after the other.
template <class T> std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
Tensor load_one(const TempDir& dir, const std::string& type, size_t count,
                const std::string& data) {
  const std::string header =
      R"({"t":)" +
      entry(type, "[" + std::to_string(count) + "]", "[0," + std::to_string(data.size()) + "]") +
      "}";
  return load_tensors(dir.write("t.safetensors", file_of(header, 0) + data)).at("t");
}

// Known values: IEEE 754, table of binary16 on Wikipedia; bf16 is the upper half of an f32.
TEST(Safetensors, ReadsTypesThatTensorsDoNotHave) {
  const TempDir dir;
  const std::vector<uint16_t> halves = {0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400,
                                        0x03ff, 0x0001, 0x8000, 0x7c00, 0xfc00};
  const Tensor half = load_one(dir, "F16", halves.size(), bytes_of(halves));
  const Tensor want = Tensor::of(
      {1, -2, 0.333251953125, 65504, 0x1p-14, 1023 * 0x1p-24, 0x1p-24, 0, INFINITY, -INFINITY});
  EXPECT_EQ(mismatch(half, want, {.relative = 0, .absolute = 0}), "");
  EXPECT_TRUE(std::signbit(half(7)));
  EXPECT_TRUE(std::isnan(load_one(dir, "F16", 1, bytes_of<uint16_t>({0x7e00}))(0)));
  EXPECT_EQ(load_one(dir, "BF16", 4, bytes_of<uint16_t>({0x3f80, 0xc000, 0x4049, 0x0001})).str(),
            Tensor::of({1, -2, 3.140625, 0x1p-133}).str());
  const auto whole = [](const Nested& values) { return Tensor::of(values, DType::i32).str(); };
  EXPECT_EQ(load_one(dir, "I64", 3, bytes_of<int64_t>({-1, INT32_MAX, INT32_MIN})).str(),
            whole({-1, INT32_MAX, INT32_MIN}));
  EXPECT_EQ(load_one(dir, "U64", 2, bytes_of<uint64_t>({0, INT32_MAX})).str(),
            whole({0, INT32_MAX}));
  EXPECT_EQ(load_one(dir, "U32", 1, bytes_of<uint32_t>({7})).str(), whole({7}));
  EXPECT_EQ(load_one(dir, "I16", 2, bytes_of<int16_t>({-32768, 5})).str(), whole({-32768, 5}));
  EXPECT_EQ(load_one(dir, "U16", 1, bytes_of<uint16_t>({65535})).str(), whole({65535}));
  EXPECT_EQ(load_one(dir, "I8", 2, bytes_of<int8_t>({-128, 127})).str(), whole({-128, 127}));
  EXPECT_EQ(load_one(dir, "U8", 1, bytes_of<uint8_t>({255})).str(), whole({255}));
  EXPECT_EQ(load_one(dir, "BOOL", 3, bytes_of<uint8_t>({0, 1, 2})).str(), whole({0, 1, 1}));
}

TEST(Safetensors, RefusesIntegersThatDoNotFit) {
  const TempDir dir;
  const auto error = [&](const std::string& type, const std::string& data) {
    return error_of<DataError>([&] { (void)load_one(dir, type, 2, data); });
  };
  const std::string begin = dir.path("t.safetensors") + ": tensor \"t\": element 1 is ",
                    end = ", which does not fit into 32 bits";
  EXPECT_EQ(error("I64", bytes_of<int64_t>({0, int64_t{1} << 31})), begin + "2147483648" + end);
  EXPECT_EQ(error("I64", bytes_of<int64_t>({0, INT64_MIN})), begin + "-9223372036854775808" + end);
  EXPECT_EQ(error("U64", bytes_of<uint64_t>({0, UINT64_MAX})),
            begin + "18446744073709551615" + end);
  EXPECT_EQ(error("U32", bytes_of<uint32_t>({0, 2147483648u})), begin + "2147483648" + end);
}

// Weights as they are published; the model has its own element type.
TEST(Safetensors, FillsAModelFromHalves) {
  const TempDir dir;
  TwoLayers model;
  const std::string header = R"({"a.bias":)" + entry("F16", "[3]", "[0,6]") + R"(,"a.weight":)" +
                             entry("BF16", "[3,2]", "[6,18]") + R"(,"b.weight":)" +
                             entry("F16", "[1,3]", "[18,24]") + "}";
  const std::vector<uint16_t> data = {0x3c00, 0x3c00, 0x3c00, 0x4000, 0x4000, 0x4000,
                                      0x4000, 0x4000, 0x4000, 0x3c00, 0x3c00, 0x3c00};
  load_parameters(dir.write("m", file_of(header, 0) + bytes_of(data)), model);
  EXPECT_EQ(model.a.weight.value().str(), "f32 (3, 2) [[2, 2], [2, 2], [2, 2]]");
  EXPECT_EQ(model.b.weight.value().str(), "f32 (1, 3) [[1, 1, 1]]");
}

// Whatever byte is changed or cut: tensors or a DataError, and nothing else.
TEST(Safetensors, SurvivesChangesOfEveryByte) {
  TempDir dir;
  TwoLayers model;
  save_parameters(dir.path("m"), model);
  const std::string good = dir.read("m");
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char to : {'\xff', '9'}) {
      std::string bytes = good;
      bytes[at] = to;
      try {
        (void)load_tensors(dir.write("m", bytes));
      } catch (const DataError&) {
      }
    }
    EXPECT_NE(error_of<DataError>([&] { (void)load_tensors(dir.write("m", good.substr(0, at))); }),
              "no error");
  }
}

TEST(Safetensors, RefusesTheNameOfTheMetadata) {
  TempDir dir;
  const std::string path = dir.path("s");
  const Tensor one = Tensor::zeros({1});
  EXPECT_EQ(error_of<UsageError>([&] {
              save_tensors(path, {{"__metadata__", one}});
            }),
            path + ": a tensor is called \"__metadata__\", which the format reserves");
}

TEST(Safetensors, SaysWhichParameterDoesNotFit) {
  TempDir dir;
  const std::string path = dir.path("m");
  const Tensor a = Tensor::zeros({3, 2}), bias = Tensor::zeros({3}), b = Tensor::zeros({1, 3});
  const auto error = [&](const std::vector<NamedTensor>& tensors) {
    TwoLayers model;
    save_tensors(path, tensors);
    return error_of<DataError>([&] { load_parameters(path, model); });
  };
  EXPECT_EQ(error({{"a.weight", a}, {"a.bias", bias}, {"b.weight", b}}), "no error");
  EXPECT_EQ(error({{"a.weight", a}, {"b.weight", b}}), path + ": parameter \"a.bias\" is missing");
  EXPECT_EQ(error({{"a.weight", a}, {"a.bias", bias}, {"b.weight", b}, {"c", b}}),
            path + ": the model has no parameter \"c\"");
  EXPECT_EQ(error({{"a.weight", a}, {"a.bais", bias}, {"b.weight", b}}),
            path + ": parameter \"a.bias\" is missing; the model has no parameter \"a.bais\"");
  EXPECT_EQ(error({{"a.weight", b}, {"a.bias", bias}, {"b.weight", b}}),
            path + ": parameter \"a.weight\" is f32 (1, 3), the model needs f32 (3, 2)");
  EXPECT_EQ(
      error({{"a.weight", Tensor::zeros({3, 2}, DType::i32)}, {"a.bias", bias}, {"b.weight", b}}),
      path + ": parameter \"a.weight\" is i32 (3, 2), the model needs f32 (3, 2)");
}

// Adam's count of steps, which was one for all parameters; other integers have the shape that is
// asked for.
TEST(Safetensors, OneCountOfStepsIsThatOfAll) {
  const TempDir dir;
  const std::string path = dir.path("m");
  const Tensor one = Tensor::from(std::vector<int32_t>{7});
  for (const std::string name : {"steps", "optimizer.steps", "ids", "my_steps"}) {
    save_tensors(path, {{name, one}});
    const Tensor target = Tensor::zeros({2, 2}, DType::i32);
    const bool counts = name.ends_with("steps") && name != "my_steps";
    EXPECT_EQ(error_of<DataError>([&] {
                load_into(path, {{name, target}});
              }) == "no error",
              counts);
    EXPECT_EQ(target.to_ints(), std::vector<int32_t>(4, counts ? 7 : 0)) << name;
  }
}

}  // namespace
}  // namespace heed
