#include "dialog/retrieve/sru.h"

#include <cmath>

#include "nn/init.h"

namespace heed::retrieve {

SruLayer::SruLayer(int64_t in, int64_t hidden) : in_(in), hidden_(hidden) {
  const double bound = std::sqrt(3.0 / static_cast<double>(in)), gate = bound * std::sqrt(0.5);
  const auto matrix = [&](double b) { return Var::parameter({hidden, in}, uniform_law(-b, b)); };
  const auto vector = [&](const Initializer& law) { return Var::parameter({hidden}, law); };
  const Initializer of_v = uniform_law(-std::sqrt(1.5), std::sqrt(1.5)), zero = constant_law(0);
  for (int direction = 0; direction < 2; ++direction) {
    directions_.push_back({matrix(bound), matrix(gate), matrix(gate),
                           in == 2 * hidden ? Var() : matrix(bound), vector(of_v), vector(of_v),
                           vector(zero), vector(zero)});
  }
}

void SruLayer::visit(Visitor& v) {
  for (size_t i = 0; i < directions_.size(); ++i) {
    const std::string suffix = i == 0 ? "" : "_reverse";
    Direction& d = directions_[i];
    v("weight" + suffix, d.weight);
    v("weight_f" + suffix, d.weight_f);
    v("weight_r" + suffix, d.weight_r);
    v("weight_x" + suffix, d.weight_x);
    v("v_f" + suffix, d.v_f);
    v("v_r" + suffix, d.v_r);
    v("bias_f" + suffix, d.bias_f);
    v("bias_r" + suffix, d.bias_r);
  }
}

// The cells are computed step by step; what depends on them, of all steps at once.
Var SruLayer::run(const Direction& d, const Packing& packing, const Var& x, const Var& skip) const {
  const Var z = affine(x, d.weight), f = affine(x, d.weight_f, d.bias_f);
  const auto at = [&](const Var& all, int64_t t) {
    return rows(all, packing.offset(t), packing.offset(t) + packing.batch_size(t));
  };
  const Var zeros(Tensor::zeros({packing.batch(), hidden_}, x.value().dtype(), x.device()));
  std::vector<Var> cells, before;  // of each step
  for (int64_t t = 0; t < packing.steps(); ++t) {
    before.push_back(t == 0 ? zeros : rows(cells.back(), 0, packing.batch_size(t)));
    const Var z_t = at(z, t), gate = sigmoid(at(f, t) + d.v_f * before.back());
    cells.push_back(z_t + gate * (before.back() - z_t));
  }
  const Var c = concat(cells, 0);
  const Var r = sigmoid(affine(x, d.weight_r, d.bias_r) + d.v_r * concat(before, 0));
  const Var s = d.weight_x.defined() ? affine(x, d.weight_x) : skip;
  return (s + r * (c - s)).in_order(RowOrder::by_step);
}

Var SruLayer::operator()(const Packing& packing, const Var& x) const {
  check_shape(x.shape() == Shape{packing.rows(), in_}, "SruLayer: x must be (", packing.rows(),
              ", ", in_, "), got ", x.shape());
  check_by_step("SruLayer", x);
  const std::vector<Var> skip =
      in_ == 2 * hidden_ ? split(x, {hidden_, hidden_}, 1) : std::vector<Var>(2);
  const Tensor mirror = Tensor::from(packing.reversed(), x.device());
  const auto mirrored = [&](const Var& y) {
    return y.defined() ? gather_rows(y, mirror).in_order(RowOrder::by_step) : y;
  };
  const Var backward = run(directions_[1], packing, mirrored(x), mirrored(skip[1]));
  return concat({run(directions_[0], packing, x, skip[0]), mirrored(backward)}, 1)
      .in_order(RowOrder::by_step);
}

}  // namespace heed::retrieve
