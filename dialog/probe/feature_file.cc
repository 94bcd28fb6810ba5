#include "dialog/probe/feature_file.h"

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "dialog/data/corpus.h"
#include "nn/safetensors.h"

namespace heed::probe {
namespace {

namespace fs = std::filesystem;

std::string features_path(const std::string& directory, const std::string& part) {
  return (fs::path(directory) / (part + ".safetensors")).string();
}

Tensor read_x(const std::string& path) {
  TensorMap tensors = load_tensors(path);
  const auto found = tensors.find("x");
  if (found == tensors.end()) {
    throw DataError(path + ": holds no tensor 'x' (n, d) of features");
  }
  const Tensor& x = found->second;
  if (x.dtype() == DType::i32 || x.shape().rank() != 2 || x.numel() == 0) {
    throw DataError(path + ": 'x' must be numbers (n, d) of n > 0 examples, got " +
                    std::string(name_of(x.dtype())) + " " + x.shape().str());
  }
  check_finite(path, x);
  return x;
}

}  // namespace

Part read_part(const std::string& directory, const std::string& part) {
  const std::string path = features_path(directory, part);
  if (!path_exists(path)) {
    throw DataError(directory + ": holds no " + part +
                    ".safetensors; `heed features` makes such a directory, or any program that "
                    "writes safetensors (docs/probes.md)");
  }
  Part features{read_x(path), {}};
  const std::string labels = find_part(directory, part);
  features.examples = read_labels(labels);
  const auto rows = static_cast<size_t>(features.x.shape()[0]);
  if (rows != features.examples.ids.size()) {
    throw DataError(labels + ": " + std::to_string(features.examples.ids.size()) +
                    " examples, but " + path + " has " + std::to_string(rows) +
                    " rows; line i labels row i");
  }
  return features;
}

void write_part(const std::string& directory, const std::string& part, const Part& features) {
  save_tensors(features_path(directory, part), {{"x", features.x}});
  write_labels((fs::path(directory) / (part + ".jsonl")).string(), features.examples);
}

}  // namespace heed::probe
