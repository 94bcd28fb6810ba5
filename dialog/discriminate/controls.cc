#include "dialog/discriminate/controls.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dialog/stats/logistic.h"
#include "dialog/stats/standardise.h"
#include "tensor/random.h"

namespace heed::discriminate {
namespace {

// p(real) of the rows of `test`, after a fit to the rows of `train`.
std::vector<double> fit_and_judge(const Tensor& train, const std::vector<Passage>& of_train,
                                  const Tensor& test) {
  std::vector<LabelIds> labels;
  for (const Passage& p : of_train) labels.push_back(p.real ? LabelIds{0} : LabelIds{});
  const Logistic fitted = fit_logistic(train, labels, 1);
  std::vector<double> p_real;
  for (const double score : fitted.scores(test).to_vector())
    p_real.push_back(1 / (1 + std::exp(-score)));
  return p_real;
}

Tensor lengths_of(const std::vector<Passage>& passages) {
  std::vector<double> x;
  for (const Passage& p : passages) {
    for (const TokenIds& utterance : p.context) x.push_back(static_cast<double>(utterance.size()));
    x.push_back(static_cast<double>(p.response.size()));
  }
  const auto n = static_cast<int64_t>(passages.size());
  return Tensor::from(x, {n, static_cast<int64_t>(x.size()) / n});
}

Tensor bags_of_words(const std::vector<Passage>& passages, int64_t width) {
  const Tensor x = Tensor::zeros({static_cast<int64_t>(passages.size()), width}, DType::f64);
  double* row = x.data<double>();
  for (const Passage& p : passages) {
    for (const int32_t id : p.response) row[id < width ? id : kUnk] = 1;
    row += width;
  }
  return x;
}

}  // namespace

std::vector<Passage> shuffle_contexts(const std::vector<Passage>& passages, uint64_t seed) {
  std::vector<Passage> result = passages;
  const size_t n = passages.size();
  for (Passage& p : result) {
    const size_t start = Rng(seed, "adversarial.context", purpose_id(p.id)).below(n);
    for (size_t i = 0; i < n; ++i) {
      const Passage& other = passages[(start + i) % n];
      if (other.corpus != p.corpus || other.conversation == p.conversation) continue;
      p.context = other.context;
      break;
    }
  }
  return result;
}

std::vector<double> length_control(const std::vector<Passage>& train,
                                   const std::vector<Passage>& test) {
  check_internal(!train.empty() && !test.empty(), "length_control: no passages");
  const Tensor x = lengths_of(train);
  const Standardiser standardise(x);
  return fit_and_judge(standardise(x), train, standardise(lengths_of(test)));
}

std::vector<double> unigram_control(const std::vector<Passage>& train,
                                    const std::vector<Passage>& test, int64_t vocab_size) {
  const int64_t width = std::min(vocab_size, kSpecialTokens + kUnigrams);
  const std::vector<Passage> fitted(
      train.begin(), train.begin() + static_cast<ptrdiff_t>(std::min(train.size(), kMostFitted)));
  return fit_and_judge(bags_of_words(fitted, width), fitted, bags_of_words(test, width));
}

std::vector<double> fitted_crosswise(const std::vector<Passage>& passages, const ControlFit& fit) {
  std::vector<double> p_real(passages.size(), 0.5);
  for (const int half : {0, 1}) {
    std::vector<Passage> train, test;
    std::vector<size_t> places;
    for (size_t i = 0; i < passages.size(); ++i) {
      if (passages[i].conversation % 2 == half) {
        test.push_back(passages[i]);
        places.push_back(i);
      } else {
        train.push_back(passages[i]);
      }
    }
    if (train.empty() || test.empty()) continue;
    const std::vector<double> p = fit(train, test);
    for (size_t i = 0; i < places.size(); ++i) p_real[places[i]] = p[i];
  }
  return p_real;
}

}  // namespace heed::discriminate
