// What lab 6 trains: parameters with given gradients, and a small model of sequences.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "labs/06-training/kernels.h"
#include "labs/support/check.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "optim/optim.h"
#include "optim/schedule.h"

namespace heed::lab {

// Parameters with names, and nothing that is done with them.
struct Bag : Module {
  std::vector<Var> all;
  void visit(Visitor& v) override {
    for (size_t i = 0; i < all.size(); ++i) v("p" + std::to_string(i), all[i]);
  }
};

// Makes `gradient` the gradient of p.
inline void give(const Var& p, const Tensor& gradient) {
  p.zero_grad();
  sum(p * Var(gradient)).backward();
}

// Symbols in, symbols out: an embedding, an LSTM, and a layer for the logits.
struct SequenceModel : Module {
  SequenceModel(int64_t symbols, int64_t embedding_width, int64_t width)
      : embedding(symbols, embedding_width),
        lstm(embedding_width, width),
        output(width, symbols, /*with_bias=*/false) {}
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }

  // The mean of -ln p(target) over all rows of a batch.
  Var loss(const Packing& packing, const std::vector<int32_t>& inputs,
           const std::vector<int32_t>& targets) const {
    const Var states = lstm(packing, embedding(Tensor::from(inputs))).y;
    const Var total = linear_cross_entropy(states, output.weight, Tensor::from(targets)).total;
    return total / static_cast<double>(targets.size());
  }

  Embedding embedding;
  Lstm lstm;
  Linear output;
};

// `count` equal sequences of `length`.
inline Packing rectangle(int64_t count, int64_t length) {
  return Packing(std::vector<int32_t>(count, static_cast<int32_t>(length)));
}

// Reads symbols and says after each the one before it.
inline double copy_loss(SequenceModel& model, Sgd* sgd, int64_t symbols, int64_t length, Rng& rng) {
  constexpr int64_t kBatch = 16;
  std::vector<int32_t> inputs, targets(kBatch, 0);
  for (int64_t i = 0; i < kBatch * length; ++i) {
    inputs.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(symbols))));
  }
  targets.insert(targets.end(), inputs.begin(), inputs.end() - kBatch);
  const Var loss = model.loss(rectangle(kBatch, length), inputs, targets);
  if (sgd) {
    loss.backward();
    sgd->step({.max_norm = 1});
    zero_grad(model);
  }
  return loss.value().item();
}

// Two tables, one below the other, after three steps, in each of which some of their rows were
// looked up.
inline Tensor tables_after(const Tensor& start, bool sparse, const Sgd::Options& options,
                           const std::vector<Tensor>& ids) {
  Bag bag;
  for (int i = 0; i < 2; ++i) bag.all.push_back(Var::parameter(start.clone(), sparse));
  Sgd sgd(bag, options);
  for (const Tensor& looked_up : ids) {
    zero_grad(bag);
    for (const Var& table : bag.all) {
      const Var rows = gather_rows(table, looked_up);
      sum(mul(rows, rows)).backward();
    }
    sgd.step({.scale = 0.5});
  }
  return below(bag.all[0].value(), bag.all[1].value());
}

// The rate after each epoch.
inline Tensor rates_of(HalvingSchedule& schedule, const std::vector<double>& perplexities) {
  std::vector<double> rates;
  for (const double perplexity : perplexities) {
    schedule.update(perplexity);
    rates.push_back(schedule.rate());
  }
  return numbers(rates);
}

}  // namespace heed::lab
