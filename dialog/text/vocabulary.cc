#include "dialog/text/vocabulary.h"

#include <algorithm>

#include "base/list.h"
#include "base/utf8.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "tensor/bytes.h"

namespace heed {
namespace {

constexpr const char* kSpecials[kSpecialTokens] = {"<pad>", "<unk>", "<sos>", "<eos>", "<eou>"};
constexpr size_t kMaxTokenBytes = 1024;  // no word of any language is as long
constexpr std::string_view kFirstPiece = "<0x00>";

bool has_white_space(std::string_view token) {
  for (size_t at = 0; at < token.size();) {
    if (is_white_space(next_code_point(token, at))) return true;
  }
  return false;
}

void check_size(int64_t size, int64_t least, const std::string& what) {
  if (size >= least && size <= Vocabulary::kMaxSize) return;
  throw UsageError("vocabulary: the size" + what + " must be " + std::to_string(least) + " to " +
                   std::to_string(Vocabulary::kMaxSize) + ", got " + std::to_string(size));
}

}  // namespace

const char* name_of(TokenKind kind) {
  return kind == TokenKind::kPieces ? "bpe" : "words";
}

TokenKind parse_token_kind(std::string_view name) {
  for (const TokenKind kind : {TokenKind::kWords, TokenKind::kPieces}) {
    if (name == name_of(kind)) return kind;
  }
  throw UsageError("tokens: expected words or bpe, got '" + std::string(name) + "'");
}

Vocabulary::Vocabulary() {
  for (const char* special : kSpecials) add(special);
}

Vocabulary Vocabulary::build(const TokenCounts& counts, const VocabularyOptions& options) {
  if (options.kind == TokenKind::kPieces) return of_pieces(counts, options.max_size);
  check_size(options.max_size, kSpecialTokens, "");
  using Entry = TokenCounts::value_type;
  std::vector<const Entry*> entries;
  for (const Entry& entry : counts) {
    if (entry.second < options.min_count || entry.first.size() > kMaxTokenBytes) continue;
    entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  Vocabulary vocabulary;
  for (const Entry* entry : entries) {
    if (vocabulary.size() == options.max_size) break;
    vocabulary.add(entry->first);
  }
  return vocabulary;
}

int32_t Vocabulary::put_last(const std::function<bool(const std::string&)>& last) {
  check_internal(!pieces_, "the order of pieces is that of what they are made of");
  std::vector<std::string> words(tokens_.begin() + kSpecialTokens, tokens_.end());
  const auto end = std::stable_partition(words.begin(), words.end(), std::not_fn(last));
  *this = Vocabulary();
  for (const std::string& word : words) add(word);
  return static_cast<int32_t>(kSpecialTokens + (end - words.begin()));
}

Vocabulary Vocabulary::of_pieces(const TokenCounts& counts, int64_t max_size) {
  check_size(max_size, kSmallestOfPieces, " of a vocabulary of pieces");
  Vocabulary vocabulary;
  vocabulary.pieces_ = Pieces::learn(counts, max_size - kSpecialTokens);
  for (int32_t i = 0; i < vocabulary.pieces_->size(); ++i) {
    vocabulary.add(piece_name((*vocabulary.pieces_)[i]));
  }
  return vocabulary;
}

Vocabulary Vocabulary::load(const std::string& path, int64_t max_size) {
  LineReader reader(path, LineReader::Gzip::kRefuse);
  Vocabulary vocabulary;
  int64_t lines = 0;
  for (std::string_view token; reader.next(token); ++lines) {
    if (lines < kSpecialTokens) {
      const std::string special = kSpecials[lines];
      if (token != special) reader.fail("must be the special token " + special);
      continue;
    }
    if (lines >= max_size)
      reader.fail("only " + std::to_string(max_size) + " tokens may stand here");
    if (const std::string rule = vocabulary.add_line(token); !rule.empty()) reader.fail(rule);
  }
  if (lines < kSpecialTokens) {
    reader.fail(std::string("the file ends before the special token ") + kSpecials[lines]);
  }
  if (vocabulary.pieces_ && lines < kSmallestOfPieces) {
    reader.fail("the file ends before the piece " +
                piece_name((*vocabulary.pieces_)[static_cast<int32_t>(lines) - kSpecialTokens]));
  }
  return vocabulary;
}

std::string Vocabulary::add_line(std::string_view token) {
  if (token.size() > kMaxTokenBytes) {
    return "a token of more than " + std::to_string(kMaxTokenBytes) + " bytes";
  }
  if (token.empty()) return "the token is empty";
  if (!is_utf8(token)) return "the token is not UTF-8";
  if (has_white_space(token)) return "white space inside a token";
  if (size() == kSpecialTokens && token == kFirstPiece) pieces_.emplace();
  if (id(token) != kUnk || token == kSpecials[kUnk]) {
    return "the same token as line " + std::to_string(id(token) + 1);
  }
  if (pieces_) return add_piece(token);
  add(token);
  return "";
}

std::string Vocabulary::add_piece(std::string_view name) {
  const int32_t number = size() - kSpecialTokens;
  if (number < Pieces::kBytes) {
    const std::string byte = piece_name((*pieces_)[number]);
    if (name != byte) return "must be the piece " + byte;
  } else {
    const std::optional<std::string> bytes = piece_of_name(name);
    if (!bytes)
      return "not as a piece is written: a blank as \u2581, what is no letter or sign as <0x0A>";
    if (const std::string rule = pieces_->add(*bytes); !rule.empty()) return rule;
  }
  add(name);
  return "";
}

void Vocabulary::save(const std::string& path) const {
  write_file(path, joined(tokens_, "\n") + "\n");
}

void each_member(BytesOut& bytes, const Vocabulary& vocabulary) {
  bytes(vocabulary.tokens_);
}

void each_member(BytesIn& bytes, Vocabulary& vocabulary) {
  std::vector<std::string> tokens;
  bytes(tokens);
  vocabulary = Vocabulary();
  for (size_t id = kSpecialTokens; id < tokens.size(); ++id) {
    check_internal(vocabulary.add_line(tokens[id]).empty(),
                   "the tokens of a vocabulary can be read again");
  }
}

int32_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? kUnk : found->second;
}

const std::string& Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= size()) {
    throw DataError("vocabulary: no token has the number " + std::to_string(id) + ", there are " +
                    std::to_string(size()));
  }
  return tokens_[static_cast<size_t>(id)];
}

