// What the experiment on adversarial evaluation is made with, the data that it is made on, and what
// is measured of a classifier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/task.h"
#include "dialog/respond/decode.h"
#include "experiments/adversarial/variants.h"
#include "experiments/making_json.h"

namespace heed {

// A folder with a name: a data directory, or a run of a response model.
struct NamedFolder {
  std::string name, path;
};
// "data/a,runs/b" -> {"a", "data/a"}, {"b", "runs/b"}. Names are those of the folders; throws
// UsageError for an empty one, for one with other characters than letters, digits, ".", "_" and
// "-", for kTogether, for kRandomSet and for two of one name.
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
  size_t probed = 0;  // training dialogues that generators' probes read; 0: no probes
  std::string decode_name = "beam";  // the method, for adversarial.json
  DecodeOptions decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25};

  size_t test_dialogues() const { return test_limit > 0 ? test_limit : train.limit; }
  std::vector<JudgeVariant> variants() const {
    return judge_variants(folder_names(corpora), reliability);
  }
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
  std::optional<uint32_t> encoder_checksum = {};  // of a pretrained encoder's weights

  const discriminate::TrainData& train_of(size_t variant) const {
    return train.at(train_places.at(variant));
  }
  // Has what the first rank of the machine trains on.
  void share(const Neighbours& neighbours) {
    for (discriminate::TrainData& of_variants : train) of_variants.share(neighbours);
  }
};

using AdversarialRun = Subject<AdversarialSettings, AdversarialData>;
const Making<AdversarialSettings, AdversarialData>& adversarial_making();

// What generators respond, where it is not there yet; then the names of variants.h.
void measure_classifier(const AdversarialRun& run, const OnMeasuring& progress,
                        nlohmann::ordered_json& json);

// ---- what generators respond to the passages of the test parts
// It is made once for a folder, by whoever needs it first, and judged by every classifier:
//   OUT/generated/GENERATOR/CORPUS.jsonl   {"id": PASSAGE, "response": "..."}, a line for each
//   OUT/generated/GENERATOR/CORPUS.json    how good they are, where the generator looks, and what
//                                          its encoder knows
//   OUT/generated/GENERATOR/CORPUS.items.json.gz   the sums over items that the latter two are
//                                          quotients of: lists "top", "bottom", "conversations"

// The weights of a run of a response model. Throws DataError where there is no such run.
std::string generator_weights(const std::string& run);

std::string responses_path(const std::string& out, const std::string& generator,
                           const std::string& corpus);

// Makes what is not there yet. Workers begin at different places, so that they share the work: this
// one by its variant and seed. Results do not depend on the order.
void make_generated(const AdversarialRun& run, const OnMeasuring& progress);

// CORPUS.json of each generator, by name: {"structure", "responses", "kept", "distinct_1",
// "distinct_2", "mean_length", "greedy_different", "das_ratio", "halves"}, and F1 by task of
// probes. kept: those that may stand in a passage's place (dialog/discriminate/responses_file.h);
// greedy_different: the share of different ones among greedy responses; das_ratio (random:1.0) is
// null of a model without attention; halves: that and the F1 of the conversations with even and of
// those with odd numbers. Throws DataError for a file that is none.
nlohmann::ordered_json generators_json(const AdversarialRun& run, size_t corpus);

}  // namespace heed
