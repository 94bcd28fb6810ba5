#include "experiments/adversarial/evaluation.h"

#include <map>

#include "dialog/discriminate/confusion.h"
#include "dialog/discriminate/controls.h"
#include "dialog/respond/evaluate.h"
#include "experiments/adversarial/generated_json.h"
#include "experiments/adversarial/measurement_json.h"
#include "experiments/measure/looks_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using discriminate::Negatives;
using discriminate::Passage;
using Verdicts = std::vector<discriminate::Verdict>;

constexpr int64_t kBatch = 64;  // changes no result

using Passages = std::vector<Passage>;

// real, fake, real, fake ...: each passage of the part with its own response and with the other one
Passages items_of(const discriminate::Part& part, Negatives::Kind kind, uint64_t seed) {
  const discriminate::Replacements replacements = part.replacements(kind);
  return with_fakes(part.passages, replacements.replaceable(), replacements, seed);
}

std::vector<double> p_real_of(const Verdicts& verdicts) {
  std::vector<double> p;
  for (const auto& v : verdicts) p.push_back(v.p_real);
  return p;
}

// {"id", "real", "p_real", "utterances": [{"words": [...], "attention": [...]} ...]}
Json to_json(const PassageView& view) {
  Json utterances = Json::array();
  for (const auto& utterance : view.utterances) {
    Json words = Json::array(), attention = Json::array();
    for (const WordView& word : utterance) {
      words.push_back(word.text);
      attention.push_back(word.attention);
    }
    utterances.push_back({{"words", words}, {"attention", attention}});
  }
  return {{"id", view.id},
          {"real", view.real ? 1 : 0},
          {"p_real", view.p_real},
          {"utterances", utterances}};
}

// Everything that is measured for the model of one run.
class Judging {
 public:
  Judging(const AdversarialRun& run, const OnMeasuring& progress)
      : run_(run.run),
        out_(run.out),
        settings_(run.settings),
        data_(run.data),
        variant_(data_.variants.at(run_.variant)),
        loaded_(discriminate::Runs::load(run.directory)),
        progress_(progress) {
    if (!variant_.scenario)
      make_generated(out_, settings_, data_, run_.variant + run_.seed, run.device, progress);
    move(loaded_.model, run.device);
    for (size_t i = 0; i < data_.passages.size(); ++i)
      places_[{data_.passages[i].corpus, data_.passages[i].id}] = i;
  }

  void fill(Json& json) {
    json["parameters"] = parameter_count(loaded_.model);
    for (const JudgedPassage& p : data_.passages) {
      json["conversations"].push_back(p.conversation);
      json["corpora"].push_back(p.corpus);
    }
    if (variant_.scenario) return measure_scenario(json);
    for (const size_t corpus : variant_.corpora) {
      const std::string& name = settings_.corpora[corpus].name;
      json["generators"][name] = generators_json(out_, settings_, corpus);
      measure_corpus(corpus, json);
      json["thresholds"][name] = threshold(corpus);
    }
  }

 private:
  // For a scenario: its replacements of the responses take the place of the random ones.
  void measure_scenario(Json& json) {
    std::vector<std::string> paths;
    for (const NamedFolder& corpus : settings_.corpora) paths.push_back(corpus.path);
    const Negatives negatives = {variant_.scenario->kind};
    const Passages all = test_items(paths, negatives);
    for (const size_t corpus : variant_.corpora) {
      Passages items;
      for (const Passage& p : all)
        if (p.corpus == static_cast<int>(corpus)) items.push_back(p);
      record(corpus, kDiscriminator, kRandomSet, items, p_real_of(judge(items, kRandomSet)), json);
      for (const NamedFolder& g : settings_.generators)
        record(corpus, kDiscriminator, g.name, {}, {}, json);
    }
  }

  void measure_corpus(size_t corpus, Json& json) {
    const Passages random = test_items({settings_.corpora[corpus].path}, {});
    const Verdicts verdicts = judge(random, kRandomSet);
    record(corpus, kDiscriminator, kRandomSet, random, p_real_of(verdicts), json);
    for (const NamedFolder& g : settings_.generators) measure_generator(corpus, g, json);
    if (variant_.response_only) return;
    record_controls(corpus, kRandomSet, random, json);
    look(corpus, random, verdicts, json);
  }

  void measure_generator(size_t corpus, const NamedFolder& generator, Json& json) {
    const std::string& name = settings_.corpora[corpus].name;
    Passages generated;  // none if it has no response for this passage
    if (json["generators"][name][generator.name]["kept"].get<int64_t>() > 0) {
      generated =
          test_items({settings_.corpora[corpus].path},
                     {Negatives::Kind::kGenerated, responses_path(out_, generator.name, name)});
    }
    record(corpus, kDiscriminator, generator.name, generated,
           p_real_of(judge(generated, generator.name)), json);
    if (!variant_.response_only) record_controls(corpus, generator.name, generated, json);
  }

