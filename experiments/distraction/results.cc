#include "experiments/distraction/results.h"

#include "train/run_json.h"

namespace heed {
namespace {

constexpr char kPaperTables[] =
#include "paper_tables.inc"
    ;

const std::string kOfDistractions = "dialogues_as_distraction", kOfHistory = "dialogues_as_history";

MeasuredRuns measured() {
  MeasuredRuns m{
      .clusters = "conversations",
      .values = {"best_epoch", "epochs", "valid_perplexity", "parameters", "responses.bleu",
                 "responses.distinct_1", "responses.distinct_2", "responses.mean_length"},
      .same = {"tokens"},
      .measures =
          {{.key = key_of(0, "perplexity"), .top = "nll", .bottom = "tokens", .exponential = true}},
      .comparison = {{}, baseline_of}};
  for (size_t s = 0; s < kSets; ++s) {
    for (const char* number :
         {"perplexity", "das_ratio", "mean_das_ratio", "median_das_ratio", "as_distraction",
          "as_history", "as_first", "as_last", "distracted"}) {
      m.values.push_back(key_of(s, number));
    }
    const std::string d = key_of(s, kOfDistractions), h = key_of(s, kOfHistory);
    // The attention scores are means over the dialogues that have both.
    m.measures.push_back({key_of(s, "as_history"), h, s == 0 ? h : d, true});
    if (s == 0) continue;
    m.measures.push_back({key_of(s, "das_ratio"), d, h});
    m.measures.push_back({key_of(s, "as_distraction"), d, h, true});
  }
  return m;
}

Samples load_samples(const std::string& folder) {
  return with_json(in(folder, "samples.json"), [&](const nlohmann::json& json) {
    Samples samples;
    const auto& human = json.at("human");
    human.at("distinct_1").get_to(samples.human.distinct_1);
    human.at("distinct_2").get_to(samples.human.distinct_2);
    human.at("mean_length").get_to(samples.human.mean_length);
    human.at("dialogues").get_to(samples.human.dialogues);
    json.at("test_set").get_to(samples.set);
    for (const auto& d : json.at("dialogues")) {
      SampleDialogue& dialogue = samples.dialogues.emplace_back(
          SampleDialogue{d.at("id").get<std::string>(), d.at("response").get<std::string>(), {}});
      for (const auto& u : d.at("context"))
        dialogue.context.push_back(
            {u.at("text").get<std::string>(), u.at("distraction").get<bool>()});
    }
    return samples;
  });
}

void check_samples(const RunResult& run, const Samples& samples, const std::string& folder) {
  const size_t count = samples.dialogues.size();
  bool fits = !run.numbers.has_series(sample_key(count, "as_scores"));
  for (size_t i = 0; fits && i < count; ++i) {
    const std::string scores = sample_key(i, "as_scores");
    fits = run.numbers.has_series(scores) && run.numbers.has_text(sample_key(i, "response")) &&
           run.numbers.series(scores).size() == samples.dialogues[i].context.size();
  }
  if (!fits) {
    throw DataError(in(folder, source_of(run)) + ": of other dialogues than the other runs");
  }
}

}  // namespace

const char kDistractionReport[] =
#include "distraction_report.inc"
    ;

std::string sample_key(size_t dialogue, const std::string& number) {
  return "samples." + std::to_string(dialogue) + "." + number;
}

void add_shares(Numbers& numbers) {
  for (size_t s = 1; s < kSets; ++s) {
    const Series &d = numbers.series(key_of(s, kOfDistractions)),
                 &h = numbers.series(key_of(s, kOfHistory));
    double above = 0, bounded = 0, count = 0, defined = 0;
    for (size_t i = 0; i < d.size(); ++i) {
      if (!d[i] || !h[i]) continue;
      ++count, above += *d[i] > *h[i];
      if (*d[i] + *h[i] > 0) ++defined, bounded += *d[i] / (*d[i] + *h[i]);
    }
    if (count > 0) numbers.set(key_of(s, "above"), above / count);
    if (defined > 0) numbers.set(key_of(s, "bounded"), bounded / defined);
  }
}

const Showing<>& distraction_report() {
  static const Showing<> kShowing =
      described(kDistractionReport, variant_names(all_variants()), measured(), paper_numbers());
  return kShowing;
}

DistractionFound load_distraction(const std::string& folder, const ResultsLayout& layout) {
  Findings found = load_findings(folder, layout, distraction_report().measured);
  Samples samples = load_samples(folder);
  for (RunResult& run : found.results.runs) {
    add_shares(run.numbers);
    check_samples(run, samples, folder);
  }
  return {std::move(found), std::move(samples)};
}

const PaperNumbers& paper_numbers() {
  static const PaperNumbers kRead = {
      printed_numbers(kPaperTables, names_of(variant_names(all_variants()))),
      "data/paper-tables.json"};
  return kRead;
}

}  // namespace heed
