#include "experiments/adversarial/results.h"

#include "experiments/adversarial/evaluation.h"
#include "experiments/adversarial/settings.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/engine/runs/names.h"

namespace heed {
namespace {

// The corpora and the generators, which determine the contents of the runs' files.
void read_names(const std::string& folder, AdversarialResults& results) {
  bool reliability = false;
  read_kind(folder, kAdversarialKind, [&](const nlohmann::json& json) {
    const auto& data = json.at("data");
    reliability =
        json.at("settings").value("reliability", false);  // earlier folders do not record it
    results.corpora = split_names(data.at("corpora").get<std::string>());
    results.generators = split_names(data.at("generators").get<std::string>());
  });
  results.judges = judge_variants(results.corpora, reliability);
}

ResultsLayout layout(const AdversarialResults& named) {
  ResultsLayout layout{.kind = kAdversarialKind,
                       .format = kAdversarialFormat,
                       .variants = judge_names(named.judges),
                       .made_by = "heed reproduce adversarial",
                       .clusters = "conversations",
                       .values = {"best_epoch", "epochs", "valid_loss", "parameters"},
                       .items = {"corpora"},
                       .same = {"corpora"}};
  for (const std::string& set : named.sets()) {
    for (const bool real : {true, false})
      layout.items.push_back(judged_key(kDiscriminator, set, real));
  }
  return layout;
}

// The series of controls (missing in runs without context) are as long as the others.
void check_controls(const AdversarialResults& results) {
  for (const RunResult& run : results.runs) {
    for (const char* control : kControls) {
      for (const std::string& set : results.sets()) {
        for (const bool real : {true, false}) {
          const std::string key = judged_key(control, set, real);
          if (!run.numbers.has_series(key) || run.numbers.series(key).size() == results.items())
            continue;
          throw DataError(results.folder + "/" + source_of(run) +
                          ": the lists of its passages do not fit together");
        }
      }
    }
  }
}

}  // namespace

std::vector<std::string> AdversarialResults::sets() const {
  std::vector<std::string> names = {kRandomSet};
  names.insert(names.end(), generators.begin(), generators.end());
  return names;
}

AdversarialResults load_adversarial_results(const std::string& folder) {
  AdversarialResults results;
  read_names(folder, results);
  static_cast<Results&>(results) = load_results(folder, layout(results));
  check_controls(results);
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