  Passages test_items(const std::vector<std::string>& corpora, const Negatives& negatives) const {
    return items_of(read_part(corpora, "test", loaded_.vocabulary, loaded_.model.config().passages,
                              negatives, settings_.test_dialogues()),
                    negatives.kind, kTestSeed);
  }

  // For the part that the classifier was trained with, with the random replacements of its corpus.
  Passages items_of_training(const discriminate::Part& part, size_t corpus) const {
    Passages items;
    for (const Passage& p : items_of(part, Negatives::Kind::kRandom, run_.seed)) {
      if (!variant_.together || p.corpus == static_cast<int>(corpus)) items.push_back(p);
    }
    return items;
  }

  Verdicts judge(const Passages& passages, const std::string& what) const {
    const auto all = static_cast<double>(passages.size());
    return verdicts_on(loaded_.model, passages, kBatch,
                       [&](int64_t done) { progress_(what, static_cast<double>(done) / all); });
  }

  void record(size_t corpus, const std::string& judge, const std::string& set,
              const Passages& items, const std::vector<double>& p_real, Json& json) const {
    for (const bool real : {true, false}) {
      Json& series = json["judged"][judge][set][real ? "real" : "fake"];
      if (series.is_null()) series = std::vector<Json>(data_.passages.size());
      for (size_t i = 0; i < items.size(); ++i) {
        if (items[i].real != real) continue;
        series[places_.at({static_cast<int>(corpus), items[i].id})] = p_real[i];
      }
    }
  }

  void record_controls(size_t corpus, const std::string& set, const Passages& items, Json& json) {
    const int64_t words = loaded_.vocabulary.size();
    const auto unigrams = [&](const auto& train, const auto& test) {
      return discriminate::unigram_control(train, test, words);
    };
    const bool random = set == kRandomSet;
    const Passages train =
        random ? items_of_training(data_.train_of(run_.variant).train, corpus) : Passages();
    const auto fitted = [&](const discriminate::ControlFit& fit) {
      return random ? fit(train, items) : fitted_crosswise(items, fit);
    };
    progress_("controls", 0);
    record(corpus, "length", set, items, fitted(discriminate::length_control), json);
    record(corpus, "unigram", set, items, fitted(unigrams), json);
    record(corpus, "shuffled-context", set, items,
           p_real_of(judge(shuffle_contexts(items, kTestSeed), "controls")), json);
  }

  void look(size_t corpus, const Passages& items, const Verdicts& verdicts, Json& json) const {
    const auto cosines = context_cosines(loaded_.model, items, kBatch);
    const JudgedPassages judged{items, verdicts, cosines, discriminate::Reads::kAll};
    const std::string& name = settings_.corpora[corpus].name;
    json["looks"][name] = looks_json(judged);
    for (const size_t place : surest(judged, 1))
      json["figure"][name].push_back(to_json(view_of(judged, place, loaded_.vocabulary)));
  }

  double threshold(size_t corpus) const {
    const Passages passages = items_of_training(data_.train_of(run_.variant).valid, corpus);
    std::vector<discriminate::Prediction> predictions;
    const Verdicts verdicts = judge(passages, "thresholds");
    for (size_t i = 0; i < passages.size(); ++i)
      predictions.push_back({verdicts[i].p_real, passages[i].real});
    return discriminate::best_threshold(predictions);
  }

  const PlannedRun& run_;
  const std::string& out_;
  const AdversarialSettings& settings_;
  const AdversarialData& data_;
  const JudgeVariant& variant_;
  discriminate::LoadedDiscriminator loaded_;
  const OnMeasuring& progress_;
  std::map<std::pair<int, std::string>, size_t> places_ = {};  // of data_.passages
};

}  // namespace

std::string judged_key(const std::string& judge, const std::string& set, bool real) {
  return "judged." + judge + "." + set + (real ? ".real" : ".fake");
}

std::string threshold_key(const std::string& corpus) {
  return "thresholds." + corpus;
}

std::string looks_key(const std::string& corpus, const std::string& number) {
  return "looks." + corpus + "." + number;
}

std::string generator_key(const std::string& corpus, const std::string& generator,
                          const std::string& number) {
  return "generators." + corpus + "." + generator + "." + number;
}

void measure_classifier(const AdversarialRun& run, const OnMeasuring& progress, Json& json) {
  Judging(run, progress).fill(json);
}

}  // namespace heed
