#include "dialog/text/lexicon.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "dialog/text/text_file.h"

namespace heed {

Lexicon read_lexicon(const std::string& path) {
  LineReader reader(path);
  Lexicon lexicon;
  for (std::string_view line; reader.next(line);) {
    const size_t tab = line.find('\t');
    const std::string_view score = tab == line.npos ? "" : line.substr(tab + 1);
    const auto value = number_in<double>(score.substr(0, score.find('\t')));
    if (tab == 0 || !value || !std::isfinite(*value)) {
      reader.fail("expected a word, a tab and a finite number");
    }
    lexicon.insert_or_assign(std::string(line.substr(0, tab)), *value);
  }
  if (lexicon.empty()) reader.fail("no words");
  return lexicon;
}

bool has_sentiment(const Lexicon& lexicon, std::string_view word) {
  const auto found = lexicon.find(word);
  return found != lexicon.end() && std::abs(found->second) >= 1 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

double share_of_sentiment_words(const Lexicon& lexicon,
                                const std::vector<std::vector<std::string>>& texts) {
  double words = 0, found = 0;
  for (const auto& text : texts) {
    words += static_cast<double>(text.size());
    for (const std::string& word : text) found += has_sentiment(lexicon, word);
  }
  return found / std::max(words, 1.0);
}

}  // namespace heed
