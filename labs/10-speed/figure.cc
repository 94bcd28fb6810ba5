#include <cmath>

#include "labs/01-memory/products.h"
#include "labs/10-speed/kernels/by_eigen.h"
#include "tensor/kernels/peak.h"

// A (m, 1024) times a B of 64 MiB, one thread: how many operations a second there are over how many
// there are for each byte of A, B and C. The roof is what the memory brings, and what the processor
// multiplies.
LAB_FIGURE() {
  Draw draw;
  set_num_threads(1);
  constexpr int64_t kN = 16384, kK = 1024;
  const Tensor b = draw.normal({kK, kN}, DType::f32), copy = b.clone();
  const double peak = 1e-9 * cpu::measure_peak();
  const double moved = 2e-9 * static_cast<double>(b.bytes());
  const double bandwidth = moved / best_seconds([&] { copy.copy_from(b); });
  int64_t size = 0;
  cpu::packed_size<float>(&size, kK, kN);
  const Tensor panels = Tensor::empty({size});
  cpu::pack_matrix<float>(panels.data<float>(), {b.data<float>(), kK, kN, kN});
  std::vector<double> intensities;
  std::map<std::string, std::vector<double>> lines;
  for (const int64_t m : {1, 2, 4, 8, 16, 32, 64, 128}) {
    const Tensor a = draw.normal({m, kK}, DType::f32), c = Tensor::zeros({m, kN});
    const Mat<float> to = {c.data<float>(), m, kN, kN}, left = {a.data<float>(), m, kK, kK};
    const double intensity = static_cast<double>(2 * m * kN * kK) /
                             static_cast<double>(a.bytes() + b.bytes() + c.bytes());
    intensities.push_back(std::round(10 * intensity) / 10);
    lines["roof"].push_back(std::min(peak, bandwidth * intensity));
    lines["yours"].push_back(gflops({m, kN, kK}, [&] {
      cpu::gemm<float>(to, left, {b.data<float>(), kK, kN, kN}, Write::assign);
    }));
    lines["yours, B packed before"].push_back(gflops({m, kN, kK}, [&] {
      cpu::gemm_packed<float>(to, left, panels.data<float>(), Write::assign);
    }));
    if (!have_eigen()) continue;
    lines["Eigen"].push_back(
        gflops({m, kN, kK}, [&] { product_by_eigen(to.at, left.at, b.data<float>(), m, kN, kK); }));
  }
  print_curves("Products with a matrix of 64 MiB, one thread", "operations for each byte",
               "GFLOP/s", intensities, lines,
               {{"GFLOP/s of the processor", peak}, {"GB/s of the memory", bandwidth}});
}
