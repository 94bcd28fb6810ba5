// The variation of lab 9: a kernel under a Watch, beside plain loops in f64.
#include <bit>
#include <limits>

#include "labs/09-a-kernel/bench.h"
#include "labs/09-a-kernel/variation.h"

namespace heed::lab {
namespace {

using Kernel = void (*)(Float*, const Float*, int64_t, int64_t);

// The columns [begin, end) that a row sees.
struct Range {
  int64_t begin, end;
};
using Mask = std::function<Range(int64_t row)>;

struct Masked {
  Size size;
  Values x;
  Mask sees;

  Range range(int64_t row) const {
    const auto [begin, end] = sees(row);
    return {std::min(begin, size.cols), std::min(end, size.cols)};
  }
  Tensor by_loops(double p) const {
    std::vector<double> y;
    for (int64_t r = 0; r < size.rows; ++r) {
      const auto [begin, end] = range(r);
      const auto first = x.begin() + r * size.cols + begin, last = first + (end - begin);
      const double max = begin < end ? *std::max_element(first, last) : 0;
      double sum = 0;
      for (auto at = first; at < last; ++at) sum += std::exp((*at - max) / p);
      y.push_back(max + p * std::log(sum));
    }
    return Tensor::from(y, {size.rows});
  }
  // x with nothing where a row does not see.
  Values seen_only() const {
    Values seen(x.size(), std::bit_cast<float>(~0u));  // as memory is that nobody has written
    for (int64_t r = 0; r < size.rows; ++r) {
      const auto [begin, end] = range(r);
      const int64_t at = r * size.cols;
      std::copy(x.begin() + at + begin, x.begin() + at + end, seen.begin() + at + begin);
    }
    return seen;
  }
};

// y; undefined if the emulation stopped the kernel.
Tensor run(Bench& bench, Kernel kernel, const Values& x, Size size) {
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", size.rows);
  if (!bench.run([&] { kernel(y, in, size.rows, size.cols); })) return {};
  return tensor(bench.get("y"));
}

const char* const kLaw =
    "p and s are those of your name; all columns that the row sees count, whichever thread has "
    "them, and no others; the largest that the row sees comes out of every exponent";

void expect_values(const Masked& m, const Tensor& y) {
  const double p = number(0);
  const Tensor want = m.by_loops(p), in_units = want.clone();
  for (int64_t r = 0; r < m.size.rows; ++r) {
    in_units.data<double>()[r] /= p;
    const std::string row = "row " + std::to_string(r);
    const double wanted = want.data<double>()[r], found = y.data<double>()[r];
    if (std::isinf(wanted) && (std::isnan(found) || found == 0)) {
      return expect(false,
                    row + " sees no column, and its y is " +
                        (found == 0 ? "0: a sum of nothing is 0, its logarithm -infinity."
                                    : "NaN: a sum of nothing is 0, its logarithm -infinity; but "
                                      "-infinity less -infinity is NaN."));
    }
    if (std::isfinite(wanted) && found == -INFINITY) {
      return expect(false, row + " has -infinity, as if it saw no column: " + kLaw + ".");
    }
  }
  Masked all = m;
  all.sees = [](int64_t) { return Range{0, std::numeric_limits<int64_t>::max()}; };
  expect_close("y of x (" + std::to_string(m.size.rows) + ", " + std::to_string(m.size.cols) + ")",
               y, want,
               {.tolerance = {.relative = 1e-5, .absolute = 1e-5},
                .suspects = {{"the sum over all columns: the mask is missing", all.by_loops(p)},
                             {"the logarithm, not times p", in_units},
                             {"right for p = 1", m.by_loops(1)}},
                .law = kLaw});
}

// Twice: then with nothing where a row does not see, and with the blocks in the other order.
void check_twice(const Masked& m, Kernel kernel) {
  Tensor once;
  {
    Bench bench;
    once = run(bench, kernel, m.x, m.size);
    if (!once.defined()) return;
    expect_values(m, once);
    bench.expect_coalesced("x");
    bench.expect_barriers(4);
  }
  if (testing::Test::HasFailure()) return;
  ::setenv("EMULATOR_BACKWARDS", "1", 1);
  Bench bench;
  const Tensor again = run(bench, kernel, m.seen_only(), m.size);
  ::unsetenv("EMULATOR_BACKWARDS");
  if (!again.defined()) return;
  expect_close("y of the same numbers, the blocks in the other order", again, once,
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "a result must not depend on which block is first, nor on what a row does "
                       "not see"});
}

int64_t words() {
  return static_cast<int64_t>(number(1));
}

// Rows that see nothing, few elements and many, from fewer than a warp has lanes on; at last some
// elements are far above the others.
void check_log_sum_exp(Kernel kernel, const Mask& sees) {
  Draw draw;
  const Size sizes[] = {{draw.between(3, 5), words() + draw.between(2, 31)},
                        {draw.between(4, 8), words() + draw.between(60, 200)},
                        {draw.between(18, 20), draw.between(1030, 1100)}};
  for (const Size& size : sizes) {
    for (const double offset : {0.0, 2000.0, -2000.0}) {
      check_twice({size, draw_values(draw, size.count(), offset - 2, offset + 2), sees}, kernel);
      if (testing::Test::HasFailure()) return;
    }
    Values apart = draw_values(draw, size.count());
    for (size_t i = 5; i < apart.size(); i += 11) apart[i] += 400;
    check_twice({size, apart, sees}, kernel);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace

LAB_VARIATION(EarlierUtterances) {
  check_log_sum_exp(log_sum_exp_of_earlier, [](int64_t r) { return Range{0, words() * r}; });
}

LAB_VARIATION(OwnUtterance) {
  check_log_sum_exp(log_sum_exp_of_own, [](int64_t r) {
    return Range{words() * r, words() * (r + 1)};
  });
}

}  // namespace heed::lab
