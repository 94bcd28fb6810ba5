// A pretrained encoder as what reads the words of a model: a BERT (Devlin et al. 2019) reads the
// pieces of a text's words,
//
//   [CLS] w_1 .. w_n      types 0 and, from the second [CLS] on, 1
//
//   x_t = the mean of its last states over the pieces of w_t
//
// so that whatever stands above has a vector of each word, as of an embedding. <eou> is read as
// [SEP]. A text of more pieces than the encoder has positions is read in windows, cut between
// words, each with a [CLS] of its own before it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autograd/packing.h"
#include "base/error.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/pretrained/states.h"
#include "dialog/text/vocabulary.h"
#include "nn/layers.h"
#include "train/settings.h"

namespace heed::pretrained {

class Words : public Module {
 public:
  // <unk> is [UNK], <eou> [SEP], <sos> [CLS]. The numbers from the vocabulary's size on are `more`
  // words. Of a word at most `most` pieces are read, and no more than stand behind [CLS].
  Words(Encoder encoder, const Vocabulary& words, bool frozen, int64_t most,
        const std::vector<std::string>& more = {});

  // tokens: of the sequences `segments`, one after the other.
  struct States {
    Var words;  // (M, hidden_size): x_t, sequence by sequence
    Var begin;  // (B, hidden_size): the last state of each first [CLS]
  };
  States operator()(const std::vector<int32_t>& tokens, const Segments& segments) const;
  void visit(Visitor& v) override { encoder.visit(v); }
  Words like() const { return {encoder.like(), pieces, begin}; }

  StateReader encoder;
  std::vector<std::vector<int32_t>> pieces;  // of each word, one or more
  int32_t begin = 0;                         // [CLS]

 private:
  Words(StateReader encoder, std::vector<std::vector<int32_t>> pieces, int32_t begin)
      : encoder(std::move(encoder)), pieces(std::move(pieces)), begin(begin) {}
};

// Which of the two reads the words of a model: a setting of it.
struct Choice {
  std::string encoder = "lstm";  // alone, on embeddings that are learned; or pretrained, below it
  bool frozen = false;

  bool pretrained() const { return encoder == "pretrained"; }
  void check(const char* system) const;  // throws UsageError
};
template <class C, class V> void visit_encoder(C& c, V& v) {
  v(setting("encoder", "encoder",
            "What reads words. lstm: an LSTM on learned word vectors; pretrained: a BERT (--init)",
            {.group = kSizes,
             .usual = "lstm",
             .words = {"lstm", "pretrained"},
             .later = true,
             .of_variant = true}),
    c.encoder);
  v(setting("frozen", "frozen",
            "Keep the encoder's weights as they are, and train the rest (--encoder pretrained)",
            {.group = kSizes, .later = true, .of_variant = true}),
    c.frozen);
}
// What follows from the choice before a run begins, in settings with `model.words`, `init` and
// `loop`. Unless groups are given, an encoder that learns has a rate of its own.
template <class S> void take_rate(S& s, const std::function<bool(const std::string&)>& given) {
  constexpr double kRate = 5e-5;
  if (!s.model.words.pretrained() || given("group")) return;
  s.loop.optimizer.groups.push_back({.name = "encoder", .rate = kRate / s.loop.schedule.rate});
}
// The same, and words are as wide as the states of `init`. Throws UsageError where a width is
// given.
template <class S> void take_encoder(S& s, const std::function<bool(const std::string&)>& given) {
  if (!s.model.words.pretrained()) return;
  if (given("embed")) throw UsageError("--embed: a pretrained encoder brings its sizes");
  s.model.embedding_size = load_encoder(encoder_folder(s.init)).model.config().hidden_size;
  take_rate(s, given);
}
// Writes what such a run begins with: vocab.txt, and a copy of the encoder of `init`.
void keep_words(const std::string& run, const Choice& choice, const std::string& init,
                const Vocabulary& words);
constexpr int64_t kMostPieces = 8;  // of a word, that such a model reads

// Of a directory whose model chose so, else none; the encoder's states have `width` numbers.
// Throws DataError.
std::optional<Words> words_in(const std::string& directory, const Choice& choice, int64_t width,
                              const Vocabulary& words, const std::vector<std::string>& more = {});

// A vector of each word: of an embedding, or states of the encoder.
class WordReader : public Module {
 public:
  // `words` of words_in(); without them an embedding (rows, width), blank, of one row where the
  // choice is the encoder, as before a model is made.
  WordReader(const Choice& choice, int64_t rows, int64_t width, std::optional<Words> words);

  Var operator()(const Packed& tokens) const;                      // in their order, by step
  Var operator()(const Tensor& tokens, const Segments& of) const;  // i32 (M) -> (M, width)
  void visit(Visitor& v) override;
  // What the part is called: of an encoder always "encoder", where heed export looks for it.
  const char* name(const char* of_embedding) const {
    return words_.empty() ? of_embedding : "encoder";
  }
  std::optional<Words> like_words() const;
  Device device() const;
  DType dtype() const;

 private:
  std::vector<Embedding> embedding_;  // one or
  std::vector<Words> words_;          // the other
};

}  // namespace heed::pretrained
