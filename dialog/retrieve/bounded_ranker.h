// Rankers that read only the end of a long context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialog/parts/vector_ranker.h"

namespace heed::retrieve {

// What is inserted into contexts goes among the utterances that are read, and is read beside them:
// as in training, where a context is cut first.
class BoundedRanker : public VectorRanker {
 public:
  // The end of a context, oldest utterance first; adds one to *cut when it is not all of it.
  virtual std::vector<std::string> kept(const std::vector<std::string>& context,
                                        size_t* cut) const = 0;
  // The same model, which reads whole contexts.
  virtual std::shared_ptr<const Ranker> unbounded() const = 0;
};

}  // namespace heed::retrieve
