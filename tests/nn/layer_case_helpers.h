// What PyTorch computes (tests/reference/generate/make_layers.py), for tests of layers.
#pragma once

#include <string>

#include "nn/safetensors.h"
#include "tests/nn/nn_helpers.h"
#include "tests/paths.h"

namespace heed {

// A case of tests/reference/layers.safetensors.
class LayerCase {
 public:
  explicit LayerCase(std::string name) : name_(std::move(name) + ".") {}

  Tensor operator[](const std::string& part) const {
    static const TensorMap all = load_tensors(source_dir() + "/tests/reference/layers.safetensors");
    return all.at(name_ + part);
  }
  // The layer with the case's parameters, in f64.
  template <class Layer> Layer with_parameters(Layer layer) const {
    layer = f64(std::move(layer));
    for (const NamedParameter& p : parameters(layer)) {
      p.var.set_value((*this)["parameters." + p.name].clone());
    }
    return layer;
  }
  Var input(const std::string& part) const { return Var::parameter((*this)[part].clone()); }

  // y is the case's, and the gradients of sum(y r) are.
  void expect_output(const Var& y) const { expect_same(y, (*this)["y"]); }
  void expect_gradients(Module& layer, const Var& y, const std::vector<std::string>& names,
                        const std::vector<Var>& inputs) const {
    sum(y * (*this)["r"]).backward();
    for (const NamedParameter& p : parameters(layer)) {
      SCOPED_TRACE(p.name);
      expect_same(p.var.grad(), (*this)["gradients." + p.name], 1e-11);
    }
    for (size_t i = 0; i < names.size(); ++i) {
      SCOPED_TRACE(names[i]);
      expect_same(inputs[i].grad(), (*this)["d" + names[i]], 1e-11);
    }
  }

 private:
  std::string name_;
};

}  // namespace heed
