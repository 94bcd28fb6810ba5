// What systems say alike whose models read words as their `words` (words.h) choose.
#pragma once

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dialog/pretrained/words.h"
#include "dialog/training_of.h"
#include "nn/count.h"

namespace heed::pretrained {

// A model, and the words that it reads.
template <class M> struct ModelOfWords {
  M model;
  Vocabulary vocabulary;
};

// The beginning of an Own (dialog/runs_of.h). Data have a `vocabulary`; a model M is made of the
// settings' `model` and Words, and may know more words than those of its vocabulary, M::kMoreWords.
template <class S, class D, class M> struct OwnOfWords {
  using Settings = S;
  using Data = D;
  using Loaded = ModelOfWords<M>;

  static const Vocabulary& words(const Data& data) { return data.vocabulary; }
  static void take(Settings& s, const Data& data) { s.model.vocab_size = data.vocabulary.size(); }
  static void keep(const std::string& run, const Settings& s, const Data& data) {
    keep_words(run, s.model.words, s.init, data.vocabulary);
  }
  static double size(const Settings& s) {
    return count_parameters(1, [&](int64_t) { return std::make_unique<M>(s.model); });
  }
  static Loaded blank(const std::string& directory, const Settings& s) {
    Vocabulary words = load_words(directory, s.model.vocab_size);
    std::vector<std::string> more;
    if constexpr (requires { M::kMoreWords; }) {
      more.assign(std::begin(M::kMoreWords), std::end(M::kMoreWords));
    }
    auto read = words_in(directory, s.model.words, s.model.embedding_size, words, more);
    return {M(s.model, std::move(read)), std::move(words)};
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
