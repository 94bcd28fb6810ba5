// What the checks of lab 7 compare with: formulas in f64 by plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/packing.h"
#include "dialog/parts/batch.h"
#include "tensor/tensor.h"

namespace heed::lab {

// One look of a query at a row of the memory.
struct Look {
  int64_t query, score, row;
};
inline std::vector<Look> looks(const Segments& s) {
  std::vector<Look> all;
  for (int64_t b = 0; b < s.count(); ++b) {
    for (int64_t i = 0; i < s.length(b); ++i)
      all.push_back({b, s.begin(b) + i, s.memory_begin(b) + i});
  }
  return all;
}

inline double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

inline Tensor scores_by_loops(const Tensor& query, const Tensor& memory,
                              const std::vector<Look>& all) {
  const Tensor y = Tensor::zeros({std::ssize(all)}, DType::f64);
  for (const Look& look : all)
    y.data<double>()[look.score] = dot(query[look.query], memory[look.row]);
  return y;
}

// exp(x - shift) over its sum within [begin, end)
inline void softmax_by_loops(double* y, const double* x, int64_t begin, int64_t end) {
  const double max = begin < end ? *std::max_element(x + begin, x + end) : 0;
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) sum += y[i] = std::exp(x[i] - max);
  for (int64_t i = begin; i < end; ++i) y[i] /= sum;
}
inline Tensor softmax_by_loops(const Tensor& x, const Segments& s) {
  const Tensor y = Tensor::zeros(x.shape(), DType::f64);
  for (int64_t b = 0; b < s.count(); ++b) {
    softmax_by_loops(y.data<double>(), x.data<double>(), s.begin(b), s.end(b));
  }
  return y;
}

inline Tensor context_by_loops(const Tensor& weights, const Tensor& memory, const Segments& s) {
  const int64_t width = memory.shape()[1];
  const Tensor y = Tensor::zeros({s.count(), width}, DType::f64);
  for (const Look& look : looks(s)) {
    for (int64_t k = 0; k < width; ++k) {
      y.data<double>()[look.query * width + k] +=
          weights.data<double>()[look.score] * memory.data<double>()[look.row * width + k];
    }
  }
  return y;
}

// Eq. 9 summed over all steps, as it should be or with one mistake.
enum class Mistake {
  kNone,
  kStepsCountOnce,
  kMeanOverDistractions,
  kMeanOverBatch,
  kMeanOverSteps,
  kFirstStep,
  kFirstDialogue,
  kMaskOfTheFirst,
  kNoMean,
  kNoSquare,
  kNoMask
};

// A batch, and where the weights of its dialogues stand: step after step those of the dialogues
// that are still running, or once for all steps.
struct Traced {
  Batch batch;
  std::vector<std::vector<double>> mask;  // of each dialogue in batch order, for each memory row
  bool same;

  Traced(const std::vector<Example>& examples, MemoryOf of, bool same_in_all_steps)
      : batch(make_batch(pointers(examples), {.memory = of})), same(same_in_all_steps) {
    for (int64_t b = 0; b < batch.size; ++b) {
      const Example& e = examples[batch.order[b]];
      auto& rows = mask.emplace_back();
      for (size_t k = 0; k < e.context.size(); ++k) {
        rows.insert(rows.end(), of == MemoryOf::kTokens ? e.context[k].size() + 1 : 1,
                    e.distraction[k]);
      }
    }
  }
  int64_t steps(int64_t b) const { return batch.response.packing.length(b); }
  int64_t steps() const { return same ? 1 : steps(0); }
  int64_t running(int64_t t) const {
    return same ? batch.size : batch.response.packing.batch_size(t);
  }
  int64_t rows_of_step(int64_t t) const {
    int64_t rows = 0;
    for (int64_t b = 0; b < running(t); ++b) rows += std::ssize(mask[b]);
    return rows;
  }
  int64_t weights() const {
    int64_t count = 0;
    for (int64_t t = 0; t < steps(); ++t) count += rows_of_step(t);
    return count;
  }

  double loss(const Tensor& weights, Mistake mistake = Mistake::kNone) const {
    const std::vector<double> all = weights.to_vector();
    size_t at = 0;
    double total = 0;
    for (int64_t t = 0; t < steps(); ++t) {
      for (int64_t b = 0; b < running(t); at += mask[b++].size()) {
        double sum = 0, distractions = 0;
        for (size_t j = 0; j < mask[b].size(); ++j) {
          const double m = mistake == Mistake::kNoMask           ? 1
                           : mistake == Mistake::kMaskOfTheFirst ? batch.memory.distraction[j]
                                                                 : mask[b][j];
          const double w = all[at + j];
          sum += m * (mistake == Mistake::kNoSquare ? w : w * w);
          distractions += mask[b][j];
        }
        const auto count = static_cast<double>(steps(b));
        const double times = mistake == Mistake::kMeanOverSteps            ? (same ? 1 : 1 / count)
                             : same && mistake != Mistake::kStepsCountOnce ? count
                                                                           : 1;
        const double over =
            mistake == Mistake::kNoMean                 ? 1
            : mistake == Mistake::kMeanOverDistractions ? std::max(distractions, 1.0)
            : mistake == Mistake::kMeanOverBatch        ? static_cast<double>(rows_of_step(0))
                                                        : static_cast<double>(mask[b].size());
        const bool left_out = (mistake == Mistake::kFirstStep && t > 0) ||
                              (mistake == Mistake::kFirstDialogue && b > 0);
        if (!left_out) total += times * sum / over;
      }
    }
    return total;
  }
};

}  // namespace heed::lab
