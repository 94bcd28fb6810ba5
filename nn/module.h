#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/var.h"

namespace heed {

class Module;

// Walks over the parameters of a module and its parts, with dotted names:
// "decoder.lstm.weight_ih_l0".
class Visitor {
 public:
  using Visit = std::function<void(const std::string& name, Var& parameter)>;
  using Enter = std::function<void(const std::string& name, Module& part)>;
  explicit Visitor(Visit visit, Enter enter = {})
      : visit_(std::move(visit)), enter_(std::move(enter)) {}

  void operator()(const std::string& name, Var& parameter);  // undefined ones are left out
  void operator()(const std::string& name, Module& part);
  // "layers.0", "layers.1", ...
  template <std::derived_from<Module> M>
  void operator()(const std::string& name, std::vector<M>& parts) {
    for (size_t i = 0; i < parts.size(); ++i) (*this)(name + "." + std::to_string(i), parts[i]);
  }

 private:
  Visit visit_;
  Enter enter_;
  std::string prefix_;
};

// Anything with parameters. A layer derives from it and names its parameters and submodules once,
// in visit(), which everything else uses. A parameter that visit() forgets is not trained, saved or
// moved. If it is blank, its first use throws; if it was made with values, nothing reports it.
//
// A module can be moved but not copied: a copied Var is the same parameter, so two modules would
// train each other. clone() makes a copy.
class Module {
 public:
  Module() = default;
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module();
  virtual void visit(Visitor& v) = 0;

  // The random stream of the module's dropout, by its name in the model. 0 before name_parts().
  uint32_t stream() const { return stream_; }

  // The address of the module, for objects that keep it (an optimiser): it follows a module that is
  // moved, and is null once the module is destroyed.
  std::shared_ptr<Module* const> place();

 private:
  friend void name_parts(Module& module);
  uint32_t stream_ = 0;
  std::shared_ptr<Module*> place_;  // null until somebody asks
};
// Gives the module and its submodules their streams, by their dotted names: "", "layers.1", ...
// Call it on the whole model: parts that are named one by one have equal names, and would drop the
// same units. init() calls it, and clone() of a model that was named as a whole; the clone of a
// part has no names. load_parameters() does not call it, as it cannot tell a part from a model.
void name_parts(Module& module);

struct NamedParameter {
  std::string name;
  Var var;                                // the module's own: a Var is a reference
  std::vector<std::string> aliases = {};  // its further names, if it is tied
};
// All parameters and buffers, in the order of visit(). A parameter with several names
// (output.weight = embedding.weight) is listed once, under its first name. Throws UsageError if two
// parameters have the same name, as files and optimisers could not distinguish them, and for a Var
// that is not a parameter, as it would never be trained.
[[nodiscard]] std::vector<NamedParameter> parameters(const Module& module);
// Whether a name matches a pattern of whole parts: "lstm" matches "encoder.lstm.bias_l0", but
// "layers.1" does not match "layers.10.weight". '*' stands for anything: "encoder*.bias*". The
// empty pattern matches every name, and a tied parameter matches by any of its names.
[[nodiscard]] bool fits(const NamedParameter& parameter, const std::string& pattern);
// Throws UsageError for a blank parameter, with its name.
void check_has_values(const NamedParameter& parameter);
[[nodiscard]] int64_t parameter_count(const Module& module);  // without buffers
void zero_grad(Module& module);

// Replace the tensor of every parameter by a converted copy and drop the gradients. The parameters
// keep their identity: tied ones stay tied, and optimisers made before still update them.
void convert(Module& module, DType dtype);
void move(Module& module, Device device);

// Freezes or unfreezes the parameters whose names match. Throws UsageError if none matches. Buffers
// do not change.
void freeze(Module& module, const std::string& pattern = "");
void unfreeze(Module& module, const std::string& pattern = "");

// Copies the values of `from` to the parameters of the same names of `to`, which keep their element
// type and device. Throws ShapeError if names or shapes differ.
void copy_parameters(Module& to, const Module& from);

// Makes every parameter of `to` a clone of the one of the same name in `from`, with the same ties.
// Throws ShapeError if names or shapes differ. (For clone().)
void clone_parameters(Module& to, const Module& from);

// A deep copy: values, element types, devices, ties and frozen parameters, but no gradients.
// visit() knows the parameters of a module, but not its sizes and other members. So a module that
// can be cloned has a default constructor, or
//   M like() const;
// which makes another M of the same sizes. All layers of nn/ have one.
template <class M> [[nodiscard]] M clone(const M& module) {
  constexpr bool has_like = requires {
    { module.like() } -> std::same_as<M>;
  };
  static_assert(has_like || std::is_default_constructible_v<M>,
                "clone(): the module needs `M like() const`, which makes another one of its sizes");
  M copy = [&] {
    if constexpr (has_like) {
      return module.like();
    } else {
      return M();
    }
  }();
  clone_parameters(copy, module);
  return copy;
}

// A readable table of all parameters: name, shape, count, share of the total, element type,
// "frozen" or "buffer"; then the totals.
[[nodiscard]] std::string summary(const Module& module);

}  // namespace heed
