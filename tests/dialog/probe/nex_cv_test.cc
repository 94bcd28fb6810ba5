#include "dialog/probe/nex_cv.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "dialog/data/formats/corpora.h"
#include "tests/file_helpers.h"

namespace heed::probe {
namespace {

// Classes 0 to 5 of 1, 20, 3, 3, 40 and 5 examples.
const std::vector<int64_t> kCounts = {1, 20, 3, 3, 40, 5};
std::vector<int32_t> labels() {
  std::vector<int32_t> all;
  for (size_t k = 0; k < kCounts.size(); ++k) all.insert(all.end(), kCounts[k], int32_t(k));
  return all;
}

TEST(NexCv, SmallClasses) {
  const auto small = [](const std::string& rule) {
    return small_classes(kCounts, parse_small_rule(rule));
  };
  using Classes = std::vector<int32_t>;
  EXPECT_EQ(small("none"), Classes());
  EXPECT_EQ(small("below:3"), Classes({0}));
  EXPECT_EQ(small("below:5"), Classes({0, 2, 3}));  // those of five are large
  EXPECT_EQ(small("below:6"), Classes({0, 2, 3, 5}));
  // of 72 examples: 1 + 3 = 4 is the first sum that is at least 3.6; of equals the first one
  EXPECT_EQ(small("share:0.05"), Classes({0, 2}));
  EXPECT_EQ(small("share:0.1"), Classes({0, 2, 3, 5}));
  // a share that is reached exactly: 12 of 72
  EXPECT_EQ(small("share:0.16666666666666666"), Classes({0, 2, 3, 5}));
}

TEST(NexCv, RulesAreChecked) {
  for (const char* wrong : {"", "all", "below:", "below:0", "below:-1", "below:5x", "below:2.5",
                            "share:0", "share:1", "share:nan", "share:", "share:0.1,", "none "}) {
    EXPECT_EQ(error_of<UsageError>([&] { parse_small_rule(wrong); }),
              "expected none, below:K with K > 0, or share:P with 0 < P < 1, got '" +
                  std::string(wrong) + "'");
  }
}

// Each example once, no small class in both parts, and as many as the rule says.
TEST(NexCv, DividesExamplesOnce) {
  const std::vector<int32_t> all = labels();
  std::map<std::vector<int32_t>, int> drawn;
  for (const char* rule : {"none", "below:5", "below:6", "share:0.1"}) {
    const std::vector<int32_t> small = small_classes(kCounts, parse_small_rule(rule));
    for (int r = 0; r < 20; ++r) {
      const Division parts = divide(all, kCounts, small, 0.5, 7, r);
      std::vector<size_t> places = parts.train;
      places.insert(places.end(), parts.test.begin(), parts.test.end());
      std::sort(places.begin(), places.end());
      std::vector<size_t> once(all.size());
      std::iota(once.begin(), once.end(), 0);
      EXPECT_EQ(places, once);
      const auto in = [&](const std::vector<size_t>& part) {
        std::vector<int64_t> counts(kCounts.size());
        for (const size_t i : part) ++counts[all[i]];
        return counts;
      };
      const auto train = in(parts.train), test = in(parts.test);
      for (size_t k = 0; k < kCounts.size(); ++k) {
        const auto label = static_cast<int32_t>(k);
        const bool is_small = std::binary_search(small.begin(), small.end(), label);
        const bool is_none =
            std::binary_search(parts.negatives.begin(), parts.negatives.end(), label);
        EXPECT_TRUE(is_small || !is_none);
        EXPECT_EQ(test[k], is_none    ? kCounts[k]
                           : is_small ? 0
                                      : std::max<int64_t>(1, kCounts[k] / 2));
      }
      EXPECT_EQ(parts.negatives.size(), small.empty() ? 0u : std::max<size_t>(1, small.size() / 2));
      if (small.size() == 4) ++drawn[parts.negatives];
      EXPECT_EQ(divide(all, kCounts, small, 0.5, 7, r).test, parts.test);
    }
  }
  EXPECT_GT(drawn.size(), 3u);  // of six
}

// In f64, 0.29 times 100 is below 29.
TEST(NexCv, SharesThatGiveWholeNumbersAreTakenWhole) {
  const std::vector<int32_t> all(100, 0);
  for (const int percent : {1, 29, 57, 58, 99}) {
    EXPECT_EQ(divide(all, {100}, {}, percent / 100.0, 7, 0).test.size(), percent);
  }
}

TEST(NexCv, EveryOutcome) {
  const std::vector<int32_t> gold = {0, 0, 1, kNoClass, kNoClass, 1, 0, 1, kNoClass, 2};
  const std::vector<Guess> guesses = {{0, 0.9}, {0, 0.5}, {1, 0.7}, {0, 0.3}, {1, 0.9},
                                      {1, 0.4}, {1, 0.2}, {0, 0.8}, {1, 0.1}, {2, 0.49}};
  const NexScores s = nex_scores(gold, guesses, 0.5);
  EXPECT_EQ(s.counts, (std::array<int64_t, kOutcomes>{3, 2, 2, 1, 2}));
  EXPECT_DOUBLE_EQ(s.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(s.withheld_wrong.value(), 0.6);
  EXPECT_DOUBLE_EQ(s.withheld_right.value(), 0.4);
  // F1 of 0, 1, 2, Ø: 2/3, 2/5, 0, 1/2, which are true 3, 3, 1, 3 times
  EXPECT_DOUBLE_EQ(s.f1_macro, (2.0 / 3 + 0.4 + 0 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(s.f1_weighted, (3 * 2.0 / 3 + 3 * 0.4 + 3 * 0.5) / 10);
  const NexScores all = nex_scores(gold, guesses, 0);  // every guess is an answer
  EXPECT_EQ(all.counts, (std::array<int64_t, kOutcomes>{5, 0, 0, 0, 5}));
  EXPECT_FALSE(all.withheld_wrong.has_value());
  const NexScores none = nex_scores(gold, guesses, 1);  // none is
  EXPECT_EQ(none.counts, (std::array<int64_t, kOutcomes>{0, 3, 5, 2, 0}));
  EXPECT_DOUBLE_EQ(none.withheld_right.value(), 0.5);
}

// Two classes on a line, and a third one without training examples, which is never guessed.
TEST(NexCv, Classifies) {
  const Tensor x = Tensor::from(std::vector<float>{-2, -1, 1, 2, -3, 3, 0.01f}, {7, 1});
  const std::vector<int32_t> classes = {0, 0, 2, 2, 0, 2, 1};
  const auto guesses = classify(x, classes, {0, 1, 2, 3}, {4, 5, 6}, 3, false);
  ASSERT_EQ(guesses.size(), 3u);
  EXPECT_EQ(guesses[0].label, 0);
  EXPECT_EQ(guesses[1].label, 2);
  // the two scores are s and -s, so the confidence is 1 / (1 + e^-2|s|); near the border a half
  EXPECT_NEAR(guesses[2].confidence, 0.5, 0.02);
  EXPECT_NEAR(guesses[0].confidence, guesses[1].confidence, 1e-3);
  EXPECT_GT(guesses[0].confidence, 0.9);
  const auto unit = classify(x, classes, {0, 1, 2, 3}, {4, 5, 6}, 3, true);
  EXPECT_NE(unit[0].confidence, guesses[0].confidence);
  // Columns are standardised as the training rows are, whatever else is tested.
  EXPECT_DOUBLE_EQ(classify(x, classes, {0, 1, 2, 3}, {4}, 3, true)[0].confidence,
                   unit[0].confidence);
  EXPECT_EQ(error_of<DataError>([&] {
              classify(x, classes, {0, 1}, {2}, 3, false);
            }),
            "a classifier needs two classes to learn");
}

std::string line(const std::string& text, const std::string& label) {
  return R"({"turns": [{"text": ")" + text + R"(", "labels": {"is": [)" + label + "]}}]}\n";
}

TEST(NexCv, ReadsTheTextsOfClasses) {
  const TempDir dir;
  dir.write("d/train.jsonl", line("one", R"("b")") + line("odd", R"("none")") +
                                 line("two", R"("a")") + line("both", R"("a", "b")") +
                                 line("three", R"("b")"));
  dir.write("d/test.jsonl", line("four", R"("a")") + line("new", R"("c")") +
                                line("strange", R"("none")") + line("bare", ""));
  const ClassTexts with = read_class_texts(dir.path("d"), "is", "none");
  EXPECT_EQ(with.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(with.texts,
            (std::vector<std::string>{"one", "two", "three", "four", "odd", "strange"}));
  EXPECT_EQ(with.labels, (std::vector<int32_t>{1, 0, 1, 0, kNoClass, kNoClass}));
  EXPECT_EQ(with.train, 3u);
  EXPECT_EQ(with.counts(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(with.left_out, 2u);
  EXPECT_EQ(with.unknown, 1u);  // "new"
  // where none is of no class, nothing but the train part is used; a file is one
  const ClassTexts without = read_class_texts(dir.path("d"), "is", "nobody");
  EXPECT_EQ(without.texts, (std::vector<std::string>{"one", "odd", "two", "three"}));
  EXPECT_EQ(without.unknown, 0u);
  EXPECT_EQ(without.names, (std::vector<std::string>{"a", "b", "none"}));
  EXPECT_EQ(read_class_texts(dir.path("d/train.jsonl"), "is", "none").texts.size(), 4u);
  EXPECT_EQ(error_of<DataError>([&] { read_class_texts(dir.path("d"), "was", "none"); }),
            dir.path("d") + ": needs turns with two values of the label was, has 0");
}

// The train part alone is learned; what is of no class is a cluster each.
TEST(NexCv, TestsOnRealTexts) {
  const Tensor x = Tensor::from(std::vector<float>{-2, -1, 1, 2, 3, -0.01f, 0.01f}, {7, 1});
  const ClassTexts texts{.texts = std::vector<std::string>(7),
                         .names = {"a", "b"},
                         .labels = {0, 0, 1, 1, 1, kNoClass, kNoClass},
                         .train = 4};
  const Tested tested = test_on_real(x, texts, false);
  EXPECT_EQ(tested.gold, (std::vector<int32_t>{1, kNoClass, kNoClass}));
  EXPECT_EQ(tested.clusters, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(tested.ends, (std::vector<size_t>{3}));
  EXPECT_EQ(tested.guesses[0].label, 1);
  EXPECT_GT(tested.guesses[0].confidence, 0.9);
  EXPECT_NEAR(tested.guesses[1].confidence, 0.5, 0.02);
  EXPECT_NE(test_on_real(x, texts, true).guesses[0].confidence, tested.guesses[0].confidence);
}

// In every repetition each text is tested by what the others teach, and small classes give Ø.
TEST(NexCv, CrossValidates) {
  ClassTexts texts{.texts = std::vector<std::string>(24), .names = {"a", "b", "c"}};
  std::vector<float> numbers;
  for (int i = 0; i < 24; ++i) {
    const int label = i < 10 ? 0 : i < 20 ? 1 : 2;
    texts.labels.push_back(label);
    numbers.push_back(static_cast<float>(label == 0 ? -3 : label == 1 ? 3 : 0) + 0.01f * float(i));
  }
  texts.train = 24;
  std::vector<int> repetitions;
  const Tested tested =
      cross_validate(Tensor::from(numbers, {24, 1}), texts, parse_small_rule("below:5"),
                     {.test_share = 0.3, .repetitions = 4},
                     [&](int repetition) { repetitions.push_back(repetition); });
  EXPECT_EQ(repetitions, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(tested.small, (std::vector<int32_t>{2}));
  EXPECT_EQ(tested.ends, (std::vector<size_t>{10, 20, 30, 40}));  // 3 of 10, 3 of 10, all 4
  for (size_t i = 0; i < tested.gold.size(); ++i) {
    EXPECT_EQ(tested.gold[i], tested.clusters[i] == 2 ? kNoClass : tested.clusters[i]);
    EXPECT_TRUE(tested.gold[i] == kNoClass || tested.guesses[i].label == tested.gold[i]) << i;
  }
  EXPECT_EQ(std::count(tested.gold.begin(), tested.gold.end(), kNoClass), 16);
  // Repetitions draw anew: other texts are tested.
  std::set<std::vector<double>> drawn;
  for (size_t begin = 0; begin < 40; begin += 10) {
    std::vector<double> confidences;
    for (size_t i = begin; i < begin + 10; ++i) confidences.push_back(tested.guesses[i].confidence);
    drawn.insert(confidences);
  }
  EXPECT_EQ(drawn.size(), 4u);
  // Columns are standardised on request: the same texts are tested, with other confidences.
  const auto first = [&](bool standardise) {
    return cross_validate(Tensor::from(numbers, {24, 1}), texts, parse_small_rule("below:5"),
                          {.test_share = 0.3, .repetitions = 1, .standardise = standardise},
                          [](int) {});
  };
  const Tested plain = first(false), unit = first(true);
  EXPECT_EQ(unit.clusters, plain.clusters);
  EXPECT_EQ(plain.guesses[0].confidence, tested.guesses[0].confidence);
  EXPECT_NE(unit.guesses[0].confidence, plain.guesses[0].confidence);
}

// Counts are of all repetitions together, F1 is the mean of theirs, which have other sizes.
TEST(NexCv, ScoresOfRepetitions) {
  Tested tested;
  for (int i = 0; i < 2; ++i) tested.add(0, {0, 0.9}, 0);  // F1 1
  tested.ends.push_back(2);
  tested.add(0, {0, 0.9}, 0);
  tested.add(0, {1, 0.9}, 0);  // F1 of 0 2/3, of 1 0
  tested.add(kNoClass, {1, 0.1}, 1);
  tested.ends.push_back(5);
  const NexScores s = tested.scores(0.5);
  EXPECT_EQ(s.counts, (std::array<int64_t, kOutcomes>{3, 1, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(s.accuracy, 0.8);
  EXPECT_DOUBLE_EQ(s.f1_macro, (1 + (2.0 / 3 + 0 + 1) / 3) / 2);
  EXPECT_DOUBLE_EQ(s.f1_weighted, (1 + (2 * 2.0 / 3 + 1) / 3) / 2);
}

// The counts of the specification, on corpora that are not bundled: HEED_INTENTS is a folder with
// atis/ and clinc150_data_full.json.gz.
TEST(NexCv, CountsOfPublishedCorpora) {
  const char* folder = std::getenv("HEED_INTENTS");
  if (!folder) GTEST_SKIP() << "HEED_INTENTS is not set";
  const auto count = [](const std::string& path) {
    std::map<std::string, int64_t> counts;
    for (const Dialogue& d : read_intents(path).dialogues) {
      const std::string& intent = d.turns[0].notes->labels.at("intent")[0];
      const auto part = d.notes->labels.find("part");
      if ((part == d.notes->labels.end() || part->second[0] == "train") && intent != "oos") {
        ++counts[intent];
      }
    }
    std::vector<int64_t> list;
    for (const auto& [intent, number] : counts) list.push_back(number);
    return list;
  };
  const auto held = [](const std::vector<int64_t>& counts, const char* rule) {
    const auto small = small_classes(counts, parse_small_rule(rule));
    int64_t sum = 0;
    for (const int32_t k : small) sum += counts[k];
    return std::pair(small.size(), sum);
  };
  using Held = std::pair<size_t, int64_t>;
  const auto atis = count(std::string(folder) + "/atis/train");
  EXPECT_EQ(atis.size(), 21u);
  EXPECT_EQ(std::accumulate(atis.begin(), atis.end(), int64_t{0}), 4478);
  EXPECT_EQ(held(atis, "below:5"), Held(4, 5));
  EXPECT_EQ(held(atis, "share:0.15"), Held(19, 784));
  const auto clinc = count(std::string(folder) + "/clinc150_data_full.json.gz");
  EXPECT_EQ(clinc.size(), 150u);
  EXPECT_EQ(held(clinc, "below:5"), Held(0, 0));
  EXPECT_EQ(held(clinc, "share:0.15"), Held(23, 2300));
}

}  // namespace
}  // namespace heed::probe
