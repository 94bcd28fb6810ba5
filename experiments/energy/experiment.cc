#include "experiments/energy/experiment.h"

#include <filesystem>

#include "dialog/data/conversations.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "dialog/track/task.h"
#include "experiments/making_json.h"
#include "tensor/random.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using track::Conversation;

struct Settings : SystemSettings {
  std::string slots = {}, machine = "acts";
  int steps = 50;
};

struct Data {
  track::TrainData train;
  std::vector<Conversation> test;
  std::vector<int> conversations;  // of each turn of test that is no distraction
};

using Run = Subject<Settings, Data>;

struct Variant {
  VariantName name;
  const char* output;
  bool independent = false, fixed_features = false, again = true;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kAll = {
      {{"heads", "trained from the start", "heads"}, "heads", false, false, false},
      {{"heads-again", "trained on", "heads"}, "heads"},
      {{"logistic-fixed", "fixed", "logistic"}, "energy", true, true},
      {{"energy-fixed", "fixed", "energy"}, "energy", false, true},
      {{"logistic", "trained on", "logistic"}, "energy", true},
      {{"energy", "trained on", "energy"}, "energy"}};
  return kAll;
}

track::Settings settings_of(const Settings& s, uint64_t seed) {
  track::Settings t = track::Runs::preset("laptop");
  t.model.machine = s.machine;
  t.model.act_size = s.width;
  t.model.steps = s.steps;
  t.model.inner_rate = 5.0 / s.steps;  // with more steps over the same distance
  t.model.slots = s.slots;
  copy_settings(s, seed, t);
  return t;
}

Data load_data(const Settings& s, bool) {
  Data data;
  data.train = track::load_train_data(s.data, settings_of(s, 1));
  const std::string path = find_part(s.data, "test");
  std::vector<std::string> unknown;
  data.test = data.train.reader.conversations(
      path, read_dialogues(path, {.limit = s.limit, .progress = {}, .notes = true}), unknown,
      s.slots);
  for (size_t c = 0; c < data.test.size(); ++c) {
    for (const track::UserTurn& turn : data.test[c].turns) {
      if (!turn.distraction) data.conversations.push_back(static_cast<int>(c));
    }
  }
  if (data.conversations.empty()) {
    throw DataError(path + ": no dialogue has turns of \"user\"");
  }
  return data;
}

// The other trackers start from the features of softmax heads of the same seed: those of the
// experiment if they have been evaluated, or else the same heads trained again in a run below this
// run.
bool train_run(const Run& run, const TrainHooks& hooks) {
  const Variant& variant = variants()[run.run.variant];
  track::Settings s = settings_of(run.settings, run.run.seed);
  const auto train_in = [&](const std::string& directory, const track::Settings& s) {
    make_directory(directory);
    return train_system<track::Runs>(directory, run, s, run.data.train, hooks);
  };
  if (is_begun(run.directory)) {
    s.init = track::Runs::settings(run.directory).init;  // whose path may have changed since
  } else if (variant.again) {
    const std::string heads = in(run.out, "heads-seed" + std::to_string(run.run.seed));
    const std::string own = in(run.directory, "heads");
    const bool is_there =
        std::filesystem::exists(in(heads, "evaluation.json")) && !std::filesystem::exists(own);
    if (!is_there && !train_in(own, s)) return false;
    s.init = is_there ? heads : own;
  }
  s.model.output = variant.output;
  s.model.independent = variant.independent;
  s.fixed_features = variant.fixed_features;
  return train_in(run.directory, s);
}

// ---- measuring

// Before every turn but the first an utterance that changed nothing where it was said, in another
// conversation: the right state stays.
std::vector<Conversation> distracted(const std::vector<Conversation>& test) {
  const auto pool = track::unchanging(test);
  std::vector<Conversation> result;
  for (size_t c = 0; c < test.size(); ++c) {
    Conversation& changed = result.emplace_back(Conversation{test[c].id, {}});
    Rng rng(/*seed=*/1, "distraction", c);
    for (const track::UserTurn& turn : test[c].turns) {
      if (!changed.turns.empty() && !pool.empty()) {
        const auto& [from, said] = pool[rng.below(pool.size())];
        if (from != c) {
          changed.turns.push_back(track::distraction(*said, changed.turns.back().state));
        }
      }
      changed.turns.push_back(turn);
    }
  }
  return result;
}

