#include "dialog/probe/probe.h"

#include <algorithm>

#include "base/list.h"
#include "dialog/probe/feature_file.h"
#include "dialog/probe/representations.h"
#include "dialog/text/text_table.h"
#include "experiments/engine/stats/statistics.h"
#include "heed/command.h"
#include "heed/encode.h"
#include "heed/progress.h"
#include "heed/results.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

using probe::Part, probe::ProbeOptions, probe::TaskResult;

struct ProbeFlags : CommandOptions {
  EncodeFlags encode;
  std::string features, tasks = "all", kind = "logistic", eval_part = "test", json;
  int max_iterations = ProbeOptions{}.max_iterations;
  bool standardise = false, controls = false;

  ProbeOptions probe() const {
    return {.kind = kind == "mlp" ? ProbeOptions::Kind::kMlp : ProbeOptions::Kind::kLogistic,
            .max_iterations = max_iterations,
            .standardise = standardise,
            .control = controls,
            .seed = common->seed};
  }
};

// A representation to probe, for both parts, and what was found of each task.
struct Encoder {
  std::string name;
  Part train, test;
  std::vector<TaskResult> found = {};
};

std::vector<std::string> task_names(const std::string& list, const Part& part) {
  const auto& known = part.examples.tasks;
  std::vector<std::string> all;
  for (const auto& [name, sets] : known) all.push_back(name);
  if (list == "all") return all;
  const std::vector<std::string> names = split(list, ',');
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw UsageError("--tasks " + name + ": is given twice");
    }
    if (known.contains(name)) continue;
    throw UsageError("--tasks: expected all or some of " + joined(all) + ", got '" + name + "'");
  }
  if (names.empty()) throw UsageError("--tasks: names no task; leave it out for all");
  return names;
}

void probe_encoder(Encoder& encoder, const std::vector<std::string>& tasks,
                   const ProbeOptions& options) {
  Progress progress;
  for (const std::string& task : tasks) {
    progress.show(encoder.name + ": " + task);
    encoder.found.push_back(probe::probe(encoder.train, encoder.test, task, options));
  }
}

// ---- results

Json interval_json(const TaskResult& r, const std::vector<std::string>& ids, uint64_t seed) {
  Series top, bottom;
  for (const Tally& h : r.examples) {
    top.emplace_back(2.0 * static_cast<double>(h.hits));
    bottom.emplace_back(static_cast<double>(h.decided + h.right));
  }
  const auto f1 = estimate(bootstrap({quotient(top, bottom, probe::dialogues_of(ids))}, seed)[0]);
  return f1 ? Json{f1->interval.low, f1->interval.high} : Json();
}

Json to_json(const TaskResult& r, const std::vector<std::string>& ids, uint64_t seed) {
  Json json = {{"f1", r.f1},
               {"interval", interval_json(r, ids, seed)},
               {"exact", r.exact},
               {"accuracy", r.accuracy ? Json(*r.accuracy) : Json()},
               {"constant", r.constant},
               {"labels", r.labels},
               {"unseen", r.unseen},
               {"unconverged", r.unconverged},
               {"iterations", r.iterations}};
  if (r.control_f1) {
    json["control_f1"] = *r.control_f1;
    json["selectivity"] = r.selectivity();
  }
  return json;
}

Json to_json(const Encoder& encoder, const std::vector<std::string>& tasks, uint64_t seed) {
  Json json = Json::object();
  for (size_t t = 0; t < tasks.size(); ++t) {
    json[tasks[t]] = to_json(encoder.found[t], encoder.test.examples.ids, seed);
  }
  return json;
}

// F1 of every encoder, one line per task; with the control task also the selectivity of the first
// one.
std::string table(const std::vector<Encoder>& encoders, const std::vector<std::string>& tasks) {
  const auto percent = [](double share) { return decimal(100 * share, 2); };
  std::vector<std::vector<std::string>> columns = {{"F1"}};
  columns[0].insert(columns[0].end(), tasks.begin(), tasks.end());
  const auto add = [&](const std::string& title, const Encoder& of, auto cell) {
    columns.push_back({title});
    for (const TaskResult& r : of.found) columns.back().push_back(cell(r));
  };
  const Encoder& first = encoders[0];
  add("labels", first, [](const TaskResult& r) { return std::to_string(r.labels); });
  add("constant", first, [&](const TaskResult& r) { return percent(r.constant); });
  for (const Encoder& encoder : encoders) {
    add(encoder.name, encoder, [&](const TaskResult& r) { return percent(r.f1); });
  }
  if (first.found[0].control_f1) {
    add("selectivity", first, [&](const TaskResult& r) { return percent(r.selectivity()); });
  }
  return text_table(std::move(columns), results_width());
}

void say_unconverged(const std::vector<Encoder>& encoders, const std::vector<std::string>& tasks,
                     bool mlp) {
  for (const Encoder& e : encoders) {
    for (size_t t = 0; t < tasks.size(); ++t) {
      const int64_t count = e.found[t].unconverged;
      if (count == 0) continue;
      const std::string what = mlp ? "the MLP" : counted(count, "label");
      warn(e.name + ", " + tasks[t] + ": " + what + " had not converged after " +
           counted(e.found[t].iterations, mlp ? "epoch" : "iteration"));
    }
  }
}

