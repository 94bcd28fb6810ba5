// What share of the machine does each op use? Prints a line for each row of the op table
// (tests/autograd/op_table.h), in f32: the minimum of bytes that it must read and write, the
// operations that it must compute, its time, and its share of the memory bandwidth and of the
// multiply-add peak, both measured here with the same number of threads. Judge an op by the larger
// share.
//
//   build/release/bin/heed_bench_ops [threads [part of a name]]
//
// bytes: inputs and value forward; the same again for their gradients. More than 100 % of the
// bandwidth comes from the caches, where a row is small: the sizes are those of kSizes, or else the
// row's `large`. The time includes everything else that a row's call makes (ids, masks, packings).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "nn/init.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/peak.h"
#include "tensor/parallel.h"
#include "tests/autograd/op_table.h"

namespace heed {
namespace {

using Shapes = std::vector<Shape>;

// Sizes of models, and the floating-point operations of the forward pass (0: irrelevant).
struct Work {
  std::string row;  // its name, as tests/autograd/op_table.h has it
  Shapes shapes;
  double flops = 0;
};

const Shape kPlane{2048, 4096};  // 32 MiB

const std::vector<Work>& works() {
  constexpr double kM = 1024, kN = 2048, kK = 512;
  static const std::vector<Work> all = {
      {"add(Var, Var), no broadcasting", {kPlane, kPlane}},
      {"mul(Var, Var)", {{2048, 1}, {4096}}},
      {"matmul(Var, Var)", {{1024, 512}, {512, 2048}}, 2 * kM * kN * kK},
      {"bmm(Var, Var)", {{64, 128, 64}, {64, 64, 128}}, 2.0 * 64 * 128 * 128 * 64},
      {"affine(Var, Var, Var)", {{1024, 512}, {2048, 512}, {2048}}, 2 * kM * kN * kK},
      {"affine_columns(Var, Var, int64_t)", {{1024, 512}, {2048, 1024}}, 2 * kM * kN * kK},
      {"sum(Var)", {kPlane}},
      {"softmax(Var)", {kPlane}},
      {"log_softmax(Var)", {kPlane}},
      {"layer_norm(Var, Var, Var, double)", {kPlane, {4096}, {4096}}},
      {"cross_entropy(Var, Tensor)", {{1024, 8192}}},
      {"linear_cross_entropy(Var, Var, Tensor)",
       {{512, 512}, {10'000, 512}},
       2.0 * 512 * 512 * 10'000},
      {"squared_error(Var, Var)", {kPlane, kPlane}},
      {"lstm(Packing, Var, Var, Var, Var), no state",
       {{2400, 1024}, {1024, 256}},
       2.0 * 2400 * 1024 * 256},
      {"segment_scores(Var, Var, Segments)", {{64, 512}, {19'968, 512}}, 2.0 * 19'968 * 512},
  };
  return all;
}

// The known facts about a row: its sizes and operations.
Work work_of(const OpCase& row) {
  for (const Work& work : works()) {
    if (work.row == row.name()) return work;
  }
  return {row.name(), row.any_shape && row.one.size() == 1 ? Shapes{kPlane} : row.large};
}

// Seconds of one call: the best of several calls in a tenth of a second.
double time_of(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  call();
  double best = 1e9;
  const auto end = Clock::now() + std::chrono::milliseconds(100);
  for (int i = 0; i < 3 || Clock::now() < end; ++i) {
    const auto begin = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

// Bytes per second that can be read and written: copies of an array of kPlane, as large as those of
// the ops, divided among the threads.
double measure_bandwidth() {
  constexpr int64_t kPiece = int64_t{1} << 20;
  const Tensor from = Tensor::zeros(kPlane), to = Tensor::zeros(kPlane);
  const int64_t bytes = from.bytes();
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    best = std::min(best, time_of([&] {
                      parallel_ranges(bytes, kPiece, [&](int64_t begin, int64_t end) {
                        std::memcpy(to.raw() + begin, from.raw() + begin, end - begin);
                      });
                    }));
  }
  return 2 * static_cast<double>(bytes) / best;
}

struct Machine {
  double bandwidth, peak;  // bytes and operations a second
};

void print_pass(double seconds, double bytes, double flops, const Machine& machine) {
  std::printf(" %9.1f %6.1f %4.0f%%", 1e6 * seconds, 1e-9 * bytes / seconds,
              100 * bytes / seconds / machine.bandwidth);
  if (flops > 0) {
    std::printf(" %7.1f %4.0f%%", 1e-9 * flops / seconds, 100 * flops / seconds / machine.peak);
  } else {
    std::printf(" %7s %5s", "", "");
  }
}

void measure(const OpCase& row, const Machine& machine) {
  const Work work = work_of(row);
  std::vector<Var> inputs;
  double bytes = 0;
  for (size_t i = 0; i < work.shapes.size(); ++i) {
    inputs.push_back(
        Var::parameter(uniform(work.shapes[i], std::max(row.domain.low, row.domain.apart),
                               row.domain.high, {1, static_cast<uint32_t>(i), 0})));
    bytes += static_cast<double>(inputs.back().value().bytes());
  }
  const double forward = time_of([&] {
    const NoGrad guard;
    (void)row.call(inputs);
  });
  const Var y = row.call(inputs);
  bytes += static_cast<double>(y.value().bytes());
  // The gradient of sum(y dy), without the time of the sum and the product.
  const Tensor dy = Tensor::full(y.shape(), 1);
  const Var leaf = Var::parameter(y.value());
  const double loss = time_of([&] {
    sum(mul(leaf, dy)).backward();
    leaf.zero_grad();
  });
  const double all = time_of([&] {
    sum(mul(row.call(inputs), dy)).backward();
    for (const Var& x : inputs) x.zero_grad();
  });
  std::printf("%-62s %7.2f", row.name().c_str(), 1e-6 * bytes);
  print_pass(forward, bytes, work.flops, machine);
  print_pass(std::max(all - loss, forward), 2 * bytes, 3 * work.flops, machine);
  std::printf("\n");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  set_num_threads(argc > 1 ? std::stoi(argv[1]) : 1);
  const std::string part = argc > 2 ? argv[2] : "";
  for (const Work& work : works()) {
    const auto is_it = [&](const OpCase& row) { return row.name() == work.row; };
    if (std::any_of(op_cases().begin(), op_cases().end(), is_it)) continue;
    throw UsageError("bench/ops.cc names a row that the op table does not have: " + work.row);
  }
  const Machine machine{measure_bandwidth(), cpu::measure_peak()};
  std::printf("%s, threads %d: memory %.1f GB/s (read and write), multiply-add peak %.1f GFLOP/s\n",
              cpu::isa(), num_threads(), 1e-9 * machine.bandwidth, 1e-9 * machine.peak);
  std::printf("%-62s %7s %37s %37s\n%-62s %7s", "", "", "forward", "forward and backward", "op",
              "MB");
  for (int i = 0; i < 2; ++i) std::printf(" %9s %6s %5s %7s %5s", "us", "GB/s", "", "GFLOP/s", "");
  std::printf("\n");
  for (const OpCase& row : op_cases()) {
    if (row.name().find(part) != std::string::npos) measure(row, machine);
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  try {
    return heed::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
