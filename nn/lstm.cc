#include "nn/lstm.h"

#include <cmath>

#include "nn/init.h"

namespace heed {

LstmState LstmState::gather(const Tensor& ids) const {
  LstmState result;
  for (const Var& v : h) result.h.push_back(gather_rows(v, ids));
  for (const Var& v : c) result.c.push_back(gather_rows(v, ids));
  return result;
}

LstmState LstmState::first(int64_t batch) const {
  if (h.empty() || h[0].shape()[0] == batch) return *this;
  LstmState result;
  for (const Var& v : h) result.h.push_back(rows(v, 0, batch));
  for (const Var& v : c) result.c.push_back(rows(v, 0, batch));
  return result;
}

Lstm::Lstm(int64_t in, int64_t hidden, LstmOptions options) : hidden_(hidden), options_(options) {
  check_shape(in > 0 && hidden > 0 && options.layers > 0,
              "Lstm: sizes must be positive, got in " + std::to_string(in) + ", hidden " +
                  std::to_string(hidden) + ", layers " + std::to_string(options.layers));
  const double limit = 1 / std::sqrt(static_cast<double>(hidden));
  const int64_t directions = options.bidirectional ? 2 : 1;
  const auto make = [&](const Shape& shape) {
    return Var::parameter(shape, uniform_law(-limit, limit));
  };
  for (int64_t cell = 0; cell < options.layers * directions; ++cell) {
    const int64_t width = cell < directions ? in : hidden * directions;
    cells_.push_back({make({4 * hidden, width}), make({4 * hidden, hidden}),
                      options.bias ? make({4 * hidden}) : Var()});
  }
}

void Lstm::visit(Visitor& v) {
  const size_t directions = options_.bidirectional ? 2 : 1;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string suffix =
        "_l" + std::to_string(i / directions) + (i % directions ? "_reverse" : "");
    v("weight_ih" + suffix, cells_[i].w_ih);
    v("weight_hh" + suffix, cells_[i].w_hh);
    v("bias" + suffix, cells_[i].bias);
  }
}

// Runs each sequence from its end to its beginning; row r of the result belongs to row r of x.
Var Lstm::run_backward(const Packing& packing, LstmInputs in) const {
  const Tensor mirror = Tensor::from(packing.reversed(), in.x.device());
  in.x = gather_rows(in.x, mirror);
  if (in.gates_in.defined()) in.gates_in = gather_rows(in.gates_in, mirror);
  return lstm(packing, in);
}

Lstm::Output Lstm::operator()(const Packing& packing, const Var& x, const LstmState& initial,
                              const DropoutMode& drop, std::string_view place,
                              const Var& gates_in) const {
  const size_t directions = options_.bidirectional ? 2 : 1;
  check_shape(
      initial.h.empty() || (initial.h.size() == cells_.size() && initial.c.size() == cells_.size()),
      "Lstm: initial state of " + std::to_string(initial.h.size()) + " layers, expected " +
          std::to_string(cells_.size()));
  const Device device = cells_[0].w_hh.device();
  const Tensor last = Tensor::from(packing.last_rows(), device);
  // One step of all sequences: the state after it is the output itself.
  const bool single = packing.steps() == 1;
  Output out;
  Var below = x;
  for (size_t layer = 0; layer * directions < cells_.size(); ++layer) {
    std::vector<Var> outputs;
    for (size_t d = 0; d < directions; ++d) {
      const size_t i = layer * directions + d;
      LstmInputs in{below,         layer ? Var() : gates_in, {}, {}, cells_[i].w_ih, cells_[i].w_hh,
                    cells_[i].bias};
      if (!initial.h.empty()) in.h0 = initial.h[i], in.c0 = initial.c[i];
      const Var states = d ? run_backward(packing, in) : lstm(packing, in);
      const Var h = rows(states, 0, packing.rows());
      out.state.h.push_back(single ? h : gather_rows(h, last));
      out.state.c.push_back(rows(states, packing.rows(), states.shape()[0]));
      outputs.push_back(d ? gather_rows(h, Tensor::from(packing.reversed(), device)) : h);
    }
    out.y = directions == 2 ? concat(outputs, 1) : outputs[0];
    const bool top = (layer + 1) * directions == cells_.size();
    below = top ? out.y : drop(out.y, place, static_cast<uint32_t>(layer));
  }
  return out;
}

}  // namespace heed
