// The vectors of texts, by any number of threads (dialog/pretrained/encoder.h).
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>

#include "autograd/keep_packed.h"
#include "dialog/pretrained/encoder.h"
#include "tensor/parallel.h"

namespace heed::pretrained {
namespace {

// A batch of more pieces only needs more memory: the weights are packed for all batches, and what a
// layer makes of so few stays in the caches. A GPU needs many rows to be busy.
constexpr size_t kPiecesOnCpu = 1024;

// The places of the texts, the longest first, in batches of at most `batch`.
std::vector<std::vector<size_t>> batches_of(const std::vector<Pieces>& texts, size_t batch,
                                            size_t most_pieces) {
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return texts[a].ids.size() > texts[b].ids.size(); });
  std::vector<std::vector<size_t>> batches;
  size_t pieces = 0;
  for (const size_t i : order) {
    pieces += texts[i].ids.size();
    if (batches.empty() || batches.back().size() == batch || pieces > most_pieces) {
      batches.emplace_back();
      pieces = texts[i].ids.size();
    }
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace

Tensor encode_texts(const Encoder& encoder, const std::vector<Pieces>& texts, size_t batch,
                    const OnTexts& progress) {
  const bool cuda = encoder.model.device().is_cuda();
  const auto batches = batches_of(texts, batch, cuda ? SIZE_MAX : kPiecesOnCpu);
  KeepPacked weights;
  std::vector<Tensor> means(batches.size());
  std::mutex mutex;
  size_t done = 0;
  const auto encode = [&](int64_t b) {
    const NoGrad guard;
    const KeepPacked::Use use(weights);
    std::vector<Pieces> some;
    for (const size_t i : batches[b]) some.push_back(texts[i]);
    means[b] = mean_vectors(encoder.model(some)).value().to(Device{});
    const std::lock_guard lock(mutex);
    done += some.size();
    if (progress) progress(done, texts.size());
  };
  // A batch for each thread saves the waiting at the end of each product.
  const auto count = std::ssize(batches);
  if (!cuda && count >= int64_t{4} * num_threads()) {
    parallel_for(count, encode);
  } else {
    for (int64_t b = 0; b < count; ++b) encode(b);
  }
  const int64_t width = encoder.model.config().hidden_size;
  const DType dtype = encoder.model.words.weight.dtype();
  const Tensor vectors = Tensor::empty({std::ssize(texts), width}, dtype);
  for (size_t b = 0; b < batches.size(); ++b) {
    for (size_t i = 0; i < batches[b].size(); ++i) {
      vectors[static_cast<int64_t>(batches[b][i])].copy_from(means[b][static_cast<int64_t>(i)]);
    }
  }
  return vectors;
}

}  // namespace heed::pretrained
