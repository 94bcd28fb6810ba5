// Sums of gradients over pieces of a batch and over ranks, with the same bits for any number of
// ranks.
#pragma once

#include <vector>

#include "nn/module.h"
#include "train/carrier.h"
#include "train/pieces.h"

namespace heed {

// What the backward pass of a piece has left in the parameters, one for each.
using Gradients = std::vector<Gradient>;
using GradientTree = TreeSum<Gradients>;

// Takes the gradients out of the parameters, which have none then.
Gradients take_gradients(const std::vector<NamedParameter>& parameters);
void put_gradients(const std::vector<NamedParameter>& parameters, Gradients gradients);

// A tree that adds gradients of these parameters: dense ones as they are, sparse ones to one with
// the rows of both, and to a dense one where one of them is.
GradientTree gradient_tree(const std::vector<NamedParameter>& parameters);

// The sum of all pieces, of which each rank has summed its own. Each rank adds up its part of the
// rows of every parameter for all (a reduce-scatter, and then a gather of the sums): it sends and
// gets about twice the bytes of the gradients, whatever the number of ranks, and of sparse ones the
// rows that were looked up with their ids only. The sums are made where the carrier has its memory.
Gradients sum_over_ranks(const std::vector<NamedParameter>& parameters, GradientTree& own,
                         Carrier& carrier);

}  // namespace heed
