#include "dialog/text/lda.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

// Uniform in [0, 1): a stream for each sweep and document, a number for each token.
double uniform(uint64_t seed, const char* purpose, uint64_t sweep, uint64_t document,
               uint64_t token) {
  const RandomKey key{seed, purpose_id(purpose), sweep << 32 | document};
  return uniform01(key.word(token));
}

void check(const std::vector<WordIds>& documents, int64_t words, const LdaOptions& o) {
  if (o.topics < 1 || o.alpha < 0 || !(o.beta > 0) || o.sweeps < 0) {
    throw UsageError(
        "topics: expected 1 or more of them, alpha from 0, beta above 0, sweeps from 0");
  }
  for (const WordIds& document : documents) {
    for (const int32_t word : document) {
      if (word >= 0 && word < words) continue;
      throw DataError("topics: word " + std::to_string(word) + " of " + std::to_string(words));
    }
  }
}

}  // namespace

TopicModel::TopicModel(std::vector<int32_t> counts, const LdaOptions& options)
    : options_(options), of_word_(std::move(counts)) {
  check({}, 0, options_);
  words_ = std::ssize(of_word_) / topics();
  if (options_.alpha == 0) options_.alpha = 1.0 / topics();
  of_topic_.assign(topics(), 0);
  for (size_t i = 0; i < of_word_.size(); ++i) of_topic_[i % topics()] += of_word_[i];
}

TopicModel::TopicModel(const std::vector<WordIds>& documents, int64_t words,
                       const LdaOptions& options)
    : options_(options), words_(words) {
  check(documents, words, options_);
  if (options_.alpha == 0) options_.alpha = 1.0 / topics();
  of_word_.assign(words * topics(), 0);
  of_topic_.assign(topics(), 0);
  for (size_t d = 0; d < documents.size(); ++d) {
    std::vector<int32_t>& of_document = assignments_.emplace_back();
    for (size_t i = 0; i < documents[d].size(); ++i) {
      const auto k = static_cast<int32_t>(uniform(options_.seed, "lda", 0, d, i) * topics());
      of_document.push_back(k);
      ++of_word_[int64_t{documents[d][i]} * topics() + k];
      ++of_topic_[k];
    }
  }
  for (int s = 1; s <= options_.sweeps; ++s) sweep(documents, s);
  assignments_.clear();
}

int TopicModel::draw(const int32_t* of_word, const int64_t* of_topic,
                     const std::vector<int32_t>& of_document, double uniform,
                     std::vector<double>& sums) const {
  double sum = 0;
  for (int k = 0; k < topics(); ++k) {
    sum += (of_document[k] + options_.alpha) * (of_word[k] + options_.beta) /
           (static_cast<double>(of_topic[k]) + static_cast<double>(words_) * options_.beta);
    sums[k] = sum;
  }
  const auto found = std::upper_bound(sums.begin(), sums.end(), uniform * sum);
  return std::min(static_cast<int>(found - sums.begin()), topics() - 1);
}

void TopicModel::sweep(const std::vector<WordIds>& documents, int number) {
  const auto count = static_cast<int64_t>(documents.size());
  const int64_t blocks = std::min(kBlocks, count);
  std::vector<Counts> after(blocks);
  parallel_for(blocks, [&](int64_t block) {
    Counts& counts = after[block] = {of_word_, of_topic_};
    std::vector<double> sums(topics());
    for (int64_t d = block * count / blocks; d < (block + 1) * count / blocks; ++d) {
      std::vector<int32_t> of_document(topics());
      for (const int32_t k : assignments_[d]) ++of_document[k];
      for (size_t i = 0; i < documents[d].size(); ++i) {
        int32_t* of_word = &counts.of_word[int64_t{documents[d][i]} * topics()];
        int32_t& k = assignments_[d][i];
        --of_word[k], --counts.of_topic[k], --of_document[k];
        k = draw(of_word, counts.of_topic.data(), of_document,
                 uniform(options_.seed, "lda", number, d, i), sums);
        ++of_word[k], ++counts.of_topic[k], ++of_document[k];
      }
    }
  });
  // What each block has changed, added up.
  const auto add = [&](auto& all, auto Counts::*part) {
    const auto before = all;
    for (const Counts& counts : after) {
      for (size_t i = 0; i < all.size(); ++i) all[i] += (counts.*part)[i] - before[i];
    }
  };
  add(of_word_, &Counts::of_word);
  add(of_topic_, &Counts::of_topic);
}

WordIds TopicModel::top_words(int topic, size_t most) const {
  WordIds words;
  for (int64_t w = 0; w < words_; ++w) {
    if (count(w, topic) > 0) words.push_back(static_cast<int32_t>(w));
  }
  std::stable_sort(words.begin(), words.end(),
                   [&](int32_t a, int32_t b) { return count(a, topic) > count(b, topic); });
  words.resize(std::min(words.size(), most));
  return words;
}

int TopicModel::topic_of(const WordIds& document, uint64_t number, int sweeps) const {
  WordIds known;
  for (const int32_t word : document) {
    if (word >= 0 && word < words_) known.push_back(word);
  }
  std::vector<int32_t> of_document(topics()), assigned(known.size(), -1);
  std::vector<double> sums(topics());
  for (int s = 0; s <= sweeps; ++s) {
    for (size_t i = 0; i < known.size(); ++i) {
      if (assigned[i] >= 0) --of_document[assigned[i]];
      const int32_t* of_word = &of_word_[int64_t{known[i]} * topics()];
      assigned[i] = draw(of_word, of_topic_.data(), of_document,
                         uniform(options_.seed, "lda.new", s, number, i), sums);
      ++of_document[assigned[i]];
    }
  }
  return static_cast<int>(std::max_element(of_document.begin(), of_document.end()) -
                          of_document.begin());
}

}  // namespace heed
