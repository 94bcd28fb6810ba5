#include "experiments/adversarial/paper.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/adversarial/scores.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kText[] =
#include "adversarial_evaluation.inc"
    ;

// "real.f1" -> json["real"]["f1"]
double number_at(const Json& json, const std::string& score) {
  const size_t dot = score.find('.');
  if (dot == score.npos) return json.at(score).get<double>();
  return json.at(score.substr(0, dot)).at(score.substr(dot + 1)).get<double>();
}

void read_table(const Json& rows, const Json& counts, const std::string& table,
                AdversarialPaper& paper) {
  VariantNumbers& numbers = paper.numbers.numbers;
  for (size_t c = 0; c < paper.corpora.size(); ++c) {
    const Json& row = rows.at(paper.corpora[c]);
    for (const char* judge : {"discriminator", "humans"}) {
      for (const char* score : kScoreNames)
        numbers.set(c, paper_key(table, judge, score), number_at(row.at(judge), score));
      numbers.set(c, agreement_key(table, judge), row.at("fleiss_pi").at(judge).get<double>());
    }
    numbers.set(c, paper_key(table, "discriminator", kChance),
                counts.at(paper.corpora[c])
                    .at("discriminator")
                    .at("p_value_accuracy_at_least_this_by_chance")
                    .get<double>());
  }
}

AdversarialPaper read() {
  const Json json = Json::parse(kText);
  AdversarialPaper paper{{{}, "data/adversarial-evaluation.json"}, {}, {}};
  const Json& table1 = json.at("table1_random_responses");
  for (const auto& [corpus, row] : table1.items()) paper.corpora.push_back(corpus);
  const Json& counts = json.at("derived").at("confusion");
  read_table(table1, counts.at("table1"), kPaperTables[0], paper);
  read_table(json.at("table2_generated_responses"), counts.at("table2"), kPaperTables[1], paper);
  VariantNumbers& numbers = paper.numbers.numbers;
  const auto switchboard = std::find(paper.corpora.begin(), paper.corpora.end(), "switchboard");
  // the misprint: "uncertain" of the file
  numbers.set_doubtful(static_cast<size_t>(switchboard - paper.corpora.begin()),
                       paper_key(kPaperTables[0], "humans", "real.recall"));
  for (size_t c = 0; c < paper.corpora.size(); ++c) {
    const Json& attention = json.at("analysis").at("attention_on_response");
    numbers.set(c, kAttentionReal, attention.at("classified_real").get<double>());
    numbers.set(c, kAttentionFake, attention.at("classified_fake").get<double>());
    numbers.set(c, kCosineP, 0.001);  // printed: p < .001 for all three
    numbers.set(c, kCosineHigher, 1);
  }
  for (const Json& claim : json.at("claims"))
    paper.claims[claim.at("id").get<std::string>()] = claim.at("claim").get<std::string>();
  return paper;
}

}  // namespace

const AdversarialPaper& adversarial_paper() {
  static const AdversarialPaper paper = read();
  return paper;
}

size_t paper_corpus(const std::string& name) {
  const auto& all = adversarial_paper().corpora;
  const auto found = std::find(all.begin(), all.end(), name);
  check_internal(found != all.end(), "a corpus that the paper has not");
  return static_cast<size_t>(found - all.begin());
}

std::string paper_key(const std::string& table, const std::string& judge,
                      const std::string& score) {
  return table + "." + judge + "." + score;
}

std::string agreement_key(const std::string& table, const std::string& judge) {
  return table + "." + judge + ".pi";
}

}  // namespace heed
