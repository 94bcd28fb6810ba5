#include "experiments/adversarial/experiment.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/list.h"
#include "base/path.h"
#include "dialog/text/format.h"
#include "experiments/adversarial/making_json.h"
#include "experiments/frozen_encoder_json.h"
#include "train/model_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Settings = AdversarialSettings;
using Data = AdversarialData;

// ---- options

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
  show(v, "Tests", {test_limit_option(s.test_limit)});
  tests("responses", "Generators respond to the first N passages of each test part; 0: to all",
        &s.responses);
  tests("probed",
        "Generators' encoders are probed on the tasks that need no annotation, with the first N "
        "dialogues of the training part; 0: not at all",
        &s.probed);
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
  std::set<std::string> names;  // of folders of runs
  for (const JudgeVariant& variant : s.variants()) {
    if (names.insert(variant.name.name).second) continue;
    throw UsageError("--data: two classifiers would be called '" + variant.name.name +
                     "'; rename a folder");
  }
  s.train = request.discriminator();
  for (const char* option : {"--responses", "--probed", "--decode", "--beam", "--max-length"}) {
    if (s.generators.empty()) request.refuse_given(option, "with --generators");
  }
  if (s.decode_name != "beam") request.refuse_given("--beam", "with --decode beam");
  s.decode.method = s.decode_name == "beam"     ? Method::kBeam
                    : s.decode_name == "sample" ? Method::kSample
                                                : Method::kGreedy;
  s.decode.check();
}

bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
  });
}

// ---- data

// The passages of the test parts. Their choice depends on no vocabulary.
void read_passages(const Settings& s, Data& data) {
  std::vector<discriminate::Passage> passages;
  for (size_t c = 0; c < s.corpora.size(); ++c) {
    const std::string path = find_part(s.corpora[c].path, "test");
    const auto dialogues = read_dialogues(path, s.test_dialogues());
    data.test_checksums.push_back(fingerprint(dialogues));
    const discriminate::PassageOptions& bounds = s.train.model.passages;
    const size_t before = passages.size();
    add_passages(passages, dialogues, data.train[c].vocabulary, bounds, static_cast<int>(c));
    if (passages.size() > before) continue;
    throw DataError(path + ": no passage in " + counted(dialogues.size(), "dialogue") +
                    "; it takes " + std::to_string(bounds.context + 1) + " turns in a row with " +
                    std::to_string(bounds.min_tokens) + " to " + std::to_string(bounds.max_tokens) +
                    " tokens each");
  }
  std::map<int, int> numbers;
  for (const discriminate::Passage& p : passages) {
    const int next = static_cast<int>(numbers.size());
    const int conversation = numbers.emplace(p.conversation, next).first->second;
    data.passages.push_back({p.id, p.corpus, conversation});
  }
}

// Reads the parts of all corpora, or leaves that to the process that is to share them.
Data load_data(const Settings& s, bool reads) {
  Data data{.variants = s.variants()};
  for (const JudgeVariant& variant : data.variants) {
    if (!variant.response_only) {
      std::vector<std::string> directories;
      for (const size_t c : variant.corpora) directories.push_back(s.corpora[c].path);
      discriminate::Settings its = s.train;
      if (variant.scenario) its.negatives = {variant.scenario->kind};
      data.train.push_back(reads ? load_train_data(directories, its) : discriminate::TrainData());
    }
    data.train_places.push_back(data.train.size() - 1);
  }
  if (!s.train.init.empty()) data.encoder_checksum = checksum_of(s.train.init);
  if (reads) read_passages(s, data);
  return data;
}

// Throws if the data does not fit into memory.
void check_sizes(const ExperimentRequest&, const Data& data, Settings& s) {
  for (const discriminate::TrainData& train : data.train) {
    discriminate::Config sizes = s.train.model;
    sizes.vocab_size = train.vocabulary.size();
    check_memory(discriminate::parameter_count(sizes));
  }
}

