// Utterances with an intent each, what text classifiers of chatbots learn from: ATIS and SNIPS as
// Goo et al. (NAACL 2018) publish them, CLINC150 (Larson et al., EMNLP 2019).
#pragma once

#include <string>

#include "dialog/data/formats/published.h"

namespace heed {

// Each utterance is a dialogue of one turn with the label "intent". The path is either
//   a folder with seq.in, an utterance a line, and label, its intent on the same line; or with
//   folders train, valid and test of these;
//   a JSON object {"train": [["text", "intent"], ...], "val", "test", "oos_train", ...}, plain or
//   gzip.
// The dialogue's label "part" is train, valid or test where the files say so. Throws DataError for
// anything else, with the place.
Published read_intents(const std::string& path, const Reading& reading = {});

}  // namespace heed
