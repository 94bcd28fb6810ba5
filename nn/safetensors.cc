#include "nn/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tensor/stored.h"

namespace heed {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 36;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format

const std::pair<const char*, Stored> kTypes[] = {
    {"F32", Stored::f32},     {"F64", Stored::f64}, {"I32", Stored::i32}, {"F16", Stored::f16},
    {"BF16", Stored::bf16},   {"I64", Stored::i64}, {"U64", Stored::u64}, {"U32", Stored::u32},
    {"I16", Stored::i16},     {"U16", Stored::u16}, {"I8", Stored::i8},   {"U8", Stored::u8},
    {"BOOL", Stored::boolean}};
constexpr int kWritten = 3;  // the first ones, which tensors have

[[noreturn]] void fail(const std::string& path, const std::string& rule) {
  throw DataError(path + ": not a usable safetensors file: " + rule);
}

// What a header says about one tensor: where in the data it lies.
struct Entry {
  std::string name;
  Stored type;
  Shape shape;
  int64_t begin, end;
};

// Sizes, of a shape or of offsets. Nothing where one is no number of bytes that a file can have.
std::optional<std::vector<int64_t>> read_sizes(JsonReader& json) {
  std::vector<int64_t> sizes;
  bool good = true;
  json.array([&] {
    std::optional<uint64_t> size;
    if (json.next() == JsonReader::Kind::number) {
      size = json.number();
    } else {
      json.skip();
    }
    good = good && size && *size <= kMaxFileBytes;
    if (good) sizes.push_back(static_cast<int64_t>(*size));
  });
  return good ? std::optional(sizes) : std::nullopt;
}

// Sizes and offsets are checked here, so that reading the tensor cannot go wrong.
Entry read_entry(const std::string& path, const std::string& name, JsonReader& json,
                 int64_t data_bytes) {
  using Kind = JsonReader::Kind;
  const auto bad = [&](const std::string& rule) {
    fail(path, "tensor " + json_string(name) + ": " + rule);
  };
  std::optional<std::string> type;
  std::optional<std::vector<int64_t>> sizes, range;
  const auto read_member = [&](const std::string& key) {
    if (key == "dtype" && json.next() == Kind::string) {
      type = json.string();
    } else if ((key == "shape" || key == "data_offsets") && json.next() == Kind::array) {
      auto& list = key == "shape" ? sizes : range;
      list = read_sizes(json);
      if (!list) bad("a size is not a number");
    } else {
      json.skip();
    }
  };
  if (json.next() == Kind::object) {
    json.object(read_member);
  } else {
    json.skip();
  }
  if (!type || !sizes || !range) bad("needs dtype, shape and data_offsets");
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& t) { return *type == t.first; });
  if (known == std::end(kTypes)) {
    bad("element type " + json_string(*type) + ", expected F16, BF16, F32, F64, BOOL or I8 to U64");
  }
  if (range->size() != 2 || range->front() > range->back() || range->back() > data_bytes) {
    bad("data_offsets are outside of the file");
  }
  Shape shape;
  try {
    shape = Shape(*sizes);
  } catch (const ShapeError& e) {
    bad(e.what());
  }
  const int64_t begin = range->front(), end = range->back();
  if (shape.numel() > data_bytes || shape.numel() * size_of(known->second) != end - begin) {
    bad("the shape " + shape.str() + " does not fit its data_offsets");
  }
  return {name, known->second, shape, begin, end};
}

// The tensors must fill the data without overlap or gap, in any order.
void check_ranges(const std::string& path, std::vector<Entry>& entries, int64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  int64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin < at) fail(path, "tensors overlap");
    if (entry.begin > at) break;
    at = entry.end;
  }
  if (at != data_bytes) fail(path, "there is data that no tensor names");
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.bytes() == b.bytes() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

// Whether it is the count of steps of an optimiser: "steps", or "optimizer.steps" of a checkpoint.
bool is_steps(const std::string& name) {
  return name == "steps" || name.ends_with(".steps");
}

