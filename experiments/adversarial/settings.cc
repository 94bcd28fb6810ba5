#include "experiments/adversarial/settings.h"

#include <algorithm>
#include <map>

#include "base/path.h"
#include "dialog/text/format.h"
#include "experiments/engine/runs/names.h"

namespace heed {
namespace {

bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
  });
}

// The passages of the test parts. Their choice depends on no vocabulary.
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

std::vector<std::string> folder_names(const std::vector<NamedFolder>& folders) {
  std::vector<std::string> names;
  for (const NamedFolder& f : folders) names.push_back(f.name);
  return names;
}

std::vector<std::string> AdversarialSettings::corpus_names() const {
  return folder_names(corpora);
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

}  // namespace heed
