#include "experiments/measure/tested_part.h"

#include "dialog/discriminate/confusion.h"
#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/measure/looks_json.h"
#include "experiments/measure/measure_json.h"
#include "train/number_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using discriminate::Passage;

namespace {

std::vector<discriminate::Prediction> predictions_of(const TestedPart& tested) {
  std::vector<discriminate::Prediction> predictions;
  for (size_t i = 0; i < tested.items.size(); ++i)
    predictions.push_back({tested.verdicts[i].p_real, tested.items[i].real});
  return predictions;
}

}  // namespace

TestNumbers test_numbers(const std::string& name, const std::vector<Passage>& items,
                         const std::vector<double>& p_real, uint64_t seed) {
  TestNumbers n{.row = {name}};
  ScoredItems scored;
  std::vector<int> cluster;
  for (size_t i = 0; i < items.size(); ++i) {
    n.row.items.emplace_back().add(items[i].real, p_real[i] >= 0.5);
    scored.add(items[i].real, p_real[i], items[i].conversation);
    cluster.push_back(items[i].conversation);
  }
  if (!scored.positive.empty() && !scored.negative.empty())
    n.ranks = rank_sum(scored.positive, scored.negative);
  n.auc = clustered_auc({std::move(scored)});
  measure(n.row, seed, cluster);
  return n;
}

void choose_threshold(TestNumbers& n, const TestedPart& valid, const TestedPart& test) {
  n.threshold = discriminate::best_threshold(predictions_of(valid));
  const auto counts = discriminate::confusion(predictions_of(test), n.threshold);
  n.accuracy_at = discriminate::scores(counts).accuracy.value();
}

std::string test_table(const std::vector<TestNumbers>& all, int width) {
  std::vector<JudgedRow> rows;
  for (const TestNumbers& n : all) rows.push_back(n.row);
  std::vector<std::string> auc = {"AUC"}, p = {"p (chance)"}, at = {"at threshold"};
  for (const TestNumbers& n : all) {
    auc.push_back(auc_text(n.ranks, n.auc));
    p.push_back(p_text(against_chance(n.row).p_value));
    at.push_back(n.accuracy_at ? decimal(*n.accuracy_at, 3) : "-");
  }
  auto table = columns_of(rows);
  table.insert(table.end(), {auc, p, at});
  return text_table(std::move(table), width);
}

Json to_json(const TestNumbers& n) {
  Json json = to_json(n.row);
  json["auc"] = n.ranks ? Json(n.ranks->auc) : Json();
  json["auc_interval"] = interval_json(n.auc);
  json["p_rank_sum"] = n.ranks ? Json(n.ranks->p_value) : Json();
  json["p_against_chance"] = against_chance(n.row).p_value;
  json["threshold"] = n.threshold;
  json["accuracy_at_threshold"] = or_null(n.accuracy_at);
  return json;
}

Json left_out_json(const discriminate::Part& part) {
  const discriminate::UnfitResponses& u = part.unfit;
  return {{"other_length", part.other_length},
          {"irreplaceable", part.irreplaceable},
          {"responses",
           {{"no_passage", u.no_passage},
            {"unknown", u.unknown},
            {"length", u.length},
            {"repeated", u.repeated},
            {"as_said", u.as_said}}}};
}

std::string analysis_text(const Json& analysis) {
  std::string text;
  for (const auto& [key, name] :
       {std::pair("judged_real", "judged real"), {"judged_fake", "judged fake"}}) {
    const Json& c = analysis[key];
    if (c.is_null()) continue;
    const auto number = [](const Json& x) {
      return x.is_null() ? std::string("-") : decimal(x.get<double>(), 3);
    };
    text += std::string(name) + " (" + std::to_string(c["items"].get<int64_t>()) +
            "): attention on the response " + number(c["attention"]["response"]) +
            " (even: " + number(c["tokens"]["response"]) + "), on the context " +
            number(c["attention"]["context"]) + " (even: " + number(c["tokens"]["context"]) +
            "), score of the response " + number(c["response_score"]) +
            "; cosine of context and response " + number(c["cosine"]) + "\n";
  }
  const Json& ranks = analysis["cosine_judged_real_against_fake"];
  if (ranks.is_null()) return text;
  return text +
         "cosines of the two classes, rank-sum test: " + p_equation(ranks["p"].get<double>()) +
         "\n";
}

Json prediction_json(const TestedPart& t, size_t i, discriminate::Reads reads) {
  const Passage& p = t.items[i];
  const std::vector<double>& attention = t.verdicts[i].attention;
  const std::optional<double>& cosine = t.cosines[i];
  return {{"id", p.id},
          {"item", p.id + (p.real ? "/real" : "/fake")},
          {"source", t.corpus},
          {"real", p.real},
          {"p_real", t.verdicts[i].p_real},
          {"attention", attention},
          {"mass", mass_json(attention_mass(p, reads, attention))},
          {"cosine", or_null(cosine)}};
}

std::vector<PassageView> views_of(const TestedPart& t, const discriminate::Discriminator& model,
                                  const Vocabulary& vocabulary) {
  const JudgedPassages judged{t.items, t.verdicts, t.cosines, model.config().reads()};
  std::vector<PassageView> views;
  for (const size_t place : surest(judged, 3)) views.push_back(view_of(judged, place, vocabulary));
  return views;
}

}  // namespace heed
