#include "dialog/probe/representations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dialog/text/tokenizer.h"
#include "tensor/random_tensor.h"

namespace heed::probe {

Tensor bag_of_words(const PackedList<Example>& examples, int64_t width, uint64_t seed) {
  const auto n = static_cast<int64_t>(examples.size());
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  std::map<int32_t, Tensor> vectors;
  const Tensor x = Tensor::zeros({n, width});
  const auto add = [&](int64_t i, int32_t word) {
    Tensor& vector = vectors[word];
    if (!vector.defined()) {
      const RandomKey key{seed, purpose_id("probe.bag-of-words"), static_cast<uint64_t>(word)};
      vector = normal({width}, 0, deviation, key);
    }
    float* row = x.data<float>() + i * width;
    for (int64_t j = 0; j < width; ++j) row[j] += vector.data<float>()[j];
  };
  for (int64_t i = 0; i < n; ++i) {
    const Example example = examples[i];
    for (const std::vector<int32_t>& utterance : example.context) {
      for (const int32_t word : utterance) add(i, word);
    }
  }
  return x;
}

Tensor bag_of_words(const std::vector<std::string>& texts, int64_t width, uint64_t seed) {
  std::map<std::string, int32_t> numbers;
  std::vector<Example> examples(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<int32_t>& utterance = examples[i].context.emplace_back();
    for (const std::string& word : tokenize(texts[i])) {
      utterance.push_back(numbers.emplace(word, std::ssize(numbers)).first->second);
    }
  }
  return bag_of_words(examples, width, seed);
}

Tensor context_lengths(const PackedList<Example>& examples) {
  constexpr int64_t kWidth = 11;
  const auto n = static_cast<int64_t>(examples.size());
  const Tensor x = Tensor::zeros({n, kWidth});
  for (int64_t i = 0; i < n; ++i) {
    int64_t m = 0;
    const Example example = examples[i];
    for (const auto& utterance : example.context) {
      m += static_cast<int64_t>(utterance.size()) + 1;
    }
    x.data<float>()[i * kWidth + std::min<int64_t>(m, 100) / 10] = 1;
  }
  return x;
}

}  // namespace heed::probe
