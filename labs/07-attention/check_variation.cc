// The variation of lab 7: a context by plain loops, gradients by central differences.
#include "labs/07-attention/variation.h"

#include <algorithm>
#include <cmath>

#include "labs/support/check.h"

namespace heed::lab {
namespace {

// The weights of the rows; z = -infinity is a softmax without a sink.
std::vector<double> weights(const Tensor& query, const Tensor& memory, double p, double z) {
  const int64_t n = memory.shape()[0], d = memory.shape()[1];
  std::vector<double> found(n);
  double max = z;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < d; ++i) {
      found[j] += p * memory.data<double>()[j * d + i] * query.data<double>()[i];
    }
    max = std::max(max, found[j]);
  }
  double sum = std::exp(z - max);
  for (double& score : found) sum += score = std::exp(score - max);
  for (double& weight : found) weight /= sum;
  return found;
}

// Whether one row has all the weight, but for next to nothing.
bool is_decided(const std::vector<double>& w) {
  return *std::max_element(w.begin(), w.end()) > 0.5 &&
         std::all_of(w.begin(), w.end(), [](double x) { return std::min(x, 1 - x) < 1e-12; });
}

Tensor context(const Tensor& query, const Tensor& memory, double p, double z) {
  const int64_t n = memory.shape()[0], d = memory.shape()[1];
  const std::vector<double> shares = weights(query, memory, p, z);
  const Tensor sum = Tensor::zeros({d}, DType::f64);
  for (int64_t at = 0; at < n * d; ++at) {
    sum.data<double>()[at % d] += shares[at / d] * memory.data<double>()[at];
  }
  return sum;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

void check_sink(const std::string& name, const Tensor& query, const Tensor& memory,
                const Tensor& dcontext) {
  const double p = number(0), z = number(1);
  const int64_t n = memory.shape()[0], d = memory.shape()[1];
  const Tensor got = unwritten({d}), dquery = unwritten({d}), dmemory = unwritten({n, d});
  const Tensor before[] = {query.clone(), memory.clone(), dcontext.clone()};
  sink_attention(got.data<double>(), query.data<double>(), memory.data<double>(), n, d);
  expect_close(
      "the context, " + name, got, context(query, memory, p, z),
      {.tolerance = {.relative = 1e-11, .absolute = 1e-12},
       .suspects = {{"a softmax without the sink: the weights add up to less than 1",
                     context(query, memory, p, -INFINITY)},
                    {"made with a sink of score 0, not z", context(query, memory, p, 0)},
                    {"made with -z", context(query, memory, p, -z)},
                    {"made without p", context(query, memory, 1, z)}},
       .law = "p and z are those of your name; all n rows count; take the maximum out, of the "
              "sink, too"});
  if (testing::Test::HasFailure()) return;
  sink_attention_backward(dquery.data<double>(), dmemory.data<double>(), query.data<double>(),
                          memory.data<double>(), dcontext.data<double>(), n, d);
  expect(query.to_vector() == before[0].to_vector() &&
             memory.to_vector() == before[1].to_vector() &&
             dcontext.to_vector() == before[2].to_vector(),
         "query, memory or dcontext was written to: they are read.");
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-6};
  expect_close(
      "dquery, " + name, dquery,
      central_differences(
          [&](const Tensor& at) { return dot(dcontext, context(at, memory, p, z)); }, query),
      {.tolerance = rough, .law = "ds_j = w_j (dw_j - sum_k w_k dw_k), the sink's dw is 0"});
  if (testing::Test::HasFailure()) return;
  const Tensor by_weight = zeros_like(memory);
  const std::vector<double> shares = weights(query, memory, p, z);
  for (int64_t at = 0; at < n * d; ++at) {
    by_weight.data<double>()[at] = shares[at / d] * dcontext.data<double>()[at % d];
  }
  expect_close(
      "dmemory, " + name, dmemory,
      central_differences([&](const Tensor& at) { return dot(dcontext, context(query, at, p, z)); },
                          memory),
      {.tolerance = rough,
       .suspects = {{"w_j dcontext alone: a row also counts through its score", by_weight}},
       .law = "a row counts twice: it is looked at, and it is what is seen"});
}

}  // namespace

LAB_VARIATION(SinkAttention) {
  if_stopped("n and d are any numbers: was an index past the end of an array of your own?");
  Draw draw;
  struct Size {
    int64_t n, d;
  };
  const auto few = [&] { return draw.between(2, 7); };
  const auto many = [&] { return draw.between(300, 330); };
  for (const auto& [n, d] :
       {Size{few(), few()}, {many(), few()}, {few(), many()}, {1, few()}, {few(), 1}, {1, 1}}) {
    check_sink(text(n, " rows, scores near 0"), draw.normal({d}), draw.normal({n, d}),
               draw.normal({d}));
    if (testing::Test::HasFailure()) return;
  }
  const int64_t n = draw.between(2, 7), d = draw.between(2, 5);
  Tensor far, memory;
  const auto times = [&](double factor) {
    for (int64_t i = 0; i < d; ++i) far.data<double>()[i] *= factor;
  };
  do {  // differences are too coarse for any other
    far = draw.normal({d});
    memory = draw.normal({n, d});
    times(400);
  } while (!is_decided(weights(far, memory, number(0), number(1))));
  times(30);  // so much that the exponential of the largest score is infinite
  check_sink("scores in the thousands", far, memory, draw.normal({d}));
  far = draw.normal({d});
  memory = draw.normal({n, d});
  for (const Tensor& x : {far, memory}) {  // all of one sign
    for (int64_t i = 0; i < x.numel(); ++i) {
      x.data<double>()[i] = std::fabs(x.data<double>()[i]) + 1;
    }
  }
  times(number(0) > 0 ? -2000 : 2000);
  check_sink("scores thousands below the sink's", far, memory, draw.normal({d}));
}

}  // namespace heed::lab
