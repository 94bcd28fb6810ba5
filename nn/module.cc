#include "nn/module.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heed {
namespace {

struct Visited {
  std::string name;
  Var& var;
};

// All names of visit(), those of a tied parameter one by one. visit() is not const, because a
// Visitor may replace parameters; this one does not.
std::vector<Visited> visited(const Module& module) {
  std::vector<Visited> list;
  std::unordered_set<std::string> names;
  Visitor visitor([&](const std::string& name, Var& p) {
    if (!names.insert(name).second) {
      throw UsageError("module: two parameters are called \"" + name +
                       "\"; give each a name of its own");
    }
    list.push_back({name, p});
  });
  const_cast<Module&>(module).visit(visitor);
  return list;
}

// Whether the pattern fits the text from its first to its last character.
bool fits_whole(std::string_view text, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (size_t at = star; at <= text.size(); ++at) {
    if (fits_whole(text.substr(at), pattern.substr(star + 1))) return true;
  }
  return false;
}

// Whether the pattern fits a run of whole parts of the dotted name.
bool name_fits(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return true;
  for (size_t begin = 0; begin <= name.size();
       begin = std::min(name.find('.', begin), name.size()) + 1) {
    for (size_t end = begin; end < name.size(); ++end) {
      end = std::min(name.find('.', end), name.size());
      if (fits_whole(name.substr(begin, end - begin), pattern)) return true;
    }
  }
  return false;
}

void set_frozen(Module& module, const std::string& pattern, bool frozen) {
  bool found = false, buffers = false;
  for (const NamedParameter& p : parameters(module)) {
    if (!fits(p, pattern)) continue;
    buffers = buffers || p.var.is_buffer();
    if (p.var.is_buffer()) continue;
    p.var.freeze(frozen);
    found = true;
  }
  if (!found) {
    throw UsageError((frozen ? "freeze" : "unfreeze") + (": no parameter fits '" + pattern + "'") +
                     (buffers ? "; buffers do, which are never trained" : ""));
  }
}

// Throws ShapeError unless both lists have the same names and shapes.
template <class List> void check_same(const std::string& what, const List& from, const List& to) {
  check_shape(from.size() == to.size(), what, ": ", from.size(), " parameters do not fit ",
              to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const Shape &a = from[i].var.shape(), &b = to[i].var.shape();
    check_shape(from[i].name == to[i].name && a == b, what, ": ", from[i].name, " ", a,
                " does not fit ", to[i].name, " ", b);
  }
}

}  // namespace

void Visitor::operator()(const std::string& name, Var& parameter) {
  if (parameter.defined()) visit_(prefix_ + name, parameter);
}

void Visitor::operator()(const std::string& name, Module& part) {
  if (enter_) enter_(prefix_ + name, part);
  const std::string outer = prefix_;
  prefix_ += name + ".";
  part.visit(*this);
  prefix_ = outer;
}

Module::Module(Module&& other) noexcept : stream_(other.stream_), place_(std::move(other.place_)) {
  if (place_) *place_ = this;
}

// Who refers to this module goes on doing so; who refers to the other one follows it, if nobody
// refers to this one.
Module& Module::operator=(Module&& other) noexcept {
  stream_ = other.stream_;
  if (!place_) place_ = std::move(other.place_);
  if (place_) *place_ = this;
  return *this;
}

Module::~Module() {
  if (place_) *place_ = nullptr;
}

std::shared_ptr<Module* const> Module::place() {
  if (!place_) place_ = std::make_shared<Module*>(this);
  return place_;
}

std::vector<NamedParameter> parameters(const Module& module) {
  std::vector<NamedParameter> list;
  std::unordered_map<const ParameterCell*, size_t> places;
  for (const auto& [name, var] : visited(module)) {
    if (!var.is_parameter()) {
      throw UsageError("module: \"" + name +
                       "\" is not a parameter; make it with Var::parameter()");
    }
    const auto [place, first] = places.emplace(var.cell().get(), list.size());
    if (first) {
      list.push_back({name, var});
    } else {
      list[place->second].aliases.push_back(name);
    }
  }
  return list;
}

static uint32_t stream_of(const std::string& part) {
  return purpose_id("dropout." + part) | 1;  // never 0
}

void name_parts(Module& module) {
  const auto name = [](const std::string& name, Module& part) { part.stream_ = stream_of(name); };
  Visitor visitor([](const std::string&, Var&) {}, name);
  name("", module);
  module.visit(visitor);
}

bool fits(const NamedParameter& parameter, const std::string& pattern) {
  return name_fits(parameter.name, pattern) ||
         std::any_of(parameter.aliases.begin(), parameter.aliases.end(),
                     [&](const std::string& name) { return name_fits(name, pattern); });
}

void check_has_values(const NamedParameter& p) {
  if (!p.var.cell()->blank) return;
  throw UsageError("parameter \"" + p.name +
                   "\" has no values yet; call init(module, seed) or load_parameters() first");
}

int64_t parameter_count(const Module& module) {
  int64_t count = 0;
  for (const NamedParameter& p : parameters(module)) {
    if (!p.var.is_buffer()) count += p.var.shape().numel();
  }
  return count;
}

void zero_grad(Module& module) {
  for (const NamedParameter& p : parameters(module)) p.var.zero_grad();
}

void convert(Module& module, DType dtype) {
  for (const NamedParameter& p : parameters(module)) p.var.convert(dtype, p.var.device());
}

void move(Module& module, Device device) {
  for (const NamedParameter& p : parameters(module)) p.var.convert(p.var.dtype(), device);
}

void freeze(Module& module, const std::string& pattern) {
  set_frozen(module, pattern, true);
}

void unfreeze(Module& module, const std::string& pattern) {
  set_frozen(module, pattern, false);
}

void copy_parameters(Module& to, const Module& from) {
  const std::vector<NamedParameter> sources = parameters(from), targets = parameters(to);
  check_same("copy_parameters", sources, targets);
  for (size_t i = 0; i < sources.size(); ++i) {
    const Var& target = targets[i].var;
    check_has_values(sources[i]);
    target.set_value(sources[i].var.value().to(target.dtype()).to(target.device()));
  }
}

void clone_parameters(Module& to, const Module& from) {
  const std::vector<Visited> sources = visited(from), targets = visited(to);
  check_same("clone", sources, targets);
  std::unordered_map<const ParameterCell*, Var> clones;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Var& source = sources[i].var;
    const auto [place, first] = clones.try_emplace(source.cell().get());
    if (first) place->second = source.clone();
    targets[i].var = place->second;
  }
  if (from.stream() == stream_of("")) name_parts(to);
}

}  // namespace heed
