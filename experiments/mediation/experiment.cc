#include <cmath>
#include <map>

#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/mediation.h"
#include "dialog/respond/responses.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/text/tokenizer.h"
#include "experiments/measure/exchanges.h"
#include "experiments/measure/places.h"
#include "experiments/mediation/mediation.h"
#include "experiments/responders_json.h"

namespace heed::mediation {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kInsertProb = 0.7;  // of each of two distractions, as in most of the paper's sets
constexpr double kThousandths = 1000;  // the unit of harm: thousandths of a nat
constexpr char kGenerationSet[] = "random:1.0";

using Settings = DistractedTests;
using Run = Subject<Settings, ResponseData>;

TrainSettings settings_of(const Settings& settings, size_t v) {
  const Variant& variant = variants()[v];
  TrainSettings s = settings.train;
  s.model.structure = variant.structure;
  s.insert_prob = variant.condition == Condition::kNone ? 0 : kInsertProb;
  s.own_distractions = variant.condition == Condition::kPlacebo;
  if (variant.condition == Condition::kInsertion) s.attention_weight = 0;
  return s;
}

// The amount that distractions add to -log p of each response under each reading, in thousandths,
// per list and per token; and the attention.
Json set_json(LstmResponder& model, const std::vector<Example>& distracted,
              const std::vector<MediatedScore>& mediated, double tokens) {
  const auto scores = score(model, distracted, kMeasuringBatch);
  Json json = to_json(summarize(scores));
  put_attention(json, scores);
  const auto add = [&](const std::string& name, size_t reading, size_t less) {
    Json list = Json::array();
    double sum = 0;
    for (const MediatedScore& one : mediated) {
      const double harm = kThousandths * (one.nll[reading] - one.nll[less]);
      list.push_back(rounded(harm));
      sum += harm;
    }
    json["harm"][name] = sum / tokens;
    json["harms"][name] = std::move(list);
  };
  constexpr size_t kUnseen = 1, kUnread = 2, kClean = kReadings.size() - 1;
  for (size_t r = 0; r < kClean; ++r) add(std::string(kReadings[r]), r, kClean);
  add(kUnreadLessUnseen, kUnread, kUnseen);
  return json;
}

// Greedy responses to the dialogues without and with distractions.
Json responses_json(LoadedModel& loaded, const std::vector<Example>& clean,
                    const std::vector<Example>& distracted, const ResponseData& data,
                    int64_t max_length) {
  DecodeOptions greedy;
  greedy.max_length = max_length;
  std::vector<Tokens> written[2];
  Json json;
  for (const bool with : {false, true}) {
    written[with] = respond(*loaded.model, with ? distracted : clean, loaded.vocabulary, greedy,
                            kMeasuringBatch);
    const ResponseQuality quality = measure_responses(written[with], data.references);
    json[with ? "distracted" : "clean"] = {{"bleu", quality.bleu.value()},
                                           {"distinct_2", quality.distinct_2},
                                           {"mean_length", quality.mean_length}};
  }
  for (size_t i = 0; i < clean.size(); ++i) {
    json["changed"].push_back(written[0][i] != written[1][i] ? 1 : 0);
    json["all"].push_back(1);
  }
  double changed = 0;
  for (const Json& one : json["changed"]) changed += one.get<double>();
  json["share_changed"] = changed / static_cast<double>(clean.size());
  return json;
}

void measure(const Run& run, const OnMeasuring& progress, Json& json) {
  const ResponseData& data = run.data;
  LoadedModel loaded = load_model(run.directory);
  auto* model = dynamic_cast<LstmResponder*>(loaded.model.get());
  check_internal(model != nullptr, "mediation: the structures are LSTMs with attention");
  move(*model, run.device);
  json["conversations"] = data.conversations;
  const Phrases phrases = run.settings.phrases_in(loaded.vocabulary);
  double done = 0, nll = 0, tokens = 0;
  for (const Example& example : data.test) {
    json["tokens"].push_back(example.response.size() + 1);  // <eos>
    tokens += static_cast<double>(example.response.size() + 1);
  }
  for (const char* set : kSets) {
    progress(set, done++ / std::size(kSets));
    const auto inserted =
        distracted(data.test, parse_test_set(set), data.train.pool, phrases, kTestSeed);
    const auto mediated = mediate(*model, inserted, data.test, kMeasuringBatch);
    json["test_sets"][set] = set_json(*model, inserted, mediated, tokens);
    if (set == std::string(kGenerationSet)) {
      json["responses"] =
          responses_json(loaded, data.test, inserted, data, run.settings.max_response);
    }
    if (json.contains("nll")) continue;
    for (const MediatedScore& one : mediated) {
      json["nll"].push_back(rounded(one.nll.back()));
      nll += one.nll.back();
    }
  }
  json["perplexity"] = std::exp(nll / tokens);
}

// exchange.json: what an exchanged utterance adds to -log p, in thousandths as the harm, and the
// attention score that it has.
void measure_exchanges(const Run& run, const OnMeasuring& progress, Json& json) {
  const ResponseData& data = run.data;
  const LoadedModel loaded = load_model(run.directory);
  move(*loaded.model, run.device);
  progress("exchanged utterances", 0.9);
  const auto scores = score(*loaded.model, data.test, kMeasuringBatch);
  double tokens = 0;
  for (const DialogueScore& s : scores) tokens += static_cast<double>(s.nll.size());
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    const Exchanges e =
        exchange(*loaded.model, data.test, scores, data.train.pool, which, kMeasuringBatch);
    Json& of = json[name_of(which)];
    double sum = 0;
    for (const double added : e.added) {
      of["harms"].push_back(rounded(kThousandths * added));
      sum += kThousandths * added;
    }
    of["harm"] = sum / tokens;
    put_mean(of, "look", e.looks);
  }
}

