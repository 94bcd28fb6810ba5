#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "base/file.h"
#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/format.h"
#include "dialog/view/render.h"
#include "experiments/engine/statistics.h"
#include "heed/commands.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/run_log.h"
#include "heed/shared_options.h"
#include "train/model_directory.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonPtr common;
  std::vector<std::string> runs;
  std::string test = "all", json;
  int64_t batch = 32;
  InputFlags input;
};

// A number of every run, and by how much it differs from the first run's.
struct Row {
  std::string set, measure;
  std::vector<std::optional<Estimate>> values, changes;  // no change for the first run
  std::vector<double> corrected = {};                    // the changes' p-values, after Holm
};

// What is measured of one run.
struct Measured {
  std::string name, path;
  Vocabulary vocabulary = {};
  std::vector<TestSetResult> results = {};
};

// ---- the numbers

// Perplexity exp(sum of nll / tokens) on the original set or, of models with other vocabularies,
// bits per character; the DAS ratio mean D / mean H on others.
constexpr const char *kPerplexity = "perplexity", *kBits = "bits_per_character",
                     *kDasRatio = "das_ratio";

Quotient quotient_of(const TestSetResult& result, const std::string& measure,
                     const std::vector<int>& conversations) {
  Series top, bottom;
  for (const ExampleResult& e : result.examples) {
    const double bits = std::numbers::ln2 * static_cast<double>(e.characters.all);
    top.push_back(measure == kDasRatio ? e.means.distraction : e.nll);
    bottom.push_back(measure == kDasRatio ? e.means.history
                     : measure == kBits   ? bits
                                          : static_cast<double>(e.tokens));
  }
  return quotient(top, bottom, conversations);
}

// The measures of a test set.
std::vector<std::string> measures_of(const std::string& set, const std::vector<Measured>& runs) {
  if (set != "none") return {kDasRatio};
  const bool same = std::all_of(runs.begin(), runs.end(), [&](const Measured& run) {
    return run.vocabulary == runs[0].vocabulary;
  });
  return same ? std::vector<std::string>{kPerplexity}
              : std::vector<std::string>{kPerplexity, kBits};
}

// A row for each test set, with intervals and p-values over conversations. Perplexities over
// different words have no change.
std::vector<Row> compare(const std::vector<Measured>& runs, const std::vector<int>& conversations) {
  std::vector<Quotient> quotients;
  std::vector<Row> rows;
  for (size_t s = 0; s < runs[0].results.size(); ++s) {
    const std::string& set = runs[0].results[s].name;
    for (const std::string& measure : measures_of(set, runs)) {
      rows.push_back({set, measure, {}, {}});
      for (const Measured& run : runs) {
        quotients.push_back(quotient_of(run.results[s], measure, conversations));
      }
    }
  }
  std::vector<Resampled> resampled = bootstrap(quotients);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool perplexity = rows[i].measure == kPerplexity;
    Resampled* of_runs = &resampled[i * runs.size()];
    for (size_t r = 0; r < runs.size(); ++r) {
      if (perplexity) of_runs[r] = exponential(std::move(of_runs[r]));
      rows[i].values.push_back(estimate(of_runs[r]));
      const bool comparable = !perplexity || runs[r].vocabulary == runs[0].vocabulary;
      rows[i].changes.push_back(
          r == 0 || !comparable ? std::nullopt : estimate(difference(of_runs[r], of_runs[0])));
    }
  }
  return rows;
}

