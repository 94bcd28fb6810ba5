// Kernel benchmarks (Google Benchmark) on the shapes of the paper's model: 4 layers x 512,
// vocabulary 25,000, batch 64. The counter is GFLOP/s, or GB/s if memory is the limit; `peak` is
// the rate that the machine can reach. Each benchmark uses one thread: `heed bench` measures
// scaling with --threads.
#include "tensor/matrix.h"

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <numeric>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "dialog/parts/vector_ranker.h"
#include "nn/init.h"
#include "tensor/kernels/peak.h"
#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

using State = benchmark::State;
using Counter = benchmark::Counter;

Tensor random(Shape shape, uint64_t seed) {
  return uniform(shape, -0.5, 0.5, {seed, 0, 0});
}

void count_flops(State& state, double flops) {
  state.counters["GFLOP/s"] =
      Counter(flops * 1e-9, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void peak(State& state) {
  double best = 0;
  for (auto _ : state) best = cpu::measure_peak();
  state.counters["GFLOP/s"] = best * 1e-9;
}
BENCHMARK(peak)->Iterations(1);

// m, n, k, transposed A, transposed B
void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"m", "n", "k", "ta", "tb"});
  b->Args({4992, 2048, 512, 0, 1});  // x W_ih^T, all steps
  b->Args({64, 2048, 512, 0, 1});    // h W_hh^T, one step
  b->Args({64, 512, 2048, 0, 0});    // dG W_hh, one step
  b->Args({2048, 512, 4992, 1, 0});  // dW = dG^T x
  b->Args({335, 25000, 512, 0, 1});  // logits of a chunk
  b->Args({25000, 512, 335, 1, 0});  // dW of the output layer
  b->Args({32, 1024, 256, 0, 1});    // h W_hh^T of the laptop preset
}

struct Operands {
  explicit Operands(State& s)
      : m(s.range(0)),
        n(s.range(1)),
        k(s.range(2)),
        ta(s.range(3) != 0),
        tb(s.range(4) != 0),
        a(random(ta ? Shape{k, m} : Shape{m, k}, 1)),
        b(random(tb ? Shape{n, k} : Shape{k, n}, 2)),
        c(Tensor::empty({m, n})) {}
  Matrix left() const { return ta ? a.t() : Matrix(a); }
  Matrix right() const { return tb ? b.t() : Matrix(b); }

  int64_t m, n, k;
  bool ta, tb;
  Tensor a, b, c;
  double flops() const { return 2.0 * m * n * k; }
};

void gemm(State& state) {
  const Operands x(state);
  for (auto _ : state) heed::gemm(x.c, x.left(), x.right());
  count_flops(state, x.flops());
}
BENCHMARK(gemm)->Apply(shapes);

void gemm_bf16(State& state) {
  set_matmul(Matmul::bf16);
  gemm(state);
  set_matmul(Matmul::f32);
}
BENCHMARK(gemm_bf16)->Apply(shapes);

void gemm_packed(State& state) {
  const Operands x(state);
  if (x.ta) return state.SkipWithError("takes no transposed A");
  int64_t size = 0;
  cpu::packed_size<float>(&size, x.k, x.n);
  const Tensor packed = Tensor::empty({size});
  cpu::pack_matrix<float>(packed.data<float>(), x.right().as<const float>());
  const Mat<float> c = Matrix(x.c).as<float>();
  const Mat<const float> a = x.left().as<const float>();
  for (auto _ : state) cpu::gemm_packed<float>(c, a, packed.data<float>(), Write::assign);
  count_flops(state, x.flops());
}
BENCHMARK(gemm_packed)->Apply(shapes);

// The reference: Eigen, compiled in this file for this machine.
void gemm_eigen(State& state) {
  const Operands x(state);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const bool ta = x.ta, tb = x.tb;
  const Eigen::Map<const Matrix> a(x.a.data<float>(), ta ? x.k : x.m, ta ? x.m : x.k);
  const Eigen::Map<const Matrix> b(x.b.data<float>(), tb ? x.n : x.k, tb ? x.k : x.n);
  Eigen::Map<Matrix> c(x.c.data<float>(), x.m, x.n);
  for (auto _ : state) {
    if (ta) {
      c.noalias() = a.transpose() * b;
    } else if (tb) {
      c.noalias() = a * b.transpose();
    } else {
      c.noalias() = a * b;
    }
  }
  count_flops(state, x.flops());
}
BENCHMARK(gemm_eigen)->Apply(shapes);

