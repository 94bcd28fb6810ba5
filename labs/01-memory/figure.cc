#include "labs/01-memory/kernels/loop_orders.h"
#include "labs/01-memory/products.h"

LAB_FIGURE() {
  Draw draw;
  set_num_threads(1);
  std::vector<double> sizes;
  std::map<std::string, std::vector<double>> lines;
  for (const int64_t n : {16, 32, 64, 128, 256, 384, 512, 640}) {
    const Tensor a = draw.normal({n, n}, DType::f32), b = draw.normal({n, n}, DType::f32);
    const Tensor c = Tensor::zeros({n, n}, DType::f32);
    float *const to = c.data<float>(), *const left = a.data<float>(),
                 *const right = b.data<float>();
    sizes.push_back(static_cast<double>(n));
    for (const char* order : {"ijk", "ikj", "jki", "kij"}) {
      lines[order].push_back(
          gflops({n, n, n}, [&] { product_by_loops(order, to, left, right, n); }));
    }
    lines["yours"].push_back(gflops({n, n, n}, [&] {
      cpu::gemm<float>({to, n, n, n}, {left, n, n, n}, {right, n, n, n}, Write::assign);
    }));
  }
  print_curves("A product of two n x n matrices, one thread", "n", "GFLOP/s", sizes, lines);
}
