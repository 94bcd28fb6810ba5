#include "nn/pointer.h"

#include "autograd/node.h"

namespace heed {

void Choices::add(const std::vector<int32_t>& rows) {
  check_shape(!rows.empty(), "choices: step ", steps(), " has nothing to choose from");
  for (const int32_t row : rows) check_shape(row >= 0, "choices: negative row ", row);
  steps_.insert(steps_.end(), rows.size(), static_cast<int32_t>(steps()));
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  lengths_.push_back(static_cast<int32_t>(rows.size()));
}

Var choice_scores(const Var& query, const Var& memory, const Choices& choices) {
  const Device device = query.device();
  return sum(gather_rows(query, Tensor::from(choices.step_of(), device)) *
                 gather_rows(memory, Tensor::from(choices.rows(), device)),
             1);
}

Var segment_cross_entropy(const Var& scores, const Segments& segments,
                          const std::vector<int32_t>& targets) {
  const int64_t count = segments.count();
  check_float("segment_cross_entropy", scores);
  check_by_sequence("segment_cross_entropy", scores);
  check_shape(scores.shape() == Shape{segments.total()}, "segment_cross_entropy: scores ",
              scores.shape(), " do not fit segments of ", segments.total(), " rows");
  check_shape(std::ssize(targets) == count, "segment_cross_entropy: ", targets.size(),
              " targets for ", count, " segments");
  std::vector<int32_t> segment_of, places, lengths;
  for (int64_t s = 0; s < count; ++s) {
    const int32_t target = targets[static_cast<size_t>(s)];
    check_shape(target >= 0 && target < segments.length(s), "segment_cross_entropy: target ",
                target, " of ", segments.length(s), " scores");
    segment_of.insert(segment_of.end(), static_cast<size_t>(segments.length(s)),
                      static_cast<int32_t>(s));
    places.push_back(static_cast<int32_t>(segments.begin(s)) + target);
    lengths.push_back(static_cast<int32_t>(segments.length(s)));
  }
  const Device device = scores.device();
  const Tensor of = Tensor::from(segment_of, device);
  const Var column = reshape(scores, {segments.total(), 1});
  const Var largest = segment_max(column, Segments(lengths, device)).detach();
  const Var shifted = column - gather_rows(largest, of);
  const Var sums = scatter_rows(exp(shifted), of, count);
  return reshape(log(sums) - gather_rows(shifted, Tensor::from(places, device)), {count});
}

}  // namespace heed