// What was measured at places, summed.
struct PlaceSums {
  double places = 0, added = 0, tokens = 0, looks = 0, history_looks = 0;

  void add(const AtPlaces& at, size_t place, double tokens_there) {
    ++places;
    added += kThousandths * at.added[place];
    tokens += tokens_there;
    looks += at.looks[place];
    history_looks += at.history_looks[place];
  }
};

double sum_of(const Json& list) {
  double sum = 0;
  for (const Json& one : list) sum += one.is_null() ? 0 : one.get<double>();
  return sum;
}

// places.json: of each source the harm of an utterance and its attention score. The lists have the
// mean over a dialogue's places, `map` that over the dialogues, for each length of a history and
// each place in it.
void measure_places(const Run& run, const OnMeasuring& progress, Json& json) {
  const ResponseData& data = run.data;
  const LoadedModel loaded = load_model(run.directory);
  move(*loaded.model, run.device);
  progress("utterances at every place", 0.95);
  const auto found = insert_everywhere(*loaded.model, data.test, data.train.pool, kMeasuringBatch);
  const Json nothing(data.test.size(), Json());
  json["tokens"] = nothing;
  for (size_t s = 0; s < kSources.size(); ++s) {
    Json& of = json[kSources[s]];
    const Json& own = json[kSources[kOwnSource]];
    for (const char* list : {"harms", "harms_less_own", "looks", "history_looks"}) {
      of[list] = nothing;
    }
    std::map<size_t, std::map<size_t, PlaceSums>> map;
    for (const AtPlaces& at : found[s]) {
      PlaceSums sums;
      const size_t i = at.example, places = at.added.size();
      const double tokens = static_cast<double>(data.test[i].response.size() + 1);
      for (size_t place = 0; place < places; ++place) {
        sums.add(at, place, tokens);
        map[places - 1][place].add(at, place, tokens);
      }
      json["tokens"][i] = tokens;
      of["harms"][i] = rounded(sums.added / sums.places);
      of["harms_less_own"][i] = of["harms"][i].get<double>() - own["harms"][i].get<double>();
      of["looks"][i] = rounded(sums.looks / sums.places);
      of["history_looks"][i] = rounded(sums.history_looks / sums.places);
    }
    const double tokens = sum_of(json["tokens"]);
    of["harm"] = sum_of(of["harms"]) / tokens;
    of["harm_less_own"] = sum_of(of["harms_less_own"]) / tokens;
    of["das_ratio"] = sum_of(of["looks"]) / sum_of(of["history_looks"]);
    of["over_own"] = sum_of(of["looks"]) / sum_of(own["looks"]);
    for (const auto& [history, places] : map) {
      for (const auto& [place, sums] : places) {
        of["map"][std::to_string(history)][std::to_string(place)] = {
            {"dialogues", sums.places},
            {"harm", sums.added / sums.tokens},
            {"look", sums.looks / sums.places},
            {"history_look", sums.history_looks / sums.places}};
      }
    }
  }
}

Json training(const Settings& s) {
  Json json = training_options(s.train);
  json.erase("preset");
  json.update({{"vocab", s.train.model.vocab_size}, {"insert-prob", kInsertProb}});
  return json;
}

Making<Settings, ResponseData> making() {
  auto making = responders_making<Settings, ResponseData, settings_of>();
  making.visit = visit_distracted_tests;
  making.names = variant_names();
  making.load = [](const Settings& s, bool reads) { return reads ? s.load() : ResponseData(); };
  making.training = training;
  making.earlier = [](const Settings&) -> Json { return options_before(TrainSettings()); };
  making.more = {{"test_seed", kTestSeed}};
  making.measurements = {{"evaluation.json", measure},
                         {"exchange.json", measure_exchanges},
                         {"places.json", measure_places}};
  making.kind = [](const Settings&, const ResponseData&, size_t v) {
    return std::string(variants()[v].structure.name);
  };
  return making;
}

}  // namespace

Experiment mediation_experiment() {
  return experiment(
      {.name = "mediation",
       .what = "Measure how distractions do harm, after four kinds of training",
       .more = "Four structures are trained in four ways: on the original data, with distractions "
               "inserted, with distractions and the attention loss, and with a placebo of the "
               "loss. Every test dialogue is read in five ways (docs/results/mediation.md).",
       .example = "--data data/ubuntu-sample --preset smoke",
       .only = "\"static-ui*,*-placebo\"",
       .trains = Trains::kResponders},
      making(), showing);
}

}  // namespace heed::mediation
