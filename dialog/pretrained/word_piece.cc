#include "dialog/pretrained/word_piece.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/text/chinese.h"
#include "dialog/text/text_file.h"

namespace heed::pretrained {
namespace {

constexpr size_t kLongestWord = 100;  // characters
// The only letter whose lower case is two characters: i with a dot above.
constexpr char32_t kDottedI = 0x130;

bool is_blank(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return c == '\t' || c == '\n' || c == '\r' || category == UTF8PROC_CATEGORY_ZS ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

// Categories C* but for the blanks above, and what stands for no character at all.
bool is_dropped(char32_t c) {
  if (c == 0 || c == kReplacement || c == kInvalid) return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN: return true;
    default: return false;
  }
}

// All ASCII signs that are no letters, numbers or blanks, and the categories P*.
bool is_punctuation(char32_t c) {
  if (c < 128) return c > ' ' && c < 127 && !std::isalnum(static_cast<int>(c));
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

// The canonical decomposition (NFD) without non-spacing marks.
std::u32string without_accents(const std::u32string& text) {
  std::u32string result;
  for (const char32_t c : text) {
    utf8proc_int32_t parts[32];
    int last_class = 0;
    const utf8proc_ssize_t n = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), parts, std::size(parts), UTF8PROC_DECOMPOSE, &last_class);
    check_internal(n >= 0 && n <= std::ssize(parts), "a long decomposition");
    for (utf8proc_ssize_t i = 0; i < n; ++i) {
      if (utf8proc_category(parts[i]) != UTF8PROC_CATEGORY_MN) {
        result += static_cast<char32_t>(parts[i]);
      }
    }
  }
  return result;
}

void append_utf8(std::string& text, char32_t c) {
  char bytes[4];
  text.append(bytes, write_utf8(bytes, c));
}

}  // namespace

WordPiece::WordPiece(const std::string& path, const WordPieceOptions& options) : options_(options) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const auto [entry, is_new] = ids_.emplace(line, size());
    if (!is_new) lines.fail("the piece \"" + entry->first + "\" stands in the vocabulary twice");
  }
  for (const char* token : {"[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"}) {
    if (const int32_t id = id_of(token); id >= 0) {
      special_.push_back({token, id});
    } else if (special_.size() < 3) {
      throw DataError(path + ": the vocabulary has no piece \"" + token + "\"");
    }
  }
  cls_ = special_[0].second, sep_ = special_[1].second, unk_ = special_[2].second;
}

int32_t WordPiece::id_of(const std::string& piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

std::vector<int32_t> WordPiece::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  size_t done = 0;
  for (size_t at = text.find('['); at != text.npos; at = text.find('[', at + 1)) {
    for (const auto& [token, id] : special_) {
      if (!text.substr(at).starts_with(token)) continue;
      add_words(text.substr(done, at - done), ids);
      ids.push_back(id);
      done = at + token.size();
      at = done - 1;
      break;
    }
  }
  add_words(text.substr(done), ids);
  return ids;
}

void WordPiece::add_words(std::string_view text, std::vector<int32_t>& ids) const {
  std::u32string clean;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_blank(c)) {
      clean += U' ';
    } else if (!is_dropped(c)) {
      const bool alone = options_.split_chinese && is_chinese(c);
      if (alone) clean += U' ';
      clean += c;
      if (alone) clean += U' ';
    }
  }
  if (options_.strip_accents) clean = without_accents(clean);
  std::u32string word;
  const auto end_word = [&] {
    if (!word.empty()) add_word(word, ids);
    word.clear();
  };
  for (char32_t c : clean) {
    if (options_.lower_case && c == kDottedI) {
      word += U"i\u0307";
      continue;
    }
    if (options_.lower_case) {
      c = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
    if (is_blank(c)) {
      end_word();
    } else if (is_punctuation(c)) {
      end_word();
      add_word({c}, ids);
    } else {
      word += c;
    }
  }
  end_word();
}

// Greedily, the longest piece first.
void WordPiece::add_word(const std::u32string& word, std::vector<int32_t>& ids) const {
  std::vector<int32_t> parts;
  for (size_t begin = 0; begin < word.size() && word.size() <= kLongestWord;) {
    std::vector<std::string> candidates = {begin == 0 ? "" : "##"};  // by their length
    for (size_t i = begin; i < word.size(); ++i) {
      candidates.push_back(candidates.back());
      append_utf8(candidates.back(), word[i]);
    }
    int32_t id = -1;
    size_t length = candidates.size();
    while (id < 0 && --length > 0) id = id_of(candidates[length]);
    if (id < 0) break;
    parts.push_back(id);
    begin += length;
    if (begin == word.size()) {
      ids.insert(ids.end(), parts.begin(), parts.end());
      return;
    }
  }
  ids.push_back(unk_);
}

Pieces WordPiece::read(std::string_view text, int64_t max_length, Keep keep) const {
  return read(encode(text), max_length, keep);
}

Pieces WordPiece::read(std::vector<int32_t> ids, int64_t max_length, Keep keep) const {
  const size_t kept = std::min<size_t>(ids.size(), std::max<int64_t>(0, max_length - 2)),
               left_out = ids.size() - kept;
  if (keep == Keep::kLast) ids.erase(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(left_out));
  ids.resize(kept);
  ids.insert(ids.begin(), cls_);
  ids.push_back(sep_);
  return {ids, std::vector<int32_t>(ids.size(), 0), left_out};
}

Pieces WordPiece::read(std::string_view first, std::string_view second, int64_t max_length) const {
  std::vector<int32_t> a = encode(first), b = encode(second);
  const auto room = static_cast<size_t>(std::max<int64_t>(0, max_length - 3));
  Pieces pieces{{cls_}, {}};
  for (; a.size() + b.size() > room; ++pieces.left_out) {
    (a.size() > b.size() ? a : b).pop_back();
  }
  pieces.ids.insert(pieces.ids.end(), a.begin(), a.end());
  pieces.ids.push_back(sep_);
  pieces.types.assign(pieces.ids.size(), 0);
  pieces.ids.insert(pieces.ids.end(), b.begin(), b.end());
  pieces.ids.push_back(sep_);
  pieces.types.resize(pieces.ids.size(), 1);
  return pieces;
}

}  // namespace heed::pretrained
