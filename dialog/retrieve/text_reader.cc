#include "dialog/retrieve/text_reader.h"

#include <algorithm>

#include "base/error.h"
#include "dialog/data/example.h"

namespace heed::retrieve {

void TextBounds::check() const {
  const auto bound = [](const char* what, int value) {
    if (value == 0 || value >= 3) return;
    throw UsageError("retrieval: " + std::string(what) + ": expected 0 (all) or 3 and more, got " +
                     std::to_string(value));
  };
  bound("words of a context", max_context);
  bound("words of a response", max_response);
}

TextReader::TextReader(pretrained::WordPiece pieces, int64_t longest, const TextBounds& bounds)
    : pieces_(std::move(pieces)), bounds_(bounds) {
  for (int* bound : {&bounds_.max_context, &bounds_.max_response}) {
    *bound = static_cast<int>(*bound == 0 ? longest : std::min<int64_t>(*bound, longest));
  }
}

Tokens TextReader::utterance(const std::string& text) const {
  return pieces_ ? pieces_->encode(text) : encode_utterance(text, words_);
}

Tokens TextReader::context(const std::vector<std::string>& turns, size_t* cut) const {
  std::vector<Tokens> utterances;
  for (const std::string& turn : turns) utterances.push_back(utterance(turn));
  return context_of(std::move(utterances), cut);
}

Tokens TextReader::context_of(std::vector<Tokens> utterances, size_t* cut) const {
  Tokens text;
  if (pieces_) {
    for (const Tokens& utterance : utterances) {
      text.insert(text.end(), utterance.begin(), utterance.end());
    }
    const auto keep = pretrained::WordPiece::Keep::kLast;
    pretrained::Pieces pieces = pieces_->read(std::move(text), bounds_.max_context, keep);
    if (cut) *cut += pieces.left_out > 0;
    return std::move(pieces.ids);
  }
  const auto size = [&] {
    size_t sum = 0;
    for (const Tokens& utterance : utterances) sum += utterance.size() + 1;
    return sum;
  };
  const size_t all = size();
  keep_last_words(utterances, bounds_.max_context, words_);
  if (cut) *cut += size() < all;
  for (const Tokens& utterance : utterances) {
    text.insert(text.end(), utterance.begin(), utterance.end());
    text.push_back(kEou);
  }
  return text;
}

Tokens TextReader::response(const std::string& text, size_t* cut) const {
  if (pieces_) {
    const pretrained::Pieces pieces = pieces_->read(text, bounds_.max_response);
    if (cut) *cut += pieces.left_out > 0;
    return pieces.ids;
  }
  Tokens tokens = encode_utterance(text, words_);
  if (bounds_.max_response > 0) {
    const size_t end = words_.end_of_word(tokens, bounds_.max_response);
    if (cut) *cut += end < tokens.size();
    tokens.resize(end);
  }
  tokens.push_back(kEou);
  return tokens;
}

}  // namespace heed::retrieve
