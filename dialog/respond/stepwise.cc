#include "dialog/respond/stepwise.h"

#include <algorithm>
#include <numeric>

#include "autograd/keep_packed.h"
#include "autograd/ops.h"

namespace heed {

StepwiseResponder::State StepwiseResponder::State::gather(const Tensor& ids) const {
  State result{lstm.gather(ids), {}};
  for (const Var& row : rows) result.rows.push_back(gather_rows(row, ids));
  return result;
}

StepwiseResponder::State StepwiseResponder::State::first(int64_t batch) const {
  State result{lstm.first(batch), {}};
  for (const Var& row : rows) {
    result.rows.push_back(batch < row.shape()[0] ? heed::rows(row, 0, batch) : row);
  }
  return result;
}

// A step depends on the state of the step before; everything else is made for all steps at once,
// before and after the loop.
StepwiseResponder::Unrolled StepwiseResponder::unroll(const Batch& batch, const Encoded& encoded,
                                                      const DropoutMode& drop) const {
  const Packing& packing = batch.response.packing;
  const Var words = token_part(batch.response.inputs, drop);
  State state = encoded.state;
  std::vector<std::vector<Var>> made;
  std::vector<Var> weights;
  {
    KeepPacked weights_of_all_steps;
    for (int64_t t = 0; t < packing.steps(); ++t) {
      const int64_t running = packing.batch_size(t), at = packing.offset(t);
      Step out = step(encoded, encoded.segments.first(running), rows(words, at, at + running),
                      state.first(running), drop.at(t));
      state = std::move(out.state);
      made.resize(out.made.size());
      for (size_t i = 0; i < made.size(); ++i) made[i].push_back(std::move(out.made[i]));
      if (out.weights.defined()) weights.push_back(std::move(out.weights));
    }
  }
  std::vector<Var> all;
  for (const std::vector<Var>& steps : made) all.push_back(concat(steps, 0));
  return {hidden(all), weights.empty() ? AttentionTrace()
                                       : AttentionTrace::step_by_step(weights, encoded.segments)};
}

Taught StepwiseResponder::teach_stepwise(const Batch& batch, const Encoded& encoded,
                                         const DropoutMode& drop) const {
  Unrolled steps = unroll(batch, encoded, drop);
  const CrossEntropy loss = loss_of(batch, steps.hidden);
  return {loss.total, loss.nll, std::move(steps.attention)};
}

StepWriter::StepWriter(const StepwiseResponder& model, StepwiseResponder::Encoded encoded)
    : model_(model),
      encoded_(std::move(encoded)),
      segments_(encoded_.segments),
      state_(encoded_.state),
      dialogues_(segments_.count()) {
  std::iota(dialogues_.begin(), dialogues_.end(), 0);
  rows_ = dialogues_;
}

Written StepWriter::step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
                         const std::vector<int32_t>& tokens) {
  if (dialogues != dialogues_) {
    dialogues_ = dialogues;
    segments_ = encoded_.segments.select(dialogues);
  }
  if (parents != rows_) {
    state_ = state_.gather(ids(parents));
    rows_.resize(parents.size());
    std::iota(rows_.begin(), rows_.end(), 0);
  }
  StepwiseResponder::Step out = model_.step(encoded_, segments_, token_part(tokens), state_);
  state_ = std::move(out.state);
  Written written{model_.output().logits(model_.hidden(out.made)).value(), {}, {0}};
  if (out.weights.defined()) written.attention = out.weights.value().to_vector();
  for (int64_t r = 0; r < segments_.count(); ++r) {
    written.begin.push_back(written.begin.back() + segments_.length(r));
  }
  return written;
}

// Many hypotheses end with the same token: its part is made once.
Var StepWriter::token_part(const std::vector<int32_t>& tokens) {
  std::vector<int32_t> different = tokens, place;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (const int32_t token : tokens) {
    const auto at = std::lower_bound(different.begin(), different.end(), token);
    place.push_back(static_cast<int32_t>(at - different.begin()));
  }
  return gather_rows(model_.token_part(ids(different)), ids(place));
}

std::unique_ptr<Writer> StepwiseResponder::read(const Batch& batch) const {
  return std::make_unique<StepWriter>(*this, encode(batch));
}

}  // namespace heed
