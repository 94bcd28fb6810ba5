#include "experiments/probes/additions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dialog/pretrained/likeness.h"
#include "dialog/probe/representations.h"
#include "dialog/respond/choose_epoch.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/score_json.h"
#include "dialog/stats/principal_components.h"
#include "dialog/text/tokenizer.h"
#include "experiments/probes/evaluation.h"
#include "experiments/probes/measurement_json.h"
#include "experiments/probes/paper.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Run = ProbesRun;

LoadedModel model_of(const Run& run, const std::string& epoch) {
  LoadedModel loaded = load_epoch(run.directory, epoch);
  move(*loaded.model, run.device);
  return loaded;
}

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

void measure_attention(const Run& s, const OnMeasuring& progress, Json& json) {
  const LoadedModel best = model_of(s, "best");
  const bool attends = best.model->config().structure.attention;
  json["attends"] = attends ? 1 : 0;
  json["test_sets"] = Json::object();
  if (!attends) return;
  const std::vector<Example> examples = last_examples(s.data);
  std::vector<TestSet> sets;
  for (const std::string_view set : kTestSets) sets.push_back(parse_test_set(set));
  const Phrases phrases = encode_phrases({}, s.data.train.vocabulary,
                                         s.settings.train.at(0).examples.max_utterance_tokens);
  const auto results = evaluate(
      *best.model, examples, sets, s.data.train.pool, phrases, kTestSeed, kProbesBatch,
      [&](const std::string& set, const ScoreProgress& done) {
        progress(set, static_cast<double>(done.examples) / static_cast<double>(examples.size()));
      });
  for (const TestSetResult& result : results) {
    ScoreSummary summary = result.summary;
    summary.heads.clear();
    json["test_sets"][result.name] = to_json(summary);
  }
}

// ---- principal components

constexpr size_t kFitted = 2000, kDrawn = 200, kTexts = 5;

// `most` of n things at even distances.
std::vector<size_t> spread_out(size_t n, size_t most) {
  std::vector<size_t> places;
  for (size_t i = 0; i < std::min(n, most); ++i) places.push_back(i * n / std::min(n, most));
  return places;
}

// The task by which points are coloured: one whose examples have a label each.
std::string colouring_task(const std::vector<std::string>& tasks) {
  for (const char* wanted : {"RecentTopic", "UtteranceLoc"}) {
    if (std::find(tasks.begin(), tasks.end(), wanted) != tasks.end()) return wanted;
  }
  return tasks.at(0);
}

