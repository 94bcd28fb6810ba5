#include "experiments/probes/experiment.h"

#include "base/list.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/respond/settings.h"
#include "dialog/system.h"
#include "dialog/text/format.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/probes/measurement_json.h"
#include "experiments/probes/report.h"
#include "experiments/responders_json.h"
#include "train/settings_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Settings = ProbesSettings;
using Data = ProbesData;

void visit(Settings& s, const OptionVisitor& v) {
  const char* group = "Probes";
  v(setting("readings", "readings",
            "How to probe, separated by commas. raw: logistic regression on the encoder's "
            "representation of a context, the sum over layers or positions; standardised: on their "
            "mean, each dimension scaled to mean 0 and variance 1; mlp: one hidden layer, on the "
            "sum",
            {.group = group}),
    &s.reading_names);
  show(
      v, group,
      {{"max-iter", "Maximum number of iterations of the solver; for the MLP: epochs (at most 200)",
        &s.max_iterations, 1, 1000000},
       {"responses", "Respond to the first N test examples, for BLEU; 0: to none", &s.responses, 0,
        1000000},
       {"max-length", "Longest response, in words", &s.max_response, 1, 1000}});
  v(setting("limit", "limit", ""), &s.limit);
  show(v, group, {test_limit_option(s.test_limit)});
  v(setting("choose", "",
            "Let every kept epoch respond to the first N dialogues of the valid part, and also "
            "probe the best epochs by BLEU-2, ROUGE-L and METEOR (Tables 9 to 11); 0: skip, "
            "because generation is slow. Can be added to a finished folder",
            {.group = group, .least = 0, .most = 1000000}),
    &s.choose);
  v(setting("judge-encoder", "",
            "Directory of a pretrained encoder (heed import): with --choose, also probe the epoch "
            "whose responses are most like the human ones by its embeddings, the \"BERT\" of "
            "Tables 9 to 11. Can be added to a finished folder",
            {.group = group}),
    &s.judge);
  v(setting("pretrained", "",
            "Directory of a pretrained encoder (heed import): probe each of its layers too, as it "
            "is, on the words that the models read. Can be added to a finished folder",
            {.group = group}),
    &s.pretrained);
}

// What --pretrained names.
ProbedEncoder encoder_of(const std::string& directory) {
  const int layers = open_model(directory, Capability::kEncode, Device()).encoder->layers();
  if (layers == 0) {
    throw UsageError("--pretrained: " + directory +
                     " has no layers to probe; name a model that heed import made");
  }
  return {encoder_name(directory), layers};
}

void begin(const std::string& out, const Settings& s, const Data&) {
  if (!s.encoder) return;
  keep_encoder(out, s.pretrained, {{"encoder", s.encoder->name}, {"layers", s.encoder->layers}});
}

void take(const ExperimentRequest& request, Settings& s) {
  s.readings = parse_readings(s.reading_names);
  std::vector<std::string> names;
  for (const ProbeReading& reading : s.readings) names.push_back(reading.name);
  s.reading_names = joined(names, ",");
  for (const Structure& structure : probed_structures())
    s.train.push_back(request.responder(structure));
  s.limit = s.train[0].limit.value_or(0);
  if (!s.judge.empty() && s.choose == 0) {
    throw UsageError("--judge-encoder: needs --choose N, the dialogues to respond to");
  }
  if (!s.judge.empty()) pretrained::load_encoder(s.judge);  // a wrong folder is to be known now
  if (!s.pretrained.empty()) s.encoder = encoder_of(s.pretrained);
  if (s.choose > 0 && s.train[0].loop.keep_every == 0) {
    throw UsageError("--choose: there are no epochs to choose from without --keep-every");
  }
}

// Smaller batches if there are few dialogues, as in heed train.
void choose_batches(const ExperimentRequest& request, const Data& data, Settings& settings) {
  for (TrainSettings& s : settings.train)
    s.loop.batch_size = request.batch_size(s, data.train.train.size());
  refuse_loss_without_distractions(request, settings.train.at(0), data.train);
}

