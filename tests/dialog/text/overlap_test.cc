#include "dialog/text/overlap.h"

#include <cmath>

#include "base/error.h"
#include "dialog/text/tokenizer.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::vector<Tokens> texts(const std::vector<std::string>& lines) {
  std::vector<Tokens> all;
  for (const std::string& line : lines) all.push_back(tokenize(line));
  return all;
}

double bleu(const std::vector<std::string>& hypotheses,
            const std::vector<std::string>& references) {
  return corpus_bleu(texts(hypotheses), texts(references));
}

TEST(CorpusBleu, IsOneForEqualTexts) {
  EXPECT_DOUBLE_EQ(bleu({"try to boot the kernel", "ok"}, {"try to boot the kernel", "ok"}), 1);
}

// Hypothesis "the cat is on the mat now", reference "the cat sat on the mat now":
// 6/7 words, 4/6 pairs, 2/5 triples ("on the mat", "the mat now"), 1/4 ("on the mat now").
TEST(CorpusBleu, MultipliesThePrecisions) {
  EXPECT_NEAR(bleu({"the cat is on the mat now"}, {"the cat sat on the mat now"}),
              std::pow(6.0 / 7 * 4 / 6 * 2 / 5 * 1 / 4, 0.25), 1e-12);
}

// Counts are clipped: "the" occurs twice in the reference, so 2/7 of the words match (the example
// of the paper); with "a b c d" in a second pair: words 6/11, pairs 3/9, triples 2/7, fours 1/5.
TEST(CorpusBleu, ClipsAndSumsOverTheCorpus) {
  EXPECT_NEAR(
      bleu({"the the the the the the the", "a b c d"}, {"the cat is on the mat .", "a b c d"}),
      std::pow(6.0 / 11 * 3 / 9 * 2 / 7 * 1 / 5, 0.25), 1e-12);
}

// The reference is longer by half: exp(1 - 6/4). A hypothesis that is too long has no penalty.
TEST(CorpusBleu, PunishesBrevity) {
  EXPECT_NEAR(bleu({"a b c d"}, {"a b c d e f"}), std::exp(-0.5), 1e-12);
  EXPECT_NEAR(bleu({"a b c d e f"}, {"a b c d"}), std::pow(4.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25),
              1e-12);
}

TEST(CorpusBleu, IsZeroWithoutAMatchOfFour) {
  EXPECT_EQ(bleu({"a b c x"}, {"a b c d"}), 0);
  EXPECT_EQ(bleu({"a b c"}, {"a b c"}), 0);
  EXPECT_EQ(bleu({}, {}), 0);
  EXPECT_EQ(bleu({""}, {"a"}), 0);
}

TEST(CorpusBleu, NeedsAReferenceForEachHypothesis) {
  EXPECT_EQ(error_of<UsageError>([] {
              bleu({"a", "b"}, {"a"});
            }),
            "BLEU: 2 hypotheses for 1 references");
}

// Of other orders: 6/7 words and 4/6 pairs, 6/7 words alone.
TEST(CorpusBleu, OfAnyOrder) {
  const auto h = texts({"the cat is on the mat now"}), r = texts({"the cat sat on the mat now"});
  EXPECT_NEAR(corpus_bleu(h, r, 2), std::sqrt(6.0 / 7 * 4 / 6), 1e-12);
  EXPECT_NEAR(corpus_bleu(h, r, 1), 6.0 / 7, 1e-12);
  EXPECT_EQ(corpus_bleu(h, r, 7), 0);
  EXPECT_EQ(error_of<UsageError>([&] { corpus_bleu(h, r, 0); }),
            "BLEU: n must be at least 1, got 0");
}

const std::vector<std::string> kHypotheses = {"the cat is on the mat now", "a b c d e",
                                              "i do not know", "sudo apt - get install kernel"};
const std::vector<std::string> kReferences = {"the cat sat on the mat now", "a b c d e f",
                                              "i do not know what it is",
                                              "you can install a kernel by sudo apt - get"};

// corpus_nist() of NLTK 3.10.4.
TEST(CorpusNist, IsThatOfNltk) {
  const auto h = texts(kHypotheses), r = texts(kReferences);
  EXPECT_NEAR(corpus_nist(h, r, 1), 3.0313112605801744, 1e-12);
  EXPECT_NEAR(corpus_nist(h, r, 2), 3.1424096763568263, 1e-12);
  EXPECT_NEAR(corpus_nist(h, r), 3.1424096763568263, 1e-12);
  EXPECT_NEAR(corpus_nist(r, r), 4.92740341612134, 1e-12);
}

// By hand: of "a b a b" every word has 1 bit (2 of 4); of its pairs "a b" has log2(2/2), "b a"
// log2(2/1); of its triples "a b a" has log2(2/1), "b a b" log2(1/1); what is longer has none. Half
// as long: exp(beta ln^2(1/2)).
TEST(CorpusNist, ByHand) {
  EXPECT_NEAR(corpus_nist(texts({"a b a b"}), texts({"a b a b"})), 1 + 1.0 / 3 + 1.0 / 2, 1e-12);
  const double penalty = std::pow(0.5, std::pow(std::log(0.5) / std::log(2.0 / 3), 2));
  EXPECT_NEAR(corpus_nist(texts({"b a"}), texts({"a b a b"})), penalty * (1 + 1), 1e-12);
  EXPECT_NEAR(corpus_nist(texts({"b b b"}), texts({"a b"}), 1), 1.0 / 3, 1e-12);  // clipped
  EXPECT_EQ(corpus_nist(texts({"c"}), texts({"a b"})), 0);
  EXPECT_EQ(corpus_nist(texts({""}), texts({"a"})), 0);
  EXPECT_EQ(corpus_nist({}, {}), 0);
  EXPECT_EQ(error_of<UsageError>([] { corpus_nist({}, texts({"a"})); }),
            "NIST: 0 hypotheses for 1 references");
}

