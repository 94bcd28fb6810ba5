#include "dialog/retrieve/pool.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "dialog/data/dialogue.h"
#include "dialog/retrieve/clusters.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"

namespace heed::retrieve {
namespace {

bool is_word(const std::string& token) {
  const auto c = static_cast<unsigned char>(token[0]);
  return c >= 0x80 || std::isalnum(c);
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
    if (is_word(token) && there.erase(token) > 0) common.push_back(std::move(token));
  }
  return common;
}

}  // namespace

std::vector<std::string> read_pool(const std::string& path, size_t* repeated) {
  LineReader lines(path);
  std::vector<std::string> pool;
  std::set<std::string, std::less<>> known;
  for (std::string_view line; lines.next(line);) {
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
  std::string words;
  for (const std::string& token : tokenize(text)) {
    if (is_word(token)) words += (words.empty() ? "" : " ") + token;
  }
  return words;
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
  count = std::min(count, pool.size());
  std::vector<int32_t> all(pool.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<Choice>> result;
  while (result.size() < contexts.size()) {
    const size_t begin = result.size(), end = std::min(contexts.size(), begin + kAtOnce);
    std::vector<RankQuery> queries;
    for (size_t i = begin; i < end; ++i) queries.push_back({contexts[i], all});
    const Ranker::Scores scores = ranker.score(pool, queries, /*batch=*/64);
    for (size_t i = begin; i < end; ++i) {
      const std::vector<double>& of = scores.of_queries[i - begin];
      std::vector<int32_t> order = all;
      std::partial_sort(
          order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
          [&](int32_t a, int32_t b) { return of[a] != of[b] ? of[a] > of[b] : a < b; });
      std::vector<Choice>& best = result.emplace_back();
      for (size_t k = 0; k < count; ++k) {
        const std::string& text = pool[order[k]];
        best.push_back({text, of[order[k]], words_in_common(contexts[i], text)});
      }
    }
    if (progress) progress(end, contexts.size());
  }
  return result;
}

}  // namespace heed::retrieve
