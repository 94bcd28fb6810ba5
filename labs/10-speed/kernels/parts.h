// The parts of a product that lab 10 judges alone: those of gemm_pack.h and gemm_full.h for f64,
// compiled as the kernels are.
#pragma once

#include "tensor/kernels/gemm.h"

namespace heed::lab::parts {

// Rows and columns that a tile of C has, elements from row to row of a tile of A, and from tile to
// tile; numbers of k, and rows and columns, in one block; panels of a piece of C, and tiles that
// are copied together.
struct Constants {
  int64_t tile_rows, width, row_step, tile_size, depth, span, panels, group;
};
Constants constants();
// The first row of tile t, of those that m rows of A are shared out among; t may be their number.
int64_t tile_begin(int64_t m, int64_t t);
int64_t tile_count(int64_t m);

// B to panels.
void pack(double* panels, Mat<const double> b);
// The same in a format that gives a column of `depth` numbers padded_length(depth) places.
int64_t padded_length(int64_t depth);
void pack_padded(double* panels, Mat<const double> b);
// Rows of tiles [first, last) of A to `tiles`. Returns how many tiles copy_columns() was asked for.
int64_t copy_tiles(double* tiles, Mat<const double> a, int64_t first, int64_t last);
// Rows [begin, end) of A to tiles that begin with tile `first`.
void copy_rows(double* tiles, Mat<const double> a, int64_t first, int64_t begin, int64_t end);
// C (rows, width) = or += a tile of A (rows, depth) times a panel.
void tile(int64_t rows, double* c, int64_t ldc, const double* a, bool a_transposed,
          const double* panel, int64_t depth, Write write);

}  // namespace heed::lab::parts
