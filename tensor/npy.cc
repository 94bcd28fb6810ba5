#include "tensor/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "tensor/stored.h"

namespace heed {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 36;
constexpr size_t kMaxHeaderBytes = 10'000;  // as numpy.load() has it

const std::pair<std::string_view, Stored> kTypes[] = {
    {"<f2", Stored::f16}, {"<f4", Stored::f32}, {"<f8", Stored::f64}, {"|b1", Stored::boolean},
    {"|i1", Stored::i8},  {"|u1", Stored::u8},  {"<i2", Stored::i16}, {"<u2", Stored::u16},
    {"<i4", Stored::i32}, {"<u4", Stored::u32}, {"<i8", Stored::i64}, {"<u8", Stored::u64}};

[[noreturn]] void fail(const std::string& path, const std::string& rule) {
  throw DataError(path + ": not a usable .npy file: " + rule);
}

struct Header {
  std::optional<Stored> type;
  std::optional<bool> fortran_order;  // the first axis changes fastest
  std::optional<std::vector<int64_t>> sizes;
};

// The text of a header, a dictionary in Python's notation:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Header parse() {
    Header header;
    expect("{");
    while (!take("}")) {
      const std::string_view key = string();
      expect(":");
      if (key == "descr" && !header.type) {
        header.type = type();
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !header.sizes) {
        header.sizes = sizes();
      } else {
        fail("the header has a key that is unknown or given twice");
      }
      if (!take(",")) {
        expect("}");
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("there is something behind the header's dictionary");
    if (!header.type || !header.fortran_order || !header.sizes) {
      fail("the header needs descr, fortran_order and shape");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& rule) const { heed::fail(path_, rule); }
  void skip_space() {
    const size_t first = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("the header is not a Python dictionary");
  }

  std::string_view string() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
    if (end == rest_.npos) {
      fail("the header is not a Python dictionary, or its type is not a number");
    }
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  Stored type() {
    const std::string_view name = string();
    const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const auto& t) { return name == t.first; });
    if (known == std::end(kTypes)) {
      fail("its element type is none of f2, f4, f8, b1, i1 to i8 and u1 to u8, little-endian");
    }
    return known->second;
  }
  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }
  std::vector<int64_t> sizes() {
    std::vector<int64_t> sizes;
    expect("(");
    while (!take(")")) {
      skip_space();
      int64_t size = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) fail("a size is not a number");
      rest_.remove_prefix(end - rest_.data());
      sizes.push_back(size);
      if (!take(",")) {
        expect(")");
        break;
      }
    }
    return sizes;
  }

  std::string_view rest_;
  const std::string& path_;
};

// The header's text and the data behind it.
std::pair<std::string_view, std::string_view> parts_of(std::string_view file,
                                                       const std::string& path) {
  const size_t start = kMagic.size() + 2;  // behind the version
  if (file.size() < start + 4 || !file.starts_with(kMagic)) fail(path, "it does not begin as one");
  const int version = static_cast<unsigned char>(file[kMagic.size()]);
  if (version < 1 || version > 3) fail(path, "format version " + std::to_string(version));
  uint32_t length = 0;
  const size_t length_bytes = version == 1 ? 2 : 4;
  std::memcpy(&length, file.data() + start, length_bytes);
  const size_t begin = start + length_bytes;
  if (length > kMaxHeaderBytes || length > file.size() - begin) {
    fail(path, "the header is longer than the file or 10000 bytes");
  }
  return {file.substr(begin, length), file.substr(begin + length)};
}

// The same bytes with the last axis fastest, of an array with the first axis fastest.
std::string reordered(std::string_view data, const Shape& shape, int64_t element_bytes) {
  std::string result(data.size(), '\0');
  std::vector<int64_t> index(shape.rank());
  for (int64_t to = 0; to < shape.numel(); ++to) {
    int64_t from = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) from = from * shape[axis] + index[axis];
    std::memcpy(result.data() + to * element_bytes, data.data() + from * element_bytes,
                element_bytes);
    for (int axis = shape.rank() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) {
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

Tensor load_npy(const std::string& path) {
  const std::string file = read_file(path, kMaxFileBytes);
  const auto [text, data] = parts_of(file, path);
  const Header header = HeaderText(text, path).parse();
  Shape shape;
  try {
    shape = Shape(*header.sizes);
  } catch (const ShapeError& e) {
    fail(path, e.what());
  }
  const int64_t element_bytes = size_of(*header.type);
  if (shape.numel() > static_cast<int64_t>(data.size()) ||
      shape.numel() * element_bytes != static_cast<int64_t>(data.size())) {
    fail(path, "its " + std::to_string(data.size()) + " bytes of data do not fill the shape " +
                   shape.str());
  }
  if (!*header.fortran_order) return tensor_of(data, *header.type, shape, path);
  return tensor_of(reordered(data, shape, element_bytes), *header.type, shape, path);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.defined()) throw UsageError(path + ": the tensor is undefined");
  const char* const type = tensor.dtype() == DType::f32   ? "<f4"
                           : tensor.dtype() == DType::f64 ? "<f8"
                                                          : "<i4";
  std::string sizes;
  for (const int64_t size : tensor.shape().sizes()) sizes += std::to_string(size) + ", ";
  if (tensor.shape().rank() > 1) sizes.resize(sizes.size() - 2);  // (3,) but (3, 4)
  std::string header =
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  constexpr size_t kBefore = 10, kAlign = 64;  // magic, version and length; where the data begin
  header.append(kAlign - (kBefore + header.size() + 1) % kAlign, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  const Tensor host = tensor.to(Device{});
  AtomicFile file(path);
  file.write(kMagic);
  file.write({"\x01\x00", 2});
  file.write({reinterpret_cast<const char*>(&length), sizeof length});
  file.write(header);
  file.write({reinterpret_cast<const char*>(host.raw()), static_cast<size_t>(host.bytes())});
  file.commit();
}

}  // namespace heed