// The most frequent label sets of these examples, as texts, and the place of each example's own.
void add_labels(const probe::LabelSets& sets, const std::vector<size_t>& places, Json& json) {
  std::map<std::string, int> counts;
  std::vector<std::string> texts;
  for (const size_t i : places) {
    std::string text;
    for (const std::string& label : sets[i]) text += (text.empty() ? "" : ", ") + label;
    texts.push_back(text);
    ++counts[text];
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [text, count] : counts) order.emplace_back(-count, text);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kTexts));
  json["labels"] = Json::array();
  std::map<std::string, size_t> place;
  for (const auto& [count, text] : order) {
    place[text] = json["labels"].size();
    json["labels"].push_back(text);
  }
  for (const std::string& text : texts) {
    json["label"].push_back(place.contains(text) ? place[text] : json["labels"].size());
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

void measure_components(const Run& s, const OnMeasuring& progress, Json& json) {
  const std::vector<size_t> places = spread_out(s.data.fit.examples.size(), kFitted);
  const std::vector<size_t> drawn = spread_out(places.size(), kDrawn);
  std::vector<Example> examples;
  std::vector<size_t> examples_drawn;
  for (const size_t i : places) examples.push_back(s.data.fit.examples[i]);
  for (const size_t i : drawn) examples_drawn.push_back(places[i]);
  const std::string task = colouring_task(s.data.tasks);
  json["task"] = task;
  json["examples"] = examples.size();
  add_labels(s.data.fit.labels.tasks.at(task), examples_drawn, json);
  for (const char* checkpoint : kCheckpoints) {
    const LoadedModel loaded = model_of(s, checkpoint);
    json[checkpoint] = components_of(
        probe::encode(*loaded.model, examples, Pooling::kSum, kProbesBatch,
                      [&](int64_t done, int64_t) {
                        progress("components",
                                 static_cast<double>(done) / static_cast<double>(examples.size()));
                      }),
        drawn);
  }
}

// ---- text

void measure_taught(const Run& s, const OnMeasuring& progress, Json& json) {
  const LoadedModel best = model_of(s, "best");
  json.update(
      Probing(s.settings, s.data, s.run.seed, progress).taught(*best.model, best.vocabulary));
}

Json overlap_json(const OverlapMeans& overlap) {
  return {{"bleu2", overlap.bleu_2}, {"rouge_l", overlap.rouge_l}, {"meteor", overlap.meteor}};
}

// The kept epochs by their responses to the dialogues of ProbesSettings::choose.
std::vector<KeptEpoch> kept_epochs(const Run& s, const OnMeasuring& progress,
                                   const Likeness& likeness = {}) {
  const auto all = static_cast<double>(s.data.valid.size());
  return overlaps_of_epochs(
      s.directory, s.data.valid, kProbesBatch, s.device,
      [&](int epoch, int64_t done, int64_t) {
        progress("epoch " + std::to_string(epoch), std::min(1.0, static_cast<double>(done) / all));
      },
      likeness);
}

// What is measured of an epoch that was chosen.
Json chosen_epoch(const Run& s, const Probing& probing, const KeptEpoch& best,
                  const std::string& name) {
  const LoadedModel loaded = model_of(s, std::to_string(best.epoch));
  Json its = without_items(probing.checkpoint(*loaded.model, name, nullptr));
  its["epoch"] = best.epoch;
  its["valid"] = overlap_json(best.overlap);
  its["free"] = probing.responses(*loaded.model, loaded.vocabulary);
  its["taught"] = probing.taught(*loaded.model, loaded.vocabulary);
  return its;
}

void measure_chosen(const Run& s, const OnMeasuring& progress, Json& json) {
  const std::vector<KeptEpoch> kept = kept_epochs(s, progress);
  const Probing probing(s.settings, s.data, s.run.seed, progress);
  json["valid_dialogues"] = s.data.valid.size();
  std::map<int, Json> measured;
  for (const auto& [name, metric] : choices()) {
    if (name == kBestBert) continue;
    const KeptEpoch best = best_epoch(kept, name);
    Json& its = measured[best.epoch];
    if (its.is_null()) its = chosen_epoch(s, probing, best, name);
    json[name] = its;
  }
}

std::vector<std::string> texts_of(const std::vector<Tokens>& words) {
  std::vector<std::string> texts;
  for (const Tokens& of_text : words) texts.push_back(detokenize(of_text));
  return texts;
}

void measure_judged(const Run& s, const OnMeasuring& progress, Json& json) {
  const pretrained::Encoder judge = pretrained::load_encoder(s.settings.judge);
  const auto kept = kept_epochs(s, progress, [&](const auto& responses, const auto& references) {
    return embedding_likeness(judge, texts_of(responses), texts_of(references));
  });
  const auto best = std::max_element(
      kept.begin(), kept.end(),
      [](const KeptEpoch& a, const KeptEpoch& b) { return a.likeness < b.likeness; });
  const Probing probing(s.settings, s.data, s.run.seed, progress);
  json["valid_dialogues"] = s.data.valid.size();
  json["encoder"] = checksum_of(s.settings.judge);
  json["by_epoch"] = Json::array();
  for (const KeptEpoch& epoch : kept) json["by_epoch"].push_back(epoch.likeness);
  json[kBestBert] = chosen_epoch(s, probing, *best, kBestBert);
  json[kBestBert]["valid"]["bert"] = best->likeness;
}

}  // namespace

std::vector<Measurement<ProbesSettings, ProbesData>> additions() {
  return {
      {"attention.json", measure_attention},
      {"components.json", measure_components},
      {"taught.json", measure_taught},
      {"chosen.json", measure_chosen, [](const ProbesSettings& s) { return s.choose > 0; }},
      {"judged.json", measure_judged, [](const ProbesSettings& s) { return !s.judge.empty(); }}};
}

std::string das_key(const std::string& test_set) {
  return "attention.test_sets." + test_set + ".das_ratio";
}

std::string components_key(const std::string& checkpoint, const std::string& number) {
  return "components." + checkpoint + "." + number;
}

std::string chosen_key(const std::string& epoch, const std::string& number) {
  return (epoch == kBestBert ? "judged." : "chosen.") + epoch + "." + number;
}

}  // namespace heed
