// Lab 10, third part: the product beside memory that nobody may touch.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "labs/01-memory/products.h"
#include "labs/10-speed/kernels/parts.h"

namespace heed::lab {
namespace {

using parts::constants;

// Memory that begins right behind a page that nobody may touch, or ends right before one.
class Guarded {
 public:
  Guarded(const Tensor& values, bool at_end) {
    const int64_t page = ::sysconf(_SC_PAGESIZE), bytes = values.bytes();
    const int64_t inside = (bytes + page - 1) / page * page;
    size_ = static_cast<size_t>(inside + 2 * page);
    all_ = ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all_ == MAP_FAILED) throw std::bad_alloc();
    std::byte* const first = static_cast<std::byte*>(all_) + page;
    ::mprotect(first, static_cast<size_t>(inside), PROT_READ | PROT_WRITE);
    at_ = reinterpret_cast<double*>(at_end ? first + inside - bytes : first);
    std::copy_n(values.data<double>(), values.numel(), at_);
  }
  ~Guarded() { ::munmap(all_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Mat<double> mat(const Stored& x) const { return {at_, x.rows, x.cols, x.ld(), x.transposed}; }
  const double* at() const { return at_; }

 private:
  void* all_;
  size_t size_;
  double* at_;
};

LAB_CHECK(NothingOutsideIsTouched) {
  if_stopped(
      "Memory outside of A, B or C was read or written: there is nothing there. The last panel of "
      "B and the last tile may be smaller than the others.");
  Draw draw;
  for (int i = 0; i < 16; ++i) {
    const bool ta = i & 1, tb = i & 2, second = i & 4, large = i >= 8, at_end = second || large;
    Sizes sizes = draw_sizes(draw, 2, large ? 5 : 60);
    if (large) {  // of two blocks of k, and of rows or columns, the last has few
      (second ? sizes.m : sizes.n) += constants().span;
      sizes.k += constants().depth;
    }
    const Problem p = draw_problem(draw, sizes, ta, tb);
    const Guarded a(p.a.memory, at_end), b(p.b.memory, at_end), c(p.c.memory, at_end);
    const Mat<double> result = c.mat(p.c);
    cpu::gemm<double>(result, a.mat(p.a), b.mat(p.b), Write::assign);
    const auto got = [&] {
      const std::vector<double> values(result.at, result.at + p.c.memory.numel());
      return Tensor::from(values, p.c.memory.shape());
    };
    expect_close(p.str(), got(), p.want(), {.tolerance = kRounding});
    cpu::gemm<double>(result, a.mat(p.a), b.mat(p.b), Write::add);
    expect_close(p.str() + ", added to itself", got(), sum(p.want(), p.want()),
                 {.tolerance = kRounding});
    if (testing::Test::HasFailure()) return;
  }
  // Panels that do not share out evenly, of a B that was packed before.
  const Problem p =
      draw_problem(draw, {draw.between(2, 20), 33 * constants().width - 3, draw.between(2, 5)});
  int64_t size = 0;
  cpu::packed_size<double>(&size, p.b.rows, p.b.cols);
  const Tensor memory = Tensor::zeros({size}, DType::f64);
  cpu::pack_matrix<double>(memory.data<double>(), p.b.mat());
  const Guarded panels(memory, true);
  const Stored out = {p.c.memory.clone(), p.c.rows, p.c.cols, false};
  cpu::gemm_packed<double>(out.mat(), p.a.mat(), panels.at(), Write::assign);
  expect_close(p.str() + ", B packed before", out.values(), p.want(), {.tolerance = kRounding});
}

}  // namespace
}  // namespace heed::lab
