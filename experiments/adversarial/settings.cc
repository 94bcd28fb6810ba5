#include "experiments/adversarial/settings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/path.h"
#include "dialog/discriminate/settings.h"
#include "dialog/text/format.h"
#include "experiments/adversarial/generated_json.h"
#include "experiments/engine/runs/evaluation_json.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/engine/runs/names.h"
#include "train/settings_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const std::vector<NamedFolder>& folders) {
  std::vector<std::string> names;
  for (const NamedFolder& f : folders) names.push_back(f.name);
  return names;
}

bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
  });
}

// The passages of the test parts. Which they are depends on no vocabulary.
void read_passages(const AdversarialSettings& s, AdversarialData& data) {
  std::vector<discriminate::Passage> passages;
  for (size_t c = 0; c < s.corpora.size(); ++c) {
    const std::string path = find_part(s.corpora[c].path, "test");
    const auto dialogues = read_dialogues(path, s.test_dialogues());
    data.test_checksums.push_back(fingerprint(dialogues));
    const discriminate::PassageOptions& bounds = s.train.model.passages;
    const auto counts =
        add_passages(passages, dialogues, data.train[c].vocabulary, bounds, static_cast<int>(c));
    if (counts.passages > 0) continue;
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

// Under the names of their options, but for those of a variant and a run.
Json describe_training(const discriminate::Settings& s) {
  Json json = as_texts(as_options(s));
  auto of_runs = options_that<discriminate::Settings>(&Setting::of_variant);
  of_runs.insert(of_runs.end(), {"seed", "log-steps"});
  for (const std::string& option : of_runs) json.erase(option);
  return json;
}

Json describe(const AdversarialSettings& s, const AdversarialData& data) {
  Json settings = describe_training(s.train);
  settings["limit"] = s.train.limit;
  settings["test-limit"] = s.test_limit;
  settings["responses"] = s.responses;
  settings["decode"] = s.decode_name;
  settings["reliability"] = s.reliability;
  settings["beam"] = s.decode.beam_size;
  settings["max-length"] = s.decode.max_length;
  settings["device"] = s.made_with.device;
  settings["matmul"] = s.made_with.matmul;
  Json checksums = Json::array(), generators = Json::array();
  for (const discriminate::TrainData& t : data.train) checksums.push_back(t.fingerprint());
  for (const uint32_t test : data.test_checksums) checksums.push_back(test);
  for (const NamedFolder& g : s.generators)
    generators.push_back(file_checksum(generator_weights(g.path)));
  return {{"format", kAdversarialFormat},
          {"heed", program_json(s.made_with)},  // who began; others may join
          {"settings", settings},
          {"data",
           {{"corpora", joined_names(s.corpus_names())},
            {"generators", joined_names(names_of(s.generators))},
            {"test_passages", data.passages.size()},
            {"checksums", checksums},
            {"generator_checksums", generators}}}};
}

}  // namespace

std::vector<NamedFolder> named_folders(const std::string& option, const std::string& list) {
  std::vector<NamedFolder> folders;
  for (const std::string& path : split_names(list)) {
    const std::string name = path.empty() ? "" : last_part(path);
    if (!is_plain(name) || name == kTogether) {
      throw UsageError(option + ": '" + path +
                       "' must be a folder whose name has letters, digits, '.', '_' and '-' only "
                       "and is not '" +
                       kTogether + "'");
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

std::vector<std::string> AdversarialSettings::corpus_names() const {
  return names_of(corpora);
}

void AdversarialData::share(const Neighbours& neighbours) {
  for (discriminate::TrainData& of_variants : train) of_variants.share(neighbours);
}

AdversarialData load_adversarial_data(const AdversarialSettings& s, bool reads) {
  AdversarialData data;
  data.variants = judge_variants(s.corpus_names(), s.reliability);
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
  if (reads) read_passages(s, data);
  return data;
}

void open_adversarial(const std::string& out, const AdversarialSettings& settings,
                      const AdversarialData& data) {
  // What older versions did not write down; all presets have it alike.
  Json earlier = describe_training(discriminate::presets()[0].settings);
  earlier.update({{"decode", "beam"}, {"reliability", false}});
  open_folder(out, kAdversarialKind, describe(settings, data), earlier);
}

}  // namespace heed
