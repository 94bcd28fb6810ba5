// The claims about rankers as rules: verdicts of numbers that are made by hand.
#include <gtest/gtest.h>

#include <set>

#include "experiments/retrieval/experiment.h"

namespace heed {
namespace {

enum : size_t {
  kBase,
  kHinge,
  k100,
  k10,
  kData25,
  kData10,
  kSru,
  kLstm,
  kHierarchical,
  kBag,
  kSim,
  kMap
};

struct Number {
  size_t variant;
  const char* name;
  double value;
};

// By their places in the list of claims.
enum Which {
  kBeatsWords,
  kFallsWithCandidates,
  kMatterMost,
  kMoreNegatives,
  kMoreData,
  kCrossEntropy,
  kNoHierarchy,
  kLstmAsSru,
  kTruthAdded,
  kClustersRecall,
  kFrequencyCoverage,
  kFiltering,
  kWhitelistsAlike,
  kTruthAddedToClusters,
  kLargerPool,
  kMapHelps,
  kWordsAsFrozen
};

// All claims hold.
const std::vector<Number> kAllHold = {{kBase, "first_of_10", 0.8},
                                      {kBase, "first_of_100", 0.5},
                                      {kBase, "first_of_1000", 0.2},
                                      {kBase, "filtered_of_1000", 0.21},
                                      {kBase, "tf_idf", 0.3},
                                      {kBase, "bm25", 0.4},
                                      {kBase, "auc_05", 0.8},
                                      {kHinge, "auc_05", 0.7},
                                      {k100, "auc_05", 0.6},
                                      {k10, "auc_05", 0.4},
                                      {kData25, "auc_05", 0.65},
                                      {kData10, "auc_05", 0.5},
                                      {kSru, "auc_05", 0.81},
                                      {kLstm, "auc_05", 0.8},
                                      {kHierarchical, "auc_05", 0.79},
                                      {kBag, "first_of_100", 0.55},
                                      {kBase, "frequency.whitelist", 0.24},
                                      {kBase, "frequency.covered", 0.1},
                                      {kBase, "frequency.coverage", 0.35},
                                      {kBase, "clusters.whitelist", 0.22},
                                      {kBase, "clusters.covered", 0.13},
                                      {kBase, "clusters.coverage", 0.25},
                                      {kSim, "first_of_100", 0.21},
                                      {kSim, "tf_idf", 0.3},
                                      {kMap, "first_of_100", 0.22},
                                      {kMap, "tf_idf", 0.31}};

VariantNumbers all_hold() {
  VariantNumbers n;
  for (size_t v = 0; v < retrieval_variants().size(); ++v) {
    n.set(v, "first_of_100", 0.1);
    n.set(v, "first_of_1000", 0.05);
  }
  for (const Number& x : kAllHold) n.set(x.variant, x.name, x.value);
  return n;
}

const std::vector<AboveClaim>& rules() {
  return retrieval_showing().rules;
}

// Which claims these numbers decide this way.
std::set<size_t> claims_of(const VariantNumbers& n, std::optional<bool> verdict) {
  std::set<size_t> found;
  for (size_t i = 0; i < rules().size(); ++i) {
    if (decide(rules()[i], n).holds == verdict) found.insert(i);
  }
  return found;
}

TEST(RetrievalClaims, PlacesAreThoseOfTheVariants) {
  const std::vector<std::pair<size_t, std::string>> places = {
      {kBase, "base"},       {kHinge, "hinge"},    {k100, "negatives-100"},
      {k10, "negatives-10"}, {kData25, "data-25"}, {kData10, "data-10"},
      {kSru, "sru"},         {kLstm, "lstm"},      {kHierarchical, "hierarchical"},
      {kBag, "bag"},         {kSim, "sim"},        {kMap, "map"}};
  ASSERT_EQ(retrieval_variants().size(), places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(places[i].first, i);
    EXPECT_EQ(retrieval_variants()[i].name, places[i].second);
  }
}

TEST(RetrievalClaims, SayTheNumbersThatDecide) {
  const char* const of_four =
      "0.240 against 0.200; 0.200 against 0.240; 0.220 against 0.200; 0.200 against 0.220";
  const char* const of_ten =
      "0.500 against 0.200; 0.100 against 0.0500; 0.100 against 0.0500; 0.100 against 0.0500; "
      "0.100 against 0.0500; 0.100 against 0.0500; 0.100 against 0.0500; 0.100 against 0.0500; "
      "0.100 against 0.0500; 0.550 against 0.0500";
  const char* const figures[] = {"0.550 against 0.300; 0.550 against 0.400; the best of 10",
                                 "0.800 against 0.500; 0.500 against 0.200",
                                 "0.700 against 0.400; 0.700 against 0.500",
                                 "0.800 against 0.600; 0.600 against 0.400",
                                 "0.800 against 0.650; 0.650 against 0.500",
                                 "0.800 against 0.700",
                                 "0.810 against 0.790",
                                 "0.810 against 0.800; 0.800 against 0.810",
                                 "0.240 against 0.100",
                                 "0.130 against 0.100",
                                 "0.350 against 0.250",
                                 "0.210 against 0.200",
                                 of_four,
                                 "0.220 against 0.130",
                                 of_ten,
                                 "0.220 against 0.210",
                                 "0.300 against 0.210; 0.310 against 0.220"};
  ASSERT_EQ(rules().size(), std::size(figures));
  for (size_t i = 0; i < rules().size(); ++i) {
    const ClaimResult result = decide(rules()[i], all_hold());
    EXPECT_EQ(result.holds, std::optional(true)) << rules()[i].claim;
    EXPECT_EQ(result.figure, figures[i]) << rules()[i].claim;
  }
}

// One number is another: these claims do not hold, these are open, as the two that they compare are
// the same, and all others hold.
TEST(RetrievalClaims, DoNotHoldForOtherNumbers) {
  struct Other {
    Number number;
    std::set<size_t> fail, open = {};
  };
  const std::vector<Other> others = {
      {{kBase, "bm25", 0.56}, {kBeatsWords}},
      {{kBase, "tf_idf", 0.6}, {kBeatsWords}},
      {{kBag, "first_of_100", 0.45}, {}},   // the base is above the words, too
      {{kBase, "first_of_100", 0.35}, {}},  // or the bag
      {{kBase, "first_of_100", 0.9}, {kFallsWithCandidates}},
      {{kBase, "first_of_100", 0.8}, {}, {kFallsWithCandidates}},
      {{kBase, "first_of_100", 0.2}, {}, {kFallsWithCandidates, kLargerPool}},
      {{kBase, "first_of_10", 0.4}, {kFallsWithCandidates}},
      {{kBase, "first_of_1000", 0.6},
       {kFallsWithCandidates, kFiltering, kWhitelistsAlike, kLargerPool}},
      {{kBase, "first_of_1000", 0.21}, {}, {kFiltering}},
      {{kHinge, "auc_05", 0.45}, {kMatterMost}},  // a tenth of the data falls less
      {{k10, "auc_05", 0.71}, {kMatterMost, kMoreNegatives}},
      {{kData10, "auc_05", 0.71}, {kMatterMost, kMoreData}},
      {{k100, "auc_05", 0.9}, {kMoreNegatives}},
      {{k100, "auc_05", 0.8}, {}, {kMoreNegatives}},
      {{kData25, "auc_05", 0.9}, {kMoreData}},
      {{kData25, "auc_05", 0.8}, {}, {kMoreData}},
      {{kHinge, "auc_05", 0.9}, {kCrossEntropy}},
      {{kHinge, "auc_05", 0.8}, {}, {kCrossEntropy}},
      {{kHierarchical, "auc_05", 0.83}, {kNoHierarchy}},
      {{kHierarchical, "auc_05", 0.81}, {}, {kNoHierarchy}},
      {{kLstm, "auc_05", 0.825}, {}},  // 0.015 of 0.02
      {{kLstm, "auc_05", 0.795}, {}},
      {{kLstm, "auc_05", 0.835}, {kLstmAsSru}},
      {{kLstm, "auc_05", 0.785}, {kLstmAsSru}},
      {{kBase, "frequency.whitelist", 0.08}, {kTruthAdded, kWhitelistsAlike}},
      {{kBase, "frequency.whitelist", 0.1}, {kWhitelistsAlike}, {kTruthAdded}},
      {{kBase, "frequency.whitelist", 0.28}, {kWhitelistsAlike}},
      {{kBase, "frequency.covered", 0.3}, {kClustersRecall, kTruthAdded}},
      {{kBase, "clusters.whitelist", 0.29}, {kWhitelistsAlike}},
      {{kBase, "clusters.covered", 0.09}, {kClustersRecall}},
      {{kBase, "clusters.covered", 0.1}, {}, {kClustersRecall}},
      {{kBase, "clusters.covered", 0.25}, {kTruthAddedToClusters}},
      {{kSru, "first_of_100", 0.04}, {kLargerPool}},
      {{kBase, "clusters.coverage", 0.4}, {kFrequencyCoverage}},
      {{kBase, "clusters.coverage", 0.35}, {}, {kFrequencyCoverage}},
      {{kBase, "filtered_of_1000", 0.19}, {kFiltering}},
      {{kBase, "filtered_of_1000", 0.2}, {}, {kFiltering}},
      {{kMap, "first_of_100", 0.2}, {kMapHelps}},
      {{kMap, "first_of_100", 0.21}, {}, {kMapHelps}},
      {{kMap, "first_of_100", 0.32}, {kWordsAsFrozen}},
      {{kSim, "tf_idf", 0.2}, {kWordsAsFrozen}}};
  for (const Other& other : others) {
    const auto& [variant, name, value] = other.number;
    VariantNumbers n = all_hold();
    n.set(variant, name, value);
    const std::string what =
        retrieval_variants()[variant].name + " " + name + " " + std::to_string(value);
    EXPECT_EQ(claims_of(n, false), other.fail) << what;
    EXPECT_EQ(claims_of(n, std::nullopt), other.open) << what;
    for (const size_t claim : other.open) {
      EXPECT_NE(decide(rules()[claim], n).figure, "") << what;
    }
  }
}

TEST(RetrievalClaims, AreUndecidedWhereANumberIsMissing) {
  const std::vector<std::set<size_t>> undecided = {
      {kFallsWithCandidates},
      {kFallsWithCandidates, kLargerPool},
      {kFallsWithCandidates, kFiltering, kWhitelistsAlike, kLargerPool},
      {kFiltering},
      {kBeatsWords},
      {kBeatsWords},
      {kMoreNegatives, kMoreData, kCrossEntropy},
      {kMatterMost, kCrossEntropy},
      {kMoreNegatives},
      {kMatterMost, kMoreNegatives},
      {kMoreData},
      {kMatterMost, kMoreData},
      {kNoHierarchy, kLstmAsSru},
      {kLstmAsSru},
      {kNoHierarchy},
      {kLargerPool},  // the best of the others decides
      {kTruthAdded, kWhitelistsAlike},
      {kTruthAdded, kClustersRecall},
      {kFrequencyCoverage},
      {kWhitelistsAlike, kTruthAddedToClusters},
      {kClustersRecall, kTruthAddedToClusters},
      {kFrequencyCoverage},
      {kMapHelps, kWordsAsFrozen},
      {kWordsAsFrozen},
      {kMapHelps, kWordsAsFrozen},
      {kWordsAsFrozen}};
  ASSERT_EQ(undecided.size(), kAllHold.size());
  for (size_t i = 0; i < kAllHold.size(); ++i) {
    VariantNumbers n = all_hold();
    n.set(kAllHold[i].variant, kAllHold[i].name, std::nullopt);
    EXPECT_EQ(claims_of(n, std::nullopt), undecided[i]) << i << kAllHold[i].name;
    EXPECT_TRUE(claims_of(n, false).empty()) << i << kAllHold[i].name;
    for (const size_t claim : undecided[i]) {
      EXPECT_EQ(decide(rules()[claim], n).figure, "") << i << kAllHold[i].name;
    }
  }
  VariantNumbers words;  // without any ranker
  words.set(kBase, "tf_idf", 0.3);
  words.set(kBase, "bm25", 0.4);
  EXPECT_EQ(claims_of(words, std::nullopt).size(), 17u);
}

// The papers print no numbers for words on this data, and no filter's beside all.
TEST(RetrievalClaims, HoldForThePrintedNumbers) {
  const VariantNumbers& printed = retrieval_showing().paper;
  EXPECT_EQ(claims_of(printed, std::nullopt),
            (std::set<size_t>{kBeatsWords, kFiltering, kLargerPool, kMapHelps, kWordsAsFrozen}));
  EXPECT_EQ(claims_of(printed, true).size(), 12u);
  EXPECT_EQ(decide(rules()[kLstmAsSru], printed).figure,
            "0.816 against 0.829; 0.829 against 0.816");
}

}  // namespace
}  // namespace heed
