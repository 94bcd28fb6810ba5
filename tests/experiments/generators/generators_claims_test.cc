// Four papers as descriptions: their claims decide the papers' own numbers as the papers do, and
// every number of a table and of a claim is one that is measured.
#include <gtest/gtest.h>

#include <set>

#include "experiments/generators/evaluation_json.h"

namespace heed::generators {
namespace {

enum : size_t { kHredgan, kThred, kKeywords, kExpressive, kPapers };
const Paper& paper(size_t p) {
  const Paper* const all[] = {&hredgan(), &thred(), &keywords(), &expressive()};
  return *all[p];
}

// With those of files that runs of older versions lack.
std::vector<std::string> all_values() {
  std::vector<std::string> all = measured_values();
  for (const std::string& name : added_items()) all.push_back(name);
  for (const std::string key : {"bleu", "nist", "distinct_1", "distinct_2", "ent_4"}) {
    all.push_back("mmi." + key);
  }
  for (const std::string kind : {"sentiment", "domain"}) all.push_back("told." + kind + ".people");
  for (const std::string wanted : {"negative", "neutral", "positive"}) {
    for (const std::string as : {"negative", "neutral", "positive"}) {
      all.push_back("told.sentiment." + wanted + "." + as);
    }
  }
  return all;
}

TEST(GeneratorPapers, PlacesAreThoseOfTheVariants) {
  const std::vector<std::vector<std::string>> names = {
      {"hred", "attention", "ranker-u", "ranker-w", "gan", "gan-u", "gan-w"},
      {"seq2seq-gru", "seq2seq", "ta-seq2seq", "hred", "dynamic-ui", "thred", "thred-once",
       "thred-topics"},
      {"seq2seq", "weight-0", "weight-0.1", "weight-0.5"},
      {"gate", "gate-weight-0", "one-softmax"}};
  for (size_t p = 0; p < kPapers; ++p) {
    ASSERT_EQ(paper(p).variants.size(), names[p].size());
    for (size_t v = 0; v < names[p].size(); ++v) {
      EXPECT_EQ(paper(p).variants[v].name.name, names[p][v]);
      Structure::parse(paper(p).variants[v].structure);
    }
  }
}

TEST(GeneratorPapers, ColumnsAndComparisonsAreMeasured) {
  const auto list = all_values();
  const std::set<std::string> values(list.begin(), list.end());
  EXPECT_EQ(values.size(), list.size());
  for (size_t p = 0; p < kPapers; ++p) {
    for (const Table& table : paper(p).tables) {
      for (const Column& c : table.columns) EXPECT_TRUE(values.contains(c.key)) << c.key;
    }
    for (const std::string& key : paper(p).compared) EXPECT_TRUE(values.contains(key)) << key;
  }
}

// A number is there for each claim once it is there for all.
TEST(GeneratorPapers, ClaimsReadWhatIsMeasured) {
  for (size_t p = 0; p < kPapers; ++p) {
    VariantNumbers all;
    for (size_t v = 0; v < paper(p).variants.size(); ++v) {
      double x = 1 + static_cast<double>(v);
      for (const std::string& key : all_values()) all.set(v, key, x += 0.01);
    }
    for (const AboveClaim& rule : paper(p).claims) {
      EXPECT_NE(decide(rule, all).figure, "") << rule.claim;
      EXPECT_EQ(decide(rule, VariantNumbers()).figure, "") << rule.claim;
    }
  }
}

// docs of the papers: "claims" of the specification, verdict_on_printed.
TEST(GeneratorPapers, ClaimsOfThePapersHoldForTheirOwnNumbers) {
  const auto verdicts = [](size_t p) {
    const VariantNumbers printed = paper_numbers(paper(p).name, variant_names(paper(p).variants));
    std::vector<int> all;  // 1 holds, 0 does not, -1 undecided, -2 no numbers
    for (const AboveClaim& rule : paper(p).claims) {
      const ClaimResult r = decide(rule, printed);
      all.push_back(r.figure.empty() ? -2 : r.holds ? *r.holds : -1);
    }
    return all;
  };
  EXPECT_EQ(verdicts(kHredgan), (std::vector<int>{1, 1, 1, 1, 1, -2, -2, -2}));
  EXPECT_EQ(verdicts(kThred), (std::vector<int>{1, 1, 1, 1, 1, -2, -2}));
  EXPECT_EQ(verdicts(kKeywords), (std::vector<int>{1, 1, 0, 1, 1, 1, -2, -2}));
  EXPECT_EQ(verdicts(kExpressive), (std::vector<int>{1, -2, -2, -2, -2, -2}));
}

}  // namespace
}  // namespace heed::generators
