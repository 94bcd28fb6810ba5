// Every CUDA kernel under a Watch: no races in global memory, nothing read that nothing wrote,
// everything written, and neighbouring threads use neighbouring elements (or the row says why not).
// Indices are not watched: kernels only read them. Only built with HEED_CUDA=emulate.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>

#include "emulator/watched_memory.h"
#include "tensor/kernels/attention.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/groups.h"
#include "tensor/kernels/gru.h"
#include "tensor/kernels/index.h"
#include "tensor/kernels/layout.h"
#include "tensor/kernels/lstm.h"
#include "tensor/kernels/norm.h"
#include "tensor/kernels/pooling.h"
#include "tensor/kernels/random.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/softmax.h"
#include "tensor/kernels/top_k.h"
#include "tensor/kernels/update.h"
#include "tensor/random.h"
#include "tests/paths.h"

namespace heed {
namespace {

using Float = emulator::Watched<float>;
using Ids = std::vector<int32_t>;

struct Memory : emulator::WatchedMemory {
  using WatchedMemory::WatchedMemory;
  Float* in(const std::string& name, int64_t n) {  // numbers between 0 and 1
    Rng rng(1, name);
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(rng.uniform());
    return put(name, values);
  }
  Float* out(const std::string& name, int64_t n) { return unwritten(name, n); }
  bool written(const std::string& name) const {
    const std::vector<float> values = get(name);
    return std::none_of(values.begin(), values.end(),
                        [](float v) { return std::bit_cast<uint32_t>(v) == ~0u; });
  }
};

struct Row {
  const char* name;
  std::function<void(Memory&)> run;
  // Arrays that neighbouring threads do not use side by side, and why that has to be.
  std::vector<std::pair<std::string, std::string>> scattered = {};
  const char* conflicts = nullptr;  // why there are conflicts of banks
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

// Rows of kCols elements begin anywhere in a sector; those of kWidth with one.
constexpr int64_t kRows = 3, kCols = 150, kWidth = 64, kAll = kRows * kWidth;
constexpr RandomKey kKey{.seed = 1, .purpose = 2};

// Segments of 2, 5 and 1 rows, one after the other.
const Ids kOffsets = {0, 2, 7, 8}, kStarts = {0, 2, 7};

// The same for all lanes of a warp: else each would read two arrays at once.
Ids mask_of_warps() {
  Ids mask(kCols);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = i / 32 % 2;
  return mask;
}

// clang-format off
const std::vector<Row> kSoftmax = {
    {"softmax_forward", [](Memory& m) {
       gpu::softmax_forward<Float>(m.out("y", kRows * kCols), m.in("x", kRows * kCols), kRows, kCols);
     }},
    {"softmax_backward", [](Memory& m) {
       gpu::softmax_backward<Float>(m.out("dx", kRows * kCols), m.in("y", kRows * kCols), m.in("dy", kRows * kCols), kRows, kCols);
     }},
    {"softmax_backward, added", [](Memory& m) {
       gpu::softmax_backward<Float>({m.in("dx", kRows * kCols), Write::add}, m.in("y", kRows * kCols), m.in("dy", kRows * kCols), kRows, kCols);
     }},
    {"log_softmax_forward", [](Memory& m) {
       gpu::log_softmax_forward<Float>(m.out("y", kRows * kCols), m.in("x", kRows * kCols), kRows, kCols);
     }},
    {"log_softmax_backward", [](Memory& m) {
       gpu::log_softmax_backward<Float>(m.out("dx", kRows * kCols), m.in("y", kRows * kCols), m.in("dy", kRows * kCols), kRows, kCols);
     }},
    {"segment_softmax_forward", [](Memory& m) {
       gpu::segment_softmax_forward<Float>(m.out("y", 300), m.in("x", 300), m.array(Ids{0, 7, 207, 300}), 3);
     }},
    {"segment_softmax_backward", [](Memory& m) {
       gpu::segment_softmax_backward<Float>(m.out("dx", 300), m.in("y", 300), m.in("dy", 300), m.array(Ids{0, 7, 207, 300}), 3);
     }},
    {"cross_entropy_forward", [](Memory& m) {
       gpu::cross_entropy_forward<Float>(m.out("loss", kRows), m.in("x", kRows * kCols), m.array(Ids{0, 149, 70}), 0.1f, kRows, kCols);
     }},
    {"cross_entropy_backward", [](Memory& m) {
       gpu::cross_entropy_backward<Float>(m.out("dx", kRows * kCols), m.in("x", kRows * kCols), m.array(Ids{0, 149, 70}), 0.1f, m.in("dloss", kRows), kRows, kCols);
     }},
    {"cross_entropy_in_place", [](Memory& m) {
       gpu::cross_entropy_in_place<Float>(m.out("nll", kRows), m.out("loss", kRows), m.in("x", kRows * kCols), m.array(Ids{0, 149, 70}), m.in("weights", kRows), 0.1f, kRows, kCols);
     }},
    {"top_k_log_softmax", [](Memory& m) {
       gpu::top_k_log_softmax<Float>(m.array(std::vector<double>(kRows * 4)), m.array(Ids(kRows * 4)), m.in("x", kRows * kCols), kRows, kCols, 4);
     }},
};

const std::vector<Row> kReductions = {
    {"sum_forward, a row", [](Memory& m) { gpu::sum_forward<Float>(m.out("y", kRows), m.in("x", kRows * kCols), 2.0f, kRows, kCols, 1); }},
    {"sum_forward, a long row", [](Memory& m) { gpu::sum_forward<Float>(m.out("y", 2), m.in("x", 2 * 9001), 2.0f, 2, 9001, 1); }},
    {"sum_forward, columns", [](Memory& m) { gpu::sum_forward<Float>(m.out("y", kCols), m.in("x", 50 * kCols), 2.0f, 1, 50, kCols); }},
    {"sum_forward, long columns", [](Memory& m) { gpu::sum_forward<Float>(m.out("y", 40), m.in("x", 1100 * 40), 2.0f, 1, 1100, 40); }},
    {"sum_forward, few rows", [](Memory& m) { gpu::sum_forward<Float>(m.out("y", 2 * kWidth), m.in("x", 2 * 5 * kWidth), 2.0f, 2, 5, kWidth); }},
    {"spread", [](Memory& m) { gpu::spread<Float>(m.out("y", 2 * 5 * kWidth), m.in("x", 2 * kWidth), 2.0f, 2, 5, kWidth); }},
    {"max_forward, a row", [](Memory& m) { gpu::max_forward<Float>(m.out("y", kRows), m.array(Ids(kRows)), m.in("x", kRows * kCols), kRows, kCols, 1); }},
    {"max_forward, columns", [](Memory& m) { gpu::max_forward<Float>(m.out("y", kWidth), m.array(Ids(kWidth)), m.in("x", 5 * kWidth), 1, 5, kWidth); },
     {{"x", "the best so far is another row in each column"}}},
    {"prod_forward", [](Memory& m) { gpu::prod_forward<Float>(m.out("y", kWidth), m.out("before", 5 * kWidth), m.in("x", 5 * kWidth), 1, 5, kWidth); }},
    {"prod_backward", [](Memory& m) { gpu::prod_backward<Float>(m.out("dx", 5 * kWidth), m.in("x", 5 * kWidth), m.in("before", 5 * kWidth), m.in("dy", kWidth), 1, 5, kWidth); }},
    {"cumsum, a row", [](Memory& m) { gpu::cumsum<Float>(m.out("y", kRows * kCols), m.in("x", kRows * kCols), 0, kRows, kCols, 1); }},
    {"cumsum, reversed", [](Memory& m) { gpu::cumsum<Float>(m.out("y", kRows * kCols), m.in("x", kRows * kCols), 1, kRows, kCols, 1); }},
    {"cumsum, columns", [](Memory& m) { gpu::cumsum<Float>(m.out("y", 5 * kWidth), m.in("x", 5 * kWidth), 0, 1, 5, kWidth); }},
    {"layer_norm_forward", [](Memory& m) {
       gpu::layer_norm_forward<Float>(m.out("y", kRows * kCols), m.out("saved", 2 * kRows), m.in("x", kRows * kCols), m.in("gain", kCols), m.in("bias", kCols), 1e-5f, kRows, kCols);
     }},
    {"layer_norm_backward", [](Memory& m) {
       gpu::layer_norm_backward<Float>(m.out("dx", kRows * kCols), m.in("x", kRows * kCols), m.in("gain", kCols), m.in("saved", 2 * kRows), m.in("dy", kRows * kCols), kRows, kCols);
     }},
    {"layer_norm_parameters", [](Memory& m) {
       gpu::layer_norm_parameters<Float>(m.in("dgain", kCols), m.in("dbias", kCols), m.in("x", 20 * kCols), m.in("saved", 40), m.in("dy", 20 * kCols), 20, kCols);
     }},
    {"sum_squares", [](Memory& m) {
       const Values<Float> arrays[] = {{m.in("a", 100), 100}, {m.in("b", 20000), 20000}};
       gpu::sum_squares<Float>(m.array(std::vector<double>(1)), arrays, 2);
     }},
};

const std::vector<Row> kElementwise = {
    {"unary_forward", [](Memory& m) { gpu::unary_forward(m.out("y", kCols), m.in("x", kCols), Tanh{}, kCols); }},
    {"unary_backward", [](Memory& m) { gpu::unary_backward(Out<Float>(m.out("dx", kCols)), m.in("y", kCols), m.in("dy", kCols), Tanh{}, kCols); }},
    {"binary_forward", [](Memory& m) { gpu::binary_forward<Mul>(m.out("y", kCols), m.in("a", kCols), m.in("b", kCols), kCols); }},
    {"binary_backward_a", [](Memory& m) { gpu::binary_backward_a<Pow>(Out<Float>(m.out("da", kCols)), m.in("a", kCols), m.in("b", kCols), m.in("dy", kCols), kCols); }},
    {"binary_backward_b", [](Memory& m) { gpu::binary_backward_b<Pow>(Out<Float>(m.out("db", kCols)), m.in("a", kCols), m.in("b", kCols), m.in("dy", kCols), kCols); }},
    {"compare", [](Memory& m) { gpu::compare<Less>(m.array(Ids(kCols)), m.in("a", kCols), m.in("b", kCols), kCols); }},
    {"fill", [](Memory& m) { gpu::fill<Float>(m.out("x", kCols), 1.0f, kCols); }},
    {"scale_shift", [](Memory& m) { gpu::scale_shift<Float>(m.out("y", kCols), m.in("x", kCols), 2.0f, 1.0f, kCols); }},
    {"scale", [](Memory& m) { gpu::scale<Float>({m.in("y", kCols), Write::add}, m.in("x", kCols), 2.0f, kCols); }},
    {"scale_by", [](Memory& m) { gpu::scale_by<Float>(m.out("y", kCols), m.in("x", kCols), m.in("alpha", 1), kCols); }},
    {"where_forward", [](Memory& m) { gpu::where_forward<Float>(m.out("y", kCols), m.array(mask_of_warps()), m.in("a", kCols), m.in("b", kCols), kCols); }},
    {"where_backward", [](Memory& m) { gpu::where_backward<Float>(m.out("dx", kCols), m.array(mask_of_warps()), 1, m.in("dy", kCols), kCols); }},
    {"add_bias", [](Memory& m) { gpu::add_bias<Float>(m.in("y", kAll), m.in("b", kWidth), kRows, kWidth); }},
    {"sum_rows", [](Memory& m) { gpu::sum_rows<Float>(m.in("db", kCols), m.in("dy", 20 * kCols), 20, kCols); }},
    {"sgd_update", [](Memory& m) {
       gpu::sgd_update<Float>(m.in("p", kCols), m.in("v", kCols), m.in("grad", kCols), m.array(std::vector<double>{1}), 0.1f, 0.9f, 0.01f, kCols);
     }},
    {"sgd_update_rows", [](Memory& m) {
       gpu::sgd_update_rows<Float>(m.in("p", 5 * kWidth), m.in("grad", 2 * kWidth), m.array(Ids{4, 1}), m.array(std::vector<double>{1}), 0.1, 2, kWidth);
     }},
    {"adam_update", [](Memory& m) {
       gpu::adam_update<Float>(m.in("p", kCols), m.in("m", kCols), m.in("v", kCols), m.in("grad", kCols), m.array(std::vector<double>{1}), {0.1, 0.9, 0.99, 1e-8, 0, 0.1, 0.01}, kCols);
     }},
    {"random_uniform", [](Memory& m) { gpu::random_uniform<Float>(m.out("y", kCols), 0.0f, 1.0f, kKey, kCols); },
     {{"y", "a thread has the four numbers of a Philox block"}}},
    {"random_normal", [](Memory& m) { gpu::random_normal<Float>(m.out("y", kCols), 0.0f, 1.0f, kKey, kCols); },
     {{"y", "the same"}}},
    {"random_gumbel", [](Memory& m) { gpu::random_gumbel<Float>(m.out("y", kCols), kKey, kCols); },
     {{"y", "the same"}}},
    {"dropout", [](Memory& m) { gpu::dropout<Float>(m.out("y", kCols), m.in("x", kCols), 0.2f, kKey, kCols); },
     {{"x", "the same"}, {"y", "the same"}}},
};

const std::vector<Row> kLayout = {
    {"swap_axes, rows", [](Memory& m) { gpu::swap_axes<Float>(m.out("y", 6 * kWidth), m.in("x", 6 * kWidth), 1, 2, 1, 3, kWidth); }},
    {"swap_axes, elements", [](Memory& m) { gpu::swap_axes<Float>(m.out("y", 40 * kWidth), m.in("x", 40 * kWidth), 1, 40, 1, kWidth, 1); },
     {{"x", "a transposition: writes go to neighbours, so reads do not come from neighbours"}}},
    {"copy_block", [](Memory& m) { gpu::copy_block<Float>(m.in("y", 5 * 96), 96, m.in("x", 5 * 80), 80, 5, kWidth); }},
    {"join", [](Memory& m) {
       const Values<Float> arrays[] = {{m.in("a", 100), 100}, {m.in("b", 3000), 3000}};
       gpu::join<Float>(m.out("y", 3100), arrays, 2);
     }},
    {"expand_forward", [](Memory& m) {
       gpu::expand_forward<Float>(m.out("y", 5 * kWidth), m.in("x", kWidth), {{1, 1, 1, 1, 5, kWidth}, {0, 0, 0, 0, 0, 1}});
     }},
    {"gather_rows", [](Memory& m) { gpu::gather_rows<Float>(m.out("y", 3 * kWidth), m.in("x", 5 * kWidth), m.array(Ids{4, 0, 4}), 3, kWidth); }},
    {"add_groups", [](Memory& m) {
       gpu::add_groups<Float>({m.in("y", 5 * kCols), Write::add}, m.in("x", 8 * kCols), m.array(Ids{4, 0}), m.array(Ids{0, 3, 8}), m.array(Ids{7, 1, 0, 2, 3, 4, 5, 6}), 2, kCols);
     }},
    {"gather_along", [](Memory& m) { gpu::gather_along<Float>(m.out("y", 2 * kWidth), m.in("x", 5 * kWidth), m.array(Ids(2 * kWidth, 3)), 1, 5, 2, kWidth); }},
    {"scatter_along", [](Memory& m) { gpu::scatter_along<Float>(m.in("y", 5 * kWidth), m.in("x", 2 * kWidth), m.array(Ids(2 * kWidth, 3)), 1, 5, 2, kWidth); }},
    {"one_hot", [](Memory& m) { gpu::one_hot<Float>(m.out("y", 3 * kCols), m.array(Ids{0, 149, 7}), 3, kCols); }},
};


const std::vector<Row> kSequences = {
    {"lstm_step_forward", [](Memory& m) {
       gpu::lstm_step_forward<Float>(m.out("h", kAll), m.out("c", kAll), m.in("gates", 4 * kAll), m.in("c_prev", kAll), kRows, kWidth);
     }},
    {"lstm_step_backward", [](Memory& m) {
       gpu::lstm_step_backward<Float>(m.in("gates", 4 * kAll), m.in("dc_next", kAll), m.in("dh_next", kAll), m.in("dy", kAll), m.in("c", kAll), m.in("c_prev", kAll), 2, 2, kRows, kWidth);
     }},
    {"gru_step_forward", [](Memory& m) {
       gpu::gru_step_forward<Float>(m.out("h", kAll), m.in("gates", 3 * kAll), m.in("u", 3 * kAll), m.in("h_prev", kAll), kRows, kWidth);
     }},
    {"gru_step_backward", [](Memory& m) {
       gpu::gru_step_backward<Float>(m.in("gates", 3 * kAll), m.in("u", 3 * kAll), m.in("dh", kAll), m.in("dy", kAll), m.in("h_prev", kAll), kRows, kWidth);
     }},
    {"segment_mean_forward", [](Memory& m) { gpu::segment_mean_forward<Float>(m.out("y", kAll), m.in("x", 8 * kWidth), m.array(kOffsets), m.array(kStarts), 3, kWidth); }},
    {"segment_mean_backward", [](Memory& m) { gpu::segment_mean_backward<Float>(m.in("dx", 8 * kWidth), m.in("dy", kAll), m.array(kOffsets), m.array(kStarts), 3, kWidth); }},
    {"segment_max_forward", [](Memory& m) {
       gpu::segment_max_forward<Float>(m.out("y", kAll), m.array(Ids(kAll)), m.in("x", 8 * kWidth), m.array(kOffsets), m.array(kStarts), 3, kWidth);
     }, {{"x", "the best so far is another row in each column"}}},
};

// Two segments with 2 and 3 queries, and 4 and 3 rows of memory; two heads.
PairTable pairs(Memory& m) {
  return {m.array(Ids{0, 2, 5}), m.array(Ids{0, 4, 7}), m.array(Ids{0, 4}), m.array(Ids{0, 8, 17}), 2, 5, 7, 17, false};
}

// Three segments with one query each, one head.
PairTable singles(Memory& m) {
  int32_t* const offsets = m.array(kOffsets);
  return {nullptr, offsets, m.array(kStarts), offsets, 3, 3, 8, 8, false};
}

const std::vector<Row> kAttention = {
    {"pair_dots", [](Memory& m) { gpu::pair_dots<Float>(m.out("w", 2 * 17), m.in("query", 5 * 2 * kCols), m.in("memory", 7 * 2 * kCols), pairs(m), 2, kCols); }},
    {"pair_sums", [](Memory& m) { gpu::pair_sums<Float>(m.out("y", 5 * 2 * kCols), m.in("w", 2 * 17), m.in("memory", 7 * 2 * kCols), pairs(m), 2, kCols); }},
    {"pair_collect", [](Memory& m) { gpu::pair_collect<Float>(m.in("y", 7 * 2 * kCols), m.in("w", 2 * 17), m.in("query", 5 * 2 * kCols), pairs(m), 2, kCols); }},
    {"pair_dots, one query a segment", [](Memory& m) { gpu::pair_dots<Float>(m.out("w", 8), m.in("query", 3 * kCols), m.in("memory", 8 * kCols), singles(m), 1, kCols); }},
    {"pair_sums, one query a segment", [](Memory& m) { gpu::pair_sums<Float>(m.out("y", 3 * kCols), m.in("w", 8), m.in("memory", 8 * kCols), singles(m), 1, kCols); }},
    {"pair_collect, one query a segment", [](Memory& m) { gpu::pair_collect<Float>(m.in("y", 8 * kWidth), m.in("w", 8), m.in("query", kAll), singles(m), 1, kWidth); }},
    {"pair_softmax_forward", [](Memory& m) { gpu::pair_softmax_forward<Float>(m.out("y", 2 * 17), m.in("x", 2 * 17), 0.5f, pairs(m), 2); }},
    {"pair_softmax_backward", [](Memory& m) { gpu::pair_softmax_backward<Float>(m.out("dx", 2 * 17), m.in("y", 2 * 17), m.in("dy", 2 * 17), 0.5f, pairs(m), 2); }},
};
// clang-format on

class WatchedKernel : public testing::TestWithParam<Row> {};

TEST_P(WatchedKernel, IsFreeOfRacesAndCoalesced) {
  const Row& row = GetParam();
  emulator::Watch watch;
  Memory memory(watch);
  row.run(memory);  // throws for a race, and for what nothing wrote
  EXPECT_GT(watch.total.accesses, 0);
  EXPECT_EQ(watch.bank_conflicts > 0, row.conflicts != nullptr) << watch.bank_conflicts;
  for (const auto& [name, array] : memory.arrays()) {
    EXPECT_TRUE(memory.written(name)) << name;
    const bool may =
        std::any_of(row.scattered.begin(), row.scattered.end(),
                    [&, &name = name](const auto& entry) { return entry.first == name; });
    const emulator::Traffic traffic = watch.of(name);
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

INSTANTIATE_TEST_SUITE_P(All, WatchedKernel, testing::ValuesIn(all_rows()),
                         [](const testing::TestParamInfo<Row>& info) {
                           std::string name;
                           for (const char* c = info.param.name; *c; ++c) {
                             if (std::isalnum(*c)) name += *c;
                           }
                           return name;
                         });

// Of fixed types, or on the host. Products are cuBLAS's.
const std::set<std::string> kNotWatched = {"convert", "clip"};

TEST(WatchedKernels, EveryKernelHasARow) {
  std::set<std::string> rows = kNotWatched;
  for (const Row& row : all_rows()) {
    const std::string name = row.name;
    rows.insert(name.substr(0, name.find(',')));
  }
  const std::regex pattern(R"(HEED_KERNEL\((?:template <[^>]*>\s*)?void\s+(\w+)\()");
  const auto folder = std::filesystem::path(source_dir()) / "tensor/kernels";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu" || entry.path().stem() == "gemm" ||
        entry.path().stem() == "recurrent_layer")
      continue;
    std::ifstream file(std::filesystem::path(entry.path()).replace_extension(".h"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      EXPECT_TRUE(rows.contains((*it)[1])) << (*it)[1] << " of " << entry.path().filename();
    }
  }
}

}  // namespace
}  // namespace heed