Json about_data(const Settings& s, const Data& data) {
  Json checksums = Json::array(), generators = Json::array();
  for (const discriminate::TrainData& t : data.train) checksums.push_back(t.fingerprint());
  for (const uint32_t test : data.test_checksums) checksums.push_back(test);
  for (const NamedFolder& g : s.generators)
    generators.push_back(file_checksum(generator_weights(g.path)));
  Json about = {{"corpora", joined(folder_names(s.corpora), ",")},
                {"generators", joined(folder_names(s.generators), ",")},
                {"test_passages", data.passages.size()},
                {"checksums", checksums},
                {"generator_checksums", generators}};
  if (data.encoder_checksum) about["encoder_checksum"] = *data.encoder_checksum;
  return about;
}

// ---- runs

Json training(const Settings& s) {
  return as_texts(training_options(s.train));
}

// Settings that older versions did not write down; they are equal in all presets.
Json earlier(const Settings&) {
  Json json = as_texts(training_options(discriminate::Runs::presets()[0].settings));
  json.update({{"decode", "beam"}, {"reliability", false}, {"probed", 0}});
  return json;
}

bool train_run(const AdversarialRun& run, const TrainHooks& hooks) {
  const JudgeVariant& variant = run.data.variants.at(run.run.variant);
  discriminate::Settings s = run.settings.train;
  if (variant.scenario) s.negatives = {variant.scenario->kind};
  s.model.response_only = variant.response_only;
  s.vocabulary = s.model.vocab_size;
  s.loop.seed = run.run.seed;
  return train_system<discriminate::Runs>(run.directory, run, s, run.data.train_of(run.run.variant),
                                          hooks);
}

}  // namespace

std::vector<NamedFolder> named_folders(const std::string& option, const std::string& list) {
  std::vector<NamedFolder> folders;
  for (const std::string& path : split(list, ',')) {
    const std::string name = path.empty() ? "" : last_part(path);
    if (!is_plain(name) || name == kTogether || name == kRandomSet) {
      throw UsageError(option + ": '" + path +
                       "' must be a folder whose name has letters, digits, '.', '_' and '-' only "
                       "and is neither '" +
                       kTogether + "' nor '" + kRandomSet + "'");
    }
    for (const NamedFolder& other : folders) {
      if (other.name != name) continue;
      throw UsageError(option + ": two folders are called '" + name +
                       "'; tables tell them by their names");
    }
    folders.push_back({name, path});
  }
  return folders;
}

std::vector<std::string> folder_names(const std::vector<NamedFolder>& folders) {
  std::vector<std::string> names;
  for (const NamedFolder& f : folders) names.push_back(f.name);
  return names;
}

const Making<Settings, Data>& adversarial_making() {
  static const Making<Settings, Data> kMaking = {
      .visit = visit,
      .take = take,
      .variants = [](const Settings& s) { return variant_names(s.variants()); },
      .load = load_data,
      .settle = check_sizes,
      .training = training,
      .about_data = about_data,
      .earlier = earlier,
      .in_short =
          [](const Settings& s, const Data& data) {
            return std::to_string(s.corpora.size()) +
                   (s.corpora.size() == 1 ? " corpus" : " corpora") + ", " +
                   counted(data.passages.size(), "test passage") + ", " +
                   counted(s.generators.size(), "generator");
          },
      .train = train_run,
      .about_variant = [](const Settings&, const Data& data, size_t v) -> Json {
        return {{"classifier", data.variants.at(v).name.name}};
      },
      .best_metric = discriminate::kValidLoss,
      .measurements = {{"evaluation.json", measure_classifier}},
      .train_metric = discriminate::kTrainAccuracy,
      .valid_metric = discriminate::kValidAccuracy,
      .metric_name = "accuracy",
      .metric_digits = 3};
  return kMaking;
}

Experiment adversarial_experiment() {
  return experiment(
      {.name = "adversarial",
       .what = "Train discriminators and have them judge random and generated responses",
       .more = "The experiment of Bruni & Fernandez (2017), docs/adversarial.md: one "
               "discriminator per corpus, with several corpora also one for all, and each of them "
               "again without context; Table 1 with random responses, Table 2 with those of the "
               "generators.",
       .example = "--data data/ubuntu-sample --generators data/models/trained,data/models/baseline "
                  "--preset smoke",
       .only = "\"together*,*-response-only\"",
       .trains = Trains::kDiscriminators,
       .many_corpora = true},
      adversarial_making(), adversarial_showing);
}

}  // namespace heed
