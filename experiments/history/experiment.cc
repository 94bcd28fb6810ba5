#include <filesystem>
#include <set>

#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/task.h"
#include "dialog/system.h"
#include "dialog/text/format.h"
#include "experiments/history/measurement_json.h"

namespace heed::history {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

bool is_model(const std::string& system) {
  return system.find('/') != system.npos;
}

// ---- training

// Whether an experiment wrote a file of a run, to say who worked on it and what was measured: in
// another folder that says nothing.
bool is_of_experiment(const std::string& file) {
  static const std::set<std::string> kFiles = {"lock", "failed.json", "times.json",
                                               "evaluation.json", "turns.json"};
  return kFiles.contains(file) || file.starts_with("owner-");
}

// An existing model is copied, so that the folder holds everything that was measured.
bool train_run(const Run& run, const TrainHooks& hooks) {
  const std::string& system = run.settings.systems[run.run.variant];
  if (is_model(system)) {
    begin_on_first(*hooks.ranks, [&] {
      for (const fs::directory_entry& file : fs::directory_iterator(system)) {
        const fs::path name = file.path().filename();
        if (is_of_experiment(name.string())) continue;
        fs::copy(file, fs::path(run.directory) / name,
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
      }
    });
    return true;
  }
  return train_responder(run.run, run.directory, run.device, run.settings.train.at(system),
                         run.data.train, hooks);
}

// ---- the description

void visit(Settings& s, const OptionVisitor& v) {
  v(setting("systems", "systems",
            "Structures to train, and directories of existing models (with a / in them) that "
            "respond or rank",
            {.group = "Systems"}),
    &s.systems);
  v(setting("limit", "limit", ""), &s.limit);
  show(v, "Tests", {test_limit_option(s.test_limit)});
}

void take(const ExperimentRequest& request, Settings& s) {
  s.data = request.data;
  s.any = request.responder({});
  s.limit = s.any.limit.value_or(0);
  for (const std::string& system : s.systems) {
    if (!is_model(system)) {
      s.train[system] = request.responder(Structure::parse(system));
    } else {
      require(system, Capability::kRank);  // models that respond rank, too
    }
  }
  if (!s.train.empty()) return;
  const Json options = as_options(s.any);
  for (const auto& [option, value] : options.items()) {
    if (option == "limit" || option == "seed") continue;  // the former is of the measuring, too
    request.refuse_given("--" + option, "with a structure in --systems");
  }
}

void settle(const ExperimentRequest& request, const Data& data, Settings& s) {
  if (!s.train.empty()) refuse_loss_without_distractions(request, s.any, data.train);
}

Data load_data(const Settings& s, bool reads) {
  Data data;
  if (!reads) return data;
  if (!s.train.empty()) {
    ExampleOptions bounds = s.any.examples;
    for (const auto& [name, train] : s.train) {  // of the systems that read labels
      if (bounds.conditions.empty()) bounds.conditions = train.model.conditions();
    }
    data.train = load_train_data(s.data, s.any.vocabulary_options(), bounds, s.limit);
  }
  data.pool = read_dialogues(find_part(s.data, "train"), s.limit);
  data.train_checksum = fingerprint(data.pool);
  data.test_path = find_part(s.data, "test");
  data.test = read_dialogues(data.test_path, s.test_limit ? s.test_limit : s.limit);
  data.pairs = retrieve::make_pairs(data.test, {.all_positions = true}, true);
  if (data.pairs.empty()) throw DataError(data.test_path + ": " + no_example({}));
  std::vector<size_t> places;
  for (const retrieve::Pair& pair : data.pairs) places.push_back(pair.dialogue);
  data.conversations = conversations(data.test, places);
  return data;
}

// A model that exists is taken as it is.
void check(const Settings& s, const Data& data, size_t variant) {
  const auto trained = s.train.find(s.systems[variant]);
  if (trained != s.train.end()) check_responder(trained->second, data.train);
}

const Making<Settings, Data> kMaking = {
    .visit = visit,
    .take = take,
    .variants = [](const Settings& s) { return variants_of(s.systems); },
    .load = load_data,
    .settle = settle,
    .training =
        [](const Settings& s) {
          Json json = training_options(s.any);
          json.erase("preset");
          return json;
        },
    .about_data = [](const Settings& s, const Data& data) -> Json {
      Json json = {{"train_checksum", data.train_checksum},
                   {"test_checksum", fingerprint(data.test)},
                   {"test_responses", data.pairs.size()}};
      json.update(checksums_of_files(s.any));
      return json;
    },
    .earlier = [](const Settings&) -> Json { return options_before(TrainSettings()); },
    .more = {{"test_seed", kTestSeed}},
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.pairs.size(), "test response") + " of " +
                 counted(data.test.size(), "dialogue");
        },
    .check = check,
    .train = train_run,
    .about_variant = [](const Settings& s, const Data&, size_t v) -> Json {
      return {{"system", s.systems[v]}};
    },
    .best_metric = kValidPerplexity,
    .measurements = {{"evaluation.json", measure_run}, {"turns.json", measure_turns}},
    .train_metric = kTrainPerplexity,
    .valid_metric = kValidPerplexity,
    .metric_name = "perplexity",
    .kind = [](const Settings& s, const Data&, size_t v) { return s.systems[v]; },
    .max_epochs = [](const Settings& s, size_t) { return s.any.loop.max_epochs; }};

}  // namespace

std::vector<VariantName> variants_of(const std::vector<std::string>& systems) {
  std::vector<VariantName> variants;
  std::set<std::string> names;
  for (const std::string& system : systems) {
    const fs::path path(system);
    const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
    if (name.empty() || !names.insert(name).second) {
      throw UsageError("--systems: needs different names, got '" + system + "'");
    }
    const bool is_here = !is_model(system);
    variants.push_back({name, is_here ? "here" : "as it is", name, true, /*of_seeds=*/is_here});
  }
  return variants;
}

Experiment history_experiment() {
  return experiment(
      {.name = "history",
       .what = "Measure how much, and which parts of, the history of a conversation help systems",
       .more = "Contexts are cut to their last turns, reordered, or lose turns or words, and the "
               "rise of the models' loss is measured (docs/results/history.md).",
       .example = "--data data/ubuntu-sample --systems data/models/baseline data/models/ranker",
       .only = "\"static-*\"",
       .trains = Trains::kResponders,
       .preset = "smoke"},
      kMaking, showing);
}

}  // namespace heed::history
