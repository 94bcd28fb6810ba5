#include "dialog/text/lda.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/error.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// 60 documents of 20 words each: the even ones of words 0 to 9, the odd ones of 10 to 19.
std::vector<WordIds> two_topics() {
  std::vector<WordIds> documents(60);
  Rng rng(5, "test.lda");
  for (size_t d = 0; d < documents.size(); ++d) {
    for (int i = 0; i < 20; ++i) {
      documents[d].push_back(static_cast<int32_t>(10 * (d % 2) + rng.below(10)));
    }
  }
  return documents;
}

const LdaOptions kTwo{.topics = 2, .sweeps = 50};

// Of 0 three of four tokens have the topic 0, of 1 one of four. A word alone has the topic 0 with
// the probability 3/4. Of the two together, with alpha 1/2, both have the topic 1 with
// 1/2 3/2 3/16 / (2 1/2 3/2 3/16 + 1/4 5/8) = 9/28; where they differ it is the first.
TEST(Lda, TopicsOfNewDocumentsHaveTheirProbabilities) {
  const TopicModel model({3, 1, 1, 3}, {.topics = 2, .beta = 1e-9});
  constexpr int kDocuments = 4000;
  int alone = 0, together = 0;
  for (uint64_t number = 0; number < kDocuments; ++number) {
    alone += model.topic_of({0}, number) == 0;
    together += model.topic_of({0, 1}, number) == 1;
  }
  EXPECT_NEAR(alone, 0.75 * kDocuments, 0.03 * kDocuments);
  EXPECT_NEAR(together, 9.0 / 28 * kDocuments, 0.03 * kDocuments);
}

TEST(Lda, TopWordsAreThoseThatHadTheTopic) {
  const TopicModel model({1, 0, 0, 5, 3, 0}, {.topics = 2});
  EXPECT_EQ(model.top_words(0, 9), (WordIds{2, 0}));
  EXPECT_EQ(model.top_words(0, 1), WordIds{2});
  EXPECT_EQ(model.top_words(1, 9), WordIds{1});
}

TEST(Lda, FindsTopicsOfDifferentWords) {
  const TopicModel model(two_topics(), 20, kTwo);
  std::set<WordIds> found;
  for (int k = 0; k < 2; ++k) {
    WordIds words = model.top_words(k, 10);
    std::sort(words.begin(), words.end());
    found.insert(words);
  }
  WordIds low(10), high(10);
  std::iota(low.begin(), low.end(), 0);
  std::iota(high.begin(), high.end(), 10);
  EXPECT_EQ(found, (std::set<WordIds>{low, high}));
  const int first = model.count(0, 0) > 0 ? 0 : 1;
  EXPECT_EQ(model.topic_of({3, 4, 5, 6}, 1), first);
  EXPECT_EQ(model.topic_of({13, 14, 99, -1}, 1), 1 - first);
  EXPECT_EQ(model.topic_of({}, 1), 0);
  EXPECT_EQ(model.topic_of({50}, 1), 0);
}

TEST(Lda, IsItsCounts) {
  const TopicModel model(two_topics(), 20, kTwo), again(model.counts(), kTwo);
  EXPECT_EQ(again.words(), 20);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(again.count(k), model.count(k));
    EXPECT_EQ(again.top_words(k, 20), model.top_words(k, 20));
  }
  EXPECT_EQ(again.topic_of({3, 4, 15, 16, 17}, 5), model.topic_of({3, 4, 15, 16, 17}, 5));
}

// Where all topics are as probable (beta is large), each document still draws for itself: of 400
// words alone half have either topic, at the start and behind a sweep.
TEST(Lda, EachDocumentHasNumbersOfItsOwn) {
  std::vector<WordIds> documents;
  for (int32_t word = 0; word < 400; ++word) documents.push_back({word});
  for (const int sweeps : {0, 1}) {
    const TopicModel model(documents, 400, {.topics = 2, .beta = 1e6, .sweeps = sweeps});
    EXPECT_NEAR(static_cast<double>(model.count(0)), 200, 50) << sweeps;
  }
}

TEST(Lda, AlphaIsOneForAllTopicsTogether) {
  const auto counts = [](double alpha) {
    return TopicModel(two_topics(), 20, {.topics = 4, .alpha = alpha, .sweeps = 5}).counts();
  };
  EXPECT_EQ(counts(0), counts(0.25));
  EXPECT_NE(counts(0), counts(1));
}

