#include "autograd/attention_pairs.h"

#include <limits>

#include "autograd/node.h"

namespace heed {

AttentionPairs::AttentionPairs(Segments queries, Segments memory, bool causal)
    : queries_(std::move(queries)), memory_(std::move(memory)), causal_(causal) {
  check_shape(queries_.count() == memory_.count(), "attention pairs: ", queries_.count(),
              " segments of queries, ", memory_.count(), " of the memory");
  check_shape(!queries_.selected(), "attention pairs: queries cannot be selected segments");
  check_devices("attention pairs", queries_.offsets(), memory_.offsets());
  std::vector<int32_t> pairs{0};
  for (int64_t s = 0; s < queries_.count(); ++s) {
    const int64_t n = queries_.length(s), m = memory_.length(s);
    check_shape(!causal || n <= m, "attention pairs: segment ", s, " has ", n, " queries and ", m,
                " memory rows; causal queries are the last rows of their memory");
    const int64_t end = pairs.back() + pairs_before(causal, n, m, n);
    check_shape(end <= std::numeric_limits<int32_t>::max(), "attention pairs: ", end,
                " pairs, more than an i32 can number");
    pairs.push_back(static_cast<int32_t>(end));
  }
  pairs_on_device_ = Tensor::from(pairs, queries_.offsets().device());
  pairs_ = std::make_shared<const std::vector<int32_t>>(std::move(pairs));
}

void AttentionPairs::check_query(int64_t s, int64_t i) const {
  const int64_t n = queries_.length(s);
  check_shape(0 <= i && i < n, "attention pairs: query ", i, " of ", n, " of segment ", s);
}

int64_t AttentionPairs::begin(int64_t s, int64_t i) const {
  check_query(s, i);
  return (*pairs_)[s] + pairs_before(causal_, queries_.length(s), memory_.length(s), i);
}

int64_t AttentionPairs::seen(int64_t s, int64_t i) const {
  check_query(s, i);
  return rows_seen(causal_, queries_.length(s), memory_.length(s), i);
}

PairTable AttentionPairs::table() const {
  return {.queries = queries_.offsets().data<int32_t>(),
          .memory = memory_.offsets().data<int32_t>(),
          .starts = memory_.starts().data<int32_t>(),
          .pairs = pairs_on_device_.data<int32_t>(),
          .segments = queries_.count(),
          .query_rows = queries_.total(),
          .memory_rows = memory_.total(),
          .total = total(),
          .causal = causal_};
}

PairTable table_of(const Segments& segments) {
  return {.queries = nullptr,
          .memory = segments.offsets().data<int32_t>(),
          .starts = segments.starts().data<int32_t>(),
          .pairs = segments.offsets().data<int32_t>(),
          .segments = segments.count(),
          .query_rows = segments.count(),
          .memory_rows = segments.total(),
          .total = segments.total(),
          .causal = false};
}

}  // namespace heed
