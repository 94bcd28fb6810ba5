// Shared by the commands that measure one model on dialogues.
#pragma once

#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"

namespace heed {

// A model that responds, the dialogues within the bounds of the flags or else of its training, and
// the counts of their parts that do not reach it.
struct Measured {
  LoadedModel loaded;
  Inputs inputs;
  std::vector<Example> examples;
  LeftOut left_out;

  Measured(const std::string& model, const InputFlags& flags, const std::string& epoch = "best")
      : loaded(load_responder(model, epoch)),
        inputs(read_inputs(flags, {model})),
        examples(inputs.examples(loaded.vocabulary)),
        left_out(find_left_out(inputs, examples)) {}

  // Calls work(show), which calls show(done) after every batch; shows the progress.
  template <class Work> auto with_progress(const Work& work) const {
    PassProgress progress(1, examples, inputs.unit(examples.size()));
    auto result = work([&](const auto& done) { progress.show("", done.examples, done.tokens); });
    progress.done();
    say(left_out, inputs);
    return result;
  }
};

}  // namespace heed
