// How many turns before a question help to answer it, and which of them (Ohsugi et al. 2019, Tables
// 3 and 4). docs/comprehension.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// Readers in this order, with so many turns before; the last two with two.
namespace readers {
enum Place : size_t {
  kNone,
  kOne,
  kTwo,
  kThree,
  kFour,
  kFive,
  kSix,
  kSeven,
  kNoQuestions,
  kNoAnswers
};
}  // namespace readers
std::vector<VariantName> comprehend_variants();

const Showing<>& comprehend_showing();
Experiment comprehend_experiment();

}  // namespace heed
