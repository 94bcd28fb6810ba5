// Everything that a command consists of: its declaration (name, help, options, the function that
// runs it), checks of its options, messages and results.
#pragma once

#include <CLI/App.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/messages.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"

namespace heed {

using Json = nlohmann::ordered_json;

// A sub-command during its declaration, and the values of its options.
template <class Options> struct Declared {
  CLI::App& c;
  Options& o;
};

// A function that runs a sub-command; of several functions of one name, that for these options.
template <class Options> struct RunOf {
  RunOf(void (*run)(const Options&)) : run(run) {}
  RunOf(void (*run)(Options&)) : run(run) {}
  std::function<void(Options&)> run;
};

// Declares a sub-command of `parent` that calls run(options), which are CommandOptions and its own.
template <class Options>
Declared<Options> declare(CLI::App& parent, const std::string& name, const std::string& what,
                          const std::string& footer, const Uses& uses, RunOf<Options> run) {
  const auto o = std::make_shared<Options>();
  CLI::App* c = parent.add_subcommand(name, what);
  c->footer(footer);
  o->common = add_common(*c, uses);
  o->command = c;
  c->callback([o, run = std::move(run.run)] { run(*o); });
  return {*c, *o};
}

// The options that are declared while it exists stand in this group of --help.
class InGroup {
 public:
  InGroup(CLI::App& c, const std::string& group) : c_(c) { c_.option_defaults()->group(group); }
  ~InGroup() { c_.option_defaults()->group("Options"); }
  InGroup(const InGroup&) = delete;
  InGroup& operator=(const InGroup&) = delete;

 private:
  CLI::App& c_;
};

// An option whose value is the default that --help shows.
template <class T>
CLI::Option* option(CLI::App& c, const std::string& name, T& value, const std::string& help) {
  CLI::Option* const added = c.add_option(name, value, help);
  return added->capture_default_str();
}
template <class T>
CLI::Option* option(CLI::App& c, const std::string& name, T& value, const std::string& help,
                    const CLI::Validator& check) {
  return option(c, name, value, help)->check(check);
}

}  // namespace heed
