// The only list of systems.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialog/respond/system.h"
#include "train/model_directory.h"
#include "train/run_json.h"

// A row each: the namespace, and its NAME_system(). A build for the demo alone has respond only.
#if HEED_ALL_SYSTEMS
#define HEED_SYSTEMS(ROW)         \
  ROW(discriminate, discriminate) \
  ROW(gan, adversary)             \
  ROW(words, hredgan)             \
  ROW(pretrained, bert)           \
  ROW(retrieve, retrieval)        \
  ROW(rewrite, gaps)              \
  ROW(track, tracker)             \
  ROW(comprehend, comprehend)     \
  ROW(carry, carryover)
#else
#define HEED_SYSTEMS(ROW)
#endif

namespace heed {

#define HEED_DECLARE(space, name) \
  namespace space {               \
  System name##_system();         \
  }
HEED_SYSTEMS(HEED_DECLARE)

namespace {

std::vector<System>& all_systems() {
#define HEED_ROW(space, name) space::name##_system(),
  static std::vector<System> all = {respond_system(), HEED_SYSTEMS(HEED_ROW)};
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
  return system_of_run(directory);
}

const System& system_of_run(const std::string& directory) {
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

LoadedSystem open_model(const std::string& directory, Capability capability, Device device) {
  require(directory, capability);
  LoadedSystem loaded = load_system(directory);
  move(*loaded.module, device);
  return loaded;
}

}  // namespace heed
