#include "nn/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
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

// A name from a file: line ends and control characters are escaped.
std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump();
}

// What a header says about one tensor: where in the data it lies.
struct Entry {
  std::string name;
  Stored type;
  Shape shape;
  int64_t begin, end;
};

// Sizes and offsets are checked here, so that reading the tensor cannot go wrong.
Entry parse_entry(const std::string& path, const std::string& name, const nlohmann::json& entry,
                  int64_t data_bytes) {
  const auto bad = [&](const std::string& rule) {
    fail(path, "tensor " + quoted(name) + ": " + rule);
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["dtype"].is_string() ||
      !entry["shape"].is_array() || !entry["data_offsets"].is_array()) {
    bad("needs dtype, shape and data_offsets");
  }
  const auto unsigned_numbers = [&](const nlohmann::json& list) {
    std::vector<int64_t> numbers;
    for (const nlohmann::json& n : list) {
      if (!n.is_number_unsigned() || n.get<uint64_t>() > kMaxFileBytes) bad("a size is no number");
      numbers.push_back(n.get<int64_t>());
    }
    return numbers;
  };
  const std::string type = entry["dtype"];
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& t) { return type == t.first; });
  if (known == std::end(kTypes)) {
    bad("element type " + quoted(type) + ", expected F16, BF16, F32, F64, BOOL or I8 to U64");
  }
  const std::vector<int64_t> sizes = unsigned_numbers(entry["shape"]);
  const std::vector<int64_t> range = unsigned_numbers(entry["data_offsets"]);
  if (range.size() != 2 || range[0] > range[1] || range[1] > data_bytes) {
    bad("data_offsets are outside of the file");
  }
  Shape shape;
  try {
    shape = Shape(sizes);
  } catch (const ShapeError& e) {
    bad(e.what());
  }
  if (shape.numel() > data_bytes || shape.numel() * size_of(known->second) != range[1] - range[0]) {
    bad("the shape " + shape.str() + " does not fit its data_offsets");
  }
  return {name, known->second, shape, range[0], range[1]};
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

// Takes what the target asks for out of the file's tensors.
Tensor take(const std::string& path, const NamedTensor& target, TensorMap& tensors) {
  std::vector<std::string> names = {target.name};
  names.insert(names.end(), target.aliases.begin(), target.aliases.end());
  Tensor source;
  const std::string* first = nullptr;
  for (const std::string& name : names) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) continue;
    const Tensor there = found->second, &wanted = target.tensor;
    const bool whole = there.dtype() == DType::i32, want_whole = wanted.dtype() == DType::i32;
    if (!(there.shape() == wanted.shape()) || whole != want_whole) {
      throw DataError(path + ": parameter " + quoted(name) + " is " + name_of(there.dtype()) + " " +
                      there.shape().str() + ", the model needs " + wanted.shape().str());
    }
    if (source.defined() && !same_bytes(source, there)) {
      throw DataError(path + ": " + quoted(*first) + " and " + quoted(name) +
                      " are one parameter of the model but differ");
    }
    if (!source.defined()) source = there, first = &name;
    tensors.erase(found);
  }
  if (!source.defined())
    throw DataError(path + ": parameter " + quoted(target.name) + " is missing");
  return source;
}

// The file's tensors for all targets, in their order.
std::vector<Tensor> read_all(const std::string& path, const std::vector<NamedTensor>& targets) {
  TensorMap tensors = load_tensors(path);
  std::vector<Tensor> sources;
  for (const NamedTensor& target : targets) sources.push_back(take(path, target, tensors));
  if (!tensors.empty()) {
    throw DataError(path + ": the model has no parameter " + quoted(tensors.begin()->first));
  }
  return sources;
}

}  // namespace

TensorMap load_tensors(const std::string& path) {
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
  // Real headers nest three deep; a parser callback keeps hostile ones from nesting further, and
  // sees names that are given twice, of which an object would keep one.
  std::set<std::string> names;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& name) {
    if (depth > 8) fail(path, "the header nests too deep");
    if (event == nlohmann::json::parse_event_t::key && depth == 1 &&
        !names.insert(name.get<std::string>()).second) {
      fail(path, "tensor " + name.dump() + " is given twice");
    }
    return true;
  };
  const nlohmann::json header = nlohmann::json::parse(text, check, /*allow_exceptions=*/false);
  if (!header.is_object()) fail(path, "the header is not a JSON object");
  const auto data_bytes = static_cast<int64_t>(data.size());
  std::vector<Entry> entries;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") entries.push_back(parse_entry(path, name, entry, data_bytes));
  }
  check_ranges(path, entries, data_bytes);
  TensorMap tensors;
  for (const Entry& entry : entries) {
    tensors[entry.name] = tensor_of(data.substr(entry.begin, entry.end - entry.begin), entry.type,
                                    entry.shape, path + ": tensor " + quoted(entry.name));
  }
  return tensors;
}

void save_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  header["__metadata__"] = metadata;
  int64_t at = 0;
  for (const NamedTensor& t : tensors) {
    const char* type = nullptr;
    for (int i = 0; i < kWritten; ++i) {
      if (dtype_of(kTypes[i].second) == t.tensor.dtype()) type = kTypes[i].first;
    }
    header[t.name] = {{"dtype", type},
                      {"shape", t.tensor.shape().sizes()},
                      {"data_offsets", {at, at + t.tensor.bytes()}}};
    at += t.tensor.bytes();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw DataError(path + ": a tensor's name or the metadata is not UTF-8");
  }
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

std::vector<NamedTensor> parameter_tensors(Module& module) {
  std::vector<NamedTensor> tensors;
  for (const NamedParameter& p : parameters(module)) {
    tensors.push_back({p.name, p.var.value(), p.aliases});
  }
  return tensors;
}

void save_parameters(const std::string& path, Module& module) {
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
