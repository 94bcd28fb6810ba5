#include "experiments/distraction/evaluation.h"

namespace heed {

std::string set_name(size_t set) {
  return set == 0 ? "none" : std::string(kTestSets.at(set - 1));
}

std::string kind_of(size_t set) {
  const std::string name = set_name(set);
  return name.substr(0, name.find(':'));
}

std::string place_of(size_t set) {
  const std::string name = set_name(set), rest = name.substr(name.find(':') + 1);
  return kind_of(set) == "random" ? "p = " + rest : rest;
}

std::string key_of(size_t set, const std::string& number) {
  return "test_sets." + set_name(set) + "." + number;
}

}  // namespace heed
