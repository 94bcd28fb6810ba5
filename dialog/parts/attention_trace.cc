#include "dialog/parts/attention_trace.h"

#include "autograd/ops.h"

namespace heed {
namespace {

std::vector<int64_t> begins(const Segments& memory) {
  std::vector<int64_t> result;
  for (int64_t b = 0; b < memory.count(); ++b) result.push_back(memory.begin(b));
  return result;
}

}  // namespace

AttentionTrace AttentionTrace::same_in_all_steps(Var weights, const Segments& memory) {
  AttentionTrace trace;
  trace.weights_ = std::move(weights);
  trace.same_ = true;
  trace.begin_ = begins(memory);
  return trace;
}

AttentionTrace AttentionTrace::step_by_step(const std::vector<Var>& weights,
                                            const Segments& memory) {
  AttentionTrace trace;
  trace.weights_ = concat(weights, 0);
  trace.begin_ = begins(memory);
  trace.stride_.assign(trace.begin_.size(), 0);
  int64_t at = 0;
  for (const Var& w : weights) {
    trace.step_begin_.push_back(at);
    at += w.shape()[0];
  }
  return trace;
}

AttentionTrace AttentionTrace::dialogue_by_dialogue(Var weights, const Segments& memory,
                                                    const std::vector<int64_t>& steps) {
  AttentionTrace trace;
  trace.weights_ = std::move(weights);
  int64_t at = 0;
  for (int64_t b = 0; b < memory.count(); ++b) {
    trace.begin_.push_back(at);
    trace.stride_.push_back(memory.length(b));
    at += steps[b] * memory.length(b);
  }
  return trace;
}

}  // namespace heed
