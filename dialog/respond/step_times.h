// Measures the time of training, scoring and decoding steps, on random words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dialog/respond/responder.h"
#include "tensor/cuda/runtime.h"

namespace heed {

// The work of a step. "train": forward, loss with attention loss, backward, clipping and SGD;
// "forward": the first two; "score": score(); "greedy", "beam": decode() of responses of the same
// lengths.
struct StepWork {
  std::string work = "train", lengths;  // lengths: a file, see step_times(); empty: 6 x 12, 16
  int64_t batch = 64, steps = 5;
  double dropout = 0.2;
  uint64_t seed = 1;
  bool make_batches = false;  // include making a batch in every step
  // After each step: the number of steps and their total seconds.
  std::function<void(int64_t done, double seconds)> progress = {};
};

// The totals of all steps.
struct StepTimes {
  std::vector<double> seconds;      // of each step, sorted
  double total = 0, processor = 0;  // seconds; of all threads
  double tokens = 0, flops = 0;     // flops: of all products (cpu::product_flops())
  double loss = 0;                  // of the last step
  // The most that tensors held behind a forward pass: parameters, batches and what the gradient
  // needs. No step can do with less; memory_stats() has the peak.
  int64_t held_bytes = 0;
  cuda::Counts counts = {};

  double steps() const { return static_cast<double>(seconds.size()); }
};

// Times the steps after one warm-up step. A line of the file of lengths is a dialogue, {"context":
// [lengths], "response": n}. Throws DataError for another.
StepTimes step_times(Responder& model, const StepWork& work, Device device);

}  // namespace heed
