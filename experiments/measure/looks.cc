#include "experiments/measure/looks_json.h"

#include <algorithm>

#include "experiments/engine/stats/hypothesis.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using discriminate::Mass;
using discriminate::Passage;

// The rank-sum test of the numbers of two classes of items; null if one class is empty.
Json ranks_json(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) return {};
  const RankSum ranks = rank_sum(first, second);
  return {{"first_is_larger", ranks.auc}, {"p", ranks.p_value}};
}

// A class of items: sums of the quantities to be averaged.
struct ClassMeans {
  int64_t items = 0;
  Mass mass = {}, tokens = {};
  double score = 0;
  std::vector<double> cosines = {};

  void add(const Mass& of, const Mass& share, double response_score,
           const std::optional<double>& cosine) {
    const auto plus = [](Mass& sum, const Mass& x) {
      sum.context += x.context;
      sum.response += x.response;
      sum.sos += x.sos;
      sum.eou += x.eou;
    };
    ++items;
    plus(mass, of);
    plus(tokens, share);
    score += response_score;
    if (cosine) cosines.push_back(*cosine);
  }
  Json to_json() const {
    if (items == 0) return {};
    const auto n = static_cast<double>(items);
    return {{"items", items},
            {"attention", mass_json(mass, n)},
            {"tokens", mass_json(tokens, n)},
            {"response_score", score / n},
            {"cosine", cosines.empty() ? Json() : Json(spread(cosines)->mean)}};
  }
};

}  // namespace

Json mass_json(const Mass& m, double n) {
  return {{"context", m.context / n},
          {"response", m.response / n},
          {"sos", m.sos / n},
          {"eou", m.eou / n}};
}

Json looks_json(const JudgedPassages& judged) {
  ClassMeans real, fake, judged_real, judged_fake;
  for (size_t i = 0; i < judged.passages.size(); ++i) {
    const Passage& p = judged.passages[i];
    const discriminate::Verdict& v = judged.verdicts[i];
    const Mass mass = attention_mass(p, judged.reads, v.attention),
               share = token_shares(p, judged.reads);
    const double score = response_score(p, judged.reads, mass);
    for (ClassMeans* c : {p.real ? &real : &fake, v.p_real >= 0.5 ? &judged_real : &judged_fake})
      c->add(mass, share, score, judged.cosines[i]);
  }
  return {
      {"real", real.to_json()},
      {"fake", fake.to_json()},
      {"judged_real", judged_real.to_json()},
      {"judged_fake", judged_fake.to_json()},
      {"cosine_real_against_fake", ranks_json(real.cosines, fake.cosines)},
      {"cosine_judged_real_against_fake", ranks_json(judged_real.cosines, judged_fake.cosines)}};
}

std::vector<size_t> surest(const JudgedPassages& judged, size_t of_each) {
  std::vector<size_t> found;
  for (const bool real : {true, false}) {
    for (const bool judged_real : {true, false}) {
      std::vector<size_t> places;
      for (size_t i = 0; i < judged.passages.size(); ++i) {
        if (judged.passages[i].real == real && (judged.verdicts[i].p_real >= 0.5) == judged_real)
          places.push_back(i);
      }
      std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
        const double x = judged.verdicts[a].p_real, y = judged.verdicts[b].p_real;
        return judged_real ? x > y : x < y;
      });
      places.resize(std::min(places.size(), of_each));
      found.insert(found.end(), places.begin(), places.end());
    }
  }
  return found;
}

PassageView view_of(const JudgedPassages& judged, size_t place, const Vocabulary& vocabulary) {
  const Passage& p = judged.passages[place];
  const discriminate::Verdict& v = judged.verdicts[place];
  PassageView view{p.id, {}, p.real, v.p_real};
  size_t at = 0;
  for (const discriminate::TokenIds& utterance : sequence_of(p, judged.reads).context) {
    std::vector<WordView>& words = view.utterances.emplace_back();
    for (const int32_t id : utterance) words.push_back({vocabulary.token(id), v.attention[at++]});
    words.push_back({vocabulary.token(kEou), v.attention[at++]});
  }
  return view;
}

}  // namespace heed
