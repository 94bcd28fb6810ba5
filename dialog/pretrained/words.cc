#include "dialog/pretrained/words.h"

#include <algorithm>

#include "autograd/ops.h"
#include "base/file.h"
#include "train/run_json.h"

namespace heed::pretrained {

Words::Words(Encoder e, const Vocabulary& words, bool frozen, int64_t most,
             const std::vector<std::string>& more)
    : encoder(std::move(e.model), frozen), begin(e.pieces.encode("[CLS]").at(0)) {
  const int32_t count = words.size() + static_cast<int32_t>(more.size());
  most = std::min(most, encoder.longest() - 1);  // beside [CLS]
  for (int32_t id = 0; id < count; ++id) {
    const std::string text = id == kEou            ? "[SEP]"
                             : id == kSos          ? "[CLS]"
                             : id < kSpecialTokens ? "[UNK]"
                             : id < words.size()   ? words.token(id)
                                                   : more[id - words.size()];
    std::vector<int32_t> of_word = e.pieces.encode(text);
    if (of_word.empty()) of_word = e.pieces.encode("[UNK]");
    of_word.resize(std::min<size_t>(of_word.size(), most));
    pieces.push_back(std::move(of_word));
  }
}

Words::States Words::operator()(const std::vector<int32_t>& tokens,
                                const Segments& segments) const {
  std::vector<Pieces> texts;
  std::vector<size_t> text_of_word, first_texts;
  std::vector<int32_t> place_of_word;  // of its first piece in the text
  for (int64_t s = 0; s < segments.count(); ++s) {
    first_texts.push_back(texts.size());
    int32_t type = 0;
    texts.push_back({{begin}, {type}});
    for (int64_t t = segments.begin(s); t < segments.end(s); ++t) {
      const std::vector<int32_t>& word = pieces[tokens[t]];
      type |= tokens[t] == kSos;
      if (std::ssize(texts.back().ids) + std::ssize(word) > encoder.longest()) {
        texts.push_back({{begin}, {type}});
      }
      Pieces& text = texts.back();
      text_of_word.push_back(texts.size() - 1);
      place_of_word.push_back(static_cast<int32_t>(text.ids.size()));
      text.ids.insert(text.ids.end(), word.begin(), word.end());
      text.types.resize(text.ids.size(), type);
    }
  }
  const StateReader::States states = encoder(texts);
  std::vector<int32_t> rows, begins, lengths;  // lengths: of each word in pieces
  for (const size_t text : first_texts) begins.push_back(states.begin[text]);
  for (size_t i = 0; i < text_of_word.size(); ++i) {
    const auto length = static_cast<int32_t>(pieces[tokens[i]].size());
    const int32_t first = states.begin[text_of_word[i]] + place_of_word[i];
    for (int32_t k = 0; k < length; ++k) rows.push_back(first + k);
    lengths.push_back(length);
  }
  const Device device = encoder.device();
  const auto at = [&](const std::vector<int32_t>& places) {
    return gather_rows(states.rows, Tensor::from(places, device));
  };
  return {segment_mean(at(rows), Segments(lengths, device)), at(begins)};
}

void Choice::check(const char* system) const {
  if (frozen && !pretrained()) {
    throw UsageError(std::string(system) + ": --frozen is for --encoder pretrained");
  }
}

void keep_words(const std::string& run, const Choice& choice, const std::string& init,
                const Vocabulary& words) {
  if (choice.pretrained()) keep_encoder(init, run);
  words.save(in(run, "vocab.txt"));
}

std::optional<Words> words_in(const std::string& directory, const Choice& choice, int64_t width,
                              const Vocabulary& words, const std::vector<std::string>& more) {
  if (!choice.pretrained()) return {};
  return Words(load_encoder_of(directory, width), words, choice.frozen, kMostPieces, more);
}

WordReader::WordReader(const Choice& choice, int64_t rows, int64_t width,
                       std::optional<Words> words) {
  if (words) {
    check_internal(words->encoder.width() == width, "states of another width");
    words_.push_back(std::move(*words));
  } else {
    embedding_.emplace_back(choice.pretrained() ? 1 : rows, width);
  }
}

Var WordReader::operator()(const Packed& tokens) const {
  if (words_.empty()) return embedding_[0](tokens.rows);
  const std::vector<int32_t> by_step = tokens.rows.value().to_ints();
  std::vector<int32_t> by_sequence;
  for (const int32_t row : tokens.packing.by_sequence()) by_sequence.push_back(by_step[row]);
  return heed::by_step(words_[0](by_sequence, tokens.packing.segments()).words, tokens.packing);
}

Var WordReader::operator()(const Tensor& tokens, const Segments& of) const {
  if (words_.empty()) return embedding_[0](tokens);
  return words_[0](tokens.to_ints(), of).words;
}

void WordReader::visit(Visitor& v) {
  for (Embedding& embedding : embedding_) embedding.visit(v);
  for (Words& words : words_) words.visit(v);
}

std::optional<Words> WordReader::like_words() const {
  if (words_.empty()) return {};
  return words_[0].like();
}

Device WordReader::device() const {
  return words_.empty() ? embedding_[0].weight.device() : words_[0].encoder.device();
}

DType WordReader::dtype() const {
  return words_.empty() ? embedding_[0].weight.dtype() : words_[0].encoder.dtype();
}

}  // namespace heed::pretrained
