#include "dialog/comprehend/score.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/text/tokenizer.h"

namespace heed::comprehend {
namespace {

// What stands between blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

struct Both {
  double exact = 0, f1 = 0;
};
// The best of the references but one; `but` of their number: of all.
Both best_of(const std::string& answer, const std::vector<Answer>& references, size_t but) {
  Both best;
  for (size_t i = 0; i < references.size(); ++i) {
    if (i == but) continue;
    best.exact = std::max<double>(best.exact, normalised(answer) == normalised(references[i].text));
    best.f1 = std::max(best.f1, word_f1(answer, references[i].text));
  }
  return best;
}

// A sum and its number.
struct Mean {
  double sum = 0, count = 0;
  void add(double x) { sum += x, ++count; }
  std::optional<double> value() const {
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }
};

}  // namespace

std::string normalised(const std::string& text) {
  std::string plain;
  size_t begin = 0;  // of the word characters at its end
  const auto end_word = [&] {
    const std::string_view word = std::string_view(plain).substr(begin);
    if (word == "a" || word == "an" || word == "the") plain.replace(begin, word.size(), " ");
  };
  for (size_t at = 0; at < text.size();) {
    char32_t c = next_code_point(text, at);
    c = c == kInvalid ? kReplacement : is_white_space(c) ? U' ' : to_lower(c);
    if (c > ' ' && c < 127 && !std::isalnum(static_cast<int>(c))) continue;  // punctuation
    const bool in_word = is_word_character(c);
    if (!in_word) end_word();
    char bytes[4];
    plain.append(bytes, write_utf8(bytes, c));
    if (!in_word) begin = plain.size();
  }
  end_word();
  return joined(words_of(plain), " ");
}

double word_f1(const std::string& answer, const std::string& reference) {
  const std::vector<std::string> a = words_of(normalised(answer)),
                                 r = words_of(normalised(reference));
  if (a.empty() || r.empty()) return a.empty() && r.empty() ? 1 : 0;
  std::map<std::string, int64_t> counts;
  for (const std::string& word : r) ++counts[word];
  double same = 0;
  for (const std::string& word : a) same += counts[word]-- > 0;
  return 2 * same / static_cast<double>(a.size() + r.size());
}

Measured measure(const std::string& answer, const std::vector<Answer>& references,
                 bool leave_one_out) {
  const size_t n = references.size();
  const Both all = best_of(answer, references, n);
  Measured m{all.exact, all.f1};
  if (n < 2) return m;
  const auto count = static_cast<double>(n);
  Both others;
  double people = 0;
  for (size_t i = 0; i < n; ++i) {
    const Both without = best_of(answer, references, i);
    others.exact += without.exact / count;
    others.f1 += without.f1 / count;
    people += best_of(references[i].text, references, i).f1 / count;
  }
  m.people = people;
  if (leave_one_out) m.exact = others.exact, m.f1 = others.f1;
  return m;
}

Scores measure(const Corpus& corpus, const std::vector<std::vector<std::string>>& texts) {
  check_internal(texts.size() == corpus.passages.size(), "answers to each passage");
  Mean exact, f1, heq_q, heq_d, answerable, unanswerable;
  for (size_t p = 0; p < texts.size(); ++p) {
    double all = 1;
    bool several = false;
    for (size_t q = 0; q < texts[p].size(); ++q) {
      const std::vector<Answer>& references = corpus.passages[p].questions[q].answers;
      const Measured m = measure(texts[p][q], references, corpus.leave_one_out);
      exact.add(m.exact);
      f1.add(m.f1);
      (references[0].kind == Kind::kNone ? unanswerable : answerable).add(m.f1);
      const std::optional<double> human_like = m.human_like();
      if (!human_like) continue;
      several = true;
      heq_q.add(*human_like);
      all = std::min(all, *human_like);
    }
    if (several) heq_d.add(all);
  }
  return {exact.value().value_or(0),
          f1.value().value_or(0),
          heq_q.value(),
          heq_d.value(),
          answerable.value(),
          unanswerable.value(),
          static_cast<size_t>(f1.count)};
}

}  // namespace heed::comprehend
