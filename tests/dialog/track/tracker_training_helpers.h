// A folder of data from which small trackers learn, and the runs of their trainings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dialog/track/task.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"

namespace heed::track {

// A user asks for one of three foods and one of two areas, and keeps what is not named.
inline std::vector<Dialogue> made_dialogues(int count, uint64_t seed) {
  const std::vector<std::string> foods = {"thai", "greek", "irish"}, areas = {"north", "south"};
  Rng rng(seed);
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < count; ++i) {
    Dialogue& d = dialogues.emplace_back(Dialogue{std::to_string(i), {}});
    std::string food, area;
    const size_t turns = 2 + rng.below(3);
    for (size_t t = 0; t < turns; ++t) {
      const bool asks = rng.below(2) == 0;
      if (t > 0) {
        d.turns.push_back({"system", "what else?"});
        d.turns.back().notes.edit().labels["act"] = {asks ? "request area" : "request food"};
      }
      std::string& slot = asks ? area : food;
      slot = asks ? areas[rng.below(2)] : foods[rng.below(3)];
      d.turns.push_back({"user", "i want " + slot});
      auto& state = d.turns.back().notes.edit().labels["state"];
      if (!area.empty()) state.push_back("area=" + area);
      if (!food.empty()) state.push_back("food=" + food);
    }
  }
  return dialogues;
}

class TrainedTracker : public testing::Test {
 protected:
  TrainedTracker() {
    set_num_threads(1);
    write_dialogues(dir.write("data/train.jsonl", ""), made_dialogues(120, 1));
    write_dialogues(dir.write("data/valid.jsonl", ""), made_dialogues(40, 2));
    settings = Runs::preset("smoke");
    settings.model.hidden_size = settings.model.embedding_size = settings.model.act_size = 12;
    settings.model.dropout = 0;
    settings.model.steps = 4;
    settings.loop.batch_size = 8;
    settings.loop.schedule.rate = 0.02;
    settings.loop.max_epochs = 12;
  }
  TrainData data(const std::string& from = {}) {
    return load_train_data(dir.path("data"), settings, from);
  }
  bool run(const std::string& name, const TrainHooks& hooks = {}) {
    Settings s = settings;
    if (!s.init.empty()) take_from_init(s);
    const TrainData read = load_train_data(dir.path("data"), s, s.init);
    Runs::take(s, read);
    std::filesystem::create_directories(dir.path(name));
    Runs::begin(dir.path(name), s, read, "{}");
    return Runs::train(dir.path(name), s, read, {}, hooks);
  }
  double best(const std::string& name) {
    double value = 0;
    for (const EpochLog& e : load_log(dir.path(name))) {
      value = std::max(value, value_of(e.metrics, kValidJoint));
    }
    return value;
  }
  const TempDir dir;
  Settings settings;
};

}  // namespace heed::track
