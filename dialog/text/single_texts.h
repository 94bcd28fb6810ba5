// Which of the measures of texts have a value for each text.
#pragma once

#include "dialog/text/measures.h"

namespace heed {

// Whether the measure is the mean over the texts of its value for one text alone:
// measure.value({t}, {r}). Others, such as corpus BLEU and distinct-n, are of all texts together.
bool is_mean_over_texts(const TextMeasure& measure);

}  // namespace heed
