// What the experiment on adversarial evaluation is made with, and the data that it is made on.
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/task.h"
#include "dialog/respond/decode.h"
#include "experiments/adversarial/variant.h"

namespace heed {

constexpr char kAdversarialKind[] = "adversarial";  // adversarial.json says what the folder holds
constexpr int kAdversarialFormat = 1;

// A folder with a name: a data directory, or a run of a response model.
struct NamedFolder {
  std::string name, path;
};
// "data/a,runs/b" -> {"a", "data/a"}, {"b", "runs/b"}. Names are those of the folders; throws
// UsageError for an empty one, for one with other characters than letters, digits, ".", "_" and
// "-", for kTogether and for two of one name.
std::vector<NamedFolder> named_folders(const std::string& option, const std::string& list);
std::vector<std::string> folder_names(const std::vector<NamedFolder>& folders);

struct AdversarialSettings {
  discriminate::Settings train = {};      // of each classifier, but for the seed
  std::vector<NamedFolder> corpora = {};  // data directories
  std::string generator_paths = {};       // with commas
  std::vector<NamedFolder> generators = {};
  bool reliability = false;  // scenarios too
  size_t test_limit = 0;     // dialogues of the test parts; 0: as train.limit
  // Of each generator, to the first passages of each test part; 0: to all.
  size_t responses = 500;
  std::string decode_name = "beam";  // the method, for adversarial.json
  DecodeOptions decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25};

  size_t test_dialogues() const { return test_limit > 0 ? test_limit : train.limit; }
  std::vector<std::string> corpus_names() const;
};

// A passage of a test part, whichever classifier judges it.
struct JudgedPassage {
  std::string id;
  int corpus = 0;
  int conversation = 0;  // numbered as they come
};

struct AdversarialData {
  std::vector<JudgeVariant> variants = {};
  // Training data, and which of them each variant has: two that differ by their input only have the
  // same.
  std::vector<discriminate::TrainData> train = {};
  std::vector<size_t> train_places = {};
  // With these the first rank measures; the others need not have them.
  std::vector<JudgedPassage> passages = {};  // of all test parts
  std::vector<uint32_t> test_checksums = {};

  const discriminate::TrainData& train_of(size_t variant) const {
    return train.at(train_places.at(variant));
  }
  // Has what the first rank of the machine trains on.
  void share(const Neighbours& neighbours);
};

// Reads the parts of all corpora, or leaves that to the process that is to share them. Throws
// DataError.
AdversarialData load_adversarial_data(const AdversarialSettings& settings, bool reads);

}  // namespace heed
