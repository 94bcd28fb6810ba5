#include <algorithm>
#include <map>

#include "base/list.h"
#include "dialog/pretrained/likeness.h"
#include "dialog/respond/choose_epoch.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/score_json.h"
#include "dialog/stats/principal_components.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/runs/plan.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/probes/measurement_json.h"
#include "experiments/probes/paper.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Run = ProbesRun;

// ---- where models look

// The last example of each dialogue, which has the longest history.
std::vector<Example> last_examples(const ProbesData& data) {
  std::vector<Example> last;
  for (size_t i = 0; i < data.test.examples.size(); ++i) {
    const bool follows = i > 0 && data.dialogues[i] == data.dialogues[i - 1];
    if (follows) last.pop_back();
    last.push_back(data.test.examples[i]);
  }
  return last;
}

void measure_attention(const Run& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  const LoadedModel best = probing.model("best");
  const bool attends = best.model->config().structure.attention;
  json["attends"] = attends ? 1 : 0;
  json["test_sets"] = Json::object();
  if (!attends) return;
  const std::vector<Example> examples = last_examples(run.data);
  std::vector<TestSet> sets;
  for (const std::string_view set : kTestSets) sets.push_back(parse_test_set(set));
  const Phrases phrases = encode_phrases({}, run.data.train.vocabulary,
                                         run.settings.train.at(0).examples.max_utterance_tokens);
  const auto results =
      evaluate(*best.model, examples, sets, run.data.train.pool, phrases, kTestSeed,
               kMeasuringBatch, [&](const std::string& set, const ScoreProgress& done) {
                 probing.counts(set, examples.size())(done.examples, done.tokens);
               });
  for (const TestSetResult& result : results) {
    ScoreSummary summary = result.summary;
    summary.heads.clear();
    json["test_sets"][result.name] = to_json(summary);
  }
}

// ---- principal components

constexpr size_t kFitted = 2000, kDrawn = 200, kTexts = 5;

// The task by which points are coloured: one whose examples have a label each.
std::string colouring_task(const std::vector<std::string>& tasks) {
  for (const char* wanted : {"RecentTopic", "UtteranceLoc"}) {
    if (std::find(tasks.begin(), tasks.end(), wanted) != tasks.end()) return wanted;
  }
  return tasks.at(0);
}

// The most frequent label sets, as texts, and the place of each one's own.
void add_labels(const std::vector<std::string>& texts, Json& json) {
  std::map<std::string, int> counts;
  for (const std::string& text : texts) ++counts[text];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [text, count] : counts) order.emplace_back(-count, text);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kTexts));
  json["labels"] = Json::array();
  for (const auto& [count, text] : order) json["labels"].push_back(text);
  for (const std::string& text : texts) {
    const auto place =
        std::find_if(order.begin(), order.end(), [&](const auto& of) { return of.second == text; });
    json["label"].push_back(place - order.begin());
  }
}

Json components_of(const Tensor& x, const std::vector<size_t>& drawn) {
  const int64_t count = std::min<int64_t>(2, x.shape()[1]);
  const auto found = principal_components(x, count);
  const Tensor at = found.coordinates(x);
  Json json = {{"share", Json::array()}, {"x", Json::array()}, {"y", Json::array()}};
  for (const double variance : found.variance) {
    json["share"].push_back(found.total > 0 ? variance / found.total : 0);
  }
  for (const size_t i : drawn) {
    const double* const point = at.data<double>() + static_cast<int64_t>(i) * count;
    json["x"].push_back(rounded(point[0]));
    json["y"].push_back(rounded(count > 1 ? point[1] : 0));
  }
  return json;
}

void measure_components(const Run& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  const probe::LabelledPart& fit = run.data.fit;
  const std::string task = colouring_task(run.data.tasks);
  const std::vector<size_t> places = spread_out(fit.examples.size(), kFitted),
                            drawn = spread_out(places.size(), kDrawn);
  std::vector<Example> examples;
  for (const size_t i : places) examples.push_back(fit.examples[i]);
  json["task"] = task;
  json["examples"] = examples.size();
  add_labels(labels_of_drawn(fit.labels.tasks.at(task), places, drawn), json);
  for (const char* checkpoint : kCheckpoints) {
    json[checkpoint] =
        components_of(encode(*probing.model(checkpoint).model, examples, Pooling::kSum,
                             kMeasuringBatch, probing.counts("components", examples.size())),
                      drawn);
  }
}

