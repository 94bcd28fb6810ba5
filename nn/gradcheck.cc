#include "nn/gradcheck.h"

#include <unordered_map>

namespace heed {
namespace {

// Every use of a parameter in visit(). Puts the parameters back in the end.
class Uses {
 public:
  explicit Uses(Module& module) {
    std::unordered_map<const ParameterCell*, size_t> numbers;
    Visitor visitor([&](const std::string&, Var& p) {
      if (p.is_buffer()) return;
      const auto [number, first] = numbers.emplace(p.cell().get(), parameters_.size());
      if (first) parameters_.push_back(p);
      uses_.push_back({p, number->second});
    });
    module.visit(visitor);
  }
  ~Uses() { put(parameters_); }
  Uses(const Uses&) = delete;

  std::vector<Tensor> values() const {
    std::vector<Tensor> list;
    for (const Var& p : parameters_) list.push_back(p.value());
    return list;
  }
  void put(const std::vector<Var>& parameters) const {
    for (const Use& use : uses_) use.place = parameters[use.number];
  }

 private:
  struct Use {
    Var& place;
    size_t number;
  };
  std::vector<Use> uses_;
  std::vector<Var> parameters_;
};

}  // namespace

GradCheck check_gradient(Module& module, const std::function<Var()>& f, uint64_t seed,
                         double step) {
  const Uses uses(module);
  const auto of_parameters = [&](const std::vector<Var>& in) {
    uses.put(in);
    return f();
  };
  return check_gradient(of_parameters, uses.values(), seed, step);
}

}  // namespace heed
