#include "tensor/kernels/groups.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {

// Atomic additions would come in another order every time. Here a block has 32 columns of a group,
// and its threads below each other share out the rows.
template <class T>
void add_groups(Out<T> y, const T* x, const int32_t* places, const int32_t* starts,
                const int32_t* order, int64_t groups, int64_t width) {
  const int64_t strips = (width + kWarp - 1) / kWarp;
  for_each_block({groups * strips, dim3(kWarp, kDown)}, [=] __device__(int64_t block) {
    const int64_t g = block / strips, col = block % strips * kWarp + threadIdx.x;
    LongSum<T> sum;
    for (int64_t i = starts[g] + threadIdx.y; i < starts[g + 1] && col < width; i += kDown) {
      sum.add(x[int64_t{order[i]} * width + col]);
    }
    const double all = column_sum(sum.total());
    if (threadIdx.y == 0 && col < width) y.put((places ? places[g] : g) * width + col, T(all));
  });
}

HEED_INSTANTIATE(add_groups);

}  // namespace heed::gpu
