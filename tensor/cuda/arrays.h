// Many arrays in one launch.
#pragma once

#include <cstdint>

#include "tensor/cuda/launch.h"
#include "tensor/kernels/kernel.h"

namespace heed::gpu {

// As many arrays as fit into the arguments of a launch, cut into pieces of kPiece elements.
template <class T, int64_t kPiece> struct Arrays {
  static constexpr int kMost = 64;
  Values<T> array[kMost];
  int64_t first_piece[kMost + 1] = {}, first_element[kMost + 1] = {};
  int count = 0;

  // Takes arrays from the list, beginning with number i; returns the number of the first one left.
  int64_t take(const Values<T>* list, int64_t i, int64_t end) {
    for (count = 0; i < end && count < kMost; ++i, ++count) {
      array[count] = list[i];
      first_piece[count + 1] = first_piece[count] + (list[i].n + kPiece - 1) / kPiece;
      first_element[count + 1] = first_element[count] + list[i].n;
    }
    return i;
  }
  int64_t pieces() const { return first_piece[count]; }
  int64_t elements() const { return first_element[count]; }

  // A piece: its array, its elements [begin, end), and the number of elements of all arrays before.
  struct Piece {
    const T* x;
    int64_t begin, end, before;
  };
  __device__ Piece piece(int64_t number) const {
    int a = 0;
    while (first_piece[a + 1] <= number) ++a;
    const int64_t begin = (number - first_piece[a]) * kPiece, n = array[a].n;
    return {array[a].at, begin, begin + kPiece < n ? begin + kPiece : n, first_element[a]};
  }
};

}  // namespace heed::gpu
