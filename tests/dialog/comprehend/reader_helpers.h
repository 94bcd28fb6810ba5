// A corpus of questions that a small reader learns, and readers whose weights are drawn.
#pragma once

#include <filesystem>
#include <string>

#include "dialog/comprehend/task.h"
#include "nn/init.h"
#include "tests/file_helpers.h"

namespace heed::comprehend {

// Who says a fruit ("who has NUMBER ?"): each dialogue has four fruits, and the word behind the
// number is the answer; "and then ?" asks for what comes behind the answer before.
inline Corpus questions(int passages) {
  const char* const fruits[] = {"apple", "pear", "plum", "fig", "lemon", "grape"};
  const char* const numbers[] = {"one", "two", "three", "four"};
  Corpus corpus;
  for (int i = 0; i < passages; ++i) {
    Passage& p = corpus.passages.emplace_back(Passage{.id = std::to_string(i)});
    std::vector<Answer> answers;
    for (int k = 0; k < 4; ++k) {
      const std::string fruit = fruits[(5 * i + k * (1 + i % 4) + i / 3) % 6];
      p.add_turn(numbers[k], "has " + fruit);
      answers.push_back(
          {.text = fruit, .begin = p.text.size() - fruit.size(), .end = p.text.size()});
    }
    for (int k = 0; k < 3; ++k) {
      const int at = (i + k) % 4;
      p.questions.push_back(
          {std::to_string(k), std::string("who is ") + numbers[at], {answers[at]}});
    }
  }
  return corpus;
}

inline Settings small() {
  Settings s = Runs::preset("smoke");
  s.model.turns = 1;
  s.model.width = 16;
  s.model.window = 32;
  s.model.dropout = 0;
  s.hidden = 32;
  s.layers = 1;
  s.loop.batch_size = 8;
  s.loop.max_epochs = 25;
  s.loop.schedule.rate = 0.01;
  s.loop.schedule.stop_after = 0;
  s.loop.schedule.patience = 100;
  return s;
}

inline Parts parts() {
  return {questions(40), questions(12), {}};
}

// A reader whose weights are drawn as large as those of a trained one, so that answers differ.
inline LoadedReader drawn(const TempDir& dir, Settings s, uint64_t seed) {
  const std::string run = dir.path("drawn" + std::to_string(seed) + (s.model.kinds ? "k" : ""));
  if (!std::filesystem::exists(run)) {
    std::filesystem::create_directory(run);
    Runs::start(run, s, parts(), "");
  }
  LoadedReader reader = Runs::first(run, s);
  init_again_uniform(reader.model, -1, 1, seed);
  return reader;
}

}  // namespace heed::comprehend
