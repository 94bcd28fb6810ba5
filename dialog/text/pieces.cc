#include "dialog/text/pieces.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

constexpr size_t kLongestRun = 1024;  // bytes that are encoded at once: costs grow with the square
constexpr int64_t kLeastCount = 2;    // of a pair that is joined

// Learns pieces: the words in the pieces of the moment, and how often each two stand side by side.
class Learner {
 public:
  explicit Learner(const TokenCounts& words);
  Pieces learn(int64_t size);

 private:
  using Pair = std::pair<int32_t, int32_t>;
  struct PairHash {
    size_t operator()(const Pair& p) const {
      return std::hash<uint64_t>{}(static_cast<uint64_t>(p.first) << 32 |
                                   static_cast<uint32_t>(p.second));
    }
  };
  struct Word {
    std::vector<int32_t> pieces;
    int64_t count;
  };
  struct Place {
    int64_t count = 0;
    std::vector<size_t> words = {};  // that hold the pair, or did
  };
  // The count of a pair at some time. It may have fallen since, but not risen: each rise is queued.
  struct Candidate {
    int64_t count;
    Pair pair;
    bool operator<(const Candidate& other) const {  // the best one is the greatest
      return std::tie(count, other.pair) < std::tie(other.count, pair);
    }
  };

  void count(size_t word, int64_t sign);
  void join(const Pair& pair, int32_t joined);
  // The most frequent pair; none if none stands side by side often enough.
  std::optional<Pair> next();

  Pieces pieces_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Place, PairHash> places_;
  std::priority_queue<Candidate> queue_;
};

Learner::Learner(const TokenCounts& words) {
  for (const auto& [word, times] : words) {
    if (word.size() > kLongestRun || word.find(' ') != word.npos) continue;
    Word& added = words_.emplace_back(Word{{' '}, times});
    for (const char byte : word) added.pieces.push_back(static_cast<unsigned char>(byte));
  }
  for (size_t i = 0; i < words_.size(); ++i) count(i, 1);
}

// Adds a word's pairs, or with sign -1 takes them away.
void Learner::count(size_t word, int64_t sign) {
  const Word& w = words_[word];
  for (size_t i = 0; i + 1 < w.pieces.size(); ++i) {
    const Pair pair{w.pieces[i], w.pieces[i + 1]};
    Place& place = places_[pair];
    place.count += sign * w.count;
    if (sign < 0) continue;
    if (place.words.empty() || place.words.back() != word) place.words.push_back(word);
    if (place.count >= kLeastCount) queue_.push({place.count, pair});
  }
}

std::optional<Learner::Pair> Learner::next() {
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    const int64_t now = places_[best.pair].count;
    if (now == best.count) return best.pair;
    if (now >= kLeastCount && now < best.count) queue_.push({now, best.pair});
  }
  return std::nullopt;
}

void Learner::join(const Pair& pair, int32_t joined) {
  for (const size_t i : std::exchange(places_[pair].words, {})) {
    std::vector<int32_t>& pieces = words_[i].pieces;
    std::vector<int32_t> shorter;
    for (size_t at = 0; at < pieces.size(); ++at) {
      const bool both =
          at + 1 < pieces.size() && pieces[at] == pair.first && pieces[at + 1] == pair.second;
      shorter.push_back(both ? joined : pieces[at]);
      at += both;
    }
    if (shorter.size() == pieces.size()) continue;
    count(i, -1);
    pieces = std::move(shorter);
    count(i, 1);
  }
}

Pieces Learner::learn(int64_t size) {
  while (pieces_.size() < size) {
    const std::optional<Pair> pair = next();
    if (!pair) break;
    const std::string bytes = pieces_[pair->first] + pieces_[pair->second];
    if (bytes.size() > Pieces::kMaxBytes) continue;
    pieces_.add(bytes);  // it may be there already, made of two others
    join(*pair, pieces_.find(bytes));
  }
  return std::move(pieces_);
}

bool is_escaped(char32_t c) {
  return c == kInvalid || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == '<' || c == 0x2581 ||
         is_white_space(c);
}

constexpr std::string_view kBlank = "\u2581", kHex = "0123456789ABCDEF";

}  // namespace

