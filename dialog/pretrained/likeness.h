// A measure of responses by the embeddings of a pretrained encoder.
#pragma once

#include <string>
#include <vector>

#include "dialog/pretrained/encoder.h"

namespace heed::pretrained {

// How alike pairs of texts are: minus the mean, over pairs and dimensions, of the squared
// difference of the sums of the embeddings of their pieces, as they are before positions, types and
// layers. 0 for equal texts. The measure "BERT" of Parthasarathi, Pineau & Chandar (2020, section
// 4), as their program has it. Throws UsageError if the numbers of texts differ, or there are none.
double embedding_likeness(const Encoder& encoder, const std::vector<std::string>& texts,
                          const std::vector<std::string>& references);

}  // namespace heed::pretrained
