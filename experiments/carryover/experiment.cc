#include "experiments/carryover/experiment.h"

#include <algorithm>
#include <numeric>

#include "dialog/carry/rules.h"
#include "dialog/carry/tallies_json.h"
#include "dialog/data/corpus.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/making_json.h"
#include "train/run_files.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using carry::Item;
using carry::Tallies;

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

// What each run's evaluation.json has: F1 over these candidates, by the names of
// dialog/carry/rules.h, with two series over dialogues, KEY_top and KEY_bottom, whose sums have it
// as their quotient.
struct CarryoverMeasure {
  const char *key, *group;
};
constexpr CarryoverMeasure kCarryoverMeasures[] = {
    {"f1_carried", "both/>=1"}, {"f1_far", "both/>=6"}, {"f1_same", "same/>=1"},
    {"f1_cross", "cross/all"},  {"f1_new", "both/new"}, {"f1_seen", "both/seen"}};
// The same of "both/>=6" on part of the items, with so many turns of other dialogues inserted.
constexpr int kInserted[] = {0, 4, 16};
std::string inserted_key(int inserted) {
  return "inserted_" + std::to_string(inserted);
}
// And of each of the rules.
std::string rule_key(const std::string& rule, const std::string& key) {
  return "rules." + rule + "." + key;
}

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
  put(json, inserted_key(inserted), "both/>=6", c);
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
  json["groups"] = carry::to_json(c.all);
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

// ---- the report

constexpr char kReport[] =
#include "carryover_report.inc"
    ;

Measure inserted_measure(int inserted) {
  const std::string key = inserted_key(inserted);
  return {.key = key, .top = key + "_top", .bottom = key + "_bottom"};
}

std::vector<Measure> measures() {
  std::vector<Measure> measures;
  const auto add = [&](const std::string& key, bool later = false) {
    measures.push_back(
        {.key = key, .top = key + "_top", .bottom = key + "_bottom", .later = later});
  };
  for (const CarryoverMeasure& m : kCarryoverMeasures) {
    add(m.key);
    for (const char* rule : carry::kRules) add(rule_key(rule, m.key), true);
  }
  for (const int inserted : kInserted) measures.push_back(inserted_measure(inserted));
  return measures;
}

// The rules have no seed: every run has the same numbers for them.
void add_rules(Table& table, const Results& results) {
  constexpr const char* kLabels[] = {"carry everything", "latest value of a key",
                                     "latest value the user said"};
  static_assert(std::size(kLabels) == carry::kRules.size());
  for (size_t r = 0; r < carry::kRules.size(); ++r) {
    Row row{.group = "rule", .label = kLabels[r]};
    for (const Column& c : table.columns) {
      row.cells.push_back(
          {.value = results.runs[0].numbers.value(rule_key(carry::kRules[r], c.key))});
    }
    row.sources = {source_of(results.runs[0])};
    row.reference = true;
    table.rows.push_back(std::move(row));
  }
}

// What inserted turns cost each variant: F1 without them less F1 with 4, and with 16, of the same
// dialogues and seeds.
std::vector<std::vector<Cell>> losses(const Results& results) {
  constexpr size_t kCounts = std::size(kInserted);
  std::vector<Quotient> quotients;
  for (const RunResult& run : results.runs) {
    for (const int n : kInserted) {
      quotients.push_back(quotient_of(results, run, inserted_measure(n)));
    }
  }
  const std::vector<Resampled> resampled = bootstrap(quotients);
  std::vector<std::vector<Cell>> cells(results.variants.size());
  for (size_t v = 0; v < cells.size(); ++v) {
    for (size_t k = 1; k < kCounts; ++k) {
      std::vector<Resampled> lost;
      std::vector<double> values;
      for (size_t r = 0; r < results.runs.size(); ++r) {
        if (results.runs[r].run.variant != v) continue;
        lost.push_back(difference(resampled[r * kCounts], resampled[r * kCounts + k]));
        values.push_back(lost.back().value);
      }
      Cell& cell = cells[v].emplace_back();
      if (lost.empty()) continue;
      std::vector<const Resampled*> seeds;
      for (const Resampled& of : lost) seeds.push_back(&of);
      cell = cell_of(estimate(over_seeds(seeds)));
      cell.deviation = spread(values)->deviation;
    }
  }
  return cells;
}

void add_lost(Table& table, const Results& results) {
  const auto lost = losses(results);
  for (size_t k = 1; k < std::size(kInserted); ++k) {
    const int n = kInserted[k];
    table.columns.push_back({"lost by", std::to_string(n),
                             inserted_key(0) + " - " + inserted_key(n), 1, true,
                             Column::Best::kLowest});
    for (size_t v = 0; v < table.rows.size(); ++v) table.rows[v].cells.push_back(lost[v][k - 1]);
  }
  mark_best(table);
}

Showing<> showing() {
  Showing<> s = described(kReport, carryover_variants(),
                          {.clusters = "dialogues",
                           .values = {"parameters", "best_epoch", "epochs"},
                           .measures = measures()});
  s.tables = [tables = s.tables](const Findings& found) {
    std::vector<Table> all = tables(found);
    for (Table& table : all) {
      if (table.id == "f1") add_rules(table, found.results);
      if (table.id == "inserted") add_lost(table, found.results);
    }
    return all;
  };
  return s;
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
      return {{"train_checksum", data.train.fingerprint()},
              {"test_checksum", carry::fingerprint(data.test)},
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

const Showing<>& carryover_showing() {
  static const Showing<> kShowing = showing();
  return kShowing;
}

Experiment carryover_experiment() {
  return experiment(
      {.name = "carryover",
       .what = "Train six decoders of slot carryover, test a paper's claims, and write tables",
       .more = "After Chen et al. (2019), docs/carryover.md. --data is a directory of "
               "items, which heed prepare carryover makes.",
       .example = "--data data/sgd-items",
       .only = "\"self-attention,pointer-*\""},
      kMaking, carryover_showing);
}

}  // namespace heed
