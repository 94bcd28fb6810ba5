#include "nn/module.h"

#include <unordered_set>

namespace heed {

void Visitor::operator()(const std::string& name, Var& parameter) {
  if (parameter.defined()) visit_(prefix_ + name, parameter);
}

void Visitor::operator()(const std::string& name, Module& part) {
  const std::string outer = prefix_;
  prefix_ += name + ".";
  part.visit(*this);
  prefix_ = outer;
}

std::vector<NamedParameter> parameters(Module& module) {
  std::vector<NamedParameter> list;
  std::unordered_set<std::string> names;
  Visitor visitor([&](const std::string& name, Var& p) {
    check_shape(names.insert(name).second,
                "module: two parameters are called \"" + name + "\"; give each a name of its own");
    list.push_back({name, p});
  });
  module.visit(visitor);
  return list;
}

int64_t parameter_count(Module& module) {
  int64_t count = 0;
  for (const NamedParameter& p : parameters(module)) count += p.var.value().numel();
  return count;
}

void zero_grad(Module& module) {
  for (const NamedParameter& p : parameters(module)) p.var.zero_grad();
}

void convert(Module& module, DType dtype) {
  Visitor visitor([&](const std::string&, Var& p) {
    p = Var::parameter(p.value().to(dtype), p.sparse_rows());
  });
  module.visit(visitor);
}

void move(Module& module, Device device) {
  Visitor visitor([&](const std::string&, Var& p) {
    p = Var::parameter(p.value().to(device), p.sparse_rows());
  });
  module.visit(visitor);
}

void copy_parameters(Module& to, Module& from) {
  const std::vector<NamedParameter> source = parameters(from), target = parameters(to);
  check_shape(source.size() == target.size(), "copy_parameters: " + std::to_string(source.size()) +
                                                  " parameters do not fit " +
                                                  std::to_string(target.size()));
  for (size_t i = 0; i < source.size(); ++i) {
    check_shape(source[i].name == target[i].name,
                "copy_parameters: " + source[i].name + " does not fit " + target[i].name);
    target[i].var.value().copy_from(source[i].var.value());
  }
}

}  // namespace heed
