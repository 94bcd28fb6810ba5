#include "experiments/adversarial/experiment.h"

#include "dialog/discriminate/task.h"
#include "dialog/text/format.h"
#include "experiments/adversarial/generated_json.h"
#include "experiments/adversarial/measurement_json.h"
#include "experiments/engine/runs/names.h"
#include "train/model_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Settings = AdversarialSettings;
using Data = AdversarialData;

void visit(Settings& s, const OptionVisitor& v) {
  const auto tests = [&](const char* option, const char* help, const OptionValue& value,
                         Setting rest = {}) {
    rest.group = "Tests";
    v(setting(option, option, help, rest), value);
  };
  v(setting("generators", "",
            "Runs of response models whose responses are judged, several with commas"),
    &s.generator_paths);
  v(setting("reliability", "reliability",
            "Also train classifiers in cases with a known answer: real passages against real "
            "ones, shuffled words, and, with several corpora, responses of another corpus"),
    &s.reliability);
  v(setting("limit", "limit", ""), &s.train.limit);
  tests("test-limit", "Read only the first dialogues of the test part; 0: as --limit",
        &s.test_limit);
  tests("responses", "Generators respond to the first N passages of each test part; 0: to all",
        &s.responses);
  tests("decode",
        "greedy: generators take the most probable word each time; sample: they "
        "draw from the 20 most probable words, which small models need because the other ways "
        "repeat so much that few responses remain; beam: beam search",
        &s.decode_name, {.words = {"beam", "greedy", "sample"}});
  tests("beam", "Beam search with this many hypotheses", &s.decode.beam_size,
        {.least = 1, .most = 1000});
  tests("max-length", "Longest response, in words", &s.decode.max_length,
        {.least = 1, .most = 1000});
}

void take(const ExperimentRequest& request, Settings& s) {
  using Method = DecodeOptions::Method;
  s.corpora = named_folders("--data", request.data);
  s.generators = named_folders("--generators", s.generator_paths);
  s.train = request.discriminator();
  if (s.decode_name != "beam") request.refuse_given("--beam", "with --decode beam");
  s.decode.method = s.decode_name == "beam"     ? Method::kBeam
                    : s.decode_name == "sample" ? Method::kSample
                                                : Method::kGreedy;
  s.decode.check();
}

// Throws if the data does not fit into memory.
void check_sizes(const ExperimentRequest&, const Data& data, Settings& s) {
  for (const discriminate::TrainData& train : data.train) {
    discriminate::Config sizes = s.train.model;
    sizes.vocab_size = train.vocabulary.size();
    check_memory(discriminate::parameter_count(sizes));
  }
}

Json training(const Settings& s) {
  return as_texts(training_options(s.train));
}

Json about_data(const Settings& s, const Data& data) {
  Json checksums = Json::array(), generators = Json::array();
  for (const discriminate::TrainData& t : data.train) checksums.push_back(t.fingerprint());
  for (const uint32_t test : data.test_checksums) checksums.push_back(test);
  for (const NamedFolder& g : s.generators)
    generators.push_back(file_checksum(generator_weights(g.path)));
  return {{"corpora", joined_names(s.corpus_names())},
          {"generators", joined_names(folder_names(s.generators))},
          {"test_passages", data.passages.size()},
          {"checksums", checksums},
          {"generator_checksums", generators}};
}

// Settings that older versions did not write down; they are equal in all presets.
Json earlier(const Settings&) {
  Json json = as_texts(training_options(discriminate::Runs::presets()[0].settings));
  json.update({{"decode", "beam"}, {"reliability", false}});
  return json;
}

discriminate::Settings run_settings(const AdversarialRun& run) {
  const JudgeVariant& variant = run.data.variants.at(run.run.variant);
  discriminate::Settings s = run.settings.train;
  if (variant.scenario) s.negatives = {variant.scenario->kind};
  s.model.response_only = variant.response_only;
  s.vocabulary = s.model.vocab_size;
  s.loop.seed = run.run.seed;
  return s;
}

bool train_run(const AdversarialRun& run, const TrainHooks& hooks) {
  return train_system<discriminate::Runs>(run.directory, run, run_settings(run),
                                          run.data.train_of(run.run.variant), hooks);
}

std::string in_short(const Settings& s, const Data& data) {
  return std::to_string(s.corpora.size()) + (s.corpora.size() == 1 ? " corpus" : " corpora") +
         ", " + counted(data.passages.size(), "test passage") + ", " +
         counted(s.generators.size(), "generator");
}

std::string variant_name(const Settings&, const Data& data, size_t variant) {
  return data.variants.at(variant).name;
}

}  // namespace

const Making<Settings, Data>& adversarial_making() {
  static const Making<Settings, Data> kMaking = {
      .visit = visit,
      .take = take,
      .variants =
          [](const Settings& s) {
            return judge_names(judge_variants(s.corpus_names(), s.reliability));
          },
      .load = load_adversarial_data,
      .settle = check_sizes,
      .format = kAdversarialFormat,
      .training = training,
      .about_data = about_data,
      .earlier = earlier,
      .in_short = in_short,
      .train = train_run,
      .about_variant = [](const Settings& s, const Data& data, size_t v) -> Json {
        return {{"classifier", variant_name(s, data, v)}};
      },
      .best_metric = discriminate::kValidLoss,
      .measurements = {{"evaluation.json", measure_classifier}},
      .train_metric = discriminate::kTrainAccuracy,
      .valid_metric = discriminate::kValidAccuracy,
      .metric_name = "accuracy",
      .metric_digits = 3,
      .kind = variant_name};
  return kMaking;
}

Experiment adversarial_experiment() {
  return experiment(
      {.name = "adversarial",
       .kind = kAdversarialKind,
       .what = "Train discriminators and have them judge random and generated responses",
       .more = "The experiment of Bruni & Fernandez (2017), docs/adversarial.md: one "
               "discriminator per corpus, with several corpora also one for all, and each of them "
               "again without context; Table 1 with random responses, Table 2 with those of the "
               "generators.",
       .example = "--data data/ubuntu-sample --generators data/models/trained,data/models/baseline "
                  "--preset smoke",
       .only = "\"together*\", \"*-response-only\"",
       .trains = Trains::kDiscriminators,
       .many_corpora = true},
      adversarial_making(), adversarial_showing());
}

}  // namespace heed
