// A training that takes milliseconds, and what it leaves behind.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "dialog/respond/task.h"
#include "tensor/parallel.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {

namespace fs = std::filesystem;

// Elements of a packed list are not changed in their places.
template <class T, class Change> void edit(PackedList<T>& list, const Change& change) {
  std::vector<T> all = list.to_vector();
  change(all);
  list = all;
}
template <class T> std::vector<T> first(const PackedList<T>& list, size_t count) {
  std::vector<T> all = list.to_vector();
  all.resize(count);
  return all;
}

// Dialogues of random words; `train` of them, 6 for validation.
inline TrainData small_data(int train = 20, uint64_t seed = 1) {
  TrainData data;
  std::vector<Dialogue> words(1);
  for (int i = kSpecialTokens; i < kTestVocabulary; ++i) {
    words[0].turns.push_back({"", "w" + std::to_string(i), false});
  }
  data.vocabulary = Vocabulary::build(count_tokens(words));
  data.train = random_examples(train, seed, /*distractions=*/false);
  data.valid = random_examples(6, seed + 100, /*distractions=*/false);
  for (const Example e : data.train) data.pool.push_back({e.dialogue_id, e.context[0]});
  return data;
}

inline TrainSettings small_settings(const std::string& structure) {
  TrainSettings s;
  s.model = small_config(Structure::parse(structure));
  s.insert_prob = 0.7;
  s.loop.batch_size = 4;  // five steps an epoch
  s.loop.max_epochs = 2;
  s.loop.schedule.rate = 0.5;
  return s;
}

class TrainerTest : public testing::Test {
 protected:
  TrainerTest() { set_num_threads(1); }

  bool run(const std::string& name, const TrainHooks& hooks = {}, Device device = {}) {
    fs::create_directories(path(name));
    return train(path(name), settings, data, device, hooks);
  }
  std::string path(const std::string& name) const { return dir.path(name); }

  // Everything that a run must end with.
  std::vector<std::string> result(const std::string& name) const {
    const std::string last =
        "checkpoint-" + std::to_string(settings.loop.max_epochs) + "-0.safetensors";
    std::vector<std::string> files;
    for (const std::string& file :
         {std::string("config.json"), std::string("vocab.txt"), std::string("model.safetensors"),
          std::string("log.jsonl"), std::string("state.json"), last}) {
      files.push_back(dir.read(name + "/" + file));
      EXPECT_FALSE(files.back().empty()) << name << "/" << file;
    }
    return files;
  }

  const TempDir dir;
  TrainData data = small_data();
  TrainSettings settings = small_settings("static-ui");
};

// Sets its stop flag after a number of steps.
struct StopAfter {
  explicit StopAfter(int count) : left(count) {
    hooks.stop = &flag;
    hooks.on_step = [this](const TrainProgress&) { flag = --left <= 0; };
  }
  std::atomic<bool> flag{false};
  int left;
  TrainHooks hooks;
};

}  // namespace heed
