#pragma once

#include "experiments/engine/report/inference.h"
#include "experiments/retrieval/experiment.h"

namespace heed {

struct RetrievalFound {
  Results results;
  Inference inference;
};

}  // namespace heed
