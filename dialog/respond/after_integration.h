// What the attention scores of a model are of.
#pragma once

#include "dialog/respond/structure.h"

namespace heed {

// Whether they are of states that have read the utterances before, too (THRED, models/thred.h):
// attention on one is not on that utterance alone.
inline bool attends_after_integration(const Structure& structure) {
  return structure.has("message");
}
constexpr const char* kAfterIntegration =
    "Attention is after integration: the state of an utterance has read those before it, too";

}  // namespace heed
