#include "experiments/distraction/results.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

const char* const kSummaryNumbers[] = {"perplexity",       "das_ratio",      "mean_das_ratio",
                                       "median_das_ratio", "as_distraction", "as_history",
                                       "as_first",         "as_last",        "distracted"};

ResultsLayout layout() {
  ResultsLayout layout{
      .format = kExperimentFormat,
      .variants = variant_names(),
      .clusters = "conversations",
      .values = {"best_epoch", "epochs", "valid_perplexity", "parameters", "responses.bleu",
                 "responses.distinct_1", "responses.distinct_2", "responses.mean_length"},
      .items = {"nll", "tokens"},
      .same = {"tokens"}};
  for (size_t s = 0; s < kSets; ++s) {
    for (const char* number : kSummaryNumbers) layout.values.push_back(key_of(s, number));
    layout.items.push_back(key_of(s, "dialogues_as_distraction"));
    layout.items.push_back(key_of(s, "dialogues_as_history"));
  }
  return layout;
}

void read_samples(const Json& json, DistractionResults& results) {
  const Json& human = json.at("human");
  human.at("distinct_1").get_to(results.human.distinct_1);
  human.at("distinct_2").get_to(results.human.distinct_2);
  human.at("mean_length").get_to(results.human.mean_length);
  human.at("dialogues").get_to(results.human.dialogues);
  json.at("test_set").get_to(results.sample_set);
  for (const Json& d : json.at("dialogues")) {
    SampleDialogue dialogue{d.at("id").get<std::string>(), d.at("response").get<std::string>(), {}};
    for (const Json& u : d.at("context")) {
      dialogue.context.push_back(
          {u.at("text").get<std::string>(), u.at("distraction").get<bool>()});
    }
    results.samples.push_back(std::move(dialogue));
  }
}

void load_samples(const std::string& folder, DistractionResults& results) {
  const std::string path = (std::filesystem::path(folder) / "samples.json").string();
  try {
    read_samples(Json::parse(read_file(path, 1 << 26)), results);
  } catch (const Json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
}

// The lists may be empty only if no dialogue has a number.
void check_lists(const RunResult& run, const std::string& path) {
  for (size_t s = 0; s < kSets; ++s) {
    const bool distracted = run.numbers.value(key_of(s, "distracted")).value_or(0) > 0;
    if (run.numbers.series(key_of(s, "dialogues_as_distraction")).empty() != distracted &&
        !run.numbers.series(key_of(s, "dialogues_as_history")).empty() &&
        !run.numbers.series("nll").empty() && !run.numbers.series("tokens").empty()) {
      continue;
    }
    throw DataError(path + ": the lists of its dialogues do not fit together");
  }
}

void check_samples(const RunResult& run, const std::vector<SampleDialogue>& samples,
                   const std::string& path) {
  const auto scores = [](size_t i) { return sample_key(i, "as_scores"); };
  bool fits = !run.numbers.has_series(scores(samples.size()));
  for (size_t i = 0; fits && i < samples.size(); ++i) {
    fits = run.numbers.has_series(scores(i)) &&
           run.numbers.series(scores(i)).size() == samples[i].context.size();
    if (fits) run.numbers.text(sample_key(i, "response"));
  }
  if (!fits) throw DataError(path + ": of other dialogues than the other runs");
}

}  // namespace

void add_shares(Numbers& numbers) {
  for (size_t s = 1; s < kSets; ++s) {
    const Series &d = numbers.series(key_of(s, "dialogues_as_distraction")),
                 &h = numbers.series(key_of(s, "dialogues_as_history"));
    double above = 0, bounded = 0, count = 0, defined = 0;
    for (size_t i = 0; i < d.size(); ++i) {
      if (!d[i] || !h[i]) continue;
      ++count, above += *d[i] > *h[i];
      if (*d[i] + *h[i] > 0) ++defined, bounded += *d[i] / (*d[i] + *h[i]);
    }
    if (count > 0) numbers.set(key_of(s, kDasAbove), above / count);
    if (defined > 0) numbers.set(key_of(s, kDasBounded), bounded / defined);
  }
}

std::string sample_key(size_t dialogue, const std::string& number) {
  return "samples." + std::to_string(dialogue) + "." + number;
}

DistractionResults load_distraction_results(const std::string& folder) {
  DistractionResults results;
  static_cast<Results&>(results) = load_results(folder, layout());
  load_samples(folder, results);
  for (RunResult& run : results.runs) {
    const std::string path = (std::filesystem::path(folder) / source_of(run)).string();
    check_lists(run, path);
    add_shares(run.numbers);
    check_samples(run, results.samples, path);
  }
  return results;
}

Inference infer(const Results& results) {
  const std::string d = "dialogues_as_distraction", h = "dialogues_as_history";
  std::vector<Measure> measures = {
      {.key = key_of(0, "perplexity"), .top = "nll", .bottom = "tokens", .exponential = true},
      {.key = key_of(0, "as_history"), .top = key_of(0, h), .bottom = key_of(0, h), .mean = true}};
  Comparison comparison{{}, baseline_of};
  for (size_t s = 1; s < kSets; ++s) {
    // The attention scores are means over the dialogues that have both.
    measures.push_back({key_of(s, "das_ratio"), key_of(s, d), key_of(s, h)});
    measures.push_back({key_of(s, "as_distraction"), key_of(s, d), key_of(s, h), true});
    measures.push_back({key_of(s, "as_history"), key_of(s, h), key_of(s, d), true});
    comparison.keys.push_back(key_of(s, "das_ratio"));
  }
  return {results, measures, comparison};
}

}  // namespace heed
