// How an experiment runs, given its settings S and its data D.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file.h"
#include "dialog/text/vocabulary.h"
#include "experiments/engine/runs/evaluation_json.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/experiment.h"
#include "train/run_json.h"
#include "train/settings_json.h"

namespace heed {

// The run that is trained or measured.
template <class S, class D> struct Subject {
  const PlannedRun& run;
  std::string out, directory;  // of the experiment, of the run
  Device device;
  const S& settings;
  const D& data;
  const MadeWith& made_with;
};

// A file that the first rank writes, with its content after evaluation_head(). All ranks compute it
// if Making::shares_measuring is set, else only the first.
template <class S, class D> struct Measurement {
  std::string file;
  void (*fill)(const Subject<S, D>&, const OnMeasuring&, nlohmann::ordered_json&);
  bool (*is_wanted)(const S&) = [](const S&) { return true; };
};

template <class S, class D> struct Making {
  using Json = nlohmann::ordered_json;

  S initial = {};
  void (*visit)(S&, const OptionVisitor&) = [](S&, const OptionVisitor&) {};
  // Copies the request to the settings, before the data is read. Throws UsageError. `data` and
  // `pieces`, if the settings have them, are already set.
  void (*take)(const ExperimentRequest&, S&) = [](const ExperimentRequest&, S&) {};
  std::vector<VariantName> names = {};                       // of the variants
  std::vector<VariantName> (*variants)(const S&) = nullptr;  // those of these settings
  // reads: false for a rank that gets large data from another one, by D::share(neighbours).
  D (*load)(const S&, bool reads) = [](const S&, bool) { return D(); };
  // Sets the settings that depend on the data.
  void (*settle)(const ExperimentRequest&, const D&, S&) = [](const ExperimentRequest&, const D&,
                                                              S&) {};

  // KIND.json: how runs are trained, before the options; a description of the data; options that
  // older versions did not keep, with their former values.
  int format = 1;
  Json (*training)(const S&) = [](const S&) { return Json::object(); };
  Json (*about_data)(const S&, const D&) = [](const S&, const D&) { return Json::object(); };
  Json (*earlier)(const S&) = [](const S&) { return Json::object(); };
  Json more = Json::object();
  // Writes the other files of the folder, once.
  void (*begin)(const std::string& out, const S&, const D&) = [](const std::string&, const S&,
                                                                 const D&) {};
  // For people: "40 training, 10 validation and 12 test examples".
  std::string (*in_short)(const S&, const D&) = [](const S&, const D&) { return std::string(); };
  // The size of the vocabulary, if the metric is a perplexity.
  int64_t (*words)(const D&) = nullptr;

  // Throws UsageError for settings with which the variant cannot be trained.
  void (*check)(const S&, const D&, size_t variant) = [](const S&, const D&, size_t) {};
  // Trains or resumes the run; returns what the loop returns.
  bool (*train)(const Subject<S, D>&, const TrainHooks&);
  // The description of the run's variant in measurement files; else {"variant": its name}.
  Json (*about_variant)(const S&, const D&, size_t variant) = nullptr;
  std::string best_metric;  // the column of the log that defines the best epoch
  // kEvaluationFile first; folders of older versions may lack others.
  std::vector<Measurement<S, D>> measurements;
  bool shares_measuring = false;
  // For Plan. The default of valid_metric is best_metric.
  std::string train_metric, valid_metric = {}, metric_name;
  int metric_digits = 1;
  std::string (*kind)(const S&, const D&, size_t variant) = nullptr;  // else the variant's name
  int (*max_epochs)(const S&, size_t variant) = [](const S& s, size_t) {
    if constexpr (requires { s.epochs; }) return s.epochs;
    if constexpr (requires { s.train.loop.max_epochs; }) return s.train.loop.max_epochs;
    return 0;
  };

  std::vector<VariantName> names_with(const S& s) const { return variants ? variants(s) : names; }
};

// The training settings of all runs, by the names of their options, without those that a variant or
// a run decides.
template <class S> nlohmann::ordered_json training_options(const S& settings) {
  nlohmann::ordered_json json = as_options(settings);
  auto of_runs = options_that<S>(&Setting::of_variant);
  of_runs.insert(of_runs.end(), {"seed", "log-steps"});
  for (const std::string& option : of_runs) json.erase(option);
  return json;
}

// The files of its measurements but kEvaluationFile.
template <class S, class D>
std::vector<std::string> additions_of(const Making<S, D>& making, const S* wanted_by = nullptr) {
  std::vector<std::string> files;
  for (const auto& m : making.measurements) {
    if (m.file != kEvaluationFile && (!wanted_by || m.is_wanted(*wanted_by)))
      files.push_back(m.file);
  }
  return files;
}

// {"format", "heed", ..., "settings", "data"}: KIND.json.
template <class S, class D>
nlohmann::ordered_json describe(const Making<S, D>& making, S settings, const D& data,
                                const MadeWith& made_with) {
  nlohmann::ordered_json json = {{"format", making.format}, {"heed", program_json(made_with)}};
  json.update(making.more);
  auto& kept = json["settings"] = making.training(settings);
  making.visit(settings, [&](const Setting& setting, const OptionValue& value) {
    if (setting.key.empty()) return;
    std::visit([&](const auto* v) { kept[setting.key] = *v; }, value);
  });
  if constexpr (requires { settings.pieces; }) kept["pieces"] = settings.pieces;
  kept["device"] = made_with.device;
  kept["matmul"] = made_with.matmul;
  json["data"] = making.about_data(settings, data);
  return json;
}

// ---- options

// Those of several experiments.
inline NumberOption epochs_option(int& epochs) {
  return {"epochs", "Maximum number of epochs", &epochs, 1, 1000};
}
inline NumberOption vocab_option(int64_t& words) {
  return {"vocab", "Vocabulary size, including special tokens", &words, kSpecialTokens + 1, 1e6};
}
constexpr const char *kLimitHelp = "Read only the first N dialogues (of each part); 0: all",
                     *kTestLimitHelp =
                         "Read only the first N dialogues of the test part; 0: as --limit";
inline NumberOption limit_option(size_t& dialogues, const char* help = kLimitHelp) {
  return {"limit", help, &dialogues};
}
inline NumberOption test_limit_option(size_t& dialogues, const char* help = kTestLimitHelp) {
  return {"test-limit", help, &dialogues};
}

// The line of a setting of S, for an experiment that has the same setting.
template <class S> Setting line_of(const std::string& option, const char* group) {
  Setting line;
  each_option(S{}, [&](const Setting& setting, const auto&) {
    if (setting.option == option) line = setting;
  });
  check_internal(!line.option.empty(), "there is no setting of this name");
  line.group = group;
  return line;
}

// ---- experiments with the runs of a system (dialog/runs_of.h)

struct SystemSettings {
  std::string data = {};
  int pieces = 1;
  size_t limit = 0;  // dialogues of each part; 0: all
  int epochs = 1;
  int64_t width = 64, vocabulary = 0;  // 0: not a setting of the experiment
};

// Their options; `more` are others of the same group.
inline void show(const OptionVisitor& v, const char* group, SystemSettings& s, const char* width,
                 const std::vector<NumberOption>& more = {}) {
  std::vector<NumberOption> all = {epochs_option(s.epochs), {"width", width, &s.width, 1, 4096}};
  if (s.vocabulary > 0) all.push_back(vocab_option(s.vocabulary));
  all.insert(all.end(), more.begin(), more.end());
  all.push_back(limit_option(s.limit));
  show(v, group, all);
}

// Copies them to the settings of a run.
template <class R> void copy_settings(const SystemSettings& s, uint64_t seed, R& run) {
  if constexpr (requires { run.model.embedding_size; }) {
    run.model.embedding_size = run.model.hidden_size = s.width;
    if (s.vocabulary > 0) run.model.vocab_size = s.vocabulary;
  }
  run.limit = s.limit;
  run.loop.max_epochs = s.epochs;
  run.loop.seed = seed;
  run.loop.pieces = s.pieces;
}

// Begins such a run unless it exists, and trains it.
template <class Runs>
typename Runs::Settings begin_system(const std::string& directory, const auto& subject,
                                     typename Runs::Settings s, const typename Runs::Data& data,
                                     const TrainHooks& hooks) {
  Runs::take(s, data);
  begin_on_first(*hooks.ranks,
                 [&] { Runs::begin(directory, s, data, program_json(subject.made_with).dump()); });
  return s;
}
template <class Runs>
bool train_system(const std::string& directory, const auto& subject,
                  const typename Runs::Settings& settings, const typename Runs::Data& data,
                  const TrainHooks& hooks) {
  const auto s = begin_system<Runs>(directory, subject, settings, data, hooks);
  return Runs::train(directory, s, data, subject.device, hooks);
}

// Writes the measurements that the run lacks; without training only the first.
template <class S, class D>
void measure(const Making<S, D>& making, const Subject<S, D>& subject,
             const OnMeasuring& progress) {
  const size_t v = subject.run.variant;
  const VariantName name = making.names_with(subject.settings)[v];
  for (const Measurement<S, D>& m : making.measurements) {
    if (!name.trained && &m != making.measurements.data()) break;
    const std::string path = in(subject.directory, m.file.c_str());
    if (!m.is_wanted(subject.settings) || std::filesystem::exists(path)) continue;
    const bool first = progress.ranks().first();
    nlohmann::ordered_json json;
    if (first) {
      json = evaluation_head(subject.run,
                             making.about_variant
                                 ? making.about_variant(subject.settings, subject.data, v)
                                 : nlohmann::ordered_json{{"variant", name.name}},
                             subject.made_with);
      if (name.trained) add_training(json, subject.directory, making.best_metric);
    }
    m.fill(subject, progress, json);
    if (!first) continue;
    progress("all", 1);  // the last moment to give up
    write_file(path, json.dump() + "\n");
  }
}

// The settings, the data and the Making must outlive the plan.
template <class S, class D>
Plan plan_of(const Making<S, D>& making, const std::string& out,
             const std::vector<PlannedRun>& runs, const S& settings, const D& data,
             const MadeWith& made_with) {
  const auto subject = [&, out](const PlannedRun& run, const std::string& directory,
                                Device device) {
    return Subject<S, D>{run, out, directory, device, settings, data, made_with};
  };
  Plan plan{.out = out, .runs = runs};
  plan.additions = additions_of(making, &settings);
  const auto is_trained = [&](const PlannedRun& run) {
    return making.names_with(settings)[run.variant].trained;
  };
  plan.is_trained = is_trained;
  plan.train = [&making, subject, is_trained](const PlannedRun& run, const std::string& directory,
                                              Device device, const TrainHooks& hooks) {
    Ranks& ranks = *hooks.ranks;
    if (!is_trained(run)) return true;
    const bool evaluated = ranks.first() && std::filesystem::exists(in(directory, kEvaluationFile));
    return ranks.any(evaluated) != 0 || making.train(subject(run, directory, device), hooks);
  };
  plan.measure = [&making, subject](const PlannedRun& run, const std::string& directory,
                                    Device device, const OnMeasuring& progress) {
    measure(making, subject(run, directory, device), progress);
  };
  plan.shares_measuring = making.shares_measuring;
  plan.train_metric = making.train_metric;
  plan.valid_metric = making.valid_metric.empty() ? making.best_metric : making.valid_metric;
  plan.metric_name = making.metric_name;
  plan.metric_digits = making.metric_digits;
  plan.kind = [&](const PlannedRun& run) {
    return making.kind ? making.kind(settings, data, run.variant)
                       : making.names_with(settings)[run.variant].name;
  };
  plan.max_epochs = [&, is_trained](const PlannedRun& run) {
    return is_trained(run) ? making.max_epochs(settings, run.variant) : 0;
  };
  return plan;
}

template <class S, class D> class WorkOf : public ExperimentWork {
 public:
  WorkOf(std::string kind, const Making<S, D>& making)
      : kind_(std::move(kind)), making_(making), settings_(making.initial) {}

  void visit(const OptionVisitor& visitor) override { making_.visit(settings_, visitor); }
  std::vector<VariantName> take(const ExperimentRequest& request) override {
    request_ = request;
    if constexpr (requires { settings_.data = request.data; }) settings_.data = request.data;
    if constexpr (requires { settings_.pieces; }) settings_.pieces = request.pieces;
    making_.take(request_, settings_);
    return making_.names_with(settings_);
  }
  void load(bool reads) override {
    data_ = making_.load(settings_, reads);
    reads_ = reads;
  }
  std::string checksum() const override {
    if constexpr (requires(D data, const Neighbours& neighbours) { data.share(neighbours); }) {
      if (!reads_) return "";
    }
    return std::to_string(heed::checksum(making_.about_data(settings_, data_).dump()));
  }
  void share(const Neighbours& neighbours) override {
    if constexpr (requires { data_.share(neighbours); }) data_.share(neighbours);
  }
  void settle() override { making_.settle(request_, data_, settings_); }
  void check(const std::vector<PlannedRun>& runs) const override {
    const std::vector<VariantName> names = making_.names_with(settings_);
    std::set<size_t> checked;
    for (const PlannedRun& run : runs) {
      const VariantName& name = names[run.variant];
      if (!name.trained || !checked.insert(run.variant).second) continue;
      try {
        making_.check(settings_, data_, run.variant);
      } catch (const UsageError& e) {
        throw UsageError(name.name + ": " + e.what());
      }
    }
  }
  void open(const std::string& out) override {
    nlohmann::ordered_json earlier = making_.earlier(settings_);
    if constexpr (requires { settings_.pieces; }) earlier["pieces"] = settings_.pieces;  // any
    open_folder(out, kind_, describe(making_, settings_, data_, request_.made_with), earlier);
    making_.begin(out, settings_, data_);
  }
  Plan plan(const std::string& out, const std::vector<PlannedRun>& runs) override {
    return plan_of(making_, out, runs, settings_, data_, request_.made_with);
  }
  std::string in_short() const override { return making_.in_short(settings_, data_); }
  S& settings() { return settings_; }
  const D& data() const { return data_; }
  std::function<int64_t(const std::string&)> words() const override {
    if (!making_.words) return {};
    return [this](const std::string&) { return making_.words(data_); };
  }

 private:
  const std::string kind_;
  const Making<S, D> making_;
  ExperimentRequest request_;
  S settings_;
  D data_;
  bool reads_ = true;
};

// What the runs of a folder hold, but for the names of their numbers.
template <class S, class D>
ResultsLayout layout_of(const Experiment& row, const Making<S, D>& making) {
  return {.kind = row.kind,
          .format = making.format,
          .variants = making.names,
          .made_by = row.name.empty() ? "heed " + row.kind : "heed reproduce " + row.name,
          .additions = additions_of(making)};
}

// Completes a row, but for its report; its kind is its name unless it is set.
template <class S, class D> Experiment experiment(Experiment row, const Making<S, D>& making) {
  if (row.kind.empty()) row.kind = row.name;
  row.work = [kind = row.kind, making] { return std::make_unique<WorkOf<S, D>>(kind, making); };
  return row;
}
// showing() is called for a report.
template <class S, class D, class G>
Experiment experiment(const Experiment& row, const Making<S, D>& making, const G& showing) {
  Experiment whole = experiment(row, making);
  whole.report = [showing, layout = layout_of(whole, making)](const std::string& folder) {
    const auto& shown = showing();
    return report_of(shown, load_found(shown, folder, layout));
  };
  return whole;
}

}  // namespace heed
