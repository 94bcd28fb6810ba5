#include "dialog/best_choices.h"

#include <algorithm>

namespace heed {
namespace {

bool better(const Choice& a, const Choice& b) {
  return a.log_prob > b.log_prob || (a.log_prob == b.log_prob && a.token < b.token);
}

// Most blocks of tokens hold nothing better than what was found before them, which is seen with
// vector operations (docs/performance.md, "Decoding").
template <class T>
std::vector<Choice> best_of(const T* log_probs, const std::vector<bool>& allowed, size_t count) {
  constexpr size_t kBlock = 32;
  std::vector<Choice> best;  // a heap, the worst one on top
  T bound = 0;               // what that one has, when there are `count`
  for (size_t begin = 0; begin < allowed.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, allowed.size());
    if (best.size() == count) {
      int above = 0;  // a bool here, and it is no vector loop
      for (size_t i = begin; i < end; ++i) above += log_probs[i] > bound;
      if (above == 0) continue;
    }
    for (size_t i = begin; i < end; ++i) {
      const bool full = best.size() == count;
      if ((full && !(log_probs[i] > bound)) || !allowed[i]) continue;  // the first of equals wins
      if (full) {
        std::pop_heap(best.begin(), best.end(), better);
        best.pop_back();
      }
      best.push_back({static_cast<int32_t>(i), static_cast<double>(log_probs[i])});
      std::push_heap(best.begin(), best.end(), better);
      bound = static_cast<T>(best.front().log_prob);
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
  return best;
}

}  // namespace

std::vector<Choice> best_choices(const Tensor& log_probs, const std::vector<bool>& allowed,
                                 size_t count) {
  return log_probs.dtype() == DType::f32 ? best_of(log_probs.data<float>(), allowed, count)
                                         : best_of(log_probs.data<double>(), allowed, count);
}

}  // namespace heed
