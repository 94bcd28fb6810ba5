// The variation of lab 1: a product beside plain loops.
#include "labs/01-memory/variation.h"

#include "labs/support/check.h"

namespace heed::lab {
namespace {

// C as wide as it is in memory.
Tensor by_loops(const Tensor& c, const Tensor& a, const Tensor& s, const Tensor& b, int64_t m,
                int64_t n, double p, double q) {
  const Tensor result = c.clone();
  const int64_t lda = a.shape()[1], ldb = b.shape()[1], ldc = c.shape()[1];
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < s.numel(); ++l) {
        sum += a.data<double>()[i * lda + l] * s.data<double>()[l] * b.data<double>()[l * ldb + j];
      }
      double& at = result.data<double>()[i * ldc + j];
      at = p * sum + q * at;
    }
  }
  return result;
}

void check_product(Draw& draw, int64_t m, int64_t n, int64_t k) {
  const double p = number(0), q = number(1);
  const int64_t gap = draw.between(1, 3);
  const Tensor a = draw.normal({m, k + gap}), s = draw.normal({k}),
               b = draw.normal({k, n + gap + 1}),
               c = draw.normal({m + 4, n + gap + 2}),  // with lines that are not its own
      got = c.clone();
  const Tensor before[] = {a.clone(), s.clone(), b.clone()};
  scaled_product(got.data<double>(), c.shape()[1], a.data<double>(), a.shape()[1], s.data<double>(),
                 b.data<double>(), b.shape()[1], m, n, k);
  expect(a.to_vector() == before[0].to_vector() && s.to_vector() == before[1].to_vector() &&
             b.to_vector() == before[2].to_vector(),
         "A, s or B was written to: a product reads its factors.");
  if (testing::Test::HasFailure()) return;
  const auto with = [&](const Tensor& scale, double factor, double old) {
    return by_loops(c, a, scale, b, m, n, factor, old);
  };
  for (int64_t at = 0; at < got.numel(); ++at) {
    const int64_t row = at / c.shape()[1], col = at % c.shape()[1];
    if ((row < m && col < n) || got.data<double>()[at] == c.data<double>()[at]) continue;
    return expect(false, text("what lies beside C in memory was written to, column ", col,
                              " of row ", row, ": C has ", m, " rows and ", n,
                              " columns, its rows are ", c.shape()[1], " apart."));
  }
  expect_close("C", got, with(s, p, q),
               {.tolerance = {.relative = 1e-10, .absolute = 1e-10},
                .suspects = {{"A B without s", with(Tensor::full({k}, 1, DType::f64), p, q)},
                             {"what C held before is lost", with(s, p, 0)},
                             {"as if p were 1: p is missing", with(s, 1, q)},
                             {"as if q were 1: q is missing", with(s, p, 1)},
                             {"q C alone: no product was added", with(s, 0, q)},
                             {"p times all of it, q C, too", with(s, p, p * q)},
                             {"with p and q in each other's place", with(s, q, p)},
                             {"what C held: nothing was written", c}},
                .law = "the sum is over all l, for each i and j; element (i, j) of a matrix is i "
                       "ld + j elements behind its first one; p and "
                       "q are those of your name"});
}

}  // namespace

LAB_VARIATION(ScaledProduct) {
  Draw draw;
  check_product(draw, draw.between(2, 5), draw.between(2, 6), draw.between(3, 7));
  const int64_t odd = 2 * draw.between(65, 100) + 1;  // ends in the middle of any block
  check_product(draw, draw.between(2, 5), odd, odd + 2 * draw.between(1, 9));
  check_product(draw, odd, draw.between(2, 5), draw.between(3, 7));
  check_product(draw, 1, 1, 1);
  const int64_t few = draw.between(2, 3), many = draw.between(5000, 5050);
  check_product(draw, few, few, many);
  check_product(draw, few, many, few);
  check_product(draw, many, few, few);
  check_product(draw, draw.between(1, 3), draw.between(1, 3), 0);  // no inner axis: C is q C
}

}  // namespace heed::lab