// Corrects the p-values of all rows as one family; returns how many there are.
size_t correct(std::vector<Row>& rows) {
  std::vector<double> p_values;
  for (const Row& row : rows) {
    for (const auto& change : row.changes) {
      if (change) p_values.push_back(change->p_value);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  size_t at = 0;
  for (Row& row : rows) {
    for (const auto& change : row.changes) row.corrected.push_back(change ? corrected[at++] : NAN);
  }
  return p_values.size();
}

// ---- output

void print(const std::vector<Row>& rows, const std::vector<Measured>& runs) {
  size_t width = 0;
  for (const Measured& run : runs) width = std::max(width, printable(run.name).size());
  for (const Row& row : rows) {
    const int digits = row.measure == kPerplexity ? 1 : 3;
    const std::string title = row.measure == kPerplexity ? "perplexity"
                              : row.measure == kBits     ? "bits per character"
                                                         : "DAS ratio, " + row.set;
    std::printf("%s\n", title.c_str());
    for (size_t r = 0; r < runs.size(); ++r) {
      std::printf("  %-*s  %s", static_cast<int>(width), printable(runs[r].name).c_str(),
                  interval_text(row.values[r], digits, false).c_str());
      if (row.changes[r]) {
        std::printf("  change %s  p %.4f", interval_text(row.changes[r], digits, true).c_str(),
                    row.corrected[r]);
      }
      std::printf("\n");
    }
  }
}

Json to_json(const Row& row, const std::vector<Measured>& runs) {
  Json json = {{"test_set", row.set}, {"measure", row.measure}, {"runs", Json::array()}};
  for (size_t r = 0; r < runs.size(); ++r) {
    Json run = {{"name", runs[r].name}, {"estimate", to_json(row.values[r])}};
    if (row.changes[r]) {
      run["change"] = to_json(row.changes[r]);
      run["change"]["p"] = row.changes[r]->p_value;
      run["change"]["p_holm"] = row.corrected[r];
    }
    json["runs"].push_back(std::move(run));
  }
  return json;
}

// ---- the work

std::vector<Measured> named(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = run_names(paths);
  std::vector<Measured> runs;
  for (size_t r = 0; r < paths.size(); ++r) runs.push_back({names[r], paths[r], {}});
  return runs;
}

// A model that is compared with itself, under whatever name: that it changes nothing says nothing.
void note_equal_models(const std::vector<Measured>& runs) {
  std::map<uint32_t, const Measured*> seen;
  for (const Measured& run : runs) {
    const auto [first, is_new] =
        seen.emplace(file_checksum(file_inside(run.path, "model.safetensors")), &run);
    if (is_new) continue;
    note(first->second->path + " and " + run.path + " are the same model: nothing can change");
  }
}

// What makes numbers hard to compare.
void note_differences(const Measured& run, const Measured& first) {
  const std::string both = first.name + " and " + run.name;
  if (!(load_example_options(run.path) == load_example_options(first.path))) {
    note(both + " were trained with different bounds: both read what the first one was trained on");
  }
  if (!(run.vocabulary == first.vocabulary)) {
    note(both +
         " have different vocabularies: their perplexities cannot be compared, bits per "
         "character can (of words that are <unk> only a lower bound)");
  }
}

void measure(std::vector<Measured>& runs, const Options& o, const Inputs& inputs,
             const std::vector<Example>& examples, Device device) {
  PassProgress progress(inputs.sets.size() * runs.size(), examples, inputs.unit(examples.size()));
  for (Measured& run : runs) {
    LoadedModel loaded = load_model(run.path);
    run.vocabulary = std::move(loaded.vocabulary);
    move(*loaded.model, device);
    const EncodedInputs encoded(inputs, run.vocabulary);
    run.results =
        evaluate(*loaded.model, encoded.examples, inputs.sets, encoded.pool, encoded.phrases,
                 o.common->seed, o.batch, [&](const std::string& set, const ScoreProgress& done) {
                   progress.show(run.name + ", " + set, done.examples, done.tokens);
                 });
  }
}

void run(const Options& o) {
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  const std::vector<TestSet> sets = select_test_sets(o.test);
  o.input.check(sets);
  std::vector<Measured> runs = named(o.runs);
  for (const Measured& run : runs)
    load_model(run.path);  // refused now, and not when it is its turn
  note_equal_models(runs);
  const Inputs inputs = read_inputs(o.input, load_example_options(o.runs[0]), sets);
  const std::vector<Example> examples = inputs.examples(Vocabulary());
  measure(runs, o, inputs, examples, device);
  const LeftOut left_out = find_left_out(inputs, examples);
  say(left_out, inputs);
  for (const Measured& run : runs) note_differences(run, runs[0]);

  const std::vector<int> clusters = conversations(inputs.dialogues, examples);
  std::vector<Row> rows = compare(runs, clusters);
  const size_t comparisons = correct(rows);
  const int conversation_count = 1 + *std::max_element(clusters.begin(), clusters.end());
  if (!output.to_stdout()) {
    print(rows, runs);
    std::printf(
        "%zu %s of %d conversations, the largest of %zu. In brackets: 95 %% intervals over\n"
        "conversations. Changes are from the first run; p is corrected for %zu comparisons.\n",
        examples.size(), inputs.unit(examples.size()).c_str(), conversation_count,
        largest_cluster(clusters), comparisons);
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("compare", *o.common)},
               {"inputs", inputs_json(inputs, o.runs, o.common->seed)},
               {"left_out", to_json(left_out)},
               {"dialogues", left_out.dialogues_read},
               {"examples", examples.size()},
               {"conversations", conversation_count},
               {"largest_conversation", largest_cluster(clusters)},
               {"comparisons", comparisons},
               {"rows", Json::array()}};
  for (const Row& row : rows) json["rows"].push_back(to_json(row, runs));
  output.write(json);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "compare", "Perplexity and DAS ratios of several runs, with intervals and paired tests");
  c->footer(
      "All runs see the same dialogues and distractions. Intervals and p-values come from a "
      "bootstrap over conversations (dialogues that share text), as in heed report; changes are "
      "from the first run, paired.\n"
      "Examples:\n"
      "  heed compare runs/baseline runs/trained --data data/ubuntu-sample\n"
      "  heed compare runs/seed1 runs/seed2 runs/seed3 --data data/ubuntu-sample --test "
      "none,random "
      "--json compared.json");
  o->common = add_common(*c, {.seed = "Seed of the distractions"});
  c->add_option("runs", o->runs,
                "Directories of runs or models, two or more; the first is compared with")
      ->required()
      ->expected(2, 100);
  o->input.declare(*c);
  o->input.declare_tokens(*c);
  c->add_option("--test", o->test,
                "Test sets, with commas: as in heed evaluate; none: perplexity, others: DAS ratio")
      ->capture_default_str();
  add_json(*c, o->json);
  add_batch(*c, o->batch);
  o->input.declare_insertion(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
