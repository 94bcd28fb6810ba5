// What a result was made with. Every result file says it.
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
// What this build can do: "kernels for x86-64-v4, no CUDA". The kernels are those of this machine.
std::string capabilities();

// What the results of an experiment say: the same on every machine that has this program and CPU.
MadeWith made_with(const Common& common);

// The key "heed" of a result: the program (version, commit, command), the arithmetic (device,
// gpu, matmul, dtype, threads, kernels), the class of the machine (cpu, cores) and the date (UTC).
// The same keys for every command; gpu is null without one.
nlohmann::ordered_json provenance(const std::string& command, const Common& common,
                                  const std::string& dtype = "f32");

// A line for people: "version 0.1.0; commit 7427bfe3a1c2; ...", objects within it in brackets.
std::string as_text(const nlohmann::ordered_json& object);

// The same for the foot of a page, which others will see: "data fingerprint" for what is within an
// object, of absolute paths the last part, the beginning of a long list, and nothing of what is
// null.
void add_facts(Facts& facts, const std::string& name, const nlohmann::ordered_json& value);

}  // namespace heed
