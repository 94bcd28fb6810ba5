// How an encoder's states become one vector per dialogue, which probes read (dialog/probe;
// Parthasarathi, Pineau & Chandar 2020). The states are those of each layer after the last real
// token (LSTMs, bottom to top), or those at all tokens of the context (a Transformer).
#pragma once

#include <string>

#include "nn/lstm.h"

namespace heed {

enum class Pooling {
  kSum,   // the paper's
  kMean,  // the sum divided by their number: its size does not depend on the context's length
  kLast,  // the top layer's; at the last token
  kTop    // the top layer's; UsageError for a Transformer, which has only that layer
};
// "sum", "mean", "last", "top"; throws UsageError for anything else.
Pooling parse_pooling(const std::string& name);

// (B, H) of the hidden states of all layers, each (B, H).
Var pool_layers(const LstmState& state, Pooling pooling);
// x (M, H), the states of one dialogue after the other -> (B, H); each has at least one.
Var pool_positions(const Var& x, const Segments& dialogues, Pooling pooling);

}  // namespace heed