// ---- the sources of representations
// The model, then what it is to be compared with.
std::vector<Encoder> encoders_of(const ProbeFlags& o, Encoding& encoding) {
  const EncodeInput &train = encoding.part("train"), &test = encoding.part(o.eval_part);
  std::vector<Encoder> encoders;
  encoders.push_back({o.encode.epoch, encoding.encode(train), encoding.encode(test)});
  if (encoding.has_untrained()) {
    encoders.push_back(
        {"untrained", encoding.encode_untrained(train), encoding.encode_untrained(test)});
  }
  const auto bag = [&](const EncodeInput& input) {
    return probe::bag_of_words(input.examples, encoding.width(), o.common->seed);
  };
  encoders.push_back({"bag-of-words", {bag(train), train.labels}, {bag(test), test.labels}});
  encoders.push_back({"length",
                      {probe::context_lengths(train.examples), train.labels},
                      {probe::context_lengths(test.examples), test.labels}});
  return encoders;
}

void check_source(const ProbeFlags& o) {
  if (o.features.empty() == o.encode.model.empty()) {
    throw UsageError("give --features DIR, or --model RUN and --data DIR");
  }
  if (o.encode.model.empty() != o.encode.data.empty()) {
    throw UsageError(o.encode.data.empty()
                         ? "--model: needs --data DIR, the dialogues to encode"
                         : "--data: only applies with --model; features have their labels");
  }
  if (o.features.empty()) return;
  for (const char* option : {"--epoch", "--pool", "--layer", "--limit", "--batch"}) {
    refuse_given(*o.command, option, "with --model");
  }
}

void run(const ProbeFlags& o) {
  if (!o.command->get_subcommands().empty()) return;  // heed probe negatives, which has run
  check_source(o);
  const Device device = start(*o.common);
  const JsonOutput output(o.json);
  Json inputs;
  std::vector<Encoder> encoders;
  if (o.features.empty()) {
    Encoding encoding(o.encode, {"train", o.eval_part}, device, RankTeam(*o.common));
    task_names(o.tasks, {{}, encoding.part("train").labels});  // before the long work
    encoders = encoders_of(o, encoding);
    inputs = encoding.to_json();
  } else {
    encoders.push_back({"features", probe::read_part(o.features, "train"),
                        probe::read_part(o.features, o.eval_part)});
    inputs = {{"features", o.features}};
  }
  const std::vector<std::string> tasks = task_names(o.tasks, encoders[0].train);
  for (Encoder& e : encoders) probe_encoder(e, tasks, o.probe());
  say_unconverged(encoders, tasks, o.kind == "mlp");
  if (!output.to_stdout()) print_text(table(encoders, tasks));
  if (!output.wanted()) return;
  inputs["examples"] = {{"train", encoders[0].train.examples.ids.size()},
                        {o.eval_part, encoders[0].test.examples.ids.size()}};
  Json json = {{"inputs", inputs},
               {"probe",
                {{"kind", o.kind},
                 {"standardise", o.standardise},
                 {"max_iter", o.max_iterations},
                 {"seed", o.common->seed}}},
               {"tasks", to_json(encoders[0], tasks, o.common->seed)}};
  for (size_t i = 1; i < encoders.size(); ++i) {
    json["baselines"][encoders[i].name] = to_json(encoders[i], tasks, o.common->seed);
  }
  output.write(o, json);
}

}  // namespace

void add_probe(CLI::App& app) {
  const auto [c, o] = declare<ProbeFlags>(
      app, "probe",
      "Measure how much about a conversation a probe can predict from an encoder's vectors",
      "For every task, trains a linear classifier of each label on the representations of the "
      "training part, and shows the micro F1 on the test part, from 0 to 100. constant: F1 of "
      "always predicting the labels that most training examples have. --model adds the untrained "
      "encoder, a random projection of the words of the context, and the length of the context. "
      "docs/probes.md defines the tasks, and explains how to probe an encoder from elsewhere.\n"
      "Examples:\n"
      "  heed probe --model runs/first --data data/ubuntu-sample --standardise --json probe.json\n"
      "  heed probe --features features --tasks UtteranceLoc --controls",
      {.seed = "Seed of the control task, the bag of words and the MLP"}, run);
  c.add_option("--features", o.features,
               "Directory with train and test: PART.safetensors and PART.jsonl");
  o.encode.declare(c, /*required=*/false);
  option(c, "--tasks", o.tasks, "Tasks, with commas, or all");
  option(c, "--probe", o.kind,
         "logistic: one logistic regression per label; mlp: one hidden layer of 100 units",
         one_of({"logistic", "mlp"}));
  c.add_flag("--standardise", o.standardise,
             "Scale each dimension to mean 0 and variance 1 on the training part; otherwise large "
             "representations are regularised less than small ones");
  option(c, "--max-iter", o.max_iterations,
         "Maximum number of iterations of the solver; for the MLP: epochs (at most 200)",
         whole_number(1, 1000000));
  c.add_flag("--controls", o.controls,
             "Add the control task, whose labels are drawn at random for each last utterance, so "
             "that only memorising helps. selectivity: F1 minus F1 on the control task");
  option(c, "--eval-part", o.eval_part, "The part on which F1 is measured",
         one_of({"test", "valid"}));
  add_json(c, o.json);
  add_probe_negatives(c);
}

}  // namespace heed
