// Utterances labelled with an intent, the training data of chatbots' text classifiers: ATIS and
// SNIPS as published by Goo et al. (NAACL 2018), CLINC150 (Larson et al., EMNLP 2019).
#pragma once

#include <string>

#include "dialog/data/formats/published.h"

namespace heed {

// Each utterance is a dialogue of one turn with the label "intent". The path is either
//   a folder with seq.in, one utterance per line, and label, its intent on the same line; or with
//   folders train, valid and test of these;
//   a JSON object {"train": [["text", "intent"], ...], "val", "test", "oos_train", ...}, plain or
//   gzip.
// The dialogue's label "part" is train, valid or test if the files give it. Throws DataError for
// anything else, with the position.
Published read_intents(const std::string& path, const Reading& reading = {});

}  // namespace heed
