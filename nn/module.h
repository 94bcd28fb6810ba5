#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/var.h"

namespace heed {

class Module;

// Walks over the parameters of a module and its parts, with dotted names:
// "decoder.lstm.weight_ih_l0".
class Visitor {
 public:
  using Visit = std::function<void(const std::string& name, Var& parameter)>;
  explicit Visitor(Visit visit) : visit_(std::move(visit)) {}

  void operator()(const std::string& name, Var& parameter);  // undefined ones are left out
  void operator()(const std::string& name, Module& part);

 private:
  Visit visit_;
  std::string prefix_;
};

// Anything with parameters. A layer derives from it and names its parameters and parts once, in
// visit(); everything else that needs them goes through there.
class Module {
 public:
  virtual ~Module() = default;
  virtual void visit(Visitor& v) = 0;
};

struct NamedParameter {
  std::string name;
  Var var;  // shares value and gradient with the module's own
};
// In the order of visit(). Throws ShapeError where two have the same name: files and optimisers
// could not tell them apart.
std::vector<NamedParameter> parameters(Module& module);
int64_t parameter_count(Module& module);
void zero_grad(Module& module);
// Replace every parameter by a converted copy; gradients are dropped.
void convert(Module& module, DType dtype);
void move(Module& module, Device device);
// Copies the values of equally named parameters; throws ShapeError where names or shapes differ.
void copy_parameters(Module& to, Module& from);

}  // namespace heed
