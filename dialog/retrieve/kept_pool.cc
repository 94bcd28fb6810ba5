#include "dialog/retrieve/kept_pool.h"

#include <filesystem>

#include "autograd/anomaly.h"
#include "base/error.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/retrieve/pool.h"
#include "nn/safetensors.h"
#include "train/run_directory.h"
#include "train/run_json.h"

namespace heed::retrieve {
namespace {

constexpr const char *kVectors = "vectors", *kMadeOf = "made_of";

// The checksums of the texts, of the model's weights and of those of an encoder that it began with.
Tensor made_of(const std::string& model, const std::vector<std::string>& pool) {
  std::vector<int32_t> checksums = {static_cast<int32_t>(checksum(pool_lines(pool)))};
  for (const std::string& folder : {model, in(model, pretrained::kFolderInRun)}) {
    const std::string weights = in(folder, "model.safetensors");
    const bool there = std::filesystem::exists(weights);
    checksums.push_back(there ? static_cast<int32_t>(file_checksum(weights)) : 0);
  }
  return Tensor::from(checksums);
}

}  // namespace

void keep_vectors(const std::string& model, const std::vector<std::string>& pool,
                  const Tensor& vectors) {
  save_tensors(in(model, kKeptPool), {{kVectors, vectors}, {kMadeOf, made_of(model, pool)}});
}

Tensor kept_vectors(const std::string& model, const std::vector<std::string>& pool, bool* stale) {
  const std::string path = in(model, kKeptPool);
  *stale = false;
  if (!std::filesystem::exists(path)) return {};
  TensorMap tensors = load_tensors(path);
  const Tensor vectors = tensors[kVectors], of = tensors[kMadeOf];
  if (!vectors.defined() || !of.defined() || vectors.dtype() != DType::f32 ||
      vectors.shape().rank() != 2 || !all_finite(vectors)) {
    throw DataError(path + ": holds no vectors of a pool; `heed rank keep` writes them");
  }
  *stale =
      of.to_vector() != made_of(model, pool).to_vector() || vectors.shape()[0] != std::ssize(pool);
  return *stale ? Tensor() : vectors;
}

}  // namespace heed::retrieve