// 2 matches / n-grams of both: of words 2 * 2 / (3 + 4), of pairs 2 * 1 / (2 + 3).
TEST(RougeN, ByHand) {
  const Tokens h = tokenize("a b c"), r = tokenize("b a b d");
  EXPECT_DOUBLE_EQ(rouge_n(h, r, 1), 4.0 / 7);
  EXPECT_DOUBLE_EQ(rouge_n(h, r, 2), 2.0 / 5);
  EXPECT_EQ(rouge_n(h, r, 5), 0);
  EXPECT_EQ(rouge_n({}, {}, 1), 0);
}

// Known answers of the specification (workshop-2019.json, distinct_ent_repetition).
TEST(Diversity, HasTheKnownAnswers) {
  const std::vector<Tokens> all = texts({"a b a c", "a b d b a"});
  EXPECT_NEAR(distinct_n(all, 1), 0.444444, 1e-6);
  EXPECT_NEAR(distinct_n(all, 2), 0.555556, 1e-6);
  EXPECT_NEAR(distinct_n(all, 2, Per::kNgrams), 0.714286, 1e-6);
  EXPECT_NEAR(ngram_entropy(all, 2), 1.549826, 1e-6);
  EXPECT_EQ(repetition(all, texts({"x y", "x x y"})), 1.75);
  EXPECT_EQ(repetition(all, all), 1);
  EXPECT_EQ(repetition({}, {}), 0);
  EXPECT_EQ(ngram_entropy({}, 2), 0);
}

TEST(DistinctN, DividesByAllTokens) {
  const std::vector<Tokens> all = texts({"i do not know", "i do not", ""});
  EXPECT_DOUBLE_EQ(distinct_n(all, 1), 4.0 / 7);
  EXPECT_DOUBLE_EQ(distinct_n(all, 2), 3.0 / 7);
  EXPECT_DOUBLE_EQ(distinct_n(all, 4), 1.0 / 7);
  EXPECT_DOUBLE_EQ(distinct_n(all, 5), 0);
  EXPECT_EQ(distinct_n({}, 1), 0);
  EXPECT_EQ(error_of<UsageError>([] { distinct_n({}, 0); }),
            "distinct-n: n must be at least 1, got 0");
}

// BLEU-2 and METEOR are those of NLTK 3.10.4: sentence_bleu with weights of 1/2, and its METEOR
// without synonyms.
TEST(SentenceScores, AreThoseOfNltk) {
  struct Row {
    const char *hypothesis, *reference;
    double bleu_2, rouge_l, meteor;
  };
  const Row rows[] = {
      {"it is a guide to action which ensures that the military always obeys the commands of the "
       "party",
       "it is a guide to action that ensures that the military will forever heed party commands",
       0.560112033611, 0.647058823529, 0.694444444444},
      {"the restaurant has moderate prices and is rated highly",
       "a moderately priced restaurant that people rate highly", 0.000000000000, 0.235294117647,
       0.550617283951},
      {"i have booked a table", "i have booked it for you , the table is booking", 0.190491945540,
       0.500000000000, 0.360576923077},
      {"the the the cat", "the cat sat on the mat", 0.303265329856, 0.400000000000, 0.258620689655},
      {"book the books", "books the book booking", 0.000000000000, 0.285714285714, 0.384615384615},
      {"yes", "yes", 0.000000000000, 1.000000000000, 0.500000000000},
      {"a b", "a b", 1.000000000000, 1.000000000000, 0.937500000000},
      {"a b c d", "d c b a", 0.000000000000, 0.250000000000, 0.500000000000},
      {"a b", "c d", 0.000000000000, 0.000000000000, 0.000000000000}};
  for (const Row& row : rows) {
    const Tokens hypothesis = tokenize(row.hypothesis), reference = tokenize(row.reference);
    EXPECT_NEAR(sentence_bleu_2(hypothesis, reference), row.bleu_2, 1e-12) << row.hypothesis;
    EXPECT_NEAR(rouge_l(hypothesis, reference), row.rouge_l, 1e-12) << row.hypothesis;
    EXPECT_NEAR(meteor_exact_stem(hypothesis, reference), row.meteor, 1e-12) << row.hypothesis;
  }
}

TEST(SentenceScores, AreZeroOfNothing) {
  const Tokens none, word = {"a"};
  for (const auto score : {sentence_bleu_2, rouge_l, meteor_exact_stem}) {
    EXPECT_EQ(score(none, none), 0);
    EXPECT_EQ(score(none, word), 0);
    EXPECT_EQ(score(word, none), 0);
  }
}

TEST(MeanOverlap, IsTheMeanOverPairs) {
  const OverlapMeans means = mean_overlap(texts({"a b", "a b"}), texts({"a b", "c d"}));
  EXPECT_DOUBLE_EQ(means.bleu_2, 0.5);
  EXPECT_DOUBLE_EQ(means.rouge_l, 0.5);
  EXPECT_DOUBLE_EQ(means.meteor, meteor_exact_stem({"a", "b"}, {"a", "b"}) / 2);
  EXPECT_EQ(error_of<UsageError>([] { (void)mean_overlap(texts({"a"}), {}); }),
            "overlap: 1 hypotheses for 0 references");
  EXPECT_EQ(error_of<UsageError>([] { (void)mean_overlap({}, {}); }),
            "overlap: there are no texts to compare");
}

}  // namespace
}  // namespace heed
