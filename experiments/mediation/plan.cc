#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/data/conversations.h"
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/mediation.h"
#include "dialog/respond/responses.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/runs/evaluation_json.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/mediation/mediation.h"
#include "train/run_json.h"
#include "train/settings_json.h"

namespace heed::mediation {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kBatch = 32;         // changes no result
constexpr double kInsertProb = 0.7;    // of each of two distractions, as most of the paper's
constexpr double kThousandths = 1000;  // the unit of harm: thousandths of a nat
constexpr char kGenerationSet[] = "random:1.0";

Json rounded(double value) {
  if (!std::isfinite(value)) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

TrainSettings run_settings(const Settings& settings, const Data& data, const PlannedRun& run) {
  const Variant& variant = variants()[run.variant];
  TrainSettings s = settings.train;
  s.model.structure = variant.structure;
  s.model.vocab_size = data.train.vocabulary.size();
  s.insert_prob = variant.condition == Condition::kNone ? 0 : kInsertProb;
  s.own_distractions = variant.condition == Condition::kPlacebo;
  if (variant.condition == Condition::kInsertion) s.attention_weight = 0;
  s.loop.seed = run.seed;
  s.data_fingerprint = data.train.fingerprint();
  s.check();
  return s;
}

// What distractions add to -log p of each response under each reading, in thousandths, as lists and
// a token; and where the model looks.
Json set_json(LstmResponder& model, const std::vector<Example>& distracted,
              const std::vector<MediatedScore>& mediated, double tokens) {
  const auto scores = score(model, distracted, kBatch);
  Json json = to_json(summarize(scores));
  for (const DialogueScore& s : scores) {
    const DialogueMeans means = dialogue_means(s.as_scores, s.distraction);
    const bool both = means.distraction && means.history;
    json["as_distractions"].push_back(both ? rounded(*means.distraction) : Json());
    json["as_histories"].push_back(both ? rounded(*means.history) : Json());
  }
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
                    const std::vector<Example>& distracted, const Data& data, int max_length) {
  DecodeOptions greedy;
  greedy.max_length = max_length;
  std::vector<Tokens> written[2];
  Json json;
  for (const bool with : {false, true}) {
    written[with] =
        respond(*loaded.model, with ? distracted : clean, loaded.vocabulary, greedy, kBatch);
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

void measure(const std::string& directory, const PlannedRun& run, const Settings& settings,
             const Data& data, Device device, const OnMeasuring& progress) {
  LoadedModel loaded = load_model(directory);
  auto* model = dynamic_cast<LstmResponder*>(loaded.model.get());
  check_internal(model != nullptr, "mediation: the structures are LSTMs with attention");
  move(*model, device);
  Json json = evaluation_head(directory, run, {{"variant", variant_names()[run.variant].name}},
                              kValidPerplexity, settings.made_with);
  json["conversations"] = data.conversations;
  const Phrases phrases = encode_phrases(settings.phrases, loaded.vocabulary,
                                         settings.train.examples.max_utterance_tokens);
  double done = 0, nll = 0, tokens = 0;
  for (const Example& example : data.test) {
    json["tokens"].push_back(example.response.size() + 1);  // <eos>
    tokens += static_cast<double>(example.response.size() + 1);
  }
  for (const char* set : kSets) {
    progress(set, done++ / std::size(kSets));
    const auto inserted =
        distracted(data.test, parse_test_set(set), data.train.pool, phrases, kTestSeed);
    const auto mediated = mediate(*model, inserted, data.test, kBatch);
    json["test_sets"][set] = set_json(*model, inserted, mediated, tokens);
    if (set == std::string(kGenerationSet)) {
      json["responses"] = responses_json(loaded, data.test, inserted, data, settings.max_response);
    }
    if (json.contains("nll")) continue;
    for (const MediatedScore& one : mediated) {
      json["nll"].push_back(rounded(one.nll.back()));
      nll += one.nll.back();
    }
  }
  json["perplexity"] = std::exp(nll / tokens);
  progress("all", 1);  // the last moment to give up
  write_file(in(directory, "evaluation.json"), json.dump() + "\n");
}

Json describe_settings(const Settings& s) {
  Json json = as_options(s.train);
  for (const std::string& option : options_that<TrainSettings>(&Setting::of_variant)) {
    json.erase(option);
  }
  for (const char* option : {"preset", "seed", "log-steps"}) json.erase(option);
  json.update({{"vocab", s.train.model.vocab_size},
               {"insert-prob", kInsertProb},
               {"limit", s.limit},
               {"test-limit", s.test_limit},
               {"max-length", s.max_response},
               {"frequent", s.phrases.frequent},
               {"rare", s.phrases.rare},
               {"device", s.made_with.device},
               {"matmul", s.made_with.matmul}});
  return json;
}

}  // namespace

Data load_data(const std::string& directory, const Settings& s) {
  Data data;
  const ExampleOptions& bounds = s.train.examples;
  data.train = load_train_data(directory, s.train.vocabulary_options(), bounds, s.limit);
  const std::string path = find_part(directory, "test");
  const auto test = read_dialogues(path, s.test_limit ? s.test_limit : s.limit);
  data.test_fingerprint = fingerprint(test);
  data.test = make_examples(test, data.train.vocabulary, bounds);
  if (data.test.empty()) throw DataError(path + ": no dialogue with two utterances of context");
  data.conversations = conversations(test, data.test);
  data.references = human_responses(data.test, data.train.vocabulary);
  return data;
}

void open(const std::string& out, const Settings& settings, const Data& data) {
  open_folder(out, kKind,
              {{"format", kFormat},
               {"heed", program_json(settings.made_with)},  // who began; others may join
               {"test_seed", kTestSeed},
               {"settings", describe_settings(settings)},
               {"data",
                {{"train_examples", data.train.train.size()},
                 {"valid_examples", data.train.valid.size()},
                 {"test_examples", data.test.size()},
                 {"vocabulary", data.train.vocabulary.size()},
                 {"train_checksum", data.train.fingerprint()},
                 {"test_checksum", data.test_fingerprint}}}});
}

Plan plan(const std::string& out, const std::vector<PlannedRun>& runs, const Settings& settings,
          const Data& data) {
  Plan plan{.out = out, .runs = runs};
  plan.train = [&](const PlannedRun& run, const std::string& directory, Device device,
                   const TrainHooks& hooks) {
    const TrainSettings its = run_settings(settings, data, run);
    begin_on_first(*hooks.ranks, [&] { begin_run(directory, its, data.train); });
    return train(directory, its, data.train, device, hooks);
  };
  plan.measure = [&](const PlannedRun& run, const std::string& directory, Device device,
                     const OnMeasuring& progress) {
    measure(directory, run, settings, data, device, progress);
  };
  plan.train_metric = kTrainPerplexity;
  plan.valid_metric = kValidPerplexity;
  plan.metric_name = "perplexity";
  plan.kind = [](const PlannedRun& run) {
    return std::string(variants()[run.variant].structure.name);
  };
  plan.max_epochs = [&](const PlannedRun&) { return settings.train.loop.max_epochs; };
  return plan;
}

}  // namespace heed::mediation
