#include "labs/10-speed/kernels/parts.h"

#include <algorithm>

#include "tensor/kernels/gemm_full.h"

namespace heed::lab::parts {

using F = cpu::Full<double>;

namespace {

// Counts the tiles that copy_columns() is asked for. More than kGroup have no beginning.
int64_t columns_of = 0;
struct Told : F {
  static void copy_columns(double* tiles, cpu::View<double> a, const int64_t* begin, int64_t count,
                           int64_t depth) {
    columns_of += count;
    F::copy_columns(tiles, a, begin, std::min(count, cpu::kGroup), depth);
  }
};

// As those of bf16, a panel has room for whole blocks of k.
struct Padded : F {
  static constexpr int64_t length(int64_t k) { return k / F::kBlock * F::kBlock + F::kBlock; }
};

}  // namespace

Constants constants() {
  return {F::kTileRows, F::kWidth,  F::kRowStep,  cpu::kTileSize<F>,
          F::kDepth,    cpu::kSpan, cpu::kPanels, cpu::kGroup};
}

int64_t tile_begin(int64_t m, int64_t t) {
  return cpu::tile_begin<F>(m, t);
}

int64_t tile_count(int64_t m) {
  return cpu::tile_count<F>(m);
}

void pack(double* panels, Mat<const double> b) {
  cpu::pack<F>(panels, cpu::View<double>(b), b.rows, b.cols);
}

int64_t padded_length(int64_t depth) {
  return Padded::length(depth);
}

void pack_padded(double* panels, Mat<const double> b) {
  cpu::pack<Padded>(panels, cpu::View<double>(b), b.rows, b.cols);
}

int64_t copy_tiles(double* tiles, Mat<const double> a, int64_t first, int64_t last) {
  columns_of = 0;
  cpu::copy_tiles<Told>(tiles, cpu::View<double>(a), a.rows, first, last, a.cols);
  return columns_of;
}

void copy_rows(double* tiles, Mat<const double> a, int64_t first, int64_t begin, int64_t end) {
  cpu::copy_rows<F>(tiles, cpu::View<double>(a), a.rows, first, begin, end, a.cols);
}

void tile(int64_t rows, double* c, int64_t ldc, const double* a, bool a_transposed,
          const double* panel, int64_t depth, Write write) {
  const F::Runner run(a_transposed);
  run(rows, c, ldc, a, panel, depth, write);
}

}  // namespace heed::lab::parts
