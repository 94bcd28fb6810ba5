// What the checks of lab 9 launch. All memory is device memory of the emulation, of floats that
// report every access.
#pragma once

#include <cstdint>

#include "emulator/watched.h"

namespace heed::lab {

using Float = emulator::Watched<float>;

// ---- five.cu

void scale(Float* y, const Float* x, float factor, int n);
void reverse(Float* x, int blocks);  // of 64 elements
void smooth(Float* y, const Float* x, int n);
void difference(Float* y, const Float* x, int n);
void transpose(Float* y, const Float* x, int rows, int cols);

// ---- kernels.cc, on tensor/cuda/block.h: a thread for each element of x, in blocks of `threads`.
// Element i of a result is what thread i got.

enum class Fold { sum, max };
void fold_warps(Float* y, const Float* x, Fold fold, int warps);
void fold_blocks(Float* y, const Float* x, Fold fold, int blocks, int threads);
// The sum of x and then, with nothing in between, that of its squares.
void two_sums(Float* sums, Float* squares, const Float* x, int blocks, int threads);
// x (blocks, 8, 32): for each block the sums of its columns, and then those of their squares.
void column_sums(Float* sums, Float* squares, const Float* x, int blocks);
// y = x^T (cols, rows), each element where it belongs, without shared memory: for the figure.
void transpose_directly(Float* y, const Float* x, int rows, int cols);
// y = x, 32 elements, by way of a column of a tile in shared memory: for the page.
void through_a_column(Float* y, const Float* x);

// ---- tensor/kernels/softmax.cu

void softmax(Float* y, const Float* x, int64_t rows, int64_t cols);
// `adds`: dx has a value already, and the gradient is added to it.
void softmax_gradient(Float* dx, bool adds, const Float* y, const Float* dy, int64_t rows,
                      int64_t cols);
void log_softmax(Float* y, const Float* x, int64_t rows, int64_t cols);
void log_softmax_gradient(Float* dx, bool adds, const Float* y, const Float* dy, int64_t rows,
                          int64_t cols);

}  // namespace heed::lab
