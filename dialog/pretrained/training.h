// What systems say alike whose models read words as their `words` (words.h) choose.
#pragma once

#include <string>
#include <vector>

#include "dialog/pretrained/words.h"
#include "dialog/training_of.h"

namespace heed::pretrained {

// The beginning of an Own (dialog/runs_of.h). Data have a `vocabulary`.
template <class S, class D, class L> struct OwnOfWords {
  using Settings = S;
  using Data = D;
  using Loaded = L;

  static void take(Settings& s, const Data& data) { s.model.vocab_size = data.vocabulary.size(); }
  static void keep(const std::string& run, const Settings& s, const Data& data) {
    keep_words(run, s.model.words, s.init, data.vocabulary);
  }
};

template <class Own> class TrainingOnWords : public SystemTraining<Own> {
 public:
  using SystemTraining<Own>::SystemTraining;

  std::vector<Training::Folder> folders() override { return {{"init", kInitHelp, &this->s_.init}}; }
  void complete() override {
    SystemTraining<Own>::complete();
    take_encoder(this->s_, this->given);
  }
};

}  // namespace heed::pretrained
