#include "experiments/carryover/experiment.h"

#include <algorithm>
#include <numeric>

#include "dialog/carry/tallies_json.h"
#include "dialog/data/corpus.h"
#include "dialog/text/format.h"
#include "experiments/making_json.h"
#include "train/run_files.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using carry::Item;
using carry::Tallies;
using carry::Tally;

struct Settings : SystemSettings {
  int one_of = 30;           // learning curve: the number of training dialogues
  size_t distracted = 4000;  // items
};

struct Data {
  carry::TrainData train;
  std::vector<Item> test;
  std::vector<int> dialogues;  // of each item
};

using Run = Subject<Settings, Data>;

struct Variant {
  VariantName name;
  const char *decoder, *order, *value;
};
constexpr const char *kLstm = "lstm", *kMean = "average";
const std::vector<Variant>& variants() {
  static const std::vector<Variant> kAll = {
      {{"independent", "independent", "each slot by itself"},
       carry::kIndependent,
       carry::kTemporal,
       kLstm},
      {{"pointer-none", "pointer", "no order"}, carry::kPointer, carry::kNoOrder, kLstm},
      {{"pointer-turn", "pointer", "by turn"}, carry::kPointer, carry::kTurnOrder, kLstm},
      {{"pointer-temporal", "pointer", "as said"}, carry::kPointer, carry::kTemporal, kLstm},
      {{"pointer-average", "pointer", "as said, mean of embeddings"},
       carry::kPointer,
       carry::kTemporal,
       kMean},
      {{"self-attention", "self-attention", "all slots at once"},
       carry::kSelfAttention,
       carry::kTemporal,
       kLstm}};
  return kAll;
}

// ---- data and training

carry::Settings settings_of(const Settings& s, size_t variant, uint64_t seed) {
  const Variant& v = variants()[variant];
  carry::Settings c = carry::Runs::preset("laptop");
  c.model.decoder = v.decoder;
  c.model.order = v.order;
  c.model.value = v.value;
  c.model.dropout = 0.2;
  c.share = 1.0 / s.one_of;
  c.loop.schedule.rate = 0.002;
  copy_settings(s, seed, c);
  return c;
}

Data load_data(const Settings& s, bool) {
  Data data{carry::load_train_data(s.data, settings_of(s, 0, 1)), {}, {}};
  const std::string path = find_part(s.data, "test");
  data.test = carry::read_items(path, {.limit = s.limit});
  std::erase_if(data.test, [](const Item& item) { return item.candidates.empty(); });
  if (data.test.empty()) throw DataError(path + ": no item among those read has a candidate");
  std::map<std::string, int> numbers;
  for (const Item& item : data.test) {
    data.dialogues.push_back(
        numbers.emplace(item.dialogue, static_cast<int>(numbers.size())).first->second);
  }
  return data;
}

bool train_run(const Run& run, const TrainHooks& hooks) {
  return train_system<carry::Runs>(run.directory, run,
                                   settings_of(run.settings, run.run.variant, run.run.seed),
                                   run.data.train, hooks);
}

// ---- measuring

// The decisions on some items, counted: all together and dialogue by dialogue.
struct Counted {
  Tallies all;
  std::vector<Tallies> of_dialogues;
};

Counted counted_by_dialogue(const Data& data, const std::vector<size_t>& which,
                            const std::vector<std::vector<char>>& decided) {
  Counted c;
  c.of_dialogues.resize(static_cast<size_t>(data.dialogues.back()) + 1);
  for (size_t i = 0; i < which.size(); ++i) {
    const Item& item = data.test[which[i]];
    carry::count(item, decided[i], c.all);
    carry::count(item, decided[i], c.of_dialogues[static_cast<size_t>(data.dialogues[which[i]])]);
  }
  return c;
}

// F1 under the key, and its two series.
void put(Json& json, const std::string& key, const std::string& group, Counted& c) {
  json[key] = c.all.contains(group) ? Json(c.all[group].f1()) : Json();
  for (Tallies& of : c.of_dialogues) {
    const Tally t = of.contains(group) ? of[group] : Tally();
    json[key + "_top"].push_back(2 * t.hits);
    json[key + "_bottom"].push_back(t.decided + t.right);
  }
}

std::vector<std::vector<char>> carried(const std::vector<carry::Decision>& decisions) {
  std::vector<std::vector<char>> result;
  for (const carry::Decision& d : decisions) result.push_back(d.carry);
  return result;
}

