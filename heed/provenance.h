// How a result was made. Every result file records it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dialog/text/html_page.h"
#include "heed/commands.h"

namespace heed {

struct MadeWith;  // experiments/engine/runs/plan.h

// "0.1.0", and the commit: "7427bfe3a1c2", with "-dirty" behind it where the sources had changes
// that were not committed, and "unknown" where they came without git.
std::string version();
std::string commit();
// The abilities of this build: "kernels for x86-64-v4, no CUDA". The kernels are those for this
// machine.
std::string capabilities();

// The part that the results of an experiment record: equal on all machines with this program and
// CPU.
MadeWith made_with(const Common& common);

// The key "heed" of a result: the program (version, commit, command), the arithmetic (device,
// gpu, matmul, dtype, threads, kernels), the class of the machine (cpu, cores) and the date (UTC).
// The same keys for every command; gpu is null without one.
nlohmann::ordered_json provenance(const CommandOptions& o, const std::string& dtype = "f32");

// A line for people: "version 0.1.0; commit 7427bfe3a1c2; ...", objects within it in brackets.
std::string as_text(const nlohmann::ordered_json& object);

// The same for the foot of a page, which others will see: "data fingerprint" for a value inside an
// object, only the last part of an absolute path, only the beginning of a long list, and no null
// values.
void add_facts(Facts& facts, const std::string& name, const nlohmann::ordered_json& value);

}  // namespace heed
