// Every CUDA kernel under a Watch: no races in global memory, nothing read that nothing wrote,
// everything written, and neighbouring threads use neighbouring elements (or the row says why not).
// Indices are not watched: kernels only read them. Only built with HEED_CUDA=emulate.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "tensor/cuda/watched_memory.h"
#include "tensor/kernels/attention.h"
#include "tensor/kernels/compare.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/gather.h"
#include "tensor/kernels/gru.h"
#include "tensor/kernels/index.h"
#include "tensor/kernels/layout.h"
#include "tensor/kernels/lstm.h"
#include "tensor/kernels/lstm_layer.h"
#include "tensor/kernels/multi_head.h"
#include "tensor/kernels/norm.h"
#include "tensor/kernels/pooling.h"
#include "tensor/kernels/random.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/softmax.h"
#include "tensor/kernels/top_k.h"
#include "tensor/kernels/update.h"

namespace heed {
namespace {

using Float = Watched<float>;
using Ids = std::vector<int32_t>;

struct Memory : emulate::WatchedMemory {
  using WatchedMemory::WatchedMemory;
  Float* in(const std::string& name, int64_t n) {  // numbers between 0 and 1
    Rng rng(1, name);
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(rng.uniform());
    return put(name, values);
  }
  Float* out(const std::string& name, int64_t n) { return unwritten(name, n); }
  TEST_P(WatchedKernels, AreFreeOfRacesAndCoalesced) {
    const Row& row = GetParam();
    emulate::Watch watch;
    Memory memory(watch);
    row.run(memory);  // throws for a race, and for what nothing wrote
    EXPECT_GT(watch.total.accesses, 0);
    EXPECT_EQ(watch.bank_conflicts > 0, row.conflicts != nullptr) << watch.bank_conflicts;
    for (const auto& [name, array] : memory.arrays()) {
      EXPECT_TRUE(memory.written(name)) << name;
      const bool may =
          std::any_of(row.scattered.begin(), row.scattered.end(),
                      [&, &name = name](const auto& entry) { return entry.first == name; });
      const emulate::Traffic traffic = watch.of(name);
      EXPECT_GT(traffic.accesses, 0) << name;
      EXPECT_EQ(traffic.scattered > 0, may)
          << name << ": " << traffic.sectors << " sectors where " << traffic.coalesced
          << " would do, " << traffic.scattered << " of " << traffic.accesses << " accesses";
    }
  }

  std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const auto* group :
         {&kSoftmax, &kReductions, &kElementwise, &kLayout, &kSequences, &kAttention}) {
      rows.insert(rows.end(), group->begin(), group->end());
    }
    return rows;
  }

  INSTANTIATE_TEST_SUITE_P(All, WatchedKernels, testing::ValuesIn(all_rows()),
                           [](const testing::TestParamInfo<Row>& info) {
                             std::string name;
                             for (const char* c = info.param.name; *c; ++c) {
                               if (std::isalnum(*c)) name += *c;
                             }
                             return name;
                           });

}  // namespace
}  // namespace heed