Pieces::Pieces() {
  for (int32_t byte = 0; byte < kBytes; ++byte) {
    pieces_.emplace_back(1, static_cast<char>(byte));
    numbers_.emplace(pieces_.back(), byte);
  }
}

Pieces Pieces::learn(const TokenCounts& words, int64_t size) {
  return Learner(words).learn(size);
}

int32_t Pieces::find(std::string_view bytes) const {
  const auto found = numbers_.find(bytes);
  return found == numbers_.end() ? -1 : found->second;
}

std::string Pieces::add(std::string_view bytes) {
  if (bytes.size() > kMaxBytes)
    return "a piece of more than " + std::to_string(kMaxBytes) + " bytes";
  if (bytes.find(' ', 1) != bytes.npos) return "a blank inside a piece";
  if (find(bytes) >= 0) return "a piece that stands there already";
  bool made = false;
  for (size_t at = 1; at < bytes.size() && !made; ++at) {
    made = find(bytes.substr(0, at)) >= 0 && find(bytes.substr(at)) >= 0;
  }
  if (!made) return "a piece that is not made of two pieces before it";
  numbers_.emplace(bytes, size());
  pieces_.emplace_back(bytes);
  return "";
}

void Pieces::encode_word(std::string_view word, std::vector<int32_t>& pieces) const {
  constexpr int32_t kNone = std::numeric_limits<int32_t>::max();
  const int32_t whole = find(word);
  if (whole >= 0) return pieces.push_back(whole);
  std::vector<size_t> begins;  // of the pieces, and the end of the last one
  for (size_t at = 0; at <= word.size(); ++at) begins.push_back(at);
  const auto joined = [&](size_t i) {  // the piece that the i-th and the next one make
    if (i + 2 >= begins.size()) return kNone;
    const int32_t piece = find(word.substr(begins[i], begins[i + 2] - begins[i]));
    return piece < 0 ? kNone : piece;
  };
  std::vector<int32_t> with_next;
  for (size_t i = 0; i + 1 < begins.size(); ++i) with_next.push_back(joined(i));
  for (;;) {
    const auto best = std::min_element(with_next.begin(), with_next.end());
    if (*best == kNone) break;
    const auto i = static_cast<size_t>(best - with_next.begin());
    begins.erase(begins.begin() + static_cast<ptrdiff_t>(i) + 1);
    with_next.erase(best + 1);
    with_next[i] = joined(i);
    if (i > 0) with_next[i - 1] = joined(i - 1);
  }
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    pieces.push_back(find(word.substr(begins[i], begins[i + 1] - begins[i])));
  }
}

std::vector<int32_t> Pieces::encode(std::string_view text) const {
  std::vector<int32_t> pieces;
  for (size_t begin = 0; begin < text.size();) {
    const std::string_view run = text.substr(begin, kLongestRun + 1);  // with the blank
    const std::string_view word = run.substr(0, run.find(' ', 1));
    encode_word(word, pieces);
    begin += word.size();
  }
  return pieces;
}

std::string Pieces::decode(const std::vector<int32_t>& pieces) const {
  std::string text;
  for (const int32_t piece : pieces) text += (*this)[piece];
  return text;
}

std::string piece_name(std::string_view bytes) {
  std::string name;
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(bytes, at);
    if (c == ' ') {
      name += kBlank;
    } else if (!is_escaped(c)) {
      name += bytes.substr(begin, at - begin);
    } else {
      for (size_t i = begin; i < at; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        name += {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 0xF], '>'};
      }
    }
  }
  return name;
}

std::optional<std::string> piece_of_name(std::string_view name) {
  std::string bytes;
  for (size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    if (rest.starts_with(kBlank)) {
      bytes += ' ';
      at += kBlank.size();
    } else if (rest[0] == '<') {
      const size_t high = rest.size() < 6 ? kHex.npos : kHex.find(rest[3]),
                   low = rest.size() < 6 ? kHex.npos : kHex.find(rest[4]);
      if (high == kHex.npos || low == kHex.npos) return std::nullopt;
      bytes += static_cast<char>(high << 4 | low);
      at += 6;
    } else {
      bytes += rest[0];
      ++at;
    }
  }
  if (bytes.empty() || piece_name(bytes) != name) return std::nullopt;
  return bytes;
}

}  // namespace heed
