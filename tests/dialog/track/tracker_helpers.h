// The small trackers of tests/reference/generate/make_tracker.py.
#pragma once

#include "dialog/track/model.h"
#include "nn/init.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed::track {

inline Slots small_slots() {
  TokenCounts values;
  for (const char* v : {"a=none", "a=p", "a=q", "b=none", "b=p", "c=none", "c=p", "c=q", "c=r"}) {
    values[v] = 1;
  }
  return {Vocabulary::build(values), "values.txt"};
}

inline std::vector<Conversation> small_conversations() {
  const auto turn = [](std::vector<int32_t> user, std::vector<int32_t> system,
                       std::vector<int32_t> acts, State state) {
    user.push_back(kEou);
    system.push_back(kEou);
    return UserTurn{"", user, system, acts, state};
  };
  return {{"0", {turn({5, 6}, {}, {}, {0, 3, 5}), turn({7}, {8, 9, 10}, {0, 2}, {1, 3, 6})}},
          {"1",
           {turn({11, 12, 5, 6}, {}, {}, {2, 4, 8}), turn({}, {9}, {1}, {2, 4, 8}),
            turn({6, 6, 8}, {12, 11}, {2}, {2, 3, 7})}},
          {"2", {turn({9, 10}, {}, {}, {1, 4, 5})}}};
}

inline std::vector<const Conversation*> pointers(const std::vector<Conversation>& conversations) {
  std::vector<const Conversation*> all;
  for (const Conversation& c : conversations) all.push_back(&c);
  return all;
}

inline Config small_config(const std::string& name) {
  Config c{.output = name == "heads" ? "heads" : "energy", .machine = "acts"};
  c.vocab_size = 13, c.embedding_size = 5, c.hidden_size = 4;
  c.act_count = c.act_size = c.energy_size = c.steps = 3;
  c.values = 9, c.inner_rate = 0.3, c.dropout = 0;
  if (name == "text") c.machine = "text";
  if (name == "independent") c.machine = "none", c.independent = true;
  return c;
}

inline Tracker drawn(const Config& config, uint64_t seed) {
  Tracker model(config);
  init(model, seed);
  return model;
}

}  // namespace heed::track
