// The variation of lab 10: a product beside plain loops in f64.
#include "labs/10-speed/variation.h"

#include "labs/support/check.h"

namespace heed::lab {
namespace {

constexpr int64_t kMostCols = 8;

Tensor by_loops(const Tensor& a, double p, double q) {
  const int64_t rows = a.shape()[0], cols = a.shape()[1];
  const Tensor c = Tensor::zeros({cols, cols}, DType::f64);
  for (int64_t i = 0; i < cols; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      double sum = 0;
      for (int64_t r = 0; r < rows; ++r) {
        sum += static_cast<double>(a.data<float>()[r * cols + i]) * a.data<float>()[r * cols + j];
      }
      c.data<double>()[i * cols + j] = p * sum + (i == j ? q : 0);
    }
  }
  return c;
}

void check_product(const char* what, const Tensor& a, const char* law) {
  const double p = number(0), q = number(1);
  const int64_t cols = a.shape()[1];
  const Tensor c = unwritten({cols, cols}, DType::f32);
  tall_product(c.data<float>(), a.data<float>(), a.shape()[0], cols);
  expect_close(
      what, c.to(DType::f64), by_loops(a, p, q),
      {.tolerance = {.relative = 1e-6, .absolute = 1e-5},
       .suspects = {{"without q: q stands only where i = j, and is missing", by_loops(a, p, 0)},
                    {"without p, the factor of each sum", by_loops(a, 1, q)},
                    {"right but for q, which p multiplies, too", by_loops(a, p, p * q)}},
       .law = law});
}

}  // namespace

LAB_VARIATION(TallProduct) {
  Draw draw;
  const int64_t drawn = draw.between(2, 7);
  // Any number of rows: who takes several at a time has to take the rest, too.
  for (const int64_t cols : {drawn, kMostCols, int64_t{1}}) {
    for (int64_t n = 1; n <= 10; ++n) {  // no row comes last, of which C says the least
      check_product("C of a few rows", draw.normal({n % 10, cols}, DType::f32),
                    "p and q are those of your name; the sum is over all rows, p is a factor of "
                    "the sum alone, q stands where i = j, and A has 1 to 8 columns, or no row");
      if (testing::Test::HasFailure()) return;
    }
  }
  const Tensor tall = draw.normal({draw.between(900000, 999999), drawn}, DType::f32);
  for (int64_t i = 0; i < tall.numel(); ++i) tall.data<float>()[i] += 1;  // the sums grow
  check_product(
      "C of many rows", tall,
      "p and q are those of your name; a long sum in one f32 loses digits: add up parts of "
      "it, or in f64");
}

}  // namespace heed::lab