// ---- text

void measure_taught(const Run& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  json.update(probing.taught(probing.model("best")));
}

// The kept epochs by their responses to the dialogues of ProbesSettings::choose.
std::vector<KeptEpoch> kept_epochs(const Run& run, const Probing& probing,
                                   const Likeness& likeness = {}) {
  return overlaps_of_epochs(
      run.directory, run.data.valid, kMeasuringBatch, run.device,
      [&](int epoch, int64_t done, int64_t tokens) {
        probing.counts("epoch " + std::to_string(epoch), run.data.valid.size())(done, tokens);
      },
      likeness);
}

// What probes read from an epoch, if it is one of evaluation.json; else null.
Json probed_before(const Run& run, int epoch) {
  const Json evaluation = parse_json<Json>(in(run.directory, kEvaluationFile));
  for (const auto& [name, checkpoint] : evaluation.at("checkpoints").items()) {
    if (checkpoint.at("epoch") == epoch) return without_items(checkpoint);
  }
  return {};
}

// What is measured of an epoch that was chosen.
Json chosen_epoch(const Run& run, const Probing& probing, const KeptEpoch& best,
                  const std::string& name) {
  const LoadedModel loaded = probing.model(std::to_string(best.epoch));
  Json json = probed_before(run, best.epoch);
  if (json.is_null()) json = without_items(probing.checkpoint(loaded, name));
  json["epoch"] = best.epoch;
  json["valid"] = {{"bleu2", best.overlap.bleu_2},
                   {"rouge_l", best.overlap.rouge_l},
                   {"meteor", best.overlap.meteor}};
  json["free"] = probing.responses(loaded);
  json["taught"] = probing.taught(loaded);
  return json;
}

void measure_chosen(const Run& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  const std::vector<KeptEpoch> kept = kept_epochs(run, probing);
  json["valid_dialogues"] = run.data.valid.size();
  std::map<int, Json> measured;
  for (const auto& [name, metric] : choices()) {
    if (name == kBestBert) continue;
    const KeptEpoch best = best_epoch(kept, name);
    Json& its = measured[best.epoch];
    if (its.is_null()) its = chosen_epoch(run, probing, best, name);
    json[name] = its;
  }
}

std::vector<std::string> texts_of(const std::vector<Tokens>& words) {
  std::vector<std::string> texts;
  for (const Tokens& of_text : words) texts.push_back(detokenize(of_text));
  return texts;
}

void measure_judged(const Run& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  const pretrained::Encoder judge = pretrained::load_encoder(run.settings.judge);
  const auto kept = kept_epochs(run, probing, [&](const auto& responses, const auto& references) {
    return embedding_likeness(judge, texts_of(responses), texts_of(references));
  });
  const auto best = std::max_element(
      kept.begin(), kept.end(),
      [](const KeptEpoch& a, const KeptEpoch& b) { return a.likeness < b.likeness; });
  json["valid_dialogues"] = run.data.valid.size();
  json["encoder"] = checksum_of(run.settings.judge);
  json["by_epoch"] = Json::array();
  for (const KeptEpoch& epoch : kept) json["by_epoch"].push_back(epoch.likeness);
  json[kBestBert] = chosen_epoch(run, probing, *best, kBestBert);
  json[kBestBert]["valid"]["bert"] = best->likeness;
}

}  // namespace

std::vector<size_t> spread_out(size_t n, size_t most) {
  std::vector<size_t> places;
  for (size_t i = 0; i < std::min(n, most); ++i) places.push_back(i * n / std::min(n, most));
  return places;
}

std::vector<std::string> labels_of_drawn(const probe::LabelSets& labels,
                                         const std::vector<size_t>& places,
                                         const std::vector<size_t>& drawn) {
  std::vector<std::string> texts;
  for (const size_t i : drawn) texts.push_back(joined(labels[places[i]]));
  return texts;
}

std::vector<Measurement<ProbesSettings, ProbesData>> additions() {
  return {
      {"attention.json", measure_attention},
      {"components.json", measure_components},
      {"taught.json", measure_taught},
      {"chosen.json", measure_chosen, [](const ProbesSettings& s) { return s.choose > 0; }},
      {"judged.json", measure_judged, [](const ProbesSettings& s) { return !s.judge.empty(); }}};
}

}  // namespace heed
