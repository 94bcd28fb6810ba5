// The losses of rankers, for B contexts with K candidates each (Henderson et al. 2019; Swanson et
// al. 2019, Eqs. 6 and 7, as interpreted in docs/retrieval.md).
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/ops.h"

namespace heed::retrieve {

struct Candidates {
  Tensor right;  // i32 (B): the column of the right response
  Tensor none;   // i32 (B, K) mask: columns that are not candidates of the row
};
// `texts` are all candidates (K), the first B of them the right responses of the B contexts, in
// order. Texts with the tokens of the right response are not candidates of a row, and neither are
// the right responses of other rows, unless the negatives are those `of_batch`.
Candidates candidates_of(const std::vector<std::vector<int32_t>>& texts, int64_t batch,
                         bool of_batch, Device device = {});

// scores (B, K) -> (B)
//   softmax  -ln p_right over the candidates; with smoothing (1 - e) (-ln p_right) + e mean(-ln p)
//   hinge    sum over the wrong candidates of max(0, margin - s_right + s_wrong)
Var softmax_loss(const Var& scores, const Candidates& candidates, double smoothing = 0);
Var hinge_loss(const Var& scores, const Candidates& candidates, double margin);

}  // namespace heed::retrieve