// Takes what the target asks for out of the file's tensors; undefined where it is missing.
Tensor take(const std::string& path, const NamedTensor& target, TensorMap& tensors) {
  std::vector<std::string> names = {target.name};
  names.insert(names.end(), target.aliases.begin(), target.aliases.end());
  Tensor source;
  const std::string* first = nullptr;
  for (const std::string& name : names) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) continue;
    const Tensor& wanted = target.tensor;
    Tensor there = found->second;
    // One count of steps for all parameters, as Adam had until version 0.1, is that of each.
    if (is_steps(name) && there.dtype() == DType::i32 && wanted.dtype() == DType::i32 &&
        there.numel() == 1) {
      there = Tensor::full(wanted.shape(), there.item(), DType::i32);
    }
    const bool whole = there.dtype() == DType::i32, want_whole = wanted.dtype() == DType::i32;
    if (!(there.shape() == wanted.shape()) || whole != want_whole) {
      throw DataError(path + ": parameter " + json_string(name) + " is " + name_of(there.dtype()) +
                      " " + there.shape().str() + ", the model needs " + name_of(wanted.dtype()) +
                      " " + wanted.shape().str());
    }
    if (source.defined() && !same_bytes(source, there)) {
      throw DataError(path + ": " + json_string(*first) + " and " + json_string(name) +
                      " are one parameter of the model but differ");
    }
    if (!source.defined()) source = there, first = &name;
    tensors.erase(found);
  }
  return source;
}

// The file's tensors for all targets, in their order.
std::vector<Tensor> read_all(const std::string& path, const std::vector<NamedTensor>& targets) {
  TensorMap tensors = load_tensors(path);
  std::vector<Tensor> sources;
  std::string wrong;
  for (const NamedTensor& target : targets) {
    sources.push_back(take(path, target, tensors));
    if (sources.back().defined() || !wrong.empty()) continue;
    wrong = "parameter " + json_string(target.name) + " is missing";
  }
  if (!tensors.empty()) {  // after "missing", too: a tensor may have another name
    wrong += (wrong.empty() ? "" : "; ") +
             ("the model has no parameter " + json_string(tensors.begin()->first));
  }
  if (!wrong.empty()) throw DataError(path + ": " + wrong);
  return sources;
}

// The tensors of a header, checked, in the order of their data.
std::vector<Entry> read_header(const std::string& path, std::string_view text, int64_t data_bytes) {
  JsonReader json(text, /*depth=*/8);  // real headers nest three deep
  std::vector<Entry> entries;
  std::set<std::string> names;
  try {
    json.object([&](const std::string& name) {
      if (!names.insert(name).second) fail(path, "tensor " + json_string(name) + " is given twice");
      if (name == "__metadata__") return static_cast<void>(json.skip());
      entries.push_back(read_entry(path, name, json, data_bytes));
    });
    json.end();
  } catch (const JsonError& e) {
    fail(path, e.too_deep ? "the header nests too deep" : "the header is not a JSON object");
  }
  check_ranges(path, entries, data_bytes);
  return entries;
}

// The header of a file: a JSON object, whose members keep the order of the tensors.
std::string header_of(const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::string header = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    if (header.back() != '{') header += ',';
    header += json_string(key) + ":" + json_string(value);
  }
  header += "}";
  int64_t at = 0;
  for (const NamedTensor& t : tensors) {
    const auto* type = std::find_if(kTypes, kTypes + kWritten, [&](const auto& known) {
      return dtype_of(known.second) == t.tensor.dtype();
    });
    header += "," + json_string(t.name) + ":{\"dtype\":\"" + type->first + "\",\"shape\":[";
    for (const int64_t size : t.tensor.shape().sizes()) {
      if (header.back() != '[') header += ',';
      header += std::to_string(size);
    }
    header += "],\"data_offsets\":[" + std::to_string(at) + ",";
    at += t.tensor.bytes();
    header += std::to_string(at) + "]}";
  }
  return header + "}";
}

