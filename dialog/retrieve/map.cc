#include "dialog/retrieve/map.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "autograd/ops.h"
#include "base/error.h"
#include "dialog/retrieve/losses.h"
#include "nn/init.h"
#include "optim/optim.h"
#include "tensor/random.h"

namespace heed::retrieve {
namespace {

constexpr int64_t kBatch = 256;
constexpr double kScale = 20, kSmoothing = 0.2;
constexpr int kEpochs = 100, kPatience = 10;

struct Map : Module {
  explicit Map(int64_t width) : weight(Var::parameter({width, width}, constant_law(0))) {}
  void visit(Visitor& v) override { v("weight", weight); }
  Var operator()(const Var& x) const { return x + affine(x, weight); }
  Var weight;
};

// The mean loss of these pairs, whose responses are the candidates.
Var loss_of(const Map& map, const Tensor& x, const Tensor& y, const std::vector<int32_t>& said,
            const std::vector<int32_t>& pairs) {
  const Tensor rows = Tensor::from(pairs);
  std::vector<std::vector<int32_t>> texts;
  for (const int32_t i : pairs) texts.push_back({said[i]});
  const Var scores = kScale * affine(map(gather_rows(Var(x), rows)), gather_rows(Var(y), rows));
  return mean(softmax_loss(scores, candidates_of(texts, std::ssize(pairs), true), kSmoothing));
}

using Batches = std::vector<std::vector<int32_t>>;

Batches cut(const std::vector<int32_t>& pairs) {
  Batches batches;
  for (auto at = pairs.begin(); pairs.end() - at >= 2;) {
    const auto end = at + std::min<int64_t>(kBatch, pairs.end() - at);
    batches.emplace_back(at, end);
    at = end;
  }
  return batches;
}

}  // namespace

Tensor learn_map(const Tensor& x, const Tensor& y, const std::vector<int32_t>& said,
                 uint64_t seed) {
  std::vector<int32_t> learned, held;
  for (int32_t i = 0; i < std::ssize(said); ++i) (i % 5 == 4 ? held : learned).push_back(i);
  if (held.size() < 2) {
    throw DataError(
        "map needs 10 training responses at least, so that two are held out; there are " +
        std::to_string(said.size()));
  }
  Tensor best = Tensor::zeros({x.shape()[1], x.shape()[1]});
  double least = std::numeric_limits<double>::infinity();
  for (const double rate : {0.03, 0.01, 0.003}) {
    Map map(x.shape()[1]);
    map.weight.set_value(Tensor::zeros(best.shape()));
    Adam adam(map, {.rate = rate});
    double own = std::numeric_limits<double>::infinity();
    for (int epoch = 0, since = 0; epoch < kEpochs && since < kPatience; ++epoch, ++since) {
      Rng(seed, "retrieve.map", static_cast<uint64_t>(epoch)).shuffle(learned);
      for (const std::vector<int32_t>& pairs : cut(learned)) {
        zero_grad(map);
        loss_of(map, x, y, said, pairs).backward();
        adam.step();
      }
      const NoGrad guard;
      double loss = 0;
      for (const auto& pairs : cut(held)) loss += loss_of(map, x, y, said, pairs).value().item();
      if (loss >= own) continue;
      own = loss, since = -1;
      if (loss < least) least = loss, best = map.weight.value().clone();
    }
  }
  return best;
}

Tensor MappedRanker::contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                              size_t* cut) const {
  const NoGrad guard;
  const Var x(ranker_.contexts(contexts, batch, progress, cut));
  return (x + affine(x, Var(map_))).value();
}

MappedRanker learn_map(const VectorRanker& ranker, const std::vector<Dialogue>& dialogues,
                       const std::vector<Pair>& pairs, uint64_t seed,
                       const VectorRanker::OnTexts& progress) {
  constexpr size_t kPairs = 10000;
  VectorRanker::Contexts contexts;
  std::vector<std::string> responses;
  std::vector<int32_t> said;
  std::unordered_map<std::string, int32_t> numbers;
  const size_t n = std::min(pairs.size(), kPairs);
  for (size_t i = 0; i < n; ++i) {
    const Pair& pair = pairs[i * pairs.size() / n];
    const std::string& response = dialogues[pair.dialogue].turns[pair.response].text;
    contexts.push_back(context_turns(dialogues, pair));
    responses.push_back(response);
    said.push_back(numbers.emplace(response, static_cast<int32_t>(numbers.size())).first->second);
  }
  const Tensor x = ranker.contexts(contexts, /*batch=*/64, progress, nullptr),
               y = ranker.responses(responses, /*batch=*/64, progress, nullptr);
  return {ranker, learn_map(x, y, said, seed)};
}

}  // namespace heed::retrieve