// 1 or 0 for each item, under NAME_items, and their mean.
void put(Json& json, const std::string& name, const std::vector<std::optional<bool>>& items) {
  Json series = Json::array();
  for (const std::optional<bool> x : items)
    series.push_back(x ? Json(static_cast<int>(*x)) : Json());
  put_mean(json, name, std::move(series));
}

void put(Json& json, const std::string& name, const std::vector<track::TurnScore>& scores,
         bool track::TurnScore::*score) {
  std::vector<std::optional<bool>> items;
  for (const track::TurnScore& s : scores) items.emplace_back(s.*score);
  put(json, name, items);
}

void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  track::LoadedTracker loaded = track::Runs::load(run.directory);
  move(loaded.model, run.device);
  const track::Slots& slots = loaded.reader.slots;
  const std::vector<Conversation>& test = run.data.test;
  json["parameters"] = parameter_count(loaded.model);
  json["conversations"] = run.data.conversations;

  progress("the test part", 0.2);
  const track::Beliefs beliefs = track::track(loaded.model, slots, test, 32);
  const auto scores = track::score(slots, test, beliefs);
  put(json, "joint", scores, &track::TurnScore::joint);
  put(json, "above_half", scores, &track::TurnScore::set);
  put(json, "changes", scores, &track::TurnScore::change);
  const track::Accuracy accuracy = track::mean(scores);
  for (size_t s = 0; s < slots.count(); ++s) json["slots"][slots[s].name] = accuracy.slots[s];
  const auto rule = track::score(slots, test, track::string_match(slots, test));
  put(json, "string_match", rule, &track::TurnScore::joint);
  const auto pairs = track::dependences(slots, test, beliefs);
  json["phi_difference"] = track::phi_difference(pairs);
  for (const track::PairDependence& p : pairs) {
    const auto numbers = [](const Dependence& d) {
      return Json{{"chi2", d.chi2}, {"phi", d.phi}, {"cramers_v", d.cramers_v}};
    };
    json["dependence"][slots[p.a].name + "-" + slots[p.b].name] = {{"right", numbers(p.right)},
                                                                   {"tracked", numbers(p.tracked)}};
  }

  progress("with distractions", 0.6);
  const auto with = distracted(test);
  const track::Beliefs after = track::track(loaded.model, slots, with, 32);
  put(json, "distracted", track::score(slots, with, after), &track::TurnScore::joint);
  put(json, "survives", track::survivals(slots, with, after));
}

// ---- the description

constexpr char kReport[] =
#include "energy_report.inc"
    ;

void visit(Settings& s, const OptionVisitor& v) {
  const char* group = "Trackers";
  const auto line = [&](const char* option) { return line_of<track::Settings>(option, group); };
  show(v, group, s, "Size of a word's embedding, and cells of the LSTMs");
  v(line("steps"), &s.steps);
  v(line("slots"), &s.slots);
  v(line("machine"), &s.machine);
}

const Making<Settings, Data> kMaking = {
    .initial = {{.epochs = 60}},
    .visit = visit,
    .names = energy_variants(),
    .load = load_data,
    .about_data = [](const Settings&, const Data& data) -> Json {
      return {{"train_checksum", data.train.fingerprint()},
              {"test_checksum", track::fingerprint(data.test)},
              {"values", data.train.reader.slots.size()},
              {"test_turns", data.conversations.size()}};
    },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.train.train.size(), "training dialogue") + " and " +
                 counted(data.conversations.size(), "test turn");
        },
    .train = train_run,
    .best_metric = track::kValidJoint,
    .measurements = {{"evaluation.json", evaluate_run}},
    .train_metric = track::kTrainJoint,
    .metric_name = "joint accuracy",
    .metric_digits = 3};

}  // namespace

const Showing<>& energy_showing() {
  static const Showing<> kShowing = described(
      kReport, energy_variants(),
      {.clusters = "conversations",
       .values = {"phi_difference", "parameters", "best_epoch", "epochs"},
       .measures =
           means_of({"joint", "above_half", "changes", "string_match", "distracted", "survives"})});
  return kShowing;
}

const std::vector<VariantName>& energy_variants() {
  static const auto kNames = variant_names(variants());
  return kNames;
}

Experiment energy_experiment() {
  return experiment({.name = "energy",
                     .what = "Train six trackers of dialogue states, test a paper's claims, and "
                             "write tables",
                     .more = "After Trinh, Ross & Kelleher (2019), docs/tracking.md.",
                     .example = "--data data/woz2",
                     .only = "\"heads,energy*\""},
                    kMaking, energy_showing);
}

}  // namespace heed
