// Latent Dirichlet allocation: topics of texts, and the words of each topic (Blei, Ng & Jordan,
// JMLR 2003), by collapsed Gibbs sampling (Griffiths & Steyvers, PNAS 2004).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed {

using WordIds = std::vector<int32_t>;

struct LdaOptions {
  int topics = 50;   // K
  double alpha = 0;  // of the topics of a document; 0: 1 / K
  double beta = 0.01;
  int sweeps = 200;
  uint64_t seed = 1;
};

class TopicModel {
 public:
  // Documents are words 0 .. words - 1. A sweep gives each token, with the counts of all others,
  //   topic k with a probability proportional to
  //   (n_dk + alpha) (n_wk + beta) / (n_k + words beta)
  // n_dk tokens of topic k in the document, n_wk of this word, n_k of all. Documents are in at most
  // kBlocks blocks, which run in parallel: each sees the counts n_wk and n_k of the others as they
  // were before the sweep (Newman et al., JMLR 2009). Blocks and random numbers, and therefore the
  // topics, do not depend on the number of threads. Throws UsageError for options out of range,
  // DataError for a word out of range.
  TopicModel(const std::vector<WordIds>& documents, int64_t words, const LdaOptions& options);
  static constexpr int64_t kBlocks = 8;
  // A model learned before, from count() of all words and topics, (words, K).
  TopicModel(std::vector<int32_t> counts, const LdaOptions& options);

  int topics() const { return options_.topics; }
  int64_t words() const { return words_; }
  int64_t count(int64_t word, int topic) const { return of_word_[word * topics() + topic]; }
  int64_t count(int topic) const { return of_topic_[topic]; }
  const std::vector<int32_t>& counts() const { return of_word_; }
  // The most probable words of a topic, at most `most`, best first; words that never had the topic
  // are left out, and equal ones keep their order.
  WordIds top_words(int topic, size_t most) const;
  // The topic of most tokens of a new document after this many sweeps over it, in which the counts
  // of training stay as they are; the first among equals. Words out of range are left out; without
  // words it is topic 0. `number` names the random stream.
  int topic_of(const WordIds& document, uint64_t number, int sweeps = 20) const;

 private:
  struct Counts {  // of tokens, by word and topic, and by topic
    std::vector<int32_t> of_word;
    std::vector<int64_t> of_topic;
  };
  void sweep(const std::vector<WordIds>& documents, int number);
  // Draws the topic of one token that is not counted.
  int draw(const int32_t* of_word, const int64_t* of_topic, const std::vector<int32_t>& of_document,
           double uniform, std::vector<double>& sums) const;

  LdaOptions options_;
  int64_t words_;
  std::vector<int32_t> of_word_;                   // (words, K)
  std::vector<int64_t> of_topic_;                  // (K)
  std::vector<std::vector<int32_t>> assignments_;  // of each training token
};

}  // namespace heed