// Calls f(entry, its bytes) for each tensor of a file.
template <typename F> void for_each_entry(const std::string& path, F f) {
  const std::string file = read_file(path, kMaxFileBytes);
  uint64_t header_bytes = 0;
  if (file.size() < sizeof header_bytes) fail(path, "shorter than 8 bytes");
  std::memcpy(&header_bytes, file.data(), sizeof header_bytes);
  if (header_bytes > kMaxHeaderBytes || header_bytes > file.size() - sizeof header_bytes) {
    fail(path, "the header is longer than the file or the format allows");
  }
  const std::string_view bytes(file);
  const std::string_view text = bytes.substr(sizeof header_bytes, header_bytes);
  const std::string_view data = bytes.substr(sizeof header_bytes + header_bytes);
  const auto data_bytes = static_cast<int64_t>(data.size());
  for (const Entry& entry : read_header(path, text, data_bytes)) {
    f(entry, data.substr(entry.begin, entry.end - entry.begin));
  }
}

}  // namespace

TensorMap load_tensors(const std::string& path) {
  TensorMap tensors;
  for_each_entry(path, [&](const Entry& entry, std::string_view bytes) {
    tensors[entry.name] =
        tensor_of(bytes, entry.type, entry.shape, path + ": tensor " + json_string(entry.name));
  });
  return tensors;
}

std::map<std::string, std::string> stored_types(const std::string& path) {
  std::map<std::string, std::string> types;
  for_each_entry(path, [&](const Entry& entry, std::string_view) {
    std::string& type = types[entry.name];
    type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& known) {
             return known.second == entry.type;
           })->first;
    for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return types;
}

void save_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::set<std::string> names;
  for (const NamedTensor& t : tensors) {
    if (!t.tensor.defined())
      throw UsageError(path + ": tensor " + json_string(t.name) + " is undefined");
    if (t.name == "__metadata__") {
      throw UsageError(path + ": a tensor is called \"__metadata__\", which the format reserves");
    }
    if (names.insert(t.name).second) continue;
    throw UsageError(path + ": two tensors are called " + json_string(t.name) +
                     "; a file takes one of each name");
  }
  std::string text = header_of(tensors, metadata);
  if (!is_utf8(text)) throw DataError(path + ": a tensor's name or the metadata is not UTF-8");
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t header_bytes = text.size();

  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes});
  file.write(text);
  for (const NamedTensor& t : tensors) {
    const Tensor host = t.tensor.to(Device{});
    file.write({reinterpret_cast<const char*>(host.raw()), static_cast<size_t>(host.bytes())});
  }
  file.commit();
}

void load_into(const std::string& path, const std::vector<NamedTensor>& targets) {
  const std::vector<Tensor> sources = read_all(path, targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& target = targets[i].tensor;
    target.copy_from(sources[i].to(target.dtype()).to(target.device()));
  }
}

std::vector<NamedTensor> parameter_tensors(const Module& module) {
  std::vector<NamedTensor> tensors;
  for (const NamedParameter& p : parameters(module)) {
    check_has_values(p);
    tensors.push_back({p.name, p.var.value(), p.aliases});
  }
  return tensors;
}

void save_parameters(const std::string& path, const Module& module) {
  save_tensors(path, parameter_tensors(module), {{"format", "pt"}});
}

void load_parameters(const std::string& path, Module& module) {
  const std::vector<NamedParameter> all = parameters(module);
  std::vector<NamedTensor> wanted;
  for (const NamedParameter& p : all) wanted.push_back({p.name, p.var.cell()->value, p.aliases});
  const std::vector<Tensor> sources = read_all(path, wanted);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].var.set_value(sources[i].to(all[i].var.dtype()).to(all[i].var.device()));
  }
}

}  // namespace heed
