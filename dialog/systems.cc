// The only list of systems.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialog/respond/system.h"
#include "dialog/system.h"
#include "train/model_directory.h"
#include "train/run_json.h"
#if HEED_ALL_SYSTEMS
#include "dialog/carry/system.h"
#include "dialog/comprehend/system.h"
#include "dialog/discriminate/gan/system.h"
#include "dialog/discriminate/system.h"
#include "dialog/discriminate/words/system.h"
#include "dialog/pretrained/system.h"
#include "dialog/retrieve/system.h"
#include "dialog/rewrite/system.h"
#include "dialog/track/system.h"
#endif

namespace heed {
namespace {

std::vector<System>& all_systems() {
  static std::vector<System> all = {
    respond_system(),
#if HEED_ALL_SYSTEMS
    discriminate::discriminate_system(),
    gan::adversary_system(),
    words::hredgan_system(),
    pretrained::bert_system(),
    retrieve::retrieval_system(),
    rewrite::gaps_system(),
    track::tracker_system(),
    comprehend::comprehend_system(),
    carry::carryover_system(),
#endif
  };
  return all;
}

std::string names_of(const std::function<bool(const System&)>& wanted) {
  std::string names;
  for (const System& s : systems()) {
    if (wanted(s)) names += (names.empty() ? "" : ", ") + s.name;
  }
  return names;
}

const System* find(const std::string& name) {
  const auto found = std::find_if(systems().begin(), systems().end(), [&](const System& s) {
    return s.name == name || (!s.older_name.empty() && s.older_name == name);
  });
  return found == systems().end() ? nullptr : &*found;
}

std::string all_names() {
  return names_of([](const System&) { return true; });
}

}  // namespace

const std::vector<System>& systems() {
  return all_systems();
}

const System& find_system(const std::string& name) {
  if (const System* found = find(name)) return *found;
  throw UsageError("system: expected one of " + all_names() + ", got '" + name + "'");
}

void register_system(System system) {
  if (find(system.name)) {
    throw UsageError("system: there is one called '" + system.name + "' already");
  }
  all_systems().push_back(std::move(system));
}

const System& system_of(const std::string& directory) {
  check_is_model(directory);
  const std::string path = file_inside(directory, "config.json");
  const auto name = with_json(path, [](const nlohmann::json& json) {
    return json.value("system", nlohmann::json("respond"));
  });
  const System* found = name.is_string() ? find(name) : nullptr;
  if (found) return *found;
  throw DataError(path + ": a model of the system " + name.dump() + "; this program has " +
                  all_names());
}

void require(const std::string& directory, Capability capability) {
  const System& system = system_of(directory);
  if (system.has(capability)) return;
  const std::string able = names_of([&](const System& s) { return s.has(capability); });
  throw UsageError(directory + ": " + system.what + ", which cannot " + name_of(capability) +
                   "; models of these systems can: " + able);
}

LoadedSystem load_system(const std::string& directory, const std::string& epoch) {
  const System& system = system_of(directory);
  LoadedSystem loaded = system.load(directory, epoch);
  loaded.system = system.name;
  return loaded;
}

}  // namespace heed
