#include "dialog/text/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "dialog/text/tokenizer.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

const std::vector<Tokens> kOurs = {tokenize("a b a c"), tokenize("a b d b a")},
                          kTheirs = {tokenize("a b c"), tokenize("d b a b")};

std::map<std::string, std::optional<double>> by_key(bool human = false) {
  std::map<std::string, std::optional<double>> values;
  const auto all = measure_texts(kOurs, kTheirs, human);
  for (size_t i = 0; i < all.size(); ++i) values[text_measures()[i].key] = all[i];
  return values;
}

TEST(TextMeasures, AreThoseOfTheirFunctions) {
  const auto values = by_key();
  ASSERT_EQ(values.size(), text_measures().size());  // no key twice
  const OverlapMeans means = mean_overlap(kOurs, kTheirs);
  EXPECT_EQ(values.at("bleu"), corpus_bleu(kOurs, kTheirs));
  EXPECT_EQ(values.at("corpus_bleu_2"), corpus_bleu(kOurs, kTheirs, 2));
  EXPECT_EQ(values.at("nist"), corpus_nist(kOurs, kTheirs));
  EXPECT_EQ(values.at("bleu_2"), means.bleu_2);
  EXPECT_EQ(values.at("rouge_l"), means.rouge_l);
  EXPECT_EQ(values.at("meteor_exact_stem"), means.meteor);
  EXPECT_EQ(values.at("rouge_1"), (6.0 / 7 + 8.0 / 9) / 2);
  EXPECT_EQ(values.at("rouge_2"), (2.0 / 5 + 6.0 / 7) / 2);
  EXPECT_EQ(values.at("distinct_1"), 4.0 / 9);
  EXPECT_EQ(values.at("distinct_2"), 5.0 / 9);
  EXPECT_EQ(values.at("distinct_2_of_pairs"), 5.0 / 7);
  EXPECT_NEAR(*values.at("ent_4"), std::log(3), 1e-12);
  EXPECT_EQ(values.at("repetition"), (2.0 / 1 + 3.0 / 2) / 2);
  EXPECT_EQ(values.at("nasl"), 4.5 / 3.5);
  EXPECT_EQ(values.at("mean_length"), 4.5);
}

// Those that are means are the mean of their values for single texts, and no other one is.
TEST(TextMeasures, MeansAreOfSingleTexts) {
  size_t means = 0;
  for (const TextMeasure& m : text_measures()) {
    const double of_both = m.value(kOurs, kTheirs),
                 mean = (m.value({kOurs[0]}, {kTheirs[0]}) + m.value({kOurs[1]}, {kTheirs[1]})) / 2;
    if (m.key != std::string("bleu")) {  // 0 of these
      EXPECT_EQ(std::abs(of_both - mean) < 1e-12, m.is_mean) << m.key;
    }
    means += m.is_mean;
  }
  EXPECT_EQ(means, 7u);
}

TEST(TextMeasures, SharesOfTheReferenceArePercentages) {
  for (const TextMeasure& m : text_measures()) {
    const std::string key = m.key;
    EXPECT_EQ(m.factor, has(key, "bleu") || has(key, "rouge") || has(key, "meteor") ? 100 : 1)
        << key;
  }
}

TEST(TextMeasures, HumanTextsAreNotComparedWithThemselves) {
  for (const auto& [key, value] : by_key(/*human=*/true)) {
    const bool alone = key.starts_with("distinct") || key == "ent_4" || key == "mean_length";
    EXPECT_EQ(value.has_value(), alone) << key;
  }
}

TEST(TextMeasures, NeedTextsAndAsManyReferences) {
  EXPECT_EQ(error_of<UsageError>([] { (void)measure_texts({}, {}); }),
            "responses: there are none to measure");
  EXPECT_EQ(error_of<UsageError>([] { (void)measure_texts(kOurs, {{}}); }),
            "responses: 2 for 1 references");
}

