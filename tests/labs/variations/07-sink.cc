#include <algorithm>
#include <cmath>
#include <vector>

#include "labs/07-attention/variation.h"

namespace heed::lab {

static std::vector<double> shares(const double* query, const double* memory, int64_t n, int64_t d) {
  std::vector<double> w(n);
  double max = @z;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < d; ++i) w[j] += @p * memory[j * d + i] * query[i];
    max = std::max(max, w[j]);
  }
  double sum = std::exp(@z - max);
  for (double& v : w) sum += v = std::exp(v - max);
  for (double& v : w) v /= sum;
  return w;
}

void sink_attention(double* context, const double* query, const double* memory, int64_t n,
                    int64_t d) {
  const std::vector<double> w = shares(query, memory, n, d);
  std::fill(context, context + d, 0.0);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < d; ++i) context[i] += w[j] * memory[j * d + i];
  }
}

void sink_attention_backward(double* dquery, double* dmemory, const double* query,
                             const double* memory, const double* dcontext, int64_t n, int64_t d) {
  const std::vector<double> w = shares(query, memory, n, d);
  std::vector<double> dw(n);
  double mean = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < d; ++i) dw[j] += memory[j * d + i] * dcontext[i];
    mean += w[j] * dw[j];
  }
  std::fill(dquery, dquery + d, 0.0);
  for (int64_t j = 0; j < n; ++j) {
    const double ds = @p * w[j] * (dw[j] - mean);
    for (int64_t i = 0; i < d; ++i) {
      dquery[i] += ds * memory[j * d + i];
      dmemory[j * d + i] = w[j] * dcontext[i] + ds * query[i];
    }
  }
}

}  // namespace heed::lab