// After any number of sweeps each word is counted as often as it occurs.
TEST(Lda, ConservesCounts) {
  std::vector<WordIds> documents = two_topics();
  documents.push_back({});
  std::vector<int64_t> occurs(20);
  for (const WordIds& document : documents) {
    for (const int32_t word : document) ++occurs[word];
  }
  for (const int sweeps : {0, 1, 7}) {
    const TopicModel model(documents, 20, {.topics = 5, .sweeps = sweeps});
    int64_t all = 0;
    for (int64_t w = 0; w < 20; ++w) {
      int64_t of_word = 0;
      for (int k = 0; k < 5; ++k) {
        EXPECT_GE(model.count(w, k), 0);
        of_word += model.count(w, k);
      }
      EXPECT_EQ(of_word, occurs[w]);
    }
    for (int k = 0; k < 5; ++k) {
      int64_t of_topic = 0;
      for (int64_t w = 0; w < 20; ++w) of_topic += model.count(w, k);
      EXPECT_EQ(model.count(k), of_topic);
      all += of_topic;
    }
    EXPECT_EQ(all, 60 * 20);
  }
}

TEST(Lda, DependsOnTheSeedAndOnNothingElse) {
  const auto counts = [](uint64_t seed, int threads, int sweeps = 10) {
    set_num_threads(threads);
    const TopicModel model(two_topics(), 20, {.topics = 4, .sweeps = sweeps, .seed = seed});
    set_num_threads(0);
    std::vector<int64_t> all;
    for (int64_t w = 0; w < 20; ++w) {
      for (int k = 0; k < 4; ++k) all.push_back(model.count(w, k));
    }
    return all;
  };
  EXPECT_EQ(counts(1, 1), counts(1, 3));
  EXPECT_NE(counts(1, 1), counts(2, 1));
  EXPECT_NE(counts(1, 1), counts(1, 1, 11));
  const auto drawn = [](uint64_t seed) {  // of new documents
    const TopicModel model({1, 1}, {.topics = 2, .seed = seed});
    std::vector<int> all;
    for (uint64_t number = 0; number < 100; ++number) all.push_back(model.topic_of({0}, number));
    return all;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

// 60 tokens of word 0 are in a topic A, 30 of word 1 in the other, B, and word 2 was never seen. So
// with alpha = beta = 0.1 and three words it is drawn in a new document
//   first:     for A 0.1 0.1 / 60.3, for B 0.1 0.1 / 30.3: A 30.3 / 90.6 = 0.334
//   behind A:  for A 1.1 0.1 / 60.3, for B 0.1 0.1 / 30.3: A 0.847
//   behind B:  for A 0.1 0.1 / 60.3, for B 1.1 0.1 / 30.3: A 0.044
// and twice is A A with 0.283, B B with 0.637. Of one each the first topic is said.
TEST(Lda, DrawsByTheCounts) {
  std::vector<WordIds> documents(20, WordIds{0, 0, 0});
  documents.resize(30, WordIds{1, 1, 1});
  const TopicModel model(documents, 3, {.topics = 2, .alpha = 0.1, .beta = 0.1, .sweeps = 100});
  const int a = model.count(0, 0) == 60 ? 0 : 1;
  ASSERT_EQ(model.count(0, a), 60);
  ASSERT_EQ(model.count(1, 1 - a), 30);
  EXPECT_EQ(model.top_words(a, 5), WordIds{0});
  const auto share = [&](const WordIds& document, int topic) {
    int found = 0;
    for (uint64_t number = 0; number < 4000; ++number) {
      found += model.topic_of(document, number, 0) == topic;
    }
    return found / 4000.0;
  };
  EXPECT_NEAR(share({2}, a), 0.334, 0.025);
  EXPECT_NEAR(share({2, 2}, 1), a == 1 ? 0.283 : 0.637, 0.025);
}

// More tokens than an i32 counts, as a file of topics with many words makes.
TEST(Lda, CountsManyTokens) {
  const TopicModel model(std::vector<int32_t>{2'000'000'000, 1, 2'000'000'000, 1}, {.topics = 2});
  EXPECT_EQ(model.count(0), 4'000'000'000);
}

TEST(Lda, RefusesWhatMakesNoTopics) {
  EXPECT_EQ(error_of<DataError>([] { TopicModel({{0, 3}}, 3, kTwo); }), "topics: word 3 of 3");
  EXPECT_NE(error_of<UsageError>([] { TopicModel({}, 3, {.topics = 0}); }), "no error");
  EXPECT_NE(error_of<UsageError>([] { TopicModel({}, 3, {.beta = 0}); }), "no error");
  EXPECT_NE(error_of<UsageError>([] { TopicModel({}, 3, {.alpha = -0.1}); }), "no error");
  EXPECT_NE(error_of<UsageError>([] { TopicModel({}, 3, {.sweeps = -1}); }), "no error");
  EXPECT_EQ(TopicModel({}, 3, kTwo).count(0), 0);
}

}  // namespace
}  // namespace heed
