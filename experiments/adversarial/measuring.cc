#include <map>

#include "dialog/discriminate/confusion.h"
#include "dialog/discriminate/controls.h"
#include "dialog/respond/evaluate.h"
#include "experiments/adversarial/making_json.h"
#include "experiments/measure/looks_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using discriminate::Negatives;
using Passages = std::vector<discriminate::Passage>;
using Verdicts = std::vector<discriminate::Verdict>;

constexpr int64_t kBatch = 64;  // changes no result

// real, fake, real, fake ...: each passage of the part with its own response and with the other one
Passages items_of(const discriminate::Part& part, Negatives::Kind kind, uint64_t seed) {
  const discriminate::Replacements replacements = part.replacements(kind);
  return with_fakes(part.passages, replacements.replaceable(), replacements, seed);
}

Passages of_corpus(const Passages& all, size_t corpus) {
  Passages items;
  for (const discriminate::Passage& p : all)
    if (p.corpus == static_cast<int>(corpus)) items.push_back(p);
  return items;
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

// The passages whose own responses were judged, by id, each with the context that it was judged in:
// generators answer the same passages, whose own responses need not be judged again.
struct Said {
  std::vector<discriminate::TokenIds> context;
  double p_real;
};
using AsSaid = std::map<std::string, Said>;
AsSaid as_said(const Passages& judged, const std::vector<double>& p_real) {
  AsSaid said;
  for (size_t i = 0; i < judged.size(); ++i) {
    if (judged[i].real) said[judged[i].id] = {judged[i].context, p_real[i]};
  }
  return said;
}

// Everything that is measured for the model of one run.
class Judging {
 public:
  Judging(const AdversarialRun& run, const OnMeasuring& progress, Json& json)
      : run_(run),
        settings_(run.settings),
        variant_(run.data.variants.at(run.run.variant)),
        loaded_(discriminate::Runs::load(run.directory)),
        progress_(progress),
        json_(json) {
    move(loaded_.model, run.device);
    for (size_t i = 0; i < run.data.passages.size(); ++i)
      places_[{run.data.passages[i].corpus, run.data.passages[i].id}] = i;
  }

  void measure() {
    json_["parameters"] = parameter_count(loaded_.model);
    for (const JudgedPassage& p : run_.data.passages) {
      json_["conversations"].push_back(p.conversation);
      json_["corpora"].push_back(p.corpus);
    }
    if (variant_.scenario) return measure_scenario();
    for (const size_t corpus : variant_.corpora) {
      const std::string& name = settings_.corpora[corpus].name;
      json_["generators"][name] = generators_json(run_, corpus);
      measure_corpus(corpus);
      json_["thresholds"][name] = threshold(corpus);
    }
  }

 private:
  // For a scenario: its replacements of the responses take the place of the random ones.
  void measure_scenario() {
    std::vector<std::string> paths;
    for (const NamedFolder& corpus : settings_.corpora) paths.push_back(corpus.path);
    const Passages all = test_items(paths, {variant_.scenario->kind});
    for (const size_t corpus : variant_.corpora) {
      const Passages items = of_corpus(all, corpus);
      record(corpus, kDiscriminator, kRandomSet, items, p_real_of(judge(items, kRandomSet)));
      for (const NamedFolder& g : settings_.generators)
        record(corpus, kDiscriminator, g.name, {}, {});
    }
  }

  void measure_corpus(size_t corpus) {
    const Passages random = test_items({settings_.corpora[corpus].path}, {});
    const Verdicts verdicts = judge(random, kRandomSet);
    record(corpus, kDiscriminator, kRandomSet, random, p_real_of(verdicts));
    const AsSaid said = as_said(random, p_real_of(verdicts));
    AsSaid elsewhere;
    if (!variant_.response_only) {
      const Passages shuffled = shuffle_contexts(random, kTestSeed);
      const auto p_real = p_real_of(judge(shuffled, "controls"));
      elsewhere = as_said(shuffled, p_real);
      record(corpus, kShuffledContext, kRandomSet, shuffled, p_real);
      record_fitted(corpus, kRandomSet, random);
      look(settings_.corpora[corpus].name, random, verdicts);
    }
    for (const NamedFolder& g : settings_.generators) {
      const Passages generated = generated_items(corpus, g.name);
      record(corpus, kDiscriminator, g.name, generated, judge(generated, said, g.name));
      if (variant_.response_only) continue;
      record_fitted(corpus, g.name, generated);
      record(corpus, kShuffledContext, g.name, generated, judge(generated, elsewhere, g.name));
    }
  }

  // None if the generator has no response for this passage.
  Passages generated_items(size_t corpus, const std::string& generator) const {
    const auto& [name, path] = settings_.corpora[corpus];
    if (json_["generators"][name][generator]["kept"].get<int64_t>() == 0) return {};
    return test_items({path},
                      {Negatives::Kind::kGenerated, responses_path(run_.out, generator, name)});
  }

  Passages test_items(const std::vector<std::string>& corpora, const Negatives& negatives) const {
    return items_of(read_part(corpora, "test", loaded_.vocabulary, loaded_.model.config().passages,
                              negatives, settings_.test_dialogues()),
                    negatives.kind, kTestSeed);
  }

  // For the part that the classifier was trained with, with the random replacements of its corpus.
  Passages items_of_training(const discriminate::Part& part, size_t corpus) const {
    const Passages all = items_of(part, Negatives::Kind::kRandom, run_.run.seed);
    return variant_.together ? of_corpus(all, corpus) : all;
  }

  Verdicts judge(const Passages& passages, const std::string& what) const {
    return verdicts_on(loaded_.model, passages, kBatch, [&](int64_t done, int64_t of) {
      progress_(what, static_cast<double>(done) / static_cast<double>(of));
    });
  }

  // p(real) of items, each in the context that its passage has in `said`, if it is there.
  std::vector<double> judge(const Passages& items, const AsSaid& said,
                            const std::string& what) const {
    Passages others;
    for (const discriminate::Passage& p : items) {
      const auto found = said.find(p.id);
      if (p.real && found != said.end()) continue;
      others.push_back(p);
      if (found != said.end()) others.back().context = found->second.context;
    }
    const std::vector<double> of_others = p_real_of(judge(others, what));
    std::vector<double> p_real;
    size_t next = 0;
    for (const discriminate::Passage& p : items) {
      const bool known = p.real && said.contains(p.id);
      p_real.push_back(known ? said.at(p.id).p_real : of_others[next++]);
    }
    return p_real;
  }

  void record(size_t corpus, const std::string& judge, const std::string& set,
              const Passages& items, const std::vector<double>& p_real) {
    for (const bool real : {true, false}) {
      Json& series = json_["judged"][judge][set][real ? "real" : "fake"];
      if (series.is_null()) series = std::vector<Json>(run_.data.passages.size());
      for (size_t i = 0; i < items.size(); ++i) {
        if (items[i].real != real) continue;
        series[places_.at({static_cast<int>(corpus), items[i].id})] =
            set == kRandomSet ? Json(p_real[i]) : rounded(p_real[i]);  // of many generators
      }
    }
  }

  // The controls that are fitted: to the training part, which has no generated responses.
  void record_fitted(size_t corpus, const std::string& set, const Passages& items) {
    const bool random = set == kRandomSet;
    const Passages train =
        random ? items_of_training(run_.data.train_of(run_.run.variant).train, corpus) : Passages();
    const auto fitted = [&](const discriminate::ControlFit& fit) {
      return random ? fit(train, items) : fitted_crosswise(items, fit);
    };
    progress_("controls", 0);
    record(corpus, "length", set, items, fitted(discriminate::length_control));
    record(corpus, "unigram", set, items, fitted([&](const auto& train, const auto& test) {
             return discriminate::unigram_control(train, test, loaded_.vocabulary.size());
           }));
  }

  void look(const std::string& corpus, const Passages& items, const Verdicts& verdicts) {
    const auto cosines = context_cosines(loaded_.model, items, kBatch);
    const JudgedPassages judged{items, verdicts, cosines, discriminate::Reads::kAll};
    json_["looks"][corpus] = looks_json(judged);
    for (const size_t place : surest(judged, 1))
      json_["figure"][corpus].push_back(to_json(view_of(judged, place, loaded_.vocabulary)));
  }

  double threshold(size_t corpus) const {
    const Passages passages = items_of_training(run_.data.train_of(run_.run.variant).valid, corpus);
    std::vector<discriminate::Prediction> predictions;
    const Verdicts verdicts = judge(passages, "thresholds");
    for (size_t i = 0; i < passages.size(); ++i)
      predictions.push_back({verdicts[i].p_real, passages[i].real});
    return discriminate::best_threshold(predictions);
  }

  const AdversarialRun& run_;
  const AdversarialSettings& settings_;
  const JudgeVariant& variant_;
  discriminate::LoadedDiscriminator loaded_;
  const OnMeasuring& progress_;
  Json& json_;
  std::map<std::pair<int, std::string>, size_t> places_ = {};  // of the test passages
};

}  // namespace

void measure_classifier(const AdversarialRun& run, const OnMeasuring& progress, Json& json) {
  if (!run.data.variants.at(run.run.variant).scenario) make_generated(run, progress);
  Judging(run, progress, json).measure();
}

}  // namespace heed
