#include "dialog/retrieve/attention.h"

#include <algorithm>
#include <tuple>

#include "autograd/ops.h"

namespace heed::retrieve {

Example example_of(const Tokens& context, const std::string& dialogue_id) {
  Example example;
  example.dialogue_id = dialogue_id;
  example.context = utterances_of(context);
  for (Tokens& utterance : example.context) utterance.pop_back();
  example.distraction.assign(example.context.size(), 0);
  return example;
}

Tokens tokens_of(const Example& example) {
  Tokens tokens;
  for (const Tokens& utterance : example.context) {
    tokens.insert(tokens.end(), utterance.begin(), utterance.end());
    tokens.push_back(kEou);
  }
  return tokens;
}

Var attention_loss(const Looks& looks, const std::vector<Example>& examples) {
  std::vector<double> c;  // M_j^2 / (B rows)
  for (int64_t s = 0; s < looks.segments.count(); ++s) {
    const Example& example = examples[looks.order[s]];
    const int64_t rows = looks.segments.length(s);
    const bool one_each = rows == std::ssize(example.context);
    for (size_t k = 0; k < example.context.size(); ++k) {
      const double each =
          example.distraction[k] / static_cast<double>(rows * looks.segments.count());
      c.insert(c.end(), one_each ? 1 : example.context[k].size() + 1, each);
    }
  }
  if (std::all_of(c.begin(), c.end(), [](double x) { return x == 0; })) return {};
  const Tensor coefficients = Tensor::from(c, looks.weights.shape());
  return sum(square(looks.weights) *
             Var(coefficients.to(looks.weights.dtype()).to(looks.weights.device())));
}

std::vector<VectorRanker::Look> looks_of(const DualEncoder& model,
                                         const std::vector<Tokens>& contexts, size_t batch) {
  const NoGrad guard;
  if (!model.config().attends()) return {};
  std::vector<VectorRanker::Look> result(contexts.size());
  for (size_t at = 0; at < contexts.size(); at += batch) {
    const std::vector<Tokens> some(
        contexts.begin() + static_cast<ptrdiff_t>(at),
        contexts.begin() + static_cast<ptrdiff_t>(std::min(contexts.size(), at + batch)));
    Looks looks;
    std::ignore = model.f(DualEncoder::Side::kContexts, some, {}, &looks);
    const std::vector<double> weights = looks.weights.value().to_vector();
    auto weight = weights.begin();
    for (int64_t s = 0; s < looks.segments.count(); ++s) {
      const size_t text = looks.order[s];
      const std::vector<Tokens> utterances = utterances_of(some[text]);
      const bool one_each = looks.segments.length(s) == std::ssize(utterances);
      for (const Tokens& utterance : utterances) {
        const auto end = weight + (one_each ? 1 : std::ssize(utterance));
        result[at + text].emplace_back(weight, end);
        weight = end;
      }
    }
  }
  return result;
}

}  // namespace heed::retrieve
