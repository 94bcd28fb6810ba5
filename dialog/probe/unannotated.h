// Tasks that need no annotation, for any corpus (Parthasarathi, Pineau & Chandar 2020, Table 1), as
// sets of labels for each example.
//   UtteranceLoc     bucket floor(5 (t - 1) / n) of the t-th of its dialogue's n examples
//   WordCont         the rarest mid-frequency word of the response, or "none"
//   ResponseLength   tokens of the response in buckets of 5: "0-4", "5-9" ...
//                    A control, not from the paper
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/probe/label_file.h"
#include "dialog/text/vocabulary.h"

namespace heed::probe {

// Mid-frequency words with their counts.
using WordCounts = std::map<int32_t, int64_t>;
// From the training examples: the 500 most frequent of the words that occur 1,000 to 3,000 times in
// 150,000 examples, where contexts and responses count anew in every example; in proportion for
// another number of examples. Equally frequent ones are ordered by id.
WordCounts mid_frequency_words(const std::vector<Example>& train);

// The labels of the tasks above for examples in the words of `vocabulary`. They must be all
// examples of their dialogues, those of a dialogue contiguous. The key of an example is its last
// utterance.
LabelledExamples unannotated_labels(const std::vector<Example>& examples,
                                    const Vocabulary& vocabulary, const WordCounts& mid_frequency);

}  // namespace heed::probe
