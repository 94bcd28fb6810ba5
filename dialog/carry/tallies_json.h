// Tallies in JSON: by set and by group. Only code that writes results includes this header.
#pragma once

#include <nlohmann/json.hpp>

#include "dialog/carry/task.h"

namespace heed::carry {

inline nlohmann::ordered_json to_json(const Tallies& tallies) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, t] : tallies) {
    const size_t slash = name.find('/');
    json[name.substr(0, slash)][name.substr(slash + 1)] = {
        {"f1", t.f1()},   {"precision", t.precision()}, {"recall", t.recall()},
        {"hits", t.hits}, {"decided", t.decided},       {"right", t.right}};
  }
  return json;
}

inline nlohmann::ordered_json to_json(const std::map<std::string, LookShare>& looks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [group, share] : looks) {
    json[group] = {{"of_attention", share.of_attention},
                   {"of_slots", share.of_slots},
                   {"of_even", share.of_even()}};
  }
  return json;
}

}  // namespace heed::carry
