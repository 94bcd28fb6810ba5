// Four papers as descriptions: their claims decide the papers' own numbers as the papers do, and
// every number of a table and of a claim is one that is measured.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dialog/text/format.h"
#include "experiments/generators/evaluation_json.h"

namespace heed::generators {
namespace {

enum : size_t { kHredgan, kThred, kKeywords, kExpressive, kPapers };
const Paper& paper(size_t p) {
  return papers().at(p);
}
const Showing<>& showing_of(size_t p) {
  static std::map<size_t, Showing<>> shown;
  return shown.try_emplace(p, showing(paper(p))).first->second;
}
const std::vector<AboveClaim>& claims_of(size_t p) {
  return showing_of(p).rules;
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
    size_t columns = 0;
    for (const Table& table : tables_without_rows(paper(p).report, {})) {
      if (table.id == "runs") continue;  // the trainings
      for (const Column& c : table.columns) {
        EXPECT_TRUE(values.contains(c.key)) << c.key;
        ++columns;
      }
    }
    EXPECT_GT(columns, 10u);
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
    for (const AboveClaim& rule : claims_of(p)) {
      EXPECT_NE(decide(rule, all).figure, "") << rule.claim;
      EXPECT_EQ(decide(rule, VariantNumbers()).figure, "") << rule.claim;
    }
  }
}

// "gate.control > 0.33": what the parts of a claim compare, by the names of variants.
std::string compared_by(size_t p, size_t claim) {
  std::string text;
  for (const Above& part : claims_of(p).at(claim).parts) {
    const auto name = [&](size_t variant) {
      return std::string(paper(p).variants.at(variant).name.name) + ".";
    };
    text += (text.empty() ? "" : "; ") + name(part.variant) + part.key + " > ";
    if (part.times != 1) text += decimal(part.times, 2) + " ";
    text += part.than ? name(*part.than) + (part.than_key.empty() ? part.key : part.than_key)
                      : decimal(part.by, 2);
  }
  return text;
}

// Each rule, said once more: its numbers and no others. The papers print none for those of ours.
TEST(GeneratorPapers, ClaimsCompareWhatTheirRulesSay) {
  const auto expect = [](size_t p, const std::vector<std::string>& claims) {
    for (size_t claim = 0; claim < claims.size(); ++claim) {
      EXPECT_EQ(compared_by(p, claim), claims[claim]) << claims_of(p)[claim].rule;
    }
    EXPECT_EQ(claims_of(p).size(), claims.size());
  };
  // "a > b" of each key and each of the others.
  const auto above = [](const std::string& a, const std::vector<std::string>& others,
                        const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& b : others) {
      for (const std::string& key : keys) {
        text += (text.empty() ? "" : "; ") + a + key + " > " + b + key;
      }
    }
    return text;
  };
  const auto both = [](const std::string& a, const std::string& b) { return a + "; " + b; };
  expect(kHredgan,
         {"hred.perplexity > attention.perplexity",
          "hred.perplexity > gan-u.perplexity; hred.perplexity > gan-w.perplexity",
          "gan.perplexity > 0.98 attention.perplexity; attention.perplexity > 0.98 gan.perplexity",
          above("gan-w.best_d.", {"gan-u.best_d."}, {"bleu_2", "rouge_2", "distinct_2_of_pairs"}),
          "gan-u.perplexity > attention.perplexity; gan-w.perplexity > attention.perplexity",
          both("ranker-u.best_d.bleu_2 > ranker-u.random.bleu_2",
               "ranker-w.best_d.bleu_2 > ranker-w.random.bleu_2"),
          both("ranker-u.best_d.bleu_2 > ranker-u.best_logp.bleu_2",
               "ranker-w.best_d.bleu_2 > ranker-w.best_logp.bleu_2"),
          both("ranker-u.words.auc_taught > ranker-u.words.auc_free",
               "ranker-w.words.auc_taught > ranker-w.words.auc_free")});
  const auto below = [](const std::string& key) {
    std::string text;
    for (const std::string other : {"seq2seq-gru.", "ta-seq2seq.", "hred."}) {
      text += (text.empty() ? "" : "; ") + other + key + " > thred-topics." + key;
    }
    return text;
  };
  const std::vector<std::string> distinct = {"distinct_1", "distinct_2"};
  expect(
      kThred,
      {below("perplexity"),
       above("thred-topics.own.", {"seq2seq-gru.own.", "ta-seq2seq.own.", "hred.own."}, distinct),
       above("thred-topics.own.", {"ta-seq2seq.own."}, distinct), below("distances.ss_last"),
       both("hred.perplexity > seq2seq-gru.perplexity",
            "seq2seq-gru.own.distinct_2 > hred.own.distinct_2"),
       "thred-once.perplexity > thred.perplexity",
       both("thred.exchange.history > dynamic-ui.exchange.history",
            "dynamic-ui.looks.history > thred.looks.history")});
  const std::vector<std::string> five = {"bleu", "nist", "distinct_1", "distinct_2", "ent_4"};
  const auto better = [&](const std::vector<std::string>& keys) {
    return above("weight-0.1.own.", {"seq2seq.own."}, keys);
  };
  expect(kKeywords,
         {better({"bleu", "nist"}), better({"distinct_1", "distinct_2", "ent_4"}),
          better({"mean_length"}), better({"repetition"}),
          above("weight-0.1.own.", {"seq2seq.mmi."}, five),
          above("weight-0.1.mmi.", {"weight-0.1.own.", "seq2seq.own.", "seq2seq.mmi."}, five),
          better({"pmi_coherence"}),
          both("weight-0.1.own.pmi_coherence > weight-0.own.pmi_coherence",
               "weight-0.5.own.pmi_coherence > weight-0.own.pmi_coherence")});
  expect(kExpressive,
         {"gate.control > 0.33", "gate.told.sentiment.all > 0.33",
          "gate.told.domain.above_chance > 0.00",
          "gate.sentiment_words.neutral > gate-weight-0.sentiment_words.neutral",
          "gate.control > one-softmax.control", "gate.perplexity > one-softmax.perplexity"});
}

// docs of the papers: "claims" of the specification, verdict_on_printed.
TEST(GeneratorPapers, ClaimsOfThePapersHoldForTheirOwnNumbers) {
  const auto verdicts = [](size_t p) {
    const VariantNumbers& printed = showing_of(p).paper;
    std::vector<int> all;  // 1 holds, 0 does not, -1 undecided, -2 no numbers
    for (const AboveClaim& rule : claims_of(p)) {
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
