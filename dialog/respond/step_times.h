// How long steps of training, scoring and decoding take, on random words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dialog/respond/responder.h"
#include "tensor/cuda/runtime.h"

namespace heed {

// What a step is. "train": forward, loss with attention loss, backward, clipping and SGD;
// "forward": the first two; "score": score(); "beam": responses of the same lengths by beam search.
struct StepWork {
  std::string work = "train", lengths;  // lengths: a file, see step_times(); empty: 6 x 12, 16
  int64_t batch = 64, steps = 5;
  double dropout = 0.2;
  uint64_t seed = 1;
  bool make_batches = false;  // make a batch in every step, too
  // After each step: how many there were, and the seconds that they took together.
  std::function<void(int64_t done, double seconds)> progress = {};
};

// Of all steps together.
struct StepTimes {
  std::vector<double> seconds;      // of each step, sorted
  double total = 0, processor = 0;  // seconds; of all threads
  double tokens = 0, flops = 0;     // flops: of all products (cpu::product_flops())
  double loss = 0;                  // of the last step
  cuda::Counts counts = {};

  double steps() const { return static_cast<double>(seconds.size()); }
  double median() const;
};

// Times the steps after one for warm-up. A line of the file of lengths is {"context": [lengths],
// "response": n}, a dialogue. Throws DataError for another.
StepTimes step_times(Responder& model, const StepWork& work, Device device);

}  // namespace heed
