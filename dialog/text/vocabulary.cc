#include "dialog/text/vocabulary.h"

#include <algorithm>

#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/utf8.h"
#include "tensor/error.h"

namespace heed {
namespace {

constexpr const char* kSpecials[kSpecialTokens] = {"<pad>", "<unk>", "<sos>", "<eos>", "<eou>"};
constexpr size_t kMaxTokenBytes = 1024;  // no word of any language is as long

bool has_white_space(std::string_view token) {
  for (size_t at = 0; at < token.size();) {
    if (is_white_space(next_code_point(token, at))) return true;
  }
  return false;
}

template <class Token>
std::vector<int32_t> encode_all(const Vocabulary& vocabulary, const std::vector<Token>& tokens) {
  std::vector<int32_t> ids;
  ids.reserve(tokens.size());
  for (const Token& token : tokens) ids.push_back(vocabulary.id(token));
  return ids;
}

}  // namespace

Vocabulary::Vocabulary() {
  for (const char* special : kSpecials) add(special);
}

Vocabulary Vocabulary::build(const TokenCounts& counts, const VocabularyOptions& options) {
  if (options.max_size < kSpecialTokens || options.max_size > Vocabulary::kMaxSize) {
    throw UsageError("vocabulary: the size must be " + std::to_string(kSpecialTokens) + " to " +
                     std::to_string(Vocabulary::kMaxSize) + ", got " +
                     std::to_string(options.max_size));
  }
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
    if (token.size() > kMaxTokenBytes) {
      reader.fail("a token of more than " + std::to_string(kMaxTokenBytes) + " bytes");
    }
    if (token.empty()) reader.fail("the token is empty");
    if (!is_utf8(token)) reader.fail("the token is not UTF-8");
    if (has_white_space(token)) reader.fail("white space inside a token");
    if (!vocabulary.add(token)) {
      reader.fail("the same token as line " + std::to_string(vocabulary.id(token) + 1));
    }
  }
  if (lines < kSpecialTokens) {
    reader.fail(std::string("the file ends before the special token ") + kSpecials[lines]);
  }
  return vocabulary;
}

void Vocabulary::save(const std::string& path) const {
  AtomicFile file(path);
  for (const std::string& token : tokens_) {
    file.write(token);
    file.write("\n");
  }
  file.commit();
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

std::vector<int32_t> Vocabulary::encode(const std::vector<std::string>& tokens) const {
  return encode_all(*this, tokens);
}

std::vector<int32_t> Vocabulary::encode(const std::vector<std::string_view>& tokens) const {
  return encode_all(*this, tokens);
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