// An LSTM layer over 64 sequences of 78 steps: forward, or forward and backward.
void lstm_layer(State& state) {
  const int64_t hidden = 512, batch = 64, steps = 78;
  const bool backward = state.range(0) != 0;
  const Packing packing(std::vector<int32_t>(batch, steps));
  const Var x = random({packing.rows(), hidden}, 1);
  const Var w_ih = Var::parameter(random({4 * hidden, hidden}, 2));
  const Var w_hh = Var::parameter(random({4 * hidden, hidden}, 3));
  for (auto _ : state) {
    const Var loss = sum(lstm(packing, affine(x, w_ih), w_hh).y);
    if (!backward) continue;
    loss.backward();
    w_ih.zero_grad();
    w_hh.zero_grad();
  }
  const double forward = 2.0 * packing.rows() * 4 * hidden * 2 * hidden;
  count_flops(state, backward ? 2.5 * forward : forward);  // no gradient of x
}
BENCHMARK(lstm_layer)->ArgName("backward")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void output_layer(State& state) {  // linear_cross_entropy, forward and backward
  const int64_t n = 1088, hidden = 512, vocabulary = 25000;
  const Var x = Var::parameter(random({n, hidden}, 1));
  const Var w = Var::parameter(random({vocabulary, hidden}, 2));
  std::vector<int32_t> targets(n);
  for (int64_t i = 0; i < n; ++i) targets[i] = static_cast<int32_t>(i * 17 % vocabulary);
  const Tensor ids = Tensor::from(targets);
  for (auto _ : state) {
    linear_cross_entropy(x, w, ids).total.backward();
    x.zero_grad();
    w.zero_grad();
  }
  count_flops(state, 3 * 2.0 * n * hidden * vocabulary);
}
BENCHMARK(output_layer)->Unit(benchmark::kMillisecond);

void softmax(State& state) {
  const int64_t rows = 256, cols = state.range(0);
  const Tensor x = random({rows, cols}, 1), y = empty_like(x);
  for (auto _ : state) cpu::softmax_forward(y.data<float>(), x.data<float>(), rows, cols);
  state.SetBytesProcessed(state.iterations() * 2 * x.bytes());
}
BENCHMARK(softmax)->ArgName("cols")->Arg(512)->Arg(25000);

// One decoding step's attention of 64 queries: over 6 utterances, or over 78 tokens each.
void attention(State& state) {
  const int64_t batch = 64, hidden = 512;
  const Segments segments(std::vector<int32_t>(batch, static_cast<int32_t>(state.range(0))));
  const Var query = Var::parameter(random({batch, hidden}, 1));
  const Var memory = Var::parameter(random({segments.total(), hidden}, 2));
  for (auto _ : state) {
    const Var weights = segment_softmax(segment_scores(query, memory, segments), segments);
    sum(segment_context(weights, memory, segments)).backward();
    query.zero_grad();
    memory.zero_grad();
  }
  state.SetBytesProcessed(state.iterations() * 8 * memory.value().bytes());
}
BENCHMARK(attention)->ArgName("length")->Arg(6)->Arg(78);

void embedding(State& state) {  // look-up and sparse gradient of 4992 tokens
  const int64_t n = 4992, width = 512, vocabulary = 25000;
  const Var table = Var::parameter(random({vocabulary, width}, 1), /*sparse_rows=*/true);
  std::vector<int32_t> ids(n);
  for (int64_t i = 0; i < n; ++i) ids[i] = static_cast<int32_t>(i * i % vocabulary);
  const Tensor tokens = Tensor::from(ids);
  for (auto _ : state) {
    sum(gather_rows(table, tokens)).backward();
    table.zero_grad();
  }
  state.SetBytesProcessed(state.iterations() * 4 * n * width * 4);
}
BENCHMARK(embedding);

// A ranker whose vectors are there: what is left of a query once it is encoded.
class KeptVectors : public VectorRanker {
 public:
  static constexpr int64_t kWidth = 384;  // of MiniLM
  Tensor contexts(const Contexts& contexts, int64_t, const OnTexts&, size_t*) const override {
    return random({std::ssize(contexts), kWidth}, 1);
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t, const OnTexts&,
                   size_t*) const override {
    return random({std::ssize(texts), kWidth}, 2);
  }
};

void ranking(State& state) {  // one context against so many responses
  const int64_t n = state.range(0);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < n; ++i) texts.push_back("response " + std::to_string(i));
  RankQuery query{.context = {"context"}, .candidates = std::vector<int32_t>(n)};
  std::iota(query.candidates.begin(), query.candidates.end(), 0);
  const KeptVectors ranker;
  ranker.score(texts, {query}, 64, {});
  for (auto _ : state) benchmark::DoNotOptimize(ranker.score(texts, {query}, 64, {}));
  state.SetBytesProcessed(state.iterations() * n * KeptVectors::kWidth * 4);
}
BENCHMARK(ranking)
    ->ArgName("responses")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  heed::set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