// Under the names of their options; all rates, because a transformer may have a rate of its own.
Json training(const Settings& settings) {
  const std::vector<TrainSettings>& of_structures = settings.train;
  Json json = as_texts(as_options(of_structures.at(0)));
  for (const char* option : {"structure", "seed", "limit", "log-steps", "rate"}) json.erase(option);
  std::string rates;
  for (const TrainSettings& s : of_structures) {
    const std::string rate = Json(s.loop.schedule.rate).dump();
    if (rates.empty()) rates = rate;
    if (s.model.structure.family == Family::kTransformer) rates += ", transformer " + rate;
  }
  json["rates"] = rates;
  return json;
}

Json about_data(const Settings& s, const Data& data) {
  Json json = {{"tasks", joined(data.tasks, ",")},
               {"probe_train_examples", data.fit.examples.size()},
               {"probe_test_examples", data.test.examples.size()},
               {"train_examples", data.train.train.size()},
               {"valid_examples", data.train.valid.size()},
               {"vocabulary", data.train.vocabulary.size()},
               {"train_checksum", data.train.fingerprint()},
               {"test_checksum", data.test.fingerprint}};
  json.update(checksums_of_files(s.train.at(0)));
  for (const auto* part : {&data.fit, &data.test}) {
    if (part->label_file.empty()) continue;
    json[part->name + "_labels_checksum"] = file_checksum(part->label_file);
  }
  return json;
}

Json earlier(const Settings& s) {
  TrainSettings usual;
  usual.model.structure = s.train.at(0).model.structure;
  return as_texts(options_before(usual));
}

bool train_run(const ProbesRun& run, const TrainHooks& hooks) {
  return train_responder(run.run, run.directory, run.device, run.settings.train.at(run.run.variant),
                         run.data.train, hooks);
}

std::string in_short(const Settings&, const Data& data) {
  return counted(data.tasks.size(), "task") + ", " + std::to_string(data.fit.examples.size()) +
         " examples for training probes and " + std::to_string(data.test.examples.size()) +
         " for testing them";
}

std::vector<Measurement<Settings, Data>> measurements() {
  std::vector<Measurement<Settings, Data>> all = additions();
  all.insert(all.begin(), {"evaluation.json", measure_probes});
  return all;
}

const Making<Settings, Data>& making() {
  static const Making<Settings, Data> kMaking = {
      .visit = visit,
      .take = take,
      .variants = [](const Settings& s) { return probed_names(s.encoder); },
      .load = [](const Settings& s, bool reads) { return reads ? load_probes_data(s) : Data(); },
      .settle = choose_batches,
      .training = training,
      .about_data = about_data,
      .earlier = earlier,
      .begin = begin,
      .in_short = in_short,
      .words = [](const Data& data) -> int64_t { return data.train.vocabulary.size(); },
      .check = [](const Settings& s, const Data& data,
                  size_t v) { check_responder(s.train.at(v), data.train); },
      .train = train_run,
      .about_variant = [](const Settings& s, const Data&, size_t v) -> Json {
        if (const auto layer = probed_layer(v))
          return {{"encoder", s.encoder->name}, {"layer", *layer}};
        return {{"structure", probed_structures()[v].name}};
      },
      .best_metric = kValidPerplexity,
      .measurements = measurements(),
      .train_metric = kTrainPerplexity,
      .metric_name = "perplexity",
      .max_epochs = [](const Settings& s, size_t v) { return s.train[v].loop.max_epochs; }};
  return kMaking;
}

}  // namespace

Experiment probes_experiment() {
  Experiment probes = experiment(
      {.name = "probes",
       .what = "Train eleven models, probe their encoders at every epoch, and write tables",
       .more = "The experiment of Parthasarathi, Pineau & Chandar (2020), docs/probes.md. The "
               "tasks are those for which the data has labels. Every kept epoch is probed "
               "(--keep-every). --only \"pretrained-*\" trains nothing.",
       .example = "--data data/ubuntu-sample --preset probe-smoke",
       .only = "\"*lstm*,transformer\"",
       .trains = Trains::kResponders,
       .preset = "probe-tuned"},
      making());
  probes.report = [layout = layout_of(probes, making())](const std::string& folder) {
    const Findings found = load_probes(folder, layout);
    return report_of(probes_showing(found.results), found);
  };
  return probes;
}

}  // namespace heed