// Inserts turns of other dialogues; distances are those before the insertion.
void measure_distracted(const Run& run, const carry::LoadedCarryover& loaded, int inserted,
                        Json& json) {
  const Data& data = run.data;
  const size_t n = std::min(data.test.size(), run.settings.distracted);
  std::vector<size_t> which;
  std::vector<Item> items;
  for (size_t i = 0; i < n; ++i) {
    which.push_back(i * data.test.size() / n);
    Rng rng(1, "carry.distract", which.back());
    items.push_back(carry::distract(data.test[which.back()], data.test, inserted, rng));
  }
  Counted c =
      counted_by_dialogue(data, which, carried(decide(loaded.model, loaded.vocabulary, items)));
  put(json, "inserted_" + std::to_string(inserted), "both/>=6", c);
}

void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  const Data& data = run.data;
  carry::LoadedCarryover loaded = carry::Runs::load(run.directory);
  move(loaded.model, run.device);
  json["parameters"] = heed::parameter_count(loaded.model);
  std::vector<int> clusters(static_cast<size_t>(data.dialogues.back()) + 1);
  std::iota(clusters.begin(), clusters.end(), 0);
  json["dialogues"] = clusters;
  std::vector<size_t> all(data.test.size());
  std::iota(all.begin(), all.end(), 0);
  const auto decisions =
      decide(loaded.model, loaded.vocabulary, data.test, 64, [&](int64_t done, int64_t of) {
        progress("test", 0.6 * static_cast<double>(done) / static_cast<double>(of));
      });
  Counted c = counted_by_dialogue(data, all, carried(decisions));
  for (const CarryoverMeasure& m : kCarryoverMeasures) put(json, m.key, m.group, c);
  json["groups"] = to_json(c.all);
  json["look"] = to_json(carry::look_by_distance(data.test, decisions));
  for (const char* rule : carry::kRules) {
    std::vector<std::vector<char>> decided;
    for (const Item& item : data.test) decided.push_back(decide_by_rule(rule, item));
    Counted by_rule = counted_by_dialogue(data, all, decided);
    for (const CarryoverMeasure& m : kCarryoverMeasures) {
      put(json["rules"][rule], m.key, m.group, by_rule);
    }
  }
  for (const int inserted : kInserted) {
    progress("inserted " + std::to_string(inserted), 0.6 + 0.02 * inserted);
    measure_distracted(run, loaded, inserted, json);
  }
}

// ---- the description

void visit(Settings& s, const OptionVisitor& v) {
  show(
      v, "Carryover", s, "Size of a word's embedding, and cells in each direction",
      {{"one-of", "Learn from one of N training dialogues, chosen by their ids", &s.one_of, 1, 1e6},
       {"distracted", "Number of items of the test part into which turns are inserted",
        &s.distracted, 1}});
}

const Making<Settings, Data> kMaking = {
    .initial = {{.epochs = 4, .width = 48, .vocabulary = 4000}},
    .visit = visit,
    .names = carryover_variants(),
    .load = load_data,
    .about_data = [](const Settings&, const Data& data) -> Json {
      uint32_t test = 0;
      for (const Item& item : data.test) test = checksum(carry::item_line(item), test);
      return {{"train_checksum", data.train.fingerprint()},
              {"test_checksum", test},
              {"train_items", data.train.train.size()},
              {"test_items", data.test.size()}};
    },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.train.train.size(), "training item") + " and " +
                 counted(data.test.size(), "test item");
        },
    .train = train_run,
    .best_metric = carry::kValidF1,
    .measurements = {{"evaluation.json", evaluate_run}},
    .train_metric = carry::kTrainLoss,
    .metric_name = "F1",
    .metric_digits = 3,
    .kind = [](const Settings&, const Data&,
               size_t v) { return std::string(variants()[v].decoder); }};

}  // namespace

const std::vector<VariantName>& carryover_variants() {
  static const auto kNames = variant_names(variants());
  return kNames;
}

Experiment carryover_experiment() {
  return experiment(
      {.name = "carryover",
       .what = "Train six decoders of slot carryover, test a paper's claims, and write tables",
       .more = "After Chen et al. (2019), docs/carryover.md. --data is a directory of "
               "items, which heed prepare carryover makes.",
       .example = "--data data/sgd-items",
       .only = "self-attention, \"pointer-*\""},
      kMaking, carryover_showing());
}

}  // namespace heed