int32_t Vocabulary::id_of_word(std::string_view word) const {
  if (!pieces_) return id(word);
  const int32_t piece = pieces_->find(" " + std::string(word));
  return piece < 0 ? kUnk : kSpecialTokens + piece;
}

bool Vocabulary::knows(std::string_view word) const {
  return pieces_ ? word.size() <= kMaxTokenBytes : id(word) != kUnk;
}

void Vocabulary::add_word(std::string_view word, std::vector<int32_t>& ids) const {
  const auto is_special = [&] {
    return std::find(std::begin(kSpecials), std::end(kSpecials), word) != std::end(kSpecials);
  };
  if (!pieces_ || !knows(word) || (word.starts_with('<') && is_special())) {
    ids.push_back(id(word));
    return;
  }
  for (const int32_t piece : pieces_->encode(" " + std::string(word))) {
    ids.push_back(kSpecialTokens + piece);
  }
}

std::vector<std::string> Vocabulary::words(const std::vector<int32_t>& ids) const {
  std::vector<std::string> words;
  std::string text;  // of the pieces since the last special token
  const auto end_text = [&] {
    if (text.empty()) return;
    for (std::string& word : tokenize(text)) words.push_back(std::move(word));
    text.clear();
  };
  for (const int32_t id : ids) {
    if (pieces_ && id >= kSpecialTokens && id < size()) {
      text += (*pieces_)[id - kSpecialTokens];
    } else {
      end_text();
      words.push_back(token(id));
    }
  }
  end_text();
  return words;
}

bool Vocabulary::begins_word(int32_t id) const {
  return !pieces_ || id < kSpecialTokens || (*pieces_)[id - kSpecialTokens].starts_with(' ');
}

int64_t Vocabulary::count_words(const std::vector<int32_t>& ids) const {
  int64_t words = 0;
  for (size_t i = 0; i < ids.size(); ++i) words += i == 0 || begins_word(ids[i]);
  return words;
}

size_t Vocabulary::end_of_word(const std::vector<int32_t>& ids, int64_t words) const {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && !begins_word(ids[i])) continue;
    if (words-- == 0) return i;
  }
  return ids.size();
}

bool Vocabulary::add(std::string_view token) {
  if (!ids_.emplace(token, size()).second) return false;
  tokens_.emplace_back(token);
  return true;
}

Vocabulary load_vocabulary(const std::string& path, int64_t size) {
  Vocabulary vocabulary = Vocabulary::load(path, size);
  if (vocabulary.size() == size) return vocabulary;
  throw DataError(path + ": " + std::to_string(vocabulary.size()) + " tokens, config.json says " +
                  std::to_string(size));
}

}  // namespace heed
