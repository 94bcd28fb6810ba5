// The command line of the examples: pairs of `--name value`, each with a default.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "base/error.h"

namespace examples {

using namespace heed;

class Options {
 public:
  // `defaults`: the permitted names (without "--") and their default values.
  Options(int argc, char** argv, std::map<std::string, std::string> defaults)
      : values_(std::move(defaults)) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      const auto known = values_.find(name.starts_with("--") ? name.substr(2) : "");
      if (known == values_.end()) throw UsageError(name + ": unknown option; there are" + names());
      if (i + 1 == argc) throw UsageError(name + ": needs a value");
      known->second = argv[i + 1];
    }
  }

  const std::string& text(const std::string& name) const { return values_.at(name); }
  int64_t number(const std::string& name) const {
    const std::string& value = text(name);
    char* end = nullptr;
    const int64_t number = std::strtoll(value.c_str(), &end, 10);
    if (value.empty() || *end || number < 0 || number > 1'000'000'000) {
      throw UsageError("--" + name + ": expected a number from 0 on, got '" + value + "'");
    }
    return number;
  }

 private:
  std::string names() const {
    std::string list;
    for (const auto& [name, value] : values_) list += " --" + name + " (" + value + ")";
    return list.empty() ? " none" : list;
  }
  std::map<std::string, std::string> values_;
};

// The main() of an example: runs it, or prints an error in one line.
inline int run_example(int argc, char** argv, const std::map<std::string, std::string>& defaults,
                       const std::function<void(const Options&)>& example) {
  try {
    example(Options(argc, argv, defaults));
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace examples
