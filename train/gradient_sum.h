// Sums of gradients over pieces of a batch and over ranks, with the same bits for any number of
// ranks.
#pragma once

#include <vector>

#include "nn/module.h"
#include "train/carrier.h"
#include "train/pieces.h"

namespace heed {

// The gradients that the backward pass of a piece has left in the parameters, one for each.
using Gradients = std::vector<Gradient>;
using GradientTree = TreeSum<Gradients>;

// Moves the gradients out of the parameters, which have none afterwards.
Gradients take_gradients(const std::vector<NamedParameter>& parameters);
void put_gradients(const std::vector<NamedParameter>& parameters, Gradients gradients);

// A tree that adds gradients of these parameters. The sum of two sparse gradients has the rows of
// both; it is dense if one of them is.
GradientTree gradient_tree(const std::vector<NamedParameter>& parameters);

// The sum over all pieces, given each rank's sum of its own pieces. Each rank sums its part of the
// rows of every parameter for all (a reduce-scatter, then an all-gather of the sums). It sends and
// receives about twice the bytes of the gradients, whatever the number of ranks; of sparse ones
// only the looked-up rows and their ids. The sums are computed where the carrier has its memory.
Gradients sum_over_ranks(const std::vector<NamedParameter>& parameters, GradientTree& own,
                         Carrier& carrier);

}  // namespace heed