// a (1, -3), b (-2, 2): a b -> (-2, -3); c alone (1, 1); d has no vector.
TEST(VectorExtrema, ByHand) {
  const std::map<std::string, std::vector<float>> vectors = {
      {"a", {1, -3}}, {"b", {-2, 2}}, {"c", {1, 1}}};
  const VectorOf vector_of = [&](const std::string& word) {
    const auto found = vectors.find(word);
    return found == vectors.end() ? std::span<const float>() : std::span(found->second);
  };
  const auto cosine = [&](const char* a, const char* b) {
    return vector_extrema({tokenize(a)}, {tokenize(b)}, vector_of);
  };
  EXPECT_NEAR(cosine("a b", "c"), -5 / std::sqrt(13.0 * 2), 1e-12);
  EXPECT_NEAR(cosine("a b d", "b a"), 1, 1e-12);
  EXPECT_EQ(cosine("d", "c"), 0);
  EXPECT_NEAR(vector_extrema({tokenize("a b"), tokenize("d")}, {tokenize("c"), {}}, vector_of),
              -2.5 / std::sqrt(26.0), 1e-12);
  EXPECT_EQ(vector_extrema({}, {}, vector_of), 0);
}

// The numbers of the paper's example: six telling words, of which none, three or all are dull.
TEST(DullPenalty, GrowsWithWhatSaysNothing) {
  const Tokens response = tokenize("the cats chase mice , dogs chase birds");
  EXPECT_EQ(dull_penalty(response, {}), 1);
  EXPECT_NEAR(dull_penalty(response, {tokenize("cats chase mice")}), 1.470004, 1e-6);
  EXPECT_NEAR(
      dull_penalty(response, {tokenize("cats *"), tokenize("chase mice , dogs chase birds")}),
      2.386294, 1e-6);
  EXPECT_EQ(dull_penalty(response, {tokenize("cats mice")}), 1) << "not side by side";
  EXPECT_NEAR(dull_penalty(response, {tokenize("cats * dogs")}), 1 + std::log(8.0 / 6), 1e-12);
  EXPECT_EQ(dull_penalty(response, {tokenize("dogs * cats")}), 1) << "not in this order";
  EXPECT_NEAR(dull_penalty(response, {tokenize("chase"), tokenize("chase mice")}),
              1 + std::log(8.0 / 6), 1e-12)
      << "the first place, and a word that is dull twice counts once";
  for (const char* all : {"* birds", "birds *", "birds * *", "dogs chase * birds", "*"}) {
    const double telling = all == std::string("*") ? 6 : all[0] == 'd' ? 3 : 5;
    EXPECT_NEAR(dull_penalty(response, {tokenize(all)}), 1 + std::log(8 / (2 + telling)), 1e-12)
        << all << ": '*' may stand for nothing, at either end too";
  }
  EXPECT_EQ(dull_penalty({}, {tokenize("chase")}), 1);
  EXPECT_EQ(dull_penalty(response, {{}}), 1);
}

TEST(Echoes, AreTheLargestShareOfWordsInCommon) {
  const Echoes echoes({tokenize("install the new kernel !"), tokenize("reboot"), tokenize("is it"),
                       tokenize("kernel kernel panic")});
  EXPECT_EQ(echoes.of(tokenize("kernel install new")), 1);
  EXPECT_EQ(echoes.of(tokenize("the kernel , it is old .")), 1.0 / 3) << "panic; old";
  EXPECT_EQ(echoes.of(tokenize("reboot , reboot and install")), 1.0 / 2);
  EXPECT_EQ(echoes.of(tokenize("it is !")), 0) << "stop words and signs only";
  EXPECT_EQ(Echoes({tokenize("日本 !")}).of(tokenize("日本 …")), 1.0 / 2)
      << "letters of any script";
  EXPECT_EQ(echoes.of({}), 0);
  EXPECT_EQ(Echoes({}).of(tokenize("kernel")), 0);
}

}  // namespace
}  // namespace heed
