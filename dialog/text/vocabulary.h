// Words and their numbers. A file holds one token a line; the line, counted from 0, is the number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

constexpr int kPad = 0, kUnk = 1, kSos = 2, kEos = 3, kEou = 4;
constexpr int kSpecialTokens = 5;  // "<pad>" "<unk>" "<sos>" "<eos>" "<eou>"

// Hash tables keyed by std::string that are searched by std::string_view without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using TokenCounts = std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>>;

struct VocabularyOptions {
  int64_t max_size = 25000;  // with the special tokens
  int64_t min_count = 1;
};

class Vocabulary {
 public:
  static constexpr int64_t kMaxSize = 10'000'000;

  Vocabulary();  // the special tokens only

  // The most frequent tokens, equally frequent ones in the order of their bytes; those of more than
  // a KiB are left out. Throws UsageError if max_size has no room for the special tokens.
  static Vocabulary build(const TokenCounts& counts, const VocabularyOptions& options = {});

  // load throws DataError "file:line: ..." if the first five lines are not the special tokens, a
  // token is empty, given twice, longer than a KiB, holds white space or is not UTF-8, or there are
  // more than max_size. Plain text only: gzip data could be far more than the file shows.
  static Vocabulary load(const std::string& path, int64_t max_size = kMaxSize);
  void save(const std::string& path) const;

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  int32_t id(std::string_view token) const;    // kUnk if it is not known
  const std::string& token(int32_t id) const;  // throws DataError if there is no such number

  std::vector<int32_t> encode(const std::vector<std::string>& tokens) const;
  std::vector<int32_t> encode(const std::vector<std::string_view>& tokens) const;

 private:
  bool add(std::string_view token);  // false if it is there already

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> ids_;
};

// The vocabulary of a model, whose config.json says how many tokens it has. Throws DataError as
// Vocabulary::load(), and for another number.
Vocabulary load_vocabulary(const std::string& path, int64_t size);

}  // namespace heed
