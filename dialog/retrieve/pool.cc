#include "dialog/retrieve/pool.h"

#include <utf8proc.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/data/dialogue.h"
#include "dialog/retrieve/clusters.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"

namespace heed::retrieve {
namespace {

// The categories P and S.
bool is_punctuation(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_SO;
}

std::vector<std::string> bare_words(const std::string& text) {
  std::string bare;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (!is_punctuation(next_code_point(text, at))) bare.append(text, begin, at - begin);
  }
  return tokenize(bare);
}

// How often each different text is there, and in its commonest form, of equally common ones the
// first.
using Counted = std::vector<std::pair<int64_t, const std::string*>>;
Counted count_texts(const std::vector<std::string>& texts) {
  struct Forms {
    size_t place;
    std::unordered_map<std::string_view, int64_t> counts = {};
    int64_t most = 0;
  };
  std::unordered_map<std::string, Forms> by_words;
  Counted counted;
  for (const std::string& text : texts) {
    const std::string words = bare(text);
    if (words.empty()) continue;
    Forms& forms = by_words.try_emplace(words, Forms{counted.size()}).first->second;
    if (forms.place == counted.size()) counted.emplace_back(0, &text);
    ++counted[forms.place].first;
    ++forms.counts[text];
  }
  for (const std::string& text : texts) {
    const auto found = by_words.find(bare(text));
    if (found == by_words.end()) continue;
    Forms& forms = found->second;
    if (const int64_t count = forms.counts.at(text); count > forms.most) {
      forms.most = count;
      counted[forms.place].second = &text;
    }
  }
  return counted;
}

std::vector<std::string> words_in_common(const std::vector<std::string>& context,
                                         const std::string& text) {
  std::set<std::string> there;
  for (const std::string& utterance : context) {
    for (std::string& token : tokenize(utterance)) there.insert(std::move(token));
  }
  std::vector<std::string> common;
  for (std::string& token : tokenize(text)) {
    if (!bare_words(token).empty() && there.erase(token) > 0) common.push_back(std::move(token));
  }
  return common;
}

// Of a pool of these scores.
std::vector<Choice> best_of(const std::vector<std::string>& pool, const std::vector<double>& scores,
                            const std::vector<std::string>& context, size_t count) {
  std::set<std::string> said;
  for (const std::string& utterance : context) said.insert(bare(utterance));
  const auto worse = [&](int32_t a, int32_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a > b;
  };
  std::vector<int32_t> left(pool.size());
  std::iota(left.begin(), left.end(), 0);
  std::make_heap(left.begin(), left.end(), worse);
  std::vector<Choice> best, again;
  while (!left.empty() && best.size() < count) {
    std::pop_heap(left.begin(), left.end(), worse);
    const std::string& text = pool[left.back()];
    std::vector<Choice>& to = said.contains(bare(text)) ? again : best;
    if (to.size() < count) {
      to.push_back({text, scores[left.back()], words_in_common(context, text)});
    }
    left.pop_back();
  }
  best.insert(best.end(), again.begin(), again.end());
  best.resize(std::min(count, best.size()));
  return best;
}

}  // namespace

std::vector<std::string> read_pool(const std::string& path, size_t* repeated) {
  LineReader lines(path);
  std::vector<std::string> pool;
  std::set<std::string, std::less<>> known;
  for (std::string_view line; lines.next(line);) {
    if (!is_utf8(line)) lines.fail("the text is not UTF-8");
    const std::string_view text = trimmed(line);
    if (text.empty()) continue;
    if (known.emplace(text).second) {
      pool.emplace_back(text);
    } else if (repeated) {
      ++*repeated;
    }
  }
  if (pool.size() >= 2) return pool;
  throw DataError(path + ": a pool needs two different texts at least, a line each; there is " +
                  (pool.empty() ? "none" : "one"));
}

std::string pool_lines(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) {
    const size_t begin = lines.size();
    lines += text + "\n";
    std::replace(lines.begin() + static_cast<ptrdiff_t>(begin), lines.end() - 1, '\n', ' ');
  }
  return lines;
}

std::string bare(const std::string& text) {
  const std::string words = joined(bare_words(text), " ");
  return words.empty() ? std::string(trimmed(text)) : words;
}

std::vector<std::string> most_frequent(const std::vector<std::string>& texts, size_t size) {
  Counted counted = count_texts(texts);
  std::stable_sort(counted.begin(), counted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  counted.resize(std::min(size, counted.size()));
  std::vector<std::string> pool;
  for (const auto& [count, text] : counted) pool.push_back(*text);
  return pool;
}

std::vector<std::string> most_frequent_of_clusters(const std::vector<std::string>& texts,
                                                   size_t size, const VectorRanker& ranker,
                                                   uint64_t seed,
                                                   const VectorRanker::OnTexts& progress) {
  const Counted counted = count_texts(texts);
  std::vector<std::string> different;
  for (const auto& [count, text] : counted) different.push_back(*text);
  if (different.empty()) return {};
  const Tensor rows = ranker.responses(different, /*batch=*/64, progress, nullptr);
  const Clusters clusters =
      k_means(rows, std::min(static_cast<int64_t>(size), std::ssize(different)), seed);
  std::vector<size_t> best(size, different.size());  // of each cluster
  for (size_t i = 0; i < different.size(); ++i) {
    size_t& other = best[clusters.of[i]];
    const auto rank = [&](size_t k) { return std::pair(-counted[k].first, clusters.distance[k]); };
    if (other == different.size() || rank(i) < rank(other)) other = i;
  }
  std::vector<std::string> pool;
  for (const size_t i : best) {
    if (i < different.size()) pool.push_back(different[i]);
  }
  return pool;
}

double coverage(const std::vector<std::string>& pool, const std::vector<std::string>& texts) {
  std::set<std::string> known;
  for (const std::string& text : pool) known.insert(bare(text));
  const auto there = std::count_if(texts.begin(), texts.end(), [&](const std::string& text) {
    return known.contains(bare(text));
  });
  return static_cast<double>(there) / static_cast<double>(texts.size());
}

std::vector<std::vector<Choice>> choose(const Ranker& ranker, const std::vector<std::string>& pool,
                                        const std::vector<std::vector<std::string>>& contexts,
                                        size_t count, const VectorRanker::OnTexts& progress) {
  constexpr size_t kAtOnce = 64;  // so that not all scores are there at once
  std::vector<int32_t> all(pool.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<Choice>> result;
  while (result.size() < contexts.size()) {
    const size_t begin = result.size(), end = std::min(contexts.size(), begin + kAtOnce);
    std::vector<RankQuery> queries;
    for (size_t i = begin; i < end; ++i) queries.push_back({contexts[i], all});
    const Ranker::Scores scores = ranker.score(pool, queries, /*batch=*/64);
    for (size_t i = begin; i < end; ++i) {
      result.push_back(best_of(pool, scores.of_queries[i - begin], contexts[i], count));
    }
    if (progress) progress(end, contexts.size());
  }
  return result;
}

}  // namespace heed::retrieve
