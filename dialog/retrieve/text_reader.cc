#include "dialog/retrieve/text_reader.h"

#include <algorithm>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/data/example.h"
#include "dialog/text/chinese.h"
#include "dialog/text/tokenizer.h"

namespace heed::retrieve {
namespace {

// Where the words of a text begin: behind a blank, and at each Chinese character.
std::vector<size_t> begins_of_words(const std::string& text) {
  std::vector<size_t> begins;
  bool apart = true;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (c != ' ' && (apart || is_chinese(c))) begins.push_back(begin);
    apart = c == ' ' || is_chinese(c);
  }
  return begins;
}

// The last words of at most so many pieces, besides [CLS] and [SEP]. Of a last word that has more,
// as many characters.
std::vector<std::string> last_of_pieces(const std::vector<std::string>& turns,
                                        const pretrained::WordPiece& pieces, int64_t most) {
  std::vector<std::string> kept;
  int64_t room = most;
  for (auto turn = turns.rbegin(); turn != turns.rend() && room >= 0; ++turn) {
    size_t begin = turn->size();
    const std::vector<size_t> begins = begins_of_words(*turn);
    for (auto word = begins.rbegin(); word != begins.rend(); ++word) {
      room -= std::ssize(pieces.encode(turn->substr(*word, begin - *word)));
      if (room < 0) break;
      begin = *word;
    }
    if (begin < turn->size()) kept.insert(kept.begin(), turn->substr(begin));
    if (room >= 0 || !kept.empty()) continue;
    begin = 0;
    for (int64_t gone = count_code_points(*turn) - most; gone > 0; --gone) {
      next_code_point(*turn, begin);
    }
    kept.push_back(turn->substr(begin));
  }
  return kept;
}

}  // namespace

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
    : pieces_(std::move(pieces)), longest_(static_cast<int>(longest)), bounds_(bounds) {
  for (int* bound : {&bounds_.max_context, &bounds_.max_response}) {
    *bound = *bound == 0 ? longest_ : std::min(*bound, longest_);
  }
}

TextReader TextReader::unbounded() const {
  TextReader reader = *this;
  reader.bounds_.max_context = longest_;
  return reader;
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
  size_t left_out = 0;
  Tokens text = last(std::move(utterances), bounds_.max_context, &left_out);
  if (cut) *cut += left_out > 0;
  return text;
}

Tokens TextReader::last(std::vector<Tokens> utterances, int most, size_t* left_out) const {
  Tokens text;
  if (pieces_) {
    for (const Tokens& utterance : utterances) {
      text.insert(text.end(), utterance.begin(), utterance.end());
    }
    pretrained::Pieces pieces =
        pieces_->read(std::move(text), most, pretrained::WordPiece::Keep::kLast);
    *left_out = pieces.left_out;
    return std::move(pieces.ids);
  }
  const auto size = [&] {
    size_t sum = 0;
    for (const Tokens& utterance : utterances) sum += utterance.size() + 1;
    return sum;
  };
  const size_t all = size();
  keep_last_words(utterances, most, words_);
  *left_out = all - size();
  for (const Tokens& utterance : utterances) {
    text.insert(text.end(), utterance.begin(), utterance.end());
    text.push_back(kEou);
  }
  return text;
}

std::vector<std::string> TextReader::kept(const std::vector<std::string>& turns,
                                          size_t* cut) const {
  size_t is_cut = 0;
  (void)context(turns, &is_cut);
  if (is_cut == 0) return turns;
  ++*cut;
  if (pieces_) return last_of_pieces(turns, *pieces_, bounds_.max_context - 2);
  std::vector<Tokens> utterances;
  for (const std::string& turn : turns) utterances.push_back(utterance(turn));
  const size_t begin = keep_last_words(utterances, bounds_.max_context, words_);
  std::vector<std::string> kept(turns.begin() + static_cast<ptrdiff_t>(begin), turns.end());
  const std::vector<std::string> words = tokenize(kept[0]);  // joined by blanks, they read the same
  const int64_t count = std::min(words_.count_words(utterances[0]), std::ssize(words));
  kept[0] = joined(std::vector(words.end() - count, words.end()), " ");
  return kept;
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
