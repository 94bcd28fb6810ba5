#include "experiments/adversarial/results.h"

#include "base/list.h"
#include "experiments/engine/runs/folder_json.h"

namespace heed {
namespace {

// The corpora and the generators, which determine the contents of the runs' files.
void read_names(const std::string& folder, const std::string& kind, AdversarialResults& results) {
  read_kind(folder, kind, [&](const nlohmann::ordered_json& json) {
    const auto& data = json.at("data");
    results.corpora = split(data.at("corpora").get<std::string>(), ',');
    results.generators = split(data.at("generators").get<std::string>(), ',');
    // earlier folders do not record it
    const bool reliability = json.at("settings").value("reliability", false);
    results.judges = judge_variants(results.corpora, reliability);
  });
}

// Of a judge and each set, p(real) of the passages with both responses.
std::vector<std::string> judged_keys(const AdversarialResults& results, const std::string& judge) {
  std::vector<std::string> keys;
  for (const std::string& set : results.sets())
    for (const bool real : {true, false}) keys.push_back(judged_key(judge, set, real));
  return keys;
}

// The series of controls (missing in runs without context) are as long as the others.
void check_controls(const AdversarialResults& results, const RunResult& run) {
  for (const char* control : kControls) {
    for (const std::string& key : judged_keys(results, control)) {
      if (!run.numbers.has_series(key) || run.numbers.series(key).size() == results.items())
        continue;
      throw DataError(results.folder + "/" + source_of(run) +
                      ": the lists of its passages do not fit together");
    }
  }
}

}  // namespace

std::vector<std::string> AdversarialResults::sets() const {
  std::vector<std::string> names = {kRandomSet};
  names.insert(names.end(), generators.begin(), generators.end());
  return names;
}

AdversarialResults load_adversarial_results(const std::string& folder, ResultsLayout layout) {
  AdversarialResults results;
  read_names(folder, layout.kind, results);
  layout.variants = variant_names(results.judges);
  layout.clusters = "conversations";
  layout.values = {"best_epoch", "epochs", "valid_loss", "parameters"};
  layout.items = judged_keys(results, kDiscriminator);
  layout.items.push_back("corpora");
  layout.same = {"corpora"};
  static_cast<Results&>(results) = load_results(folder, layout);
  for (const RunResult& run : results.runs) check_controls(results, run);
  for (const auto& corpus : results.runs.front().numbers.series("corpora")) {
    const bool known =
        corpus && *corpus >= 0 && *corpus < static_cast<double>(results.corpora.size());
    if (!known) {
      throw DataError(folder + "/" + source_of(results.runs.front()) +
                      ": a passage of a corpus that there is not");
    }
    results.corpus_of.push_back(static_cast<int>(*corpus));
  }
  return results;
}

}  // namespace heed
