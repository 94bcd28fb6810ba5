#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/path.h"
#include "dialog/parts/nbest.h"
#include "dialog/respond/encoder.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/runs/lease.h"
#include "experiments/generators/evaluation_json.h"

namespace heed::generators {
namespace {

constexpr double kWeight = 0.5;  // the paper prints neither
constexpr int64_t kBeam = 10;

// The directory of the model of reversed pairs. Whoever comes first trains it, the others wait.
std::string reversed_model(const Run& run, const OnMeasuring& progress) {
  const PlannedRun planned = planned_run({"reversed"}, 0, run.run.seed);
  const std::string directory = in(run.out, planned.name.c_str());
  make_directory(directory);
  LeaseOffice office({});
  std::unique_ptr<Lease> lease;
  while (!(lease = office.take(directory))) {
    progress("waiting for the reversed model", 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  Data data;
  data.train = run.data.train;
  data.train.train = reversed(data.train.train);
  data.train.valid = reversed(data.train.valid);
  TrainHooks hooks;
  hooks.ranks = &progress.ranks();
  hooks.on_step = [&](const TrainProgress& p) {
    progress("reversed model", 0.6 * (p.epoch - 1) / p.max_epochs);
  };
  hooks.before_write = [&] { progress("reversed model", 0.6); };
  train_run({planned, run.out, directory, run.device, run.settings, data, run.made_with}, hooks);
  return directory;
}

}  // namespace

PackedList<Example> reversed(const PackedList<Example>& examples) {
  PackedList<Example> result;
  for (const Example e : examples) {
    if (e.response.empty()) continue;
    result.push_back({.id = e.id,
                      .dialogue_id = e.dialogue_id,
                      .context = {e.response},
                      .distraction = {0},
                      .response = e.context.back()});
  }
  return result;
}

std::vector<Tokens> best_by_mmi(const std::vector<Offered>& lists,
                                const std::vector<Tokens>& queries, const Ranker& of_reversed) {
  std::vector<NBest> texts;
  std::vector<std::vector<double>> log_p;
  for (size_t i = 0; i < lists.size(); ++i) {
    NBest& list = texts.emplace_back(NBest{{detokenize(queries[i])}, {}});
    for (const Tokens& r : lists[i].responses) list.responses.push_back(detokenize(r));
    log_p.push_back(lists[i].log_p);
  }
  const auto scores = mmi(log_p, kWeight, of_reversed, texts, kMeasuringBatch);
  std::vector<Tokens> best;
  for (size_t i = 0; i < lists.size(); ++i) {
    best.push_back(lists[i].responses[best_first(scores[i])[0]]);
  }
  return best;
}

void measure_mmi(const Run& run, const OnMeasuring& progress, nlohmann::ordered_json& json) {
  const Paper& paper = *run.settings.paper;
  if (!paper.variants[run.run.variant].has_mmi) return;
  const std::string reversed = reversed_model(run, progress);
  const LoadedModel loaded = load_model(run.directory), other = load_model(reversed);
  move(*loaded.model, run.device);
  move(*other.model, run.device);
  progress("beams", 0.6);
  const auto& test = run.data.test;
  DecodeOptions decode = paper.decode;
  decode.beam_size = kBeam;
  const auto lists = respond_lists(*loaded.model, test, loaded.vocabulary, decode, kMeasuringBatch);
  std::vector<Tokens> queries;
  for (const Example& e : test) queries.push_back(context_words(e, loaded.vocabulary).back());
  progress("beams by MMI", 0.8);
  const ResponseRanker ranker(*other.model, other.vocabulary, load_example_options(reversed));
  Measuring(run, loaded.vocabulary).put_way(json, "", best_by_mmi(lists, queries, ranker));
}

}  // namespace heed::generators
