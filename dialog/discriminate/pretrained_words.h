// A pretrained encoder that replaces Eqs. 1 to 3 of a discriminator: a BERT (Devlin et al. 2019)
// reads the pieces of a passage's words as a pair of texts,
//
//   [CLS] u_1 [SEP] u_2 [SEP]   [CLS] r [SEP]        types 0 and, from the second [CLS] on, 1
//
//   h_t = the mean of its last states over the pieces of w_t
//
// so that a discriminator attends to words, whatever the encoder.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/pretrained/encoder.h"
#include "dialog/text/vocabulary.h"

namespace heed::discriminate {

struct PretrainedWords {
  pretrained::Bert bert;
  std::vector<std::vector<int32_t>> pieces;  // one or more for each word of the vocabulary
  int32_t begin = 0;                         // [CLS]

  PretrainedWords like() const { return {bert.like(), pieces, begin}; }

  // `tokens` of the sequences `segments`, one after the other; each begins with its own [CLS].
  // Throws ShapeError for more pieces than the encoder has positions.
  struct States {
    Var words;  // (M, hidden_size): h_t
    Var begin;  // (B, hidden_size): the last state of each [CLS]
  };
  States operator()(const std::vector<int32_t>& tokens, const Segments& segments) const;
};

// The number of pieces of a word is limited so that `longest` words fit the encoder's positions.
// <unk> is [UNK], <eou> [SEP], <sos> [CLS].
PretrainedWords pretrained_words(pretrained::Encoder encoder, const Vocabulary& words,
                                 int64_t longest);

}  // namespace heed::discriminate
